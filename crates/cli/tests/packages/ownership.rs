//! The owner of an entry in a shared file: managed, edited, the user's, or known only by the lockfile.

use crate::shared::{HOOK, HOOK_2, SERVER, SERVER_2, SETTINGS, USERS, asking, both, server_only};
use crate::support::{Project, entry, json};

/// A project as a colleague clones it: all committed files, without agpm's state.
fn cloned(project: &Project) {
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
}

#[test]
fn an_equal_entry_of_the_user_is_taken_over_in_silence() {
    let project = server_only(&[("mcp/fs.json", SERVER)], "");
    let text = "{\"mcpServers\":{\"fs\":{\"args\":[\"-y\",\"fs\"],\"command\":\"npx\"}}}";
    project.write(".mcp.json", text);
    project.good("install");
    assert_eq!(project.read(".mcp.json"), text);
}

#[test]
fn an_edited_entry_is_kept_and_reported_and_force_overwrites_it() {
    let project = both();
    project.good("install");
    let edited = project.read(".mcp.json").replace("\"-y\"", "\"--mine\"");
    project.write(".mcp.json", &edited);
    project.warned(
        "install",
        &["install/edited", ".mcp.json", "/mcpServers/fs"],
    );
    assert_eq!(project.read(".mcp.json"), edited);
    // A new release does not overwrite it either.
    project.manifest(&asking("v1.1.0"));
    let output = project.run("install --approve all");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("install/conflict"), "{output}");
    assert_eq!(project.read(".mcp.json"), edited);
    project.good("install --force --approve all");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(&format!("{{\"mcpServers\": {{\"fs\": {SERVER_2}}}}}"))
    );
}

#[test]
fn an_edited_entry_stays_when_its_resource_leaves() {
    let project = both();
    project.good("install");
    let edited = project.read(".mcp.json").replace("\"-y\"", "\"--mine\"");
    project.write(".mcp.json", &edited);
    project.manifest("");
    project.warned("install", &["install/edited"]);
    assert_eq!(project.read(".mcp.json"), edited);
}

#[test]
fn an_entry_that_went_missing_comes_back() {
    let project = both();
    project.good("install");
    let original = project.read(".mcp.json");
    project.write(".mcp.json", "{}\n");
    project.good("install");
    assert_eq!(json(&project.read(".mcp.json")), json(&original));
    project.remove(".mcp.json");
    project.good("install");
    assert_eq!(json(&project.read(".mcp.json")), json(&original));
}

#[test]
fn verify_finds_edited_and_missing_entries() {
    let project = both();
    project.write(SETTINGS, USERS);
    project.good("install");
    project.good("verify");
    // Users may write next to managed entries.
    project.write(
        SETTINGS,
        &project.read(SETTINGS).replace("\"opus\"", "\"haiku\""),
    );
    project.good("verify");
    project.write(
        SETTINGS,
        &project.read(SETTINGS).replace("\"Bash\"", "\"Edit\""),
    );
    project.write(".mcp.json", "{}\n");
    let output = project.run("verify");
    assert_eq!(output.code, Some(1), "{output}");
    for words in [
        "verify/changed",
        "hooks/lint",
        "verify/missing",
        "mcp-servers/fs",
        "/mcpServers/fs",
    ] {
        assert!(output.stdout.contains(words), "no `{words}` in\n{output}");
    }
    project.write(".mcp.json", "{");
    let output = project.run("verify");
    assert!(
        output.code == Some(1) && output.stdout.contains("cannot be read"),
        "{output}"
    );
}

#[test]
fn a_fresh_clone_takes_its_entries_for_its_own() {
    let project = both();
    project.write(SETTINGS, USERS);
    project.good("install");
    let before: Vec<String> = [SETTINGS, ".mcp.json"]
        .map(|path| project.read(path))
        .to_vec();
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project.good("install");
    assert_eq!(
        [SETTINGS, ".mcp.json"]
            .map(|path| project.read(path))
            .to_vec(),
        before
    );
    project.manifest("");
    project.good("install");
    for path in [SETTINGS, ".mcp.json"] {
        let left = if project.exists(path) {
            project.read(path)
        } else {
            String::new()
        };
        assert!(!left.contains("lint") && !left.contains("npx"), "{left}");
    }
}

#[test]
fn frozen_takes_an_edited_entry_for_a_difference() {
    let project = both();
    project.good("install");
    project.write(
        ".mcp.json",
        &project.read(".mcp.json").replace("\"-y\"", "\"--mine\""),
    );
    project.refused("install --frozen", 1, &[".mcp.json"]);
}

