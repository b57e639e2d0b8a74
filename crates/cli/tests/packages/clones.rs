//! A fresh clone: state from git is not trusted, and the lockfile is compared with the disk.

use agpm_testkit::CommandOutput;

use crate::support::{EVERY_FORM, Project, entries_of_every_form, entry};

/// A project with one resource of each form, installed.
fn installed() -> Project {
    let project = Project::new();
    let script = ("skills/pdf/scripts/read.py", "print(1)\n");
    project.release(&EVERY_FORM.into_iter().chain([script]).collect::<Vec<_>>());
    project.manifest(&entries_of_every_form());
    project.good("install");
    project
}

/// The same as somebody else gets it, with all installed files committed.
fn cloned() -> Project {
    let project = installed();
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project
}

fn git(project: &Project, arguments: &[&str]) -> CommandOutput {
    let mut command = project.sandbox.command("git");
    command
        .current_dir(project.path(""))
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments);
    project.sandbox.output(command)
}

#[test]
fn verify_and_doctor_agree_that_a_clone_is_clean() {
    let project = cloned();
    let output = project.good("verify");
    assert!(output.stdout.contains("verified"), "{output}");
    project.good("install --frozen --check");
    project.good("doctor --strict");
}

#[test]
fn doctor_compares_what_it_can_without_fetching() {
    let project = cloned();
    let _ = std::fs::remove_dir_all(project.sandbox.work().join("../cache/agpm"));
    let output = project.good("doctor");
    assert!(
        output
            .stdout
            .contains("note[source/offline]: source `community` is not in the cache"),
        "{output}"
    );
    assert!(
        !project.sandbox.work().join("../cache/agpm").exists(),
        "doctor fetched something"
    );
    project.write(".claude/agents/a.md", "Obey.\n");
    assert_eq!(project.run("doctor").code, Some(1));
    project.write(".claude/agents/a.md", "Review.\n");
    project.good("verify");
}

#[test]
fn verify_finds_every_change_in_a_clone() {
    for (path, from, to) in [
        (".claude/agents/a.md", "Review", "Obey"),
        (".claude/skills/pdf/SKILL.md", "Read it", "Send it"),
        (".claude/skills/pdf/scripts/read.py", "1", "2"),
        (".mcp.json", "npx", "evil"),
        (".claude/settings.local.json", "lint", "evil"),
    ] {
        let project = cloned();
        project.write(path, &project.read(path).replace(from, to));
        let output = project.run("verify");
        assert_eq!(output.code, Some(1), "{path}\n{output}");
        assert!(output.stdout.contains(path), "{path}\n{output}");
    }
}

#[test]
fn verify_finds_missing_and_extra_files_in_a_clone() {
    let project = cloned();
    project.remove(".claude/skills/pdf/scripts/read.py");
    project.write(".claude/skills/pdf/more.md", "Ignore the review.\n");
    project.write(".claude/skills/pdf/.DS_Store", "");
    let output = project.run("verify");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output
            .stdout
            .contains("verify/missing]: .claude/skills/pdf/scripts/read.py"),
        "{output}"
    );
    assert!(
        output
            .stdout
            .contains("verify/extra]: .claude/skills/pdf/more.md"),
        "{output}"
    );
    assert!(!output.stdout.contains("DS_Store"), "{output}");
}

#[test]
fn a_ledger_that_says_otherwise_does_not_help_changed_files() {
    for (path, from, to) in [
        (".claude/agents/a.md", "Review", "Obey"),
        (".claude/skills/pdf/SKILL.md", "Read it", "Send it"),
        (".mcp.json", "npx", "evil"),
        (".claude/settings.local.json", "lint", "evil"),
    ] {
        let project = installed();
        let before = project.read(path);
        let changed = before.replace(from, to);
        project.write(path, &changed);
        let sum = |text: &str| agpm_model::Checksum::of(text.as_bytes()).to_string();
        let ledger = project
            .read(".agpm/ledger.json")
            .replace(&sum(&before), &sum(&changed));
        project.write(".agpm/ledger.json", &ledger);
        for line in [
            "install --frozen --check",
            "install --check",
            "install --locked --check",
            "verify",
        ] {
            let output = project.run(line);
            assert_ne!(output.code, Some(0), "{line} of {path}\n{output}");
        }
    }
}

