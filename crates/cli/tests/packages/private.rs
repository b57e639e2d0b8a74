//! Private dependencies and layers: locked beside the shared ones, and without a trace in `agpm.lock`.

use crate::support::Project;

const SHARED: &str =
    "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
const PRIVATE: &str =
    "[agents]\nmine = { source = \"community\", path = \"agents/p.md\", version = \"^1.0\" }\n";

/// An agent that requires a snippet at a version.
fn requiring(requirement: &str) -> String {
    format!(
        "---\ndependencies:\n  snippets:\n    - path: snippets/s.md\n      version: {requirement}\n---\nText.\n"
    )
}

/// A project whose agent requires a snippet that private entries may require too.
fn project() -> Project {
    let project = Project::new();
    let (low, high) = (requiring("^1.0"), requiring("^2.0"));
    project.source(&[
        (
            "v1.0.0",
            &[
                ("agents/a.md", low.as_str()),
                ("agents/p.md", "p one\n"),
                ("agents/low.md", low.as_str()),
                ("agents/high.md", high.as_str()),
                ("snippets/s.md", "one\n"),
                ("other/s.md", "other\n"),
            ],
        ),
        (
            "v1.1.0",
            &[("snippets/s.md", "two\n"), ("agents/p.md", "p two\n")],
        ),
        (
            "v2.0.0",
            &[("snippets/s.md", "three\n"), ("agents/p.md", "p three\n")],
        ),
    ]);
    project.manifest(SHARED);
    project
}

/// Entries that one user may add, from harmless ones to those that concern shared resources.
fn additions() -> Vec<String> {
    let entry = |kind: &str, path: &str, more: &str| {
        format!(
            "[{kind}]\nmine = {{ source = \"community\", path = \"{path}\", version = \"v1.0.0\"{more} }}\n"
        )
    };
    vec![
        PRIVATE.to_owned(),
        // Requires the snippet that the shared agent requires.
        entry("agents", "agents/low.md", ""),
        // The same for another tool.
        entry("agents", "agents/low.md", ", tool = \"opencode\""),
        // The snippet itself, under another name.
        "[snippets]\nown = { source = \"community\", path = \"snippets/s.md\", version = \"^1.0\", filename = \"own\" }\n".to_owned(),
        // A snippet of the same file name.
        "[snippets]\nown = { source = \"community\", path = \"other/s.md\", version = \"v1.0.0\", filename = \"own\" }\n".to_owned(),
        // All agents, one of which is shared.
        "[agents]\nall = { source = \"community\", path = \"agents/[lp]*.md\", version = \"v1.0.0\" }\n".to_owned(),
        "[[layers]]\nname = \"own\"\npath = \"own\"\n".to_owned(),
        "[mcp-servers]\nown = { command = \"true\" }\n".to_owned(),
        "[sources]\nmore = \"../community\"\n\n[agents]\nmore = { source = \"more\", path = \"agents/p.md\", version = \"v1.0.0\" }\n".to_owned(),
    ]
}

#[test]
fn the_lockfile_has_no_trace_of_private_entries() {
    for addition in additions() {
        let project = project();
        project.write("own/.claude/settings.json", "{\"model\": \"opus\"}\n");
        project.good("install");
        let alone = project.read("agpm.lock");
        project.write("agpm.private.toml", &addition);
        project.good("install");
        assert_eq!(project.read("agpm.lock"), alone, "{addition}");
        assert!(project.exists("agpm.private.lock"), "{addition}");
        for line in [
            "install --locked",
            "install --frozen",
            "verify",
            "ci",
            "list",
            "tree",
        ] {
            project.good(line);
        }
        // In a fresh clone with both from the start, too.
        let both = [project.read("agpm.lock"), project.read("agpm.private.lock")];
        project.remove("agpm.lock");
        project.remove("agpm.private.lock");
        project.good("install");
        let again = [project.read("agpm.lock"), project.read("agpm.private.lock")];
        assert_eq!(again, both, "{addition}");
        // And without them again.
        project.remove("agpm.private.toml");
        project.good("install");
        assert_eq!(project.read("agpm.lock"), alone, "{addition}");
        assert!(!project.exists("agpm.private.lock"), "{addition}");
        project.good("install --frozen");
    }
}