#[test]
fn frozen_brings_a_missing_entry_back() {
    let project = both();
    project.good("install");
    let original = project.read(".mcp.json");
    project.remove(".mcp.json");
    project.good("install --frozen");
    assert_eq!(project.read(".mcp.json"), original);
}

#[test]
fn two_resources_that_agree_share_an_entry_until_both_are_gone() {
    let file = "{\"mcpServers\": {\"fs\": {\"command\": \"x\"}}}";
    let entries = [
        entry("one", "mcp/one.json", ""),
        entry("two", "mcp/two.json", ""),
    ];
    let project = Project::with(
        &[("mcp/one.json", file), ("mcp/two.json", file)],
        &format!("[mcp-servers]\n{}", entries.concat()),
    );
    project.good("install");
    assert_eq!(json(&project.read(".mcp.json")), json(file));
    project.manifest(&format!("[mcp-servers]\n{}", entries[1]));
    project.good("install");
    assert_eq!(json(&project.read(".mcp.json")), json(file));
    project.good("verify");
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".mcp.json"));
}

#[test]
fn a_file_that_was_written_again_by_a_formatter_is_still_ours() {
    let project = both();
    project.write(".mcp.json", "{\n  \"a\": 1\n}\n");
    project.good("install");
    let flat = json(&project.read(".mcp.json"))
        .to_json()
        .split_whitespace()
        .collect::<String>();
    project.write(".mcp.json", &flat);
    assert!(
        project
            .good("install")
            .stdout
            .ends_with("Everything is up to date (2 resources)\n")
    );
    assert_eq!(project.read(".mcp.json"), flat);
    project.good("verify");
    project.manifest("");
    project.good("install");
    assert_eq!(json(&project.read(".mcp.json")), json("{\"a\": 1}"));
}

#[test]
fn verify_is_content_with_a_hook_that_is_switched_off() {
    let project = Project::one(
        "hooks",
        "hooks/h.json",
        HOOK,
        "[patch.hooks.x]\nenabled = false\n",
    );
    project.good("install");
    project.good("verify");
}

#[test]
fn a_hook_that_its_tool_has_no_event_for_is_refused() {
    let hook = r#"{"events": ["Notification"], "type": "command", "command": "x"}"#;
    let project = Project::with(
        &[("hooks/h.json", hook)],
        &format!(
            "[hooks]\n{}",
            entry("h", "hooks/h.json", "tool = \"codex\"")
        ),
    );
    project.refused(
        "install",
        1,
        &[
            "resource/shape",
            "the tool cannot run the hook `h`",
            "`Notification`",
        ],
    );
    assert!(project.written().is_empty());
}

#[test]
fn an_edited_command_of_a_hook_is_kept_and_reported() {
    let project = Project::one("hooks", "hooks/lint.json", HOOK, "");
    project.good("install");
    let edited = project
        .read(SETTINGS)
        .replace("\"lint\"", "\"lint --mine\"");
    project.write(SETTINGS, &edited);
    project.warned("install", &["install/edited", "hooks/x"]);
    assert_eq!(project.read(SETTINGS), edited);
}

#[test]
fn in_a_fresh_clone_the_lockfile_reports_which_entries_are_ours() {
    let project = Project::new();
    let mut source = project.release(&[("hooks/lint.json", HOOK), ("mcp/fs.json", SERVER)]);
    source.commit(&[("hooks/lint.json", HOOK_2), ("mcp/fs.json", SERVER_2)]);
    source.tag("v1.1.0");
    let manifest = format!(
        "[hooks]\n{}[mcp-servers]\n{}[patch.mcp-servers.fs]\nenv.A = \"1\"\n",
        entry("lint", "hooks/lint.json", ""),
        entry("fs", "mcp/fs.json", "")
    );
    project.manifest(&manifest);
    project.write(
        SETTINGS,
        "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"mine\"}]}]}}\n",
    );
    project.good("install");
    cloned(&project);
    // Another version replaces them and does not come beside them.
    project.manifest(&manifest.replace("v1.0.0", "v1.1.0"));
    project.good("install --approve all");
    let settings = project.read(SETTINGS);
    assert!(
        settings.contains("lint --all") && !settings.contains("\"lint\""),
        "{settings}"
    );
    cloned(&project);
    project.manifest("");
    project.good("install");
    assert_eq!(
        json(&project.read(SETTINGS)),
        json("{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"mine\"}]}]}}")
    );
    assert!(
        !project.exists(".mcp.json"),
        "it held only a managed server"
    );
}

