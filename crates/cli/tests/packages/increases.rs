//! New capabilities of a later version: shown, refused, approved, and locked for everybody.

use agpm_testkit::Repository;
use agpm_text::Value;

use crate::support::{Project, json};

fn skill(tools: &str, text: &str) -> String {
    format!("---\nname: pdf\ndescription: Reads PDF files.\nallowed-tools: {tools}\n---\n{text}\n")
}

const PDF: &str = "skills/pdf/SKILL.md";
const ENTRY: &str =
    "[skills]\npdf = { source = \"community\", path = \"skills/pdf\", version = \"^1.0\" }\n";

/// A project with a skill at 1.0.0, and a release 1.1.0 with these files.
fn released(files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    project.source(&[("v1.0.0", &[(PDF, &skill("Read", "One."))])]);
    project.manifest(ENTRY);
    project.good("install");
    let mut source = Repository::open(&project.sandbox, "community");
    source.commit(files);
    source.tag("v1.1.0");
    project
}

/// A field of the first change of capabilities that a command reports, as JSON in one line.
fn change(project: &Project, line: &str) -> impl Fn(&str) -> String + use<> {
    let output = project.good(&format!("{line} --json"));
    let report = json(&output.stdout);
    let Some(Value::List(changes)) = report.get("capabilities").cloned() else {
        panic!("no capabilities: {output}");
    };
    move |key| {
        let value = changes[0].get(key).map(Value::to_json).unwrap_or_default();
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn wider_tools_of_an_update_need_approval() {
    let project = released(&[(PDF, &skill("Read, Bash(*)", "Two."))]);
    let words = [
        "trust/increase",
        "skills/pdf",
        "+ tools Bash(*)",
        "--approve skills/pdf",
    ];
    project.refused("update", 6, &words);
    // Asking no question is not an approval.
    project.refused("update --yes", 6, &words);
    let preview = project.good("update --dry-run");
    assert!(preview.stderr.contains("trust/increase"), "{preview}");
    assert!(
        preview.stdout.contains("~ tools Read -> Read, Bash(*)"),
        "{preview}"
    );
    let changed = change(&project, "update --dry-run");
    assert_eq!(changed("id"), "\"skills/pdf\"");
    assert_eq!(changed("before"), "{ \"tools\": [ \"Read\" ] }");
    assert_eq!(
        changed("increase"),
        "[ { \"capability\": \"tools\", \"value\": \"Bash(*)\" } ]"
    );
    project.good("update --approve skills/pdf");
    assert!(project.read(".claude/skills/pdf/SKILL.md").contains("Two."));
    // The approval is locked, so it is not requested again, not even in a clone.
    project.good("install --force");
    std::fs::remove_dir_all(project.sandbox.work().join("project/.agpm")).unwrap();
    std::fs::remove_dir_all(project.sandbox.work().join("project/.claude")).unwrap();
    project.good("install --frozen");
    project.good("install");
}

#[test]
fn a_requirement_that_is_edited_by_hand_is_a_change_too() {
    let project = released(&[(PDF, &skill("Read, Write", "Two."))]);
    project.manifest(&ENTRY.replace("^1.0", "=1.1.0"));
    project.refused("install", 6, &["trust/increase", "+ tools Write"]);
    // In a fresh clone, the locked capabilities are read from the sources.
    std::fs::remove_dir_all(project.sandbox.work().join("project/.agpm")).unwrap();
    project.refused("install", 6, &["trust/increase", "+ tools Write"]);
    project.good("install --approve pdf");
}

#[test]
fn unchanged_capabilities_need_no_approval() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            (PDF, &skill("Read, Bash(git:*)", "One.")),
            ("skills/pdf/run.sh", "#!/bin/sh\necho 1\n"),
        ],
    )]);
    project.manifest(ENTRY);
    project.good("install");
    let mut source = Repository::open(&project.sandbox, "community");
    // Fewer tools, and other bytes in the same script.
    source.commit(&[
        (
            PDF,
            &skill("Bash(git log:*)", "Two, and longer than before."),
        ),
        ("skills/pdf/run.sh", "#!/bin/sh\necho 2\n"),
    ]);
    source.tag("v1.1.0");
    let changed = change(&project, "update --dry-run");
    assert_eq!(changed("increase"), "[]");
    project.good("update");
    // Same capabilities, other text: reported, and no increase.
    source.commit(&[(PDF, &skill("Bash(git log:*)", "Three."))]);
    source.tag("v1.2.0");
    let changed = change(&project, "update");
    assert_eq!(changed("before"), changed("after"));
    assert_eq!(changed("increase"), "[]");
}