#[test]
fn a_private_requirement_must_fit_the_shared_pin() {
    let project = project();
    project.good("install");
    project.write(
        "agpm.private.toml",
        "[agents]\nhigh = { source = \"community\", path = \"agents/high.md\", version = \"v1.0.0\" }\n",
    );
    project.refused(
        "install",
        1,
        &[
            "package/conflict",
            "`agpm.lock` has v1.1.0",
            "agents/high (at v1.0.0) requires `^2.0`",
            "agpm.private.toml:2",
        ],
    );
}

#[test]
fn a_pin_of_everyone_does_not_move_for_one_user() {
    let project = project();
    project.manifest(
        "[agents]\nshared = { source = \"community\", path = \"agents/p.md\", version = \"^1.0\" }\n",
    );
    let lock_at = |requirement: &str| {
        project.manifest(&format!(
            "[agents]\nshared = {{ source = \"community\", path = \"agents/p.md\", version = \"{requirement}\" }}\n"
        ));
        project.good("install");
    };
    lock_at("v1.0.0");
    lock_at("^1.0");
    let lock = project.read("agpm.lock");
    assert!(lock.contains("version = \"v1.0.0\""), "{lock}");
    // Both requirements allow v1.1.0, but the shared pin stays where it is.
    project.write(
        "agpm.private.toml",
        "[agents]\nmine = { source = \"community\", path = \"agents/p.md\", version = \"^1.1\", filename = \"mine\" }\n",
    );
    project.refused("install", 1, &["`agpm.lock` has v1.0.0"]);
    assert_eq!(project.read("agpm.lock"), lock);
    project.good("update shared");
    project.good("install --locked");
    assert!(project.read("agpm.lock").contains("v1.1.0"));
}

#[test]
fn private_entries_do_not_replace_shared_ones() {
    let project = project();
    project.good("install");
    let entries = [
        "[agents]\na = { source = \"community\", path = \"agents/p.md\", version = \"v1.0.0\" }\n",
        "[agents]\na = false\n",
        "[sources]\ncommunity = \"../elsewhere\"\n",
    ];
    for entry in entries {
        project.write("agpm.private.toml", entry);
        project.refused(
            "install",
            1,
            &["manifest/shadow", "agpm.private.toml:2", "agpm.toml"],
        );
    }
    project.write("agpm.private.toml", "[patch.agents.a]\nmodel = \"opus\"\n");
    project.good("install");
}

#[test]
fn both_lockfiles_are_compared_and_both_keep_their_pins() {
    let project = project();
    project.write("agpm.private.toml", &PRIVATE.replace("^1.0", "v1.0.0"));
    project.good("install");
    // A requirement that still allows the pin keeps it.
    project.write("agpm.private.toml", PRIVATE);
    project.refused("install --locked", 5, &["agents/mine"]);
    project.refused("install --frozen", 5, &["agents/mine"]);
    project.good("install");
    assert_eq!(project.read(".claude/agents/p.md"), "p one\n");
    project.good("install --locked");
    project.remove("agpm.private.lock");
    project.refused("install --locked", 5, &["`agpm.private.lock` not found"]);
    project.refused("install --frozen", 5, &["agents/mine"]);
    project.good("install");
    project.write("agpm.private.lock", "no lockfile");
    project.refused(
        "install",
        1,
        &["agpm.private.lock:1", "delete `agpm.private.lock`"],
    );
}