#[test]
fn a_ledger_that_git_tracks_is_ignored_with_a_warning() {
    let project = installed();
    let inputs = |ledger: &str| ledger.contains("\"inputs\"");
    assert!(inputs(&project.read(".agpm/ledger.json")));
    git(&project, &["init", "-q"]);
    git(&project, &["add", "-f", ".agpm/ledger.json"]);
    for version in ["2", "4"] {
        git(
            &project,
            &["update-index", &format!("--index-version={version}")],
        );
        project.write(".claude/agents/a.md", "Obey.\n");
        let output = project.run("install");
        assert!(
            output.stderr.contains("warning[install/foreign-state]"),
            "{output}"
        );
        assert!(output.stderr.contains("install/edited"), "{output}");
        project.write(".claude/agents/a.md", "Review.\n");
        project.warned("verify", &["install/foreign-state"]);
    }
    git(&project, &["rm", "-r", "-f", "-q", "--cached", ".agpm"]);
    let output = project.good("install");
    assert_eq!(output.stderr, "", "{output}");
}

#[test]
fn a_transaction_that_git_brings_is_not_carried_out() {
    let project = installed();
    git(&project, &["init", "-q"]);
    project.write("src/auth.rs", "fn auth() {}\n");
    let sum = agpm_model::Checksum::of(b"fn auth() {}\n");
    let journal = format!(
        "{{\"version\": 1, \"title\": \"install\", \"entry\": 9, \"make\": [], \"prune\": [], \"files\": [{{\"path\": \"src/auth.rs\", \"before\": {{\"checksum\": \"{sum}\", \"mode\": \"644\"}}}}]}}"
    );
    for directory in ["new", "old"] {
        std::fs::create_dir_all(project.path(&format!(".agpm/transaction/{directory}"))).unwrap();
    }
    project.write(".agpm/transaction/journal.json", &journal);
    git(&project, &["add", "-f", ".agpm/transaction/journal.json"]);
    project.warned("install", &["install/foreign-state"]);
    assert_eq!(project.read("src/auth.rs"), "fn auth() {}\n");
}

#[test]
fn a_lockfile_that_names_a_file_of_the_project_deletes_nothing() {
    let project = cloned();
    project.write("src/auth.rs", "fn auth() {}\n");
    let sum = agpm_model::Checksum::of(b"fn auth() {}\n");
    let lock = format!(
        "{}\n[[snippets]]\nname = \"x\"\npath = \"auth.rs\"\nchecksum = \"{sum}\"\ninstalled_at = \"src/auth.rs\"\ntool = \"agpm\"\ndependencies = []\n",
        project.read("agpm.lock")
    );
    project.write("agpm.lock", &lock);
    for line in ["install", "install --dry-run", "install --frozen", "verify"] {
        let output = project.run(line);
        assert_eq!(output.code, Some(5), "{line}\n{output}");
        assert!(output.stderr.contains("src/auth.rs"), "{line}\n{output}");
        assert_eq!(project.read("src/auth.rs"), "fn auth() {}\n");
    }
}

#[test]
fn directories_of_removed_skills_go_in_a_clone() {
    let project = cloned();
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".claude/skills"), "{:?}", project.tree());
}

#[test]
fn entries_that_a_command_removes_in_a_clone_leave_shared_files() {
    let project = Project::new();
    let hook = r#"{"events": ["Stop"], "type": "command", "command": "true"}"#;
    project.release(&[("hooks/stop.json", hook)]);
    // The text of a server is only in the manifest, and the source goes with its last dependency.
    project.manifest(&format!(
        "[project]\ntools = [\"claude-code\", \"codex\"]\n[mcp-servers]\nown = {{ command = \"true\" }}\n[hooks]\n{}",
        entry("stop", "hooks/stop.json", "")
    ));
    project.write(
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"mine\": {\"command\": \"x\"}\n  }\n}\n",
    );
    let before = project.read(".mcp.json");
    project.good("install");
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project.good("remove own stop");
    assert_eq!(project.read(".mcp.json"), before);
    assert!(!project.exists(".codex"), "{:?}", project.tree());
    assert!(!project.exists(".claude"), "{:?}", project.tree());
}

/// A project in which the user has settings, servers and instructions of their own.
fn users_files() -> [(&'static str, &'static str); 3] {
    [
        (
            ".claude/settings.local.json",
            "{\n  \"model\": \"opus\"\n}\n",
        ),
        ("AGENTS.md", "# Mine\n"),
        ("GEMINI.md", "# Mine too\n"),
    ]
}

#[test]
fn a_clone_that_installed_before_is_left_without_a_trace() {
    for first in ["install", "install --frozen", "install --locked"] {
        let project = cloned();
        project.good(first);
        project.manifest("");
        project.good("install");
        let left: Vec<String> = project.tree().into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            left,
            [".agpm/ledger.json", "agpm.lock", "agpm.toml"],
            "{first}"
        );
        assert!(!project.exists(".claude"), "{first}: a directory is left");
    }
}

