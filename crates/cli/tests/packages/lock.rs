//! The lockfile, and the commands that update it.

use crate::support::{PROGRAM, Project, entry, needs};

#[test]
fn a_resource_brings_what_it_needs_and_the_lock_says_so() {
    let project = Project::new();
    let assistant = needs("snippets", &["snippets/prompts.md", "snippets/utils.md"]);
    let utils = needs("snippets", &["snippets/common.md"]);
    let source = project.source(&[(
        "v2.0.0",
        &[
            ("agents/assistant.md", &assistant),
            ("snippets/prompts.md", "prompts\n"),
            ("snippets/utils.md", &utils),
            ("snippets/common.md", "common\n"),
        ],
    )]);
    let commit = source.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned();
    project.manifest(
        "[agents]\nai-assistant = { source = \"community\", path = \"agents/assistant.md\", version = \"v2.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/assistant.md",
            ".claude/snippets/common.md",
            ".claude/snippets/prompts.md",
            ".claude/snippets/utils.md"
        ]
    );
    assert_eq!(project.read(".claude/agents/assistant.md"), assistant);
    let lock = project.read("agpm.lock");
    let entry = format!(
        "[[agents]]\nname = \"ai-assistant\"\nsource = \"community\"\npath = \"agents/assistant.md\"\n\
         requirement = \"v2.0.0\"\nversion = \"v2.0.0\"\nresolved_commit = \"{commit}\"\n"
    );
    assert!(lock.contains(&entry), "{lock}");
    assert!(
        lock.contains("dependencies = [\"snippets/prompts@v2.0.0\", \"snippets/utils@v2.0.0\"]"),
        "{lock}"
    );
    assert!(
        lock.starts_with("# ") && lock.contains("\nversion = 1\n"),
        "{lock}"
    );
    assert!(
        !lock.contains(&project.sandbox.work().display().to_string()),
        "{lock}"
    );
}

#[test]
fn pins_stay_whatever_else_is_edited() {
    let project = Project::new();
    let mut source = project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")],
    )]);
    let a = "a = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    let b = "b = { source = \"community\", path = \"agents/b.md\", version = \"^1.0\" }\n";
    project.manifest(&format!("[agents]\n{a}"));
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n"), ("agents/b.md", "b2\n")]);
    source.tag("v1.1.0");
    project.manifest(&format!("# a comment\n[agents]\n{b}{a}"));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    assert_eq!(project.read(".claude/agents/b.md"), "b2\n");
    // The requirement changed and still allows the pin.
    project.manifest(&format!("[agents]\n{b}{}", a.replace("^1.0", ">=1.0")));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    // It allows the pin no longer.
    project.manifest(&format!("[agents]\n{b}{}", a.replace("^1.0", ">=1.1")));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
}

#[test]
fn update_moves_what_is_named_and_nothing_else() {
    let project = Project::new();
    let mut source = project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")],
    )]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n\
         b = { source = \"community\", path = \"agents/b.md\", version = \"^1.0\" }\n",
    );
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n"), ("agents/b.md", "b2\n")]);
    source.tag("v1.1.0");
    source.tag("v2.0.0");
    let outdated = project.good("outdated");
    assert_eq!(
        outdated.stdout,
        "Name  Type   Source     Current  Wanted  Latest\n\
         a     agent  community  v1.0.0   v1.1.0  v2.0.0\n\
         b     agent  community  v1.0.0   v1.1.0  v2.0.0\n"
    );
    assert_eq!(project.run("outdated --check").code, Some(1));
    let before = project.tree();
    assert_eq!(project.run("update --check").code, Some(1));
    project.good("update --dry-run");
    assert_eq!(project.tree(), before);
    let output = project.good("update b");
    assert!(
        output.stdout.contains("agents/b  v1.0.0 -> v1.1.0"),
        "{output}"
    );
    assert_eq!(
        (
            project.read(".claude/agents/a.md"),
            project.read(".claude/agents/b.md")
        ),
        ("a1\n".into(), "b2\n".into())
    );
    project.good("update agent/a");
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
    project.refused("update c", 3, &["unknown resource `c`"]);
}