#[test]
fn allow_executables_covers_commands_alone() {
    let run = ("skills/pdf/run.sh", "#!/bin/sh\n");
    for (tools, code) in [("Read", 0), ("Read, Bash", 6)] {
        let project = released(&[(PDF, &skill(tools, "Two.")), run]);
        let script = project.sandbox.work().join("community/skills/pdf/run.sh");
        executable(&script);
        let mut source = Repository::open(&project.sandbox, "community");
        source.commit(&[]);
        source.tag("v1.2.0");
        project.refused("update", 6, &["+ runs run.sh"]);
        let output = project.run("update --allow-executables");
        assert_eq!(output.code, Some(code), "{output}");
        assert!(!output.stderr.contains("+ runs"), "{output}");
    }
}

#[cfg(unix)]
fn executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_name_that_does_not_exist_cannot_be_approved() {
    let project = released(&[(PDF, &skill("Read, Bash", "Two."))]);
    project.refused(
        "update --approve skills/pfd",
        3,
        &["skills/pfd", "skills/pdf"],
    );
    project.good("update --approve all");
}

/// The first list of capabilities in a lockfile.
fn capabilities(lock: &str) -> &str {
    let start = lock.find("capabilities = [").unwrap();
    let length = lock[start..].find(']').unwrap();
    &lock[start..=start + length]
}

#[test]
fn a_digest_that_does_not_fit_is_refused_where_the_lockfile_must_hold() {
    let project = released(&[]);
    let lock = project.read("agpm.lock");
    let listed = capabilities(&lock);
    let other = format!("capabilities = \"sha256:{}\"", "0".repeat(64));
    project.write("agpm.lock", &lock.replace(listed, &other));
    for line in ["install --locked", "install --frozen"] {
        project.refused(line, 5, &["capabilities", "skills/pdf"]);
    }
    // A lockfile of an older version has none at all.
    project.write("agpm.lock", &lock.replace(&format!("{listed}\n"), ""));
    for line in ["install --locked", "install --frozen"] {
        let output = project.good(line);
        assert!(
            output.stderr.contains("warning[lock/capabilities]"),
            "{output}"
        );
    }
    project.write(
        "agpm.lock",
        &lock.replace(listed, "capabilities = \"md5:1\""),
    );
    project.refused("install", 1, &["lock/broken", "capabilities"]);
}

#[test]
fn one_missing_digest_among_others_is_refused() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            (PDF, &skill("Read", "One.")),
            ("scripts/run.sh", "#!/bin/sh\n"),
        ],
    )]);
    project.manifest(&format!(
        "{ENTRY}[scripts]\nrun = {{ source = \"community\", path = \"scripts/run.sh\", version = \"^1\" }}\n"
    ));
    project.good("install");
    let lock = project.read("agpm.lock");
    let without = lock.replacen(&format!("{}\n", capabilities(&lock)), "", 1);
    project.write("agpm.lock", &without);
    for line in ["install --locked", "install --frozen"] {
        project.refused(line, 5, &["capabilities"]);
    }
}

#[test]
fn patches_of_one_user_do_not_change_what_is_locked() {
    let project = released(&[]);
    let lock = project.read("agpm.lock");
    project.write(
        "agpm.private.toml",
        "[patch.skills.pdf]\nallowed-tools = \"Bash\"\n",
    );
    project.good("install");
    let after = project.read("agpm.lock");
    assert_eq!(capabilities(&after), capabilities(&lock));
    project.good("install --locked");
}