#[test]
fn directories_that_a_pull_brings_go_with_their_files() {
    let project = installed();
    let agents = project.read(".claude/agents/a.md");
    let lock = project.read("agpm.lock");
    let manifest = project.read("agpm.toml");
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".claude"));
    // Somebody else commits the installed files; a pull writes them without agpm.
    project.write("agpm.lock", &lock);
    project.write("agpm.toml", &manifest);
    project.write(".claude/agents/a.md", &agents);
    project.good("install");
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".claude"));
}

#[test]
fn files_of_the_user_are_the_same_after_removal_in_a_clone() {
    let project = Project::new();
    let rules = ["a", "b", "c"].map(|name| (format!("rules/{name}.md"), format!("Rule {name}.\n")));
    let rules = rules
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    project.release(&EVERY_FORM.into_iter().chain(rules).collect::<Vec<_>>());
    let instructions: String = ["a", "b", "c"]
        .iter()
        .map(|name| {
            entry(
                name,
                &format!("rules/{name}.md"),
                "tools = [\"codex\", \"gemini\"]",
            )
        })
        .collect();
    let entries = format!(
        "{}\n[instructions]\n{instructions}",
        entries_of_every_form()
    );
    project.manifest(&entries);
    for (path, text) in users_files() {
        project.write(path, text);
    }
    project.good("install");
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project.good("install");
    project.manifest("");
    project.good("install");
    for (path, text) in users_files() {
        assert_eq!(project.read(path), text, "{path}");
    }
    let left: Vec<String> = project.tree().into_iter().map(|(name, _)| name).collect();
    let own = [
        ".agpm/ledger.json",
        ".claude/settings.local.json",
        "AGENTS.md",
        "GEMINI.md",
    ];
    assert_eq!(left, [&own[..], &["agpm.lock", "agpm.toml"]].concat());
}

#[test]
fn an_edited_file_is_a_finding_of_check() {
    let project = installed();
    assert_eq!(project.run("install --check").code, Some(0));
    project.write(".claude/agents/a.md", "Edited.\n");
    assert_eq!(project.run("install --check").code, Some(1));
}

#[test]
fn nothing_installed_and_interrupted_runs_are_findings_of_verify() {
    let project = installed();
    std::fs::create_dir(project.path(".agpm/transaction")).unwrap();
    let output = project.run("verify");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output.stderr.contains("error[install/recovered]"),
        "{output}"
    );
    for path in [".agpm", ".claude"] {
        std::fs::remove_dir_all(project.path(path)).unwrap();
    }
    project.remove("agpm.lock");
    let output = project.run("verify");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("nothing is installed"), "{output}");
}

#[test]
fn hooks_that_git_ignores_are_named_with_the_line_that_shares_them() {
    let project = Project::new();
    project.release(&EVERY_FORM);
    let entries = format!("[hooks]\n{}", entry("lint", "hooks/lint.json", ""));
    project.manifest(&entries);
    project.write(".gitignore", ".claude/settings.local.json\n");
    git(&project, &["init", "-q"]);
    let output = project.good("install");
    assert!(
        output.stderr.contains("warning[install/ignored]"),
        "{output}"
    );
    let line = "tools.claude-code.resources.hooks.merge-target = \".claude/settings.json\"";
    assert!(output.stderr.contains(line), "{output}");
    // Once: a run that writes no hook does not repeat it, a pipeline does.
    let again = project.good("install");
    assert_eq!(again.stderr, "", "{again}");
    let checked = project.good("ci");
    assert!(
        checked.stdout.contains("warning[install/ignored]"),
        "{checked}"
    );
    // The suggested line works as it is.
    let manifest = project.read("agpm.toml");
    project.write("agpm.toml", &format!("{line}\n\n{manifest}"));
    let moved = project.good("install");
    assert!(!moved.stderr.contains("install/ignored"), "{moved}");
    assert!(project.read(".claude/settings.json").contains("lint"));
    assert!(!project.exists(".claude/settings.local.json"));
    // A file that git tracks is not ignored, whatever the patterns say.
    let tracked = Project::new();
    tracked.release(&EVERY_FORM);
    tracked.manifest(&entries);
    tracked.write(".gitignore", ".claude/settings.local.json\n");
    tracked.write(".claude/settings.local.json", "{}\n");
    git(&tracked, &["init", "-q"]);
    git(&tracked, &["add", "-f", ".claude/settings.local.json"]);
    let output = tracked.good("install");
    assert!(!output.stderr.contains("install/ignored"), "{output}");
}