#[test]
fn locked_and_frozen_hold_the_lock() {
    let project = Project::new();
    let mut source = project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")],
    )]);
    let a =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    project.manifest(a);
    project.refused("install --locked", 5, &["`agpm.lock` not found"]);
    project.refused("install --frozen", 5, &["`agpm.lock` not found"]);
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    project.good("install --locked");
    project.good("install --frozen");
    project.remove(".claude/agents/a.md");
    project.good("install --frozen");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    project.manifest(&format!(
        "{a}b = {{ source = \"community\", path = \"agents/b.md\", version = \"^1.0\" }}\n"
    ));
    project.refused("install --locked", 5, &["agents/b"]);
    project.refused("install --frozen", 5, &["agents/b"]);
    project.manifest(&a.replace("^1.0", "^1.1"));
    project.refused("install --frozen", 5, &["requirement"]);
    project.manifest(a);
    project.write(".claude/agents/a.md", "mine\n");
    project.refused("install --frozen", 1, &["was edited"]);
    project.write(".claude/agents/a.md", "a1\n");
    let lock = project.read("agpm.lock");
    let broken = lock.replace("checksum = \"sha256:", "checksum = \"sha256:00");
    project.write("agpm.lock", &broken);
    project.refused("install --frozen", 1, &["lock/broken"]);
    let at = lock.find("sha256:").unwrap() + 7;
    let wrong = format!(
        "{}{}{}",
        &lock[..at],
        if &lock[at..=at] == "0" { "1" } else { "0" },
        &lock[at + 1..]
    );
    project.write("agpm.lock", &wrong);
    project.refused("install --frozen", 1, &["lock/checksum"]);
}

#[test]
fn a_moved_tag_is_reported_and_the_locked_commit_stays() {
    let project = Project::new();
    let mut source = project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")],
    )]);
    let a =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(a);
    project.good("install");
    source.commit(&[("agents/a.md", "moved\n")]);
    source.git(&["tag", "-f", "v1.0.0"]);
    project.manifest(&format!(
        "{a}b = {{ source = \"community\", path = \"agents/b.md\", version = \"main\" }}\n"
    ));
    let output = project.good("install");
    assert!(output.stderr.contains("lock/moved-tag"), "{output}");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
}

#[test]
fn locks_of_older_programs_are_hints() {
    let project = Project::new();
    let source = project.source(&[
        ("v1.0.0", &[("agents/a.md", "a1\n")]),
        ("v1.1.0", &[("agents/a.md", "a2\n")]),
    ]);
    let commit = source
        .git(&["rev-parse", "v1.0.0"])
        .stdout
        .trim()
        .to_owned();
    project.manifest(
        "[agents]\nmine = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n",
    );
    project.write(
        "agpm.lock",
        &format!(
            "version = 1\n[[sources]]\nname = \"community\"\nurl = \"../community\"\nfetched_at = \"2025-01-01\"\n\
             [[agents]]\nname = \"agents/a\"\nmanifest_alias = \"mine\"\nsource = \"community\"\nurl = \"../community\"\n\
             path = \"agents/a.md\"\nversion = \"v1.0.0\"\nresolved_commit = \"{commit}\"\nchecksum = \"sha256:abc\"\n\
             context_checksum = \"sha256:x\"\ninstalled_at = \".claude/agents/a.md\"\ndependencies = []\n\
             resource_type = \"Agent\"\ntool = \"claude-code\"\napplied_patches = {{}}\nvariant_inputs = {{}}\n"
        ),
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    assert!(!project.read("agpm.lock").contains("context_checksum"));
}

#[test]
fn files_of_older_programs_move_or_are_reported() {
    let project = Project::new();
    project.write("a/x.md", "x\n");
    project.write("a/y.md", "y\n");
    project.write("a/z.md", "z\n");
    project.write("src/main.rs", "x\n");
    project.manifest(
        "[agents]\nx = \"a/x.md\"\ny = { path = \"a/y.md\", tool = \"opencode\" }\n\
         [snippets]\nz = \"a/z.md\"\n",
    );
    let entry = |kind: &str, name: &str, at: &str| {
        format!(
            "[[{kind}]]\nname = \"a/{name}\"\npath = \"a/{name}.md\"\nchecksum = \"\"\n\
             installed_at = \"{at}\"\ndependencies = []\nmanifest_alias = \"{name}\"\n\
             applied_patches = {{}}\n\n[{kind}.variant_inputs]\n"
        )
    };
    let lock = [
        entry("agents", "x", ".claude/agents/agpm/x.md"),
        entry("agents", "y", ".opencode/agent/agpm/y.md"),
        entry("snippets", "z", ".opencode/snippet/agpm/s/z.md"),
        entry("snippets", "other", "src/main.rs"),
    ];
    let lock = format!("version = 1\nresource_count = 4\n{}", lock.concat());
    project.write("agpm.lock", &lock);
    project.write(".claude/agents/agpm/x.md", "x\n");
    project.write(".opencode/agent/agpm/y.md", "edited\n");
    project.write(".opencode/snippet/agpm/s/z.md", "z\n");
    for command in ["list", "outdated", "install --dry-run"] {
        project.good(command);
    }
    let installed = project.good("install");
    for gone in [".claude/agents/agpm", ".opencode/snippet"] {
        assert!(!project.exists(gone), "{gone}: {installed}");
    }
    // Its bytes are not those of the source, so they may be the user's.
    assert_eq!(project.read(".opencode/agent/agpm/y.md"), "edited\n");
    assert!(
        installed.stderr.contains("`.opencode/agent/agpm/y.md`"),
        "{installed}"
    );
    assert_eq!(project.read("src/main.rs"), "x\n");
    assert_eq!(project.read(".claude/agents/x.md"), "x\n");
    assert!(!project.read("agpm.lock").contains("variant_inputs"));
    project.good("install --locked");
}

#[test]
fn a_local_commit_of_an_older_program_is_no_pin() {
    let project = Project::new();
    project.write("a/x.md", "x\n");
    project.manifest("[agents]\nx = \"a/x.md\"\n");
    project.write(
        "agpm.lock",
        "version = 1\n[[agents]]\nname = \"x\"\nsource = \"local\"\npath = \"a/x.md\"\nversion = \"local\"\n\
         resolved_commit = \"local\"\nchecksum = \"sha256:abc123\"\ninstalled_at = \".claude/agents/x.md\"\n\
         dependencies = []\nresource_type = \"Agent\"\ntool = \"claude-code\"\n",
    );
    project.good("list");
    project.good("install");
    assert_eq!(project.read(".claude/agents/x.md"), "x\n");
}

#[test]
fn no_lock_dry_run_and_check_write_nothing_that_they_should_not() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    let before = project
        .sandbox
        .listing()
        .lines()
        .filter(|line| line.starts_with("work"))
        .count();
    let preview = project.good("install --dry-run");
    assert!(
        preview.stdout.contains("+ .claude/agents/a.md"),
        "{preview}"
    );
    assert_eq!(project.run("install --check").code, Some(1));
    assert_eq!(
        project
            .sandbox
            .listing()
            .lines()
            .filter(|line| line.starts_with("work"))
            .count(),
        before
    );
    project.good("install --no-lock");
    assert!(project.exists(".claude/agents/a.md") && !project.exists("agpm.lock"));
    project.good("install");
    project.good("install --check");
    let json = project.good("--json install --dry-run").stdout;
    assert!(
        json.starts_with("{\n  \"ok\": true,\n  \"dry_run\": true,"),
        "{json}"
    );
}