#[test]
fn files_of_the_project_are_changed_by_whoever_owns_it() {
    let project = Project::new();
    project.write(
        "own/hook.json",
        "{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"one\"}",
    );
    project.write("agpm.toml", "[hooks]\nown = \"./own/hook.json\"\n");
    project.good("install");
    project.write(
        "own/hook.json",
        "{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"two\"}",
    );
    let changed = change(&project, "install");
    assert!(changed("increase").contains("two (Stop)"));
    let settings = project.read(".claude/settings.local.json");
    assert!(json(&settings).to_json().contains("two"));
}

#[test]
fn a_layer_outside_the_project_that_gains_a_hook_needs_approval() {
    let project = Project::new();
    let settings = "team/.claude/settings.json";
    project.sandbox.write(settings, "{\"model\": \"opus\"}");
    project.write(
        "agpm.toml",
        "[[layers]]\nname = \"team\"\npath = \"../team\"\n",
    );
    project.good("install");
    project.sandbox.write(
        settings,
        "{\"model\": \"opus\", \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"curl x | sh\"}]}]}}",
    );
    project.refused("install", 6, &["layers/team", "+ runs curl x | sh (Stop)"]);
    let changed = change(&project, "install --dry-run");
    assert_eq!(changed("id"), "\"layers/team\"");
    project.good("install --approve layers/team");
    // Fewer rights, and a longer text, need nothing.
    project.sandbox.write(settings, "{\"model\": \"sonnet\"}");
    project.sandbox.write("team/CLAUDE.md", "Be brief.\n");
    project.refused("install", 6, &["+ instructs CLAUDE.md"]);
    project.good("install --approve all");
    project
        .sandbox
        .write("team/CLAUDE.md", "Be brief, and be kind.\n");
    project.good("install");
}

#[test]
fn diff_shows_capabilities_then_files() {
    let project = released(&[(PDF, &skill("Read, Bash(*)", "Two."))]);
    let same = project.good("diff --exit-code");
    assert_eq!(
        (same.stdout.as_str(), same.stderr.as_str()),
        ("", "No differences\n")
    );
    let output = project.run("diff --update --exit-code");
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(
        output.stdout,
        "skills/pdf  v1.0.0 -> v1.1.0  ~ tools Read -> Read, Bash(*)\n\
         ~ .claude/skills/pdf/SKILL.md  skills/pdf\n\
         ~ allowed-tools: Read -> Read, Bash(*)\n\
         --- a/.claude/skills/pdf/SKILL.md\n\
         +++ b/.claude/skills/pdf/SKILL.md\n\
         @@ -1 +1 @@\n\
         -One.\n\
         +Two.\n"
    );
    let stat = project.good("diff --update --stat skills/pdf").stdout;
    assert!(
        stat.ends_with("~ .claude/skills/pdf/SKILL.md  skills/pdf  +2 -2\n"),
        "{stat}"
    );
    let changed = change(&project, "diff --update");
    assert_eq!(changed("id"), "\"skills/pdf\"");
    let none = project.good("diff --update --executables");
    assert_eq!(none.stdout, "", "{none}");
    project.refused("diff nothing", 3, &["nothing"]);
    project.refused("diff --json --format markdown", 2, &[]);
    // Nothing is written, not even the state.
    assert_eq!(
        project.read(".claude/skills/pdf/SKILL.md"),
        skill("Read", "One.")
    );
}

#[test]
fn a_diff_for_a_pull_request_cannot_be_broken_out_of() {
    let evil = "```\n````\n</details><script>\n| x |";
    let project = released(&[(PDF, &skill("Read, Bash(<b>|`x`)", evil))]);
    let text = project.good("diff --update --format markdown").stdout;
    assert!(text.contains("Bash(&lt;b&gt;&#124;&#96;x&#96;)"), "{text}");
    assert!(
        text.contains("\n`````diff\n") && text.contains("\n`````\n"),
        "{text}"
    );
}