#[test]
fn update_and_remove_edit_the_private_manifest() {
    let project = project();
    project.write("agpm.private.toml", PRIVATE);
    project.good("install");
    let (manifest, lock) = (project.read("agpm.toml"), project.read("agpm.lock"));
    let output = project.good("update mine@v2.0.0");
    assert!(
        output.stdout.contains("agents/mine: ^1.0 -> v2.0.0")
            && output.stdout.contains("agpm.private.lock written"),
        "{output}"
    );
    assert!(project.read("agpm.private.toml").contains("v2.0.0"));
    assert_eq!(project.read(".claude/agents/p.md"), "p three\n");
    project.good("undo");
    assert_eq!(project.read("agpm.private.toml"), PRIVATE);
    assert_eq!(project.read(".claude/agents/p.md"), "p two\n");
    let output = project.good("remove mine");
    assert!(
        output
            .stdout
            .contains("Removed agents/mine from agpm.private.toml"),
        "{output}"
    );
    assert!(!project.exists(".claude/agents/p.md") && !project.exists("agpm.private.lock"));
    assert_eq!(project.read("agpm.toml"), manifest);
    assert_eq!(project.read("agpm.lock"), lock);
    project.good("undo");
    project.good("verify");
    assert!(project.exists("agpm.private.lock"));
}

#[test]
fn every_view_has_private_entries() {
    let project = project();
    project.write("agpm.private.toml", PRIVATE);
    project.good("install");
    for (line, word) in [
        ("list", "mine"),
        ("tree", "agents/mine (v1.1.0)"),
        ("why mine", "^1.0"),
        ("outdated --all", "mine"),
        ("explain agents/mine", "agpm.private.toml"),
    ] {
        let output = project.good(line);
        assert!(output.stdout.contains(word), "{line}\n{output}");
    }
    project.write(".claude/agents/p.md", "edited\n");
    let output = project.run("verify");
    assert!(
        output.code == Some(1) && output.to_string().contains("agents/mine"),
        "{output}"
    );
}

#[test]
fn git_ignores_the_private_lockfile() {
    let project = project();
    project.write(".gitignore", "target\n");
    project.good("install");
    assert_eq!(project.read(".gitignore"), "target\n");
    project.write("agpm.private.toml", PRIVATE);
    project.good("install");
    assert_eq!(project.read(".gitignore"), "target\nagpm.private.lock\n");
    project.good("undo");
    assert_eq!(project.read(".gitignore"), "target\n");
}

#[test]
fn only_private_entries_need_no_shared_lockfile() {
    let project = project();
    project.manifest("");
    project.write("agpm.private.toml", PRIVATE);
    project.good("install");
    assert!(!project.exists("agpm.lock") && project.exists("agpm.private.lock"));
    for line in ["install", "install --locked", "install --frozen", "verify"] {
        project.good(line);
    }
}

/// A process that ends at any write leaves both lockfiles of one state.
#[test]
#[cfg(debug_assertions)]
fn a_kill_leaves_both_lockfiles_of_one_state() {
    let mut outcomes = std::collections::BTreeSet::new();
    for write in 1..40 {
        let project = project();
        project.write("agpm.private.toml", &PRIVATE.replace("^1.0", "v1.0.0"));
        project.good("install");
        let locks = || {
            [
                project.read("agpm.lock"),
                project.read("agpm.private.lock"),
                project.read(".claude/agents/p.md"),
            ]
        };
        let before = locks();
        project.write("agpm.private.toml", &PRIVATE.replace("^1.0", "v1.1.0"));
        let manifest = project.read("agpm.toml").replace("v1.0.0", "v1.1.0");
        project.write("agpm.toml", &manifest);
        let mut command = project.sandbox.command(crate::support::PROGRAM);
        command
            .current_dir(project.sandbox.work().join("project"))
            .arg("install")
            .env("RUST_BACKTRACE", "0")
            .env("AGPM_STOP_AT_WRITE", write.to_string());
        let is_killed = project.sandbox.output(command).code != Some(0);
        // Whatever the next command is, it repairs the state first.
        project.run("undo --dry-run");
        project.good("install --no-lock");
        project.good("install");
        let after = locks();
        assert!(after[0].contains("v1.1.0") && after[1].contains("v1.1.0"));
        assert_eq!(after[2], "p two\n");
        assert!(before[1].contains("v1.0.0"));
        project.good("verify");
        outcomes.insert(is_killed);
        if !is_killed {
            break;
        }
    }
    assert_eq!(outcomes.len(), 2, "not all writes were reached");
}