#[test]
fn resolve_only_locks_and_does_not_write() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\", install = false }\n",
    );
    project.good("install");
    assert!(project.installed().is_empty());
    assert!(project.read("agpm.lock").contains("install = false"));
    project.good("install --frozen");
}

#[test]
fn nothing_to_do_starts_no_process() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    for words in [vec!["install"], vec!["install", "--frozen"]] {
        let mut command = project.sandbox.command(PROGRAM);
        command
            .current_dir(project.sandbox.work().join("project"))
            .args(words)
            .env("PATH", "/nowhere");
        let output = project.sandbox.output(command);
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (Some(0), "Everything is up to date (1 resource)\n"),
            "{output}"
        );
    }
}

#[test]
fn twenty_clean_runs_are_the_same_to_the_byte() {
    let project = Project::new();
    let agents: Vec<(String, String)> = (0..20)
        .map(|n| {
            (
                format!("agents/a{n}.md"),
                needs("snippets", &[&format!("snippets/s{}.md", n * 7 % 10)]),
            )
        })
        .collect();
    let snippets = (0..10).map(|n| (format!("snippets/s{n}.md"), format!("{n}\n")));
    let files: Vec<(String, String)> = agents.into_iter().chain(snippets).collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    project.source(&[("v1.0.0", &files)]);
    project.named_source("second", &[("v1.0.0", &files)]);
    project.manifest(
        "second = \"../second\"\n[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"^1.0\" }\n\
         other = { source = \"second\", path = \"agents/a1*.md\", version = \"^1.0\", tool = \"opencode\" }\n",
    );
    let mut first = None;
    for _ in 0..20 {
        let root = project.sandbox.work();
        for directory in [".claude", ".opencode", ".agpm"] {
            let _ = std::fs::remove_dir_all(root.join("project").join(directory));
        }
        let _ = std::fs::remove_file(root.join("project/agpm.lock"));
        let _ = std::fs::remove_dir_all(root.join("../cache/agpm"));
        project.good("install");
        let tree = project.tree();
        assert_eq!(first.get_or_insert_with(|| tree.clone()), &tree);
    }
}