#[test]
fn entries_that_a_colleague_moved_on_are_still_ours() {
    let project = Project::new();
    let mut source = project.release(&[("hooks/lint.json", HOOK), ("agents/a.md", "one\n")]);
    source.commit(&[("hooks/lint.json", HOOK_2), ("agents/a.md", "two\n")]);
    source.tag("v1.1.0");
    let manifest = format!(
        "[hooks]\n{}[agents]\n{}",
        entry("lint", "hooks/lint.json", ""),
        entry("a", "agents/a.md", "")
    );
    project.manifest(&manifest);
    project.good("install");
    let ledger = project.read(".agpm/ledger.json");
    project.manifest(&manifest.replace("v1.0.0", "v1.1.0"));
    project.good("install --approve hooks/lint");
    // As if everything except agpm's state came with a pull.
    project.write(".agpm/ledger.json", &ledger);
    let output = project.good("install");
    assert!(!output.to_string().contains("edited"), "{output}");
    project.write(".agpm/ledger.json", &ledger);
    project.manifest("");
    let output = project.good("install");
    assert!(!output.to_string().contains("edited"), "{output}");
    assert!(
        !project.exists(SETTINGS) || !project.read(SETTINGS).contains("lint"),
        "{}",
        project.read(SETTINGS)
    );
    assert!(!project.exists(".claude/agents/a.md"));
}

#[test]
fn an_equal_entry_of_two_resources_is_written_once_and_verified() {
    let project = Project::with(
        &[("hooks/a.json", HOOK), ("hooks/b.json", HOOK)],
        &format!(
            "[hooks]\n{}{}",
            entry("a", "hooks/a.json", ""),
            entry("b", "hooks/b.json", "")
        ),
    );
    project.good("install");
    assert_eq!(project.read(SETTINGS).matches("\"lint\"").count(), 1);
    project.good("verify");
}

#[test]
fn verify_still_reports_of_an_entry_that_an_install_kept() {
    let project = Project::one("mcp-servers", "mcp/fs.json", SERVER, "");
    project.good("install");
    let edited = project.read(".mcp.json").replace("npx", "mine");
    project.write(".mcp.json", &edited);
    assert_eq!(project.run("verify").code, Some(1));
    project.warned("install", &["install/edited"]);
    assert_eq!(project.run("verify").code, Some(1));
}

#[test]
fn force_keeps_a_users_command_next_to_a_managed_one() {
    let project = Project::one("hooks", "hooks/lint.json", HOOK, "");
    project.good("install");
    let beside = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"mine\"}, {\"command\": \"lint\"}]}]}}\n";
    project.write(SETTINGS, beside);
    project.warned(
        "install --force",
        &["install/edited", "next to managed content"],
    );
    assert_eq!(project.read(SETTINGS), beside);
}

#[test]
fn force_puts_an_edited_hook_back_and_does_not_double_it() {
    let project = Project::one("hooks", "hooks/lint.json", HOOK, "");
    project.good("install");
    let ours = project.read(SETTINGS);
    project.write(SETTINGS, &ours.replace("\"lint\"", "\"lint --mine\""));
    project.warned("install", &["install/edited"]);
    project.good("install --force");
    assert_eq!(json(&project.read(SETTINGS)), json(&ours));
}

#[test]
fn two_of_our_hooks_that_a_user_put_together_are_not_doubled() {
    let other = HOOK.replace("\"lint\"", "\"test\"");
    let project = Project::with(
        &[("hooks/a.json", HOOK), ("hooks/b.json", &other)],
        &format!(
            "[hooks]\n{}{}",
            entry("a", "hooks/a.json", ""),
            entry("b", "hooks/b.json", "")
        ),
    );
    project.good("install");
    let together = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}, {\"type\": \"command\", \"command\": \"test\"}]}]}}\n";
    project.write(SETTINGS, together);
    project.warned("install", &["install/edited"]);
    assert_eq!(project.read(SETTINGS), together);
}

#[test]
fn files_of_a_pull_that_are_no_longer_required_are_removed() {
    let project = Project::with(
        &[
            ("hooks/lint.json", HOOK),
            ("agents/a.md", "a\n"),
            ("agents/b.md", "b\n"),
        ],
        &format!("[agents]\n{}", entry("a", "agents/a.md", "")),
    );
    project.good("install");
    let ledger = project.read(".agpm/ledger.json");
    let more = format!(
        "[agents]\n{}{}[hooks]\n{}",
        entry("a", "agents/a.md", ""),
        entry("b", "agents/b.md", ""),
        entry("lint", "hooks/lint.json", "")
    );
    project.manifest(&more);
    project.good("install");
    project.write(".agpm/ledger.json", &ledger);
    project.manifest(&format!("[agents]\n{}", entry("a", "agents/a.md", "")));
    project.good("install");
    assert!(!project.exists(".claude/agents/b.md"));
    assert!(!project.exists(SETTINGS), "it held only a managed hook");
}