#[test]
fn secrets_in_files_of_the_user_are_not_shown() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("mcp/x.json", "{\"command\": \"npx\"}")])]);
    project.manifest(
        "[mcp-servers]\nx = { source = \"community\", path = \"mcp/x.json\", version = \"^1\" }\n",
    );
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"own\": {\"command\": \"a\",\n\"env\": {\"API_TOKEN\": \"hunter2hunter2\"}}}}\n",
    );
    for line in ["diff", "diff --json", "diff --format markdown"] {
        let output = project.good(line);
        assert!(output.stdout.contains("npx"), "{line}\n{output}");
        assert!(!output.to_string().contains("hunter2"), "{line}\n{output}");
    }
}

#[test]
fn status_has_a_command_for_everything_that_is_not_in_order() {
    let project = released(&[(PDF, &skill("Read, Bash(*)", "Two."))]);
    let rows = |line: &str| -> Vec<String> {
        let text = project.good(line).stdout;
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().skip(1).map(words).collect()
    };
    assert_eq!(
        rows("status"),
        [
            "tools claude-code",
            "installed 1 skill",
            "modified 0",
            "missing 0",
            "outdated 1 of 1 (agpm diff --update)",
            "next install 0 changes",
            "approvals needed 0",
            "policy violations 0"
        ]
    );
    project.manifest(&format!(
        "{}[policy.types]\ndeny = [\"skills\"]\n",
        ENTRY.replace("^1.0", "=1.1.0")
    ));
    project.write(".claude/skills/pdf/SKILL.md", "edited\n");
    let found = rows("st");
    for row in [
        "modified 1 (agpm diff)",
        "policy violations 1 (agpm policy check)",
    ] {
        assert!(found.contains(&row.to_owned()), "no `{row}` in {found:#?}");
    }
    project.manifest(&ENTRY.replace("^1.0", "=1.1.0"));
    let found = rows("status --offline");
    let row = "approvals needed 1 (agpm diff)";
    assert!(found.contains(&row.to_owned()), "no `{row}` in {found:#?}");
}

#[test]
fn status_names_a_command_that_shows_the_newer_version() {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[(PDF, &skill("Read", "One."))]),
        ("v2.0.0", &[(PDF, &skill("Read", "Two."))]),
    ]);
    project.manifest(ENTRY);
    project.good("install");
    project.good("outdated");
    // No update reaches 2.0.0, so `agpm diff --update` would have nothing to show.
    let status = project.good("status").stdout;
    assert!(status.contains("1 of 1  (agpm outdated)"), "{status}");
}

#[test]
fn a_new_match_of_a_pattern_is_an_increase_of_the_pattern() {
    let project = Project::new();
    let hook = |command: &str| {
        format!("{{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"{command}\"}}")
    };
    project.source(&[("v1.0.0", &[("hooks/a.json", &hook("a"))])]);
    project.manifest(
        "[hooks]\nall = { source = \"community\", path = \"hooks/*.json\", version = \"^1.0\" }\n",
    );
    project.good("install");
    let mut source = Repository::open(&project.sandbox, "community");
    source.commit(&[("hooks/b.json", &hook("b")), ("hooks/readme.md", "x")]);
    source.tag("v1.1.0");
    project.refused("update", 6, &["hooks/b", "+ runs b (Stop)"]);
    project.good("update --approve hooks/b");
}

#[test]
fn an_update_that_is_only_shown_has_one_line_for_version_and_capabilities() {
    let project = released(&[
        (PDF, &skill("Read, Bash(*)", "Two.")),
        ("skills/pdf/scripts/exfil.sh", "#!/bin/sh\n"),
    ]);
    let source = Repository::open(&project.sandbox, "community");
    source.git(&["update-index", "--chmod=+x", "skills/pdf/scripts/exfil.sh"]);
    source.git(&["commit", "-q", "-m", "mode"]);
    source.tag("v1.2.0");
    let line =
        "skills/pdf  v1.0.0 -> v1.2.0  + runs scripts/exfil.sh  ~ tools Read -> Read, Bash(*)\n";
    for command in ["update --dry-run", "diff --update", "diff --update --stat"] {
        let output = project.good(command);
        assert!(output.stdout.contains(line), "{command}\n{output}");
    }
}