#[test]
fn templates_over_the_project_are_rendered_and_the_lock_has_the_source() {
    let project = Project::new();
    let agent = "---\nname: a\n---\nWrite {{ agpm.project.language }} of at most {{ agpm.project.width }}.\n\
                 ```literal\n{{ agpm.untouched }}\n```\nFrom {{ agpm.resource.version }}.\n";
    let plain = "No tag of ours: {{ other }}\n";
    project.source(&[("v1.0.0", &[("agents/a.md", agent), ("agents/b.md", plain)])]);
    let entries = "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"v1.0.0\" }\n";
    project.manifest(&format!(
        "[project]\nlanguage = \"Rust\"\nwidth = 100\n{entries}"
    ));
    project.good("install");
    assert_eq!(
        project.read(".claude/agents/a.md"),
        "---\nname: a\n---\nWrite Rust of at most 100.\n```literal\n{{ agpm.untouched }}\n```\nFrom v1.0.0.\n"
    );
    assert_eq!(project.read(".claude/agents/b.md"), plain);
    project.good("install --frozen");
    project.good("verify");
    // A change of a variable is a change of what is installed.
    project.manifest(&format!(
        "[project]\nlanguage = \"Go\"\nwidth = 100\n{entries}"
    ));
    project.good("install");
    assert!(project.read(".claude/agents/a.md").contains("Write Go"));
    project.manifest(entries);
    project.refused("install", 1, &["resource/template", "agents/a.md"]);
}

#[test]
fn frozen_sees_every_difference_and_does_not_call_it_up_to_date() {
    let project = Project::new();
    let agent = "---\ndependencies:\n  snippets:\n    - path: snippets/{{ agpm.project.l }}.md\n---\nbody\n";
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", agent),
            ("snippets/s1.md", "1\n"),
            ("snippets/s2.md", "2\n"),
        ],
    )]);
    project.named_source(
        "mirror",
        &[(
            "v1.0.0",
            &[("agents/a.md", agent), ("snippets/s1.md", "1\n")],
        )],
    );
    let entry =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    let with = |variable: &str, more: &str| {
        project.manifest(&format!("[project]\nl = \"{variable}\"\n{more}{entry}"))
    };
    with("s1", "");
    project.good("install");
    project.good("install --frozen");
    let lock = project.read("agpm.lock");
    with("s1", "[tools.claude-code]\nenabled = false\n");
    project.refused("install --frozen", 5, &["the tool of agents/a"]);
    with("s2", "");
    project.refused("install --frozen", 5, &["snippets/s2.md"]);
    project.refused("install --locked", 5, &["snippets/s2"]);
    with("s1", "");
    let at = lock.find("[[snippets]]").unwrap();
    project.write("agpm.lock", &lock[..at]);
    project.refused("install --frozen", 5, &["snippets/s1@v1.0.0"]);
    project.write("agpm.lock", &lock);
    project.write(
        "agpm.toml",
        &project
            .read("agpm.toml")
            .replace("../community", "../mirror"),
    );
    project.refused("install --frozen", 5, &["another URL"]);
    project.refused("install --locked", 5, &["another URL"]);
    with("s1", "");
    project.good("install --locked");
}

#[test]
fn a_renamed_source_keeps_its_pins_and_a_changed_checksum_is_reported() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    let entry =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    project.manifest(entry);
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    project.write(
        "agpm.toml",
        &project
            .read("agpm.toml")
            .replace("community =", "renamed =")
            .replace("\"community\"", "\"renamed\""),
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    let lock = project.read("agpm.lock");
    let at = lock.find("sha256:").unwrap() + 7;
    project.write(
        "agpm.lock",
        &format!(
            "{}{}{}",
            &lock[..at],
            if &lock[at..=at] == "0" { "1" } else { "0" },
            &lock[at + 1..]
        ),
    );
    assert_eq!(project.run("verify").code, Some(1));
    let output = project.good("install");
    assert!(output.stderr.contains("warning[lock/checksum]"), "{output}");
}

#[test]
fn without_a_ledger_the_lock_reports_what_is_ours() {
    let project = Project::new();
    let mut source = project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")],
    )]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"^1.0\" }\n",
    );
    project.good("install");
    std::fs::remove_dir_all(project.sandbox.work().join("project/.agpm")).unwrap();
    source.git(&["rm", "-q", "agents/b.md"]);
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    project.good("update");
    assert_eq!(project.installed(), [".claude/agents/a.md"]);
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
}