#[test]
fn a_hook_that_was_replaced_by_a_users_own_comes_back_next_to_it() {
    let project = Project::one("hooks", "hooks/lint.json", HOOK, "");
    project.good("install");
    let mine = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}}\n";
    project.write(SETTINGS, mine);
    project.good("install");
    let settings = project.read(SETTINGS);
    assert!(
        settings.contains("\"mine\"") && settings.contains("\"lint\""),
        "{settings}"
    );
}

#[test]
fn check_sees_a_missing_entry() {
    let project = both();
    assert_eq!(project.run("install --check").code, Some(1));
    project.good("install");
    project.good("install --check");
    project.write(".mcp.json", "{}\n");
    assert_eq!(project.run("install --check").code, Some(1));
}

#[test]
fn an_entry_of_the_user_with_the_same_name_is_refused_and_nothing_is_written() {
    let project = Project::with(
        &[
            ("mcp/fs.json", SERVER),
            ("hooks/lint.json", HOOK),
            ("agents/a.md", "a\n"),
        ],
        &format!(
            "[mcp-servers]\n{}[hooks]\n{}[agents]\n{}",
            entry("fs", "mcp/fs.json", ""),
            entry("lint", "hooks/lint.json", ""),
            entry("a", "agents/a.md", "")
        ),
    );
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"fs\": {\"command\": \"mine\"}}}\n",
    );
    project.refused(
        "install",
        6,
        &[
            "install/unmanaged",
            ".mcp.json",
            "mcp-servers/fs",
            "--adopt",
        ],
    );
    project.good("install --adopt");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(&format!("{{\"mcpServers\": {{\"fs\": {SERVER}}}}}"))
    );
}

#[test]
fn diff_shows_local_edits_before_what_an_install_would_change() {
    let project = both();
    project.good("install");
    let edited = project.read(".mcp.json").replace("\"-y\"", "\"--mine\"");
    project.write(".mcp.json", &edited);
    let output = project.good("diff");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[0], "! .mcp.json  modified locally", "{output}");
    let is_shown = |line: &str| {
        lines
            .iter()
            .any(|shown| shown.trim_end_matches(',') == line)
    };
    assert!(
        is_shown("-        \"-y\"") && is_shown("+        \"--mine\""),
        "{output}"
    );
    for words in [
        "agpm diff mcp-servers/fs",
        "agpm install --force",
        "agpm patch save mcp-servers/fs",
    ] {
        assert!(output.stderr.contains(words), "{words}: {output}");
    }
    assert_eq!(project.run("diff --exit-code").code, Some(1));
    let named = project.good("diff mcp-servers/fs");
    assert_eq!(named.stdout, output.stdout);
    assert_eq!(
        project.good("diff hooks/lint").stdout,
        "",
        "another resource"
    );
    // What an install would change follows.
    project.remove(SETTINGS);
    let output = project.good("diff --stat");
    let signs: Vec<&str> = output.stdout.lines().map(|line| &line[..1]).collect();
    assert_eq!(signs, ["!", "+"], "{output}");
    let status = project.good("status");
    assert!(
        status.stdout.contains("modified  ") && status.stdout.contains("1  (agpm diff)"),
        "{status}"
    );
}

#[test]
fn diff_shows_edits_of_whole_files_and_blocks() {
    let project = Project::new();
    project.release(&[
        (
            "agents/a.md",
            "---\nname: a\ndescription: d\n---\nReview.\n",
        ),
        ("rules/style.md", "Two spaces.\n"),
    ]);
    project.write("AGENTS.md", "# Mine\n");
    project.manifest(&format!(
        "[agents]\n{}[instructions]\n{}",
        entry("a", "agents/a.md", ""),
        entry("style", "rules/style.md", "tools = [\"codex\"]"),
    ));
    project.good("install");
    for (path, from, to) in [
        (".claude/agents/a.md", "Review.", "Review twice."),
        ("AGENTS.md", "Two spaces.", "Four spaces."),
    ] {
        project.write(path, &project.read(path).replace(from, to));
    }
    let output = project.good("diff");
    for line in [
        "! .claude/agents/a.md  modified locally",
        "-Review.",
        "+Review twice.",
        "! AGENTS.md  modified locally",
        "-Two spaces.",
        "+Four spaces.",
    ] {
        assert!(
            output.stdout.lines().any(|shown| shown == line),
            "{line}: {output}"
        );
    }
    let markdown = project.good("diff --format markdown").stdout;
    assert!(
        markdown.contains("</code> modified locally (+1 -1)"),
        "{markdown}"
    );
}