#[test]
fn a_new_part_of_a_plugin_that_is_granted_tools_needs_approval() {
    let project = Project::new();
    let part = |tools: &str| format!("---\ndescription: Kit.\n{tools}---\nKit.\n");
    let manifest = "{\"name\": \"kit\", \"version\": \"1.0.0\"}";
    project.source(&[(
        "v1.0.0",
        &[
            ("kit/.claude-plugin/plugin.json", manifest),
            ("kit/commands/one.md", &part("")),
        ],
    )]);
    project.manifest(
        "[plugins]\nkit = { source = \"community\", path = \"kit\", version = \"^1.0\" }\n",
    );
    project.good("install");
    let mut source = Repository::open(&project.sandbox, "community");
    source.commit(&[("kit/commands/two.md", &part("allowed-tools: Bash(*)\n"))]);
    source.tag("v1.1.0");
    let words = ["plugins/kit", "+ tools Bash(*) (commands/two)"];
    project.refused("update", 6, &words);
    project.good("update --approve plugins/kit");
}

#[test]
fn a_new_command_of_a_layer_that_is_granted_tools_needs_approval() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[(".claude/settings.json", "{\"model\": \"opus\"}")],
    )]);
    project.manifest("[[layers]]\nname = \"org\"\nsource = \"community\"\nversion = \"^1.0\"\n");
    project.good("install");
    let mut source = Repository::open(&project.sandbox, "community");
    source.commit(&[(
        ".claude/commands/run.md",
        "---\nallowed-tools: Bash(*)\n---\nRun.\n",
    )]);
    source.tag("v1.1.0");
    let words = ["layers/org", "+ tools Bash(*) (commands/run)"];
    project.refused("update", 6, &words);
    project.good("update --approve layers/org");
    // Codex runs what `notify` names.
    source.commit(&[(".codex/config.toml", "notify = [\"sh\", \"-c\", \"spy\"]\n")]);
    source.tag("v1.2.0");
    project.refused("update", 6, &["layers/org", "+ runs sh -c spy"]);
    project.good("update --approve layers/org");
    // OpenCode loads packages, and files whatever their mode.
    source.commit(&[
        (".opencode/plugins/spy.js", "export const Spy = 1\n"),
        ("opencode.json", "{\"plugin\": [\"spy\"]}\n"),
    ]);
    source.tag("v1.3.0");
    let words = ["+ runs .opencode/plugins/spy.js", "+ runs package spy"];
    project.refused("update", 6, &words);
    let preview = project.good("update --dry-run");
    assert!(
        preview
            .stdout
            .contains("runs  .opencode/plugins/spy.js  (layers/org)"),
        "{preview}"
    );
}

#[test]
fn everything_that_needs_approval_is_reported_at_once_with_one_command() {
    let project = Project::new();
    let hook = "{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"notify\"}";
    let agent = |head: &str| format!("---\nname: a\ndescription: d\n{head}---\nText.\n");
    project.source(&[(
        "v1.0.0",
        &[
            (PDF, &skill("Read", "One.")),
            ("agents/a.md", &agent("")),
            ("hooks/ping.json", hook),
        ],
    )]);
    let entry =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    project.manifest(&format!("{ENTRY}{entry}"));
    project.good("install");
    let mut source = Repository::open(&project.sandbox, "community");
    source.commit(&[
        (PDF, &skill("Read, Bash(*)", "Two.")),
        (
            "agents/a.md",
            &agent("dependencies:\n  hooks:\n    - path: hooks/ping.json\n"),
        ),
    ]);
    source.tag("v1.1.0");
    project.refused(
        "update",
        6,
        &[
            "package/executable",
            "runs notify",
            "trust/increase",
            "+ tools Bash(*)",
            "then run `agpm update --approve hooks/ping --approve skills/pdf`",
        ],
    );
    let output = project.run("update");
    assert_eq!(
        output.stderr.matches("--approve hooks/ping").count(),
        1,
        "{output}"
    );
    assert!(
        !output.stderr.contains("agpm install --approve"),
        "{output}"
    );
    project.good("update --approve hooks/ping --approve skills/pdf");
}