#[test]
fn a_moved_tag_is_reported_whenever_the_source_is_asked() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    source.commit(&[("agents/a.md", "moved\n")]);
    source.git(&["tag", "-f", "v1.0.0"]);
    // The commit that was locked must be reachable all the same.
    source.git(&["branch", "kept", "HEAD~1"]);
    for line in ["install", "install --frozen"] {
        for directory in ["project/.claude", "project/.agpm", "../cache/agpm"] {
            let _ = std::fs::remove_dir_all(project.sandbox.work().join(directory));
        }
        let output = project.good(line);
        assert!(output.stderr.contains("lock/moved-tag"), "{line}\n{output}");
        assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    }
    for line in ["validate --resolve", "validate --sources"] {
        assert!(
            project.run(line).stdout.contains("lock/moved-tag"),
            "{line}"
        );
    }
    assert!(project.run("outdated").stderr.contains("lock/moved-tag"));
}

/// As on a starved machine: git ends, and the last part of what it printed is read later.
#[test]
fn tags_that_are_listed_late_are_seen() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    let source = project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    for patch in 1..60 {
        source.tag(&format!("v1.0.{patch}"));
    }
    source.tag("v1.9.0");
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n",
    );
    let path = std::env::var("PATH").unwrap();
    let script = "#!/bin/sh\nexport PATH=$REAL_PATH\ncase \"$*\" in *ls-remote*)\n\
                  git \"$@\" > \"$HOME/whole\"; head -c 2000 \"$HOME/whole\"\n\
                  (sleep 0.4; tail -c +2001 \"$HOME/whole\")& exit 0;;\nesac\nexec git \"$@\"\n";
    project.sandbox.write("~/bin/git", script);
    let bin = project.sandbox.home().join("bin");
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut install = project.sandbox.command(PROGRAM);
    install
        .current_dir(project.sandbox.work().join("project"))
        .arg("install");
    install
        .env("REAL_PATH", &path)
        .env("PATH", format!("{}:{path}", bin.display()));
    let output = project.sandbox.output(install);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        project.read("agpm.lock").contains("version = \"v1.9.0\""),
        "{}",
        project.read("agpm.lock")
    );
}

#[test]
fn a_run_after_one_with_warnings_starts_no_process() {
    let project = Project::with(
        &[
            (
                "skills/n/SKILL.md",
                "---\nname: other\ndescription: d\n---\n",
            ),
            ("agents/a.md", "---\nmodel: [\n---\n"),
        ],
        &format!(
            "[skills]\n{}[agents]\n{}",
            entry("n", "skills/n", ""),
            entry("a", "agents/a.md", "")
        ),
    );
    let first = project.good("install");
    assert!(first.stderr.contains("warning["), "{first}");
    let mut command = project.sandbox.command(PROGRAM);
    command
        .current_dir(project.path(""))
        .args(["install"])
        .env("PATH", "/nowhere");
    let output = project.sandbox.output(command);
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{output}"
    );
}

#[test]
fn a_damaged_lockfile_is_reported_once_with_the_way_out() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", "a\n"),
            ("agents/b.md", "b\n"),
            ("agents/c.md", "c\n"),
        ],
    )]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    let lockfile = project.sandbox.read("project/agpm.lock");
    let way_out = "restore it with `git checkout agpm.lock`, or delete it and run `agpm install`";
    let cases = [
        (
            lockfile.replace("checksum = \"sha256:", "checksum = \"sha256:x"),
            "invalid checksum: expected `sha256:` and 64",
            way_out,
        ),
        (
            "][ x\ny\nz".to_owned(),
            "`agpm.lock` is not valid TOML",
            way_out,
        ),
    ];
    for (text, message, help) in cases {
        project.write("agpm.lock", &text);
        let output = project.run("install");
        assert_eq!(output.code, Some(1), "{output}");
        assert_eq!(
            output.stderr.matches("error[lock/broken]").count(),
            1,
            "{output}"
        );
        assert!(
            output.stderr.contains(message) && output.stderr.contains(help),
            "{output}"
        );
    }
}

#[test]
fn conflict_markers_in_the_manifest_are_one_mistake() {
    let project = Project::new();
    project.manifest("<<<<<<< HEAD\n[agents]\n=======\n[skills]\n>>>>>>> b\n");
    let output = project.run("install");
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(output.stderr.matches("error[").count(), 1, "{output}");
    assert!(
        output
            .stderr
            .contains("`agpm.toml` contains git merge conflict markers"),
        "{output}"
    );
}
