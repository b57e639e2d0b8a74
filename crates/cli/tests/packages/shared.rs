//! Hooks and MCP servers inside files that users write too.

use crate::support::{PROGRAM, Project, assert_inserted, entry, json, needs};

pub(crate) const HOOK: &str = r#"{"events": ["PreToolUse"], "matcher": "Bash", "type": "command", "command": "lint", "timeout": 5}
"#;
pub(crate) const HOOK_2: &str = r#"{"events": ["PreToolUse"], "matcher": "Bash|Edit", "type": "command", "command": "lint --all"}
"#;
pub(crate) const SERVER: &str = "{\"command\": \"npx\", \"args\": [\"-y\", \"fs\"]}\n";
pub(crate) const SERVER_2: &str =
    "{\"command\": \"npx\", \"args\": [\"-y\", \"fs\", \"/data\"], \"env\": {\"A\": \"1\"}}\n";
pub(crate) const SETTINGS: &str = ".claude/settings.local.json";

/// A settings file as people have them.
pub(crate) const USERS: &str = r#"// My settings.
{
    "permissions": {"allow": ["Bash(git:*)"],  "deny": []}, // mine
    /* hooks of my own */
    "hooks": {
        "PreToolUse": [
            {"matcher": "Write", "hooks": [{"type": "command", "command": "mine"}]}, // keep
        ],
        "Stop": [],
    },

    "model" : "opus",
}
"#;

pub(crate) fn range(name: &str, path: &str) -> String {
    format!("{name} = {{ source = \"community\", path = \"{path}\", version = \"^1.0\" }}\n")
}

/// A project with the hook `lint` and the server `fs`, in two releases.
pub(crate) fn both() -> Project {
    let project = Project::new();
    project.source(&[
        (
            "v1.0.0",
            &[("hooks/lint.json", HOOK), ("mcp/fs.json", SERVER)],
        ),
        (
            "v1.1.0",
            &[("hooks/lint.json", HOOK_2), ("mcp/fs.json", SERVER_2)],
        ),
    ]);
    project.manifest(&asking("v1.0.0"));
    project
}

pub(crate) fn asking(version: &str) -> String {
    format!(
        "[hooks]\n{}[mcp-servers]\n{}",
        range("lint", "hooks/lint.json"),
        range("fs", "mcp/fs.json")
    )
    .replace("^1.0", version)
}

pub(crate) fn server_only(files: &[(&str, &str)], more: &str) -> Project {
    Project::with(
        files,
        &format!("[mcp-servers]\n{}", entry("fs", "mcp/fs.json", more)),
    )
}

#[test]
fn a_hook_joins_the_users_settings_without_touching_them() {
    let project = both();
    project.write(SETTINGS, USERS);
    project.good("install");
    let text = project.read(SETTINGS);
    assert_inserted(USERS, &text);
    let groups = json(&text)
        .get("hooks")
        .unwrap()
        .get("PreToolUse")
        .unwrap()
        .clone();
    assert_eq!(
        groups,
        json(
            r#"[{"matcher": "Write", "hooks": [{"type": "command", "command": "mine"}]},
                {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint", "timeout": 5}]}]"#
        )
    );
}

#[test]
fn a_file_of_settings_as_claude_writes_them_is_a_hook_too() {
    let fragment = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}],
        "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "b"}, {"type": "command", "command": "c"}]}]}}"#;
    let project = Project::with(
        &[("hooks/all.json", fragment)],
        &format!("[hooks]\n{}", entry("all", "hooks/all.json", "")),
    );
    project.good("install");
    assert_eq!(json(&project.read(SETTINGS)), json(fragment));
}

#[test]
fn one_hook_for_several_events_is_registered_for_each() {
    let hook = r#"{"events": ["Stop", "SubagentStop"], "type": "command", "command": "notify"}"#;
    let project = Project::with(
        &[("hooks/n.json", hook)],
        &format!("[hooks]\n{}", entry("n", "hooks/n.json", "")),
    );
    project.good("install");
    let group = r#"[{"hooks": [{"type": "command", "command": "notify"}]}]"#;
    assert_eq!(
        json(&project.read(SETTINGS)),
        json(&format!(
            "{{\"hooks\": {{\"Stop\": {group}, \"SubagentStop\": {group}}}}}"
        ))
    );
}

#[test]
fn a_second_run_touches_nothing() {
    let project = both();
    project.write(SETTINGS, USERS);
    project.good("install");
    let (before, times) = (
        project.tree(),
        [SETTINGS, ".mcp.json"].map(|path| project.modified(path)),
    );
    project.good("install");
    project.good("install --force");
    project.good("install --frozen");
    assert_eq!(project.tree(), before);
    assert_eq!(
        [SETTINGS, ".mcp.json"].map(|path| project.modified(path)),
        times
    );
}

#[test]
fn an_update_changes_our_entries_and_nothing_else() {
    let project = both();
    project.write(SETTINGS, USERS);
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"own\": {\"command\": \"own\"}}} // mine\n",
    );
    project.good("install");
    project.manifest(&asking("v1.1.0"));
    project.good("install --approve hooks/lint --approve mcp-server:fs");
    assert_inserted(USERS, &project.read(SETTINGS));
    let text = project.read(SETTINGS);
    assert!(
        text.contains("lint --all") && text.contains("Bash|Edit") && !text.contains("timeout"),
        "{text}"
    );
    let servers = project.read(".mcp.json");
    assert!(servers.ends_with("} // mine\n"), "{servers}");
    assert_eq!(
        json(&servers),
        json(&format!(
            "{{\"mcpServers\": {{\"own\": {{\"command\": \"own\"}}, \"fs\": {SERVER_2}}}}}"
        ))
    );
}

#[test]
fn removal_gives_the_exact_bytes_back() {
    let project = both();
    let servers = "{\"mcpServers\": {\"own\": {\"command\": \"own\"}}} // mine";
    project.write(SETTINGS, USERS);
    project.write(".mcp.json", servers);
    project.good("install");
    project.good("remove dep hook lint");
    assert_eq!(project.read(SETTINGS), USERS);
    project.good("remove dep mcp-server fs");
    assert_eq!(project.read(".mcp.json"), servers);
}

#[test]
fn undo_gives_the_exact_bytes_back() {
    let project = both();
    project.write(SETTINGS, USERS);
    project.good("install");
    project.good("undo");
    assert_eq!(project.read(SETTINGS), USERS);
    assert!(!project.exists(".mcp.json") && !project.exists("agpm.lock"));
}

#[test]
fn a_file_that_we_made_goes_with_the_last_entry() {
    let project = both();
    project.good("install");
    assert_eq!(project.written(), [SETTINGS, ".mcp.json"]);
    project.manifest("");
    project.good("install");
    assert!(
        project.written().is_empty() && !project.exists(".claude"),
        "{:?}",
        project.tree()
    );
}

#[test]
fn a_file_that_we_made_stays_when_the_user_wrote_into_it() {
    let project = both();
    project.good("install");
    let text = project
        .read(".mcp.json")
        .replacen('{', "{\n  \"mine\": true,", 1);
    project.write(".mcp.json", &text);
    project.manifest("");
    project.good("install");
    assert_eq!(json(&project.read(".mcp.json")), json("{\"mine\": true}"));
}

#[test]
fn the_file_gets_no_marker() {
    let project = both();
    project.good("install");
    for path in [SETTINGS, ".mcp.json"] {
        assert!(
            !project.read(path).contains("agpm"),
            "{}",
            project.read(path)
        );
    }
}

#[test]
fn a_file_that_does_not_parse_is_refused_and_stays() {
    for text in [
        "{",
        "{\"a\": 1,, \"b\": 2}\n",
        "not json",
        "{\"mcpServers\": {}}}",
        "\u{0}",
        "{\"a\": 1, \"a\": 2}",
    ] {
        let project = both();
        project.write(".mcp.json", text);
        project.refused("install", 1, &[".mcp.json"]);
        project.refused("install --force", 1, &[".mcp.json"]);
    }
}

#[test]
fn a_file_with_something_else_where_entries_belong_is_refused_and_stays() {
    for text in [
        "[]\n",
        "{\"mcpServers\": []}\n",
        "{\"mcpServers\": \"x\"}\n",
        "1",
    ] {
        let project = both();
        project.write(".mcp.json", text);
        project.refused("install", 6, &[".mcp.json"]);
    }
}

#[test]
fn opencode_gets_its_own_shape() {
    let project = server_only(&[("mcp/fs.json", SERVER_2)], "tool = \"opencode\"");
    project.good("install");
    let text = project.read(".opencode/opencode.json");
    assert_eq!(
        json(&text).get("mcp"),
        json(
            r#"{"mcp": {"fs": {"type": "local", "command": ["npx", "-y", "fs", "/data"], "environment": {"A": "1"}}}}"#
        )
        .get("mcp"),
        "{text}"
    );
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".opencode"));
}

#[test]
fn one_server_goes_to_both_tools_of_the_reference() {
    let project = Project::with(
        &[("mcp/filesystem.json", SERVER)],
        &format!(
            "[mcp-servers]\n{}{}",
            entry("claude-fs", "mcp/filesystem.json", ""),
            entry("opencode-fs", "mcp/filesystem.json", "tool = \"opencode\"")
        ),
    );
    project.good("install");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(&format!("{{\"mcpServers\": {{\"claude-fs\": {SERVER}}}}}"))
    );
    assert!(
        json(&project.read(".opencode/opencode.json"))
            .get("mcp")
            .unwrap()
            .get("opencode-fs")
            .is_some()
    );
}

const CUSTOM_TOOL: &str = r#"[tools.custom-tool]
path = ".mytool"
resources = {
  agents = { path = "agents" },
  commands = { path = "cmds" },
  hooks = { merge-target = ".mytool/hooks.json" },
  mcp-servers = { merge-target = ".mytool/servers.json" }
}
"#;
const MY_TOOL: &str = r#"[tools.my-tool]
path = ".my-tool"

[tools.my-tool.resources.hooks]
merge-target = ".my-tool/hooks.json"

[tools.my-tool.resources.mcp-servers]
merge-target = ".my-tool/servers.json"
"#;

#[test]
fn custom_tools_of_the_reference_have_merge_targets() {
    for (tool, name, directory) in [
        (CUSTOM_TOOL, "custom-tool", ".mytool"),
        (MY_TOOL, "my-tool", ".my-tool"),
    ] {
        let with = format!("tool = \"{name}\"");
        let project = Project::with(
            &[("mcp/fs.json", SERVER), ("hooks/lint.json", HOOK)],
            &format!(
                "{tool}[mcp-servers]\n{}[hooks]\n{}",
                entry("fs", "mcp/fs.json", &with),
                entry("lint", "hooks/lint.json", &with)
            ),
        );
        project.good("install");
        assert_eq!(
            project.written(),
            [
                format!("{directory}/hooks.json"),
                format!("{directory}/servers.json")
            ]
        );
        assert_eq!(
            json(&project.read(&format!("{directory}/servers.json"))),
            json(&format!("{{\"mcpServers\": {{\"fs\": {SERVER}}}}}"))
        );
        assert!(
            project
                .read(&format!("{directory}/hooks.json"))
                .contains("PreToolUse")
        );
        assert_eq!(project.good("verify").stdout.lines().count(), 1);
        project.manifest(tool);
        project.good("install");
        assert!(project.written().is_empty(), "{:?}", project.written());
    }
}

#[test]
fn a_built_in_tool_can_merge_elsewhere() {
    let project = server_only(&[("mcp/fs.json", SERVER)], "");
    let manifest = project.read("agpm.toml");
    let tool = "[tools.claude-code]\nresources = { mcp-servers = { merge-target = \"config/mcp.json\" } }\n";
    project.good("install");
    project.write("agpm.toml", &format!("{manifest}{tool}"));
    project.good("install");
    assert_eq!(project.written(), ["config/mcp.json"]);
}

#[test]
fn a_server_can_stand_in_the_manifest_itself() {
    let project = Project::new();
    project.write(
        "agpm.toml",
        "[mcp-servers]\nfs = { command = \"npx\", args = [\"-y\", \"fs\"] }\n\
         open = { command = \"uvx\", tool = \"opencode\" }\n",
    );
    project.good("install");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(&format!("{{\"mcpServers\": {{\"fs\": {SERVER}}}}}"))
    );
    assert!(project.read(".opencode/opencode.json").contains("\"uvx\""));
    project.good("install --frozen");
    project.write(
        "agpm.toml",
        "[mcp-servers]\nfs = { command = \"npx\", args = [\"-y\", \"other\"] }\n",
    );
    project.good("install");
    assert!(project.read(".mcp.json").contains("other") && !project.exists(".opencode"));
}

#[test]
fn command_and_arguments_of_the_manifest_override_those_of_the_file() {
    let project = server_only(
        &[("mcp/fs.json", SERVER_2)],
        "command = \"bunx\", args = [\"fs\"]",
    );
    project.good("install");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(r#"{"mcpServers": {"fs": {"command": "bunx", "args": ["fs"], "env": {"A": "1"}}}}"#)
    );
}

#[test]
fn a_file_with_several_servers_brings_all_of_them() {
    let file = r#"{"mcpServers": {"a": {"command": "a"}, "b": {"url": "https://b.example"}}}"#;
    let project = server_only(&[("mcp/fs.json", file)], "");
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"mine\": {\"command\": \"m\"}}}\n",
    );
    project.good("install");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(
            r#"{"mcpServers": {"mine": {"command": "m"}, "a": {"command": "a"}, "b": {"type": "http", "url": "https://b.example"}}}"#
        )
    );
    project.manifest("");
    project.good("install");
    assert_eq!(
        project.read(".mcp.json"),
        "{\"mcpServers\": {\"mine\": {\"command\": \"m\"}}}\n"
    );
}

#[test]
fn two_resources_that_want_one_entry_are_a_clash() {
    let wrapped =
        |command: &str| format!("{{\"mcpServers\": {{\"fs\": {{\"command\": \"{command}\"}}}}}}");
    let project = Project::with(
        &[
            ("mcp/one.json", &wrapped("one")),
            ("mcp/two.json", &wrapped("two")),
        ],
        &format!(
            "[mcp-servers]\n{}{}",
            entry("one", "mcp/one.json", ""),
            entry("two", "mcp/two.json", "")
        ),
    );
    let words = [
        "package/target-clash",
        "mcp-servers/one",
        "mcp-servers/two",
        "rename = { fs = \"two\" }",
    ];
    project.refused("install", 1, &words);
}

#[test]
fn clashes_of_files_and_of_servers_are_reported_together() {
    let files = [
        ("agents/a.md", "A.\n"),
        ("agents/x/a.md", "B.\n"),
        (
            "mcp/one.json",
            r#"{"mcpServers": {"fs": {"command": "one"}}}"#,
        ),
        (
            "mcp/two.json",
            r#"{"mcpServers": {"fs": {"command": "two"}}}"#,
        ),
    ];
    let project = Project::with(
        &files,
        &format!(
            "[agents]\n{}{}[mcp-servers]\n{}{}",
            entry("one", "agents/a.md", ""),
            entry("two", "agents/x/a.md", ""),
            entry("first", "mcp/one.json", ""),
            entry("second", "mcp/two.json", "")
        ),
    );
    let both = [
        "two resources would be installed at `.claude/agents/a.md`",
        "both define the server `fs`",
    ];
    project.refused("install", 1, &both);
    for (line, expected) in [
        ("validate --render", &both[..]),
        ("validate --resolve", &both[..1]),
    ] {
        let output = project.run(line);
        assert_eq!(output.code, Some(1), "{output}");
        for words in expected {
            assert!(output.stdout.contains(words), "{output}");
        }
    }
}

#[test]
fn rename_is_the_way_out_of_a_clash() {
    let wrapped =
        |command: &str| format!("{{\"mcpServers\": {{\"fs\": {{\"command\": \"{command}\"}}}}}}");
    let files = [
        ("mcp/one.json", wrapped("one")),
        ("mcp/two.json", wrapped("two")),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let renamed = entry("two", "mcp/two.json", "rename = { fs = \"two\" }");
    let project = Project::with(
        &files,
        &format!(
            "[mcp-servers]\n{}{renamed}",
            entry("one", "mcp/one.json", "")
        ),
    );
    project.good("install");
    let servers = r#"{"mcpServers": {"fs": {"command": "one"}, "two": {"command": "two"}}}"#;
    assert_eq!(json(&project.read(".mcp.json")), json(servers));
    project.good("install --frozen");
    project.good("verify");
    let wrong = entry("two", "mcp/two.json", "rename = { db = \"two\" }");
    project.manifest(&format!("[mcp-servers]\n{wrong}"));
    project.refused(
        "install",
        1,
        &[
            "manifest/value",
            "mcp-servers/two has no server `db`",
            "its servers are: fs",
        ],
    );
    project.manifest(&format!(
        "[agents]\n{}",
        entry("a", "mcp/one.json", "rename = { fs = \"two\" }")
    ));
    project.refused(
        "install",
        1,
        &["only MCP servers and plugins have `rename`"],
    );
}

#[test]
fn a_file_of_the_wrong_shape_is_reported_with_its_place() {
    for text in [
        "[1]",
        "{\"args\": []}",
        "{\"mcpServers\": []}",
        "{\"command\": 3}",
    ] {
        let project = server_only(&[("mcp/fs.json", text)], "");
        project.refused("install", 1, &["resource/shape", "mcp/fs.json@v1.0.0"]);
    }
    for text in [
        "{\"type\": \"command\", \"command\": \"x\"}",
        "{\"events\": [], \"type\": \"command\", \"command\": \"x\"}",
        "{\"events\": [\"Stop\"], \"type\": \"command\"}",
        "{\"hooks\": []}",
    ] {
        let project = Project::with(
            &[("hooks/h.json", text)],
            &format!("[hooks]\n{}", entry("h", "hooks/h.json", "")),
        );
        project.refused("install", 1, &["resource/shape", "hooks/h.json@v1.0.0"]);
    }
}

/// Files as users have them, good for either kind of entry.
const AWKWARD: &[(&str, &str)] = &[
    ("nothing", ""),
    ("blanks", " \n"),
    ("a comment and no more", "// to come\n"),
    ("an empty map", "{}"),
    ("an empty map with blanks", "{ \t}\n"),
    ("an empty map over lines", "{\n\n}\n"),
    (
        "only comments",
        "// one\n/* two */ {\n  // three\n} // four\n",
    ),
    ("one line", "{\"a\":1,\"b\":[1,2,{\"c\":null}]}"),
    ("tabs", "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n"),
    (
        "four blanks and no last line end",
        "{\n    \"a\": {\n        \"b\": 1\n    }\n}",
    ),
    (
        "carriage returns",
        "{\r\n  \"a\": 1,\r\n  \"b\": {}\r\n}\r\n",
    ),
    ("a byte order mark", "\u{feff}{\n  \"a\": 1\n}\n"),
    (
        "trailing commas",
        "{\n  \"a\": [1, 2,],\n  \"b\": {\"c\": 1,},\n}\n",
    ),
    ("commas in front", "{\n    \"a\": 1\n  , \"b\": 2\n}\n"),
    (
        "comments everywhere",
        "{ // a\n  /* b */ \"a\" /* c */ : /* d */ 1 /* e */ , // f\n  // g\n  \"b\": 2 // h\n  // i\n}\n",
    ),
    (
        "escapes and other scripts",
        "{\"\\u006dcp\": \"\\ud83e\\udd80 \\/ 🦀\", \"名\": \"é\\n\"}\n",
    ),
    (
        "an empty place for us",
        "{\n  \"hooks\": {},\n  \"mcpServers\": {}\n}\n",
    ),
    (
        "a place for us with a comment",
        "{\n  \"hooks\": { /* none */ },\n  \"mcpServers\": {\n    // none\n  }\n}\n",
    ),
    (
        "entries beside ours",
        "{\n  \"hooks\": {\"PreToolUse\": [ {\"hooks\": []} ]  },\n  \"mcpServers\": { \"x\": {\"command\": \"x\"} }\n}\n",
    ),
    (
        "an empty list for us",
        "{\"hooks\": {\"PreToolUse\": []}, \"mcpServers\": {}}",
    ),
    (
        "numbers as written",
        "{\"a\": 1.0, \"b\": 1e3, \"c\": -0, \"d\": 12345678901234567890123}\n",
    ),
    (
        "an odd order and wide blanks",
        "{  \"z\" :1 ,\n\n\n      \"a\"   :   2   }\n\n\n",
    ),
];

#[test]
fn awkward_files_go_through_install_update_and_removal_unharmed() {
    for (what, text) in AWKWARD {
        let project = both();
        project.write(SETTINGS, text);
        project.write(".mcp.json", text);
        for version in ["v1.0.0", "v1.1.0"] {
            project.manifest(&asking(version));
            project.good("install --approve all");
            for path in [SETTINGS, ".mcp.json"] {
                let now = project.read(path);
                assert_inserted(text, &now);
                json(&now);
            }
            let before = project.tree();
            assert!(
                project.good("install").stdout.ends_with("(2 resources)\n"),
                "{what}"
            );
            assert_eq!(project.tree(), before, "{what}");
            project.good("verify");
        }
        project.manifest("");
        project.good("install");
        for path in [SETTINGS, ".mcp.json"] {
            assert_eq!(&project.read(path), text, "{what}: {path}");
        }
    }
}

#[test]
fn user_edits_around_managed_entries_stay_after_removal() {
    let project = both();
    project.write(".mcp.json", "{\n  \"a\": 1\n}\n");
    project.good("install");
    let text = project
        .read(".mcp.json")
        .replace("\"a\": 1", "\"a\": 2, // now two");
    let text = text.replace("2, // now two,", "2, // now two");
    project.write(".mcp.json", &text);
    project.good("install");
    assert_eq!(project.read(".mcp.json"), text);
    project.manifest("");
    project.good("install");
    let left = project.read(".mcp.json");
    assert!(
        left.contains("// now two") && !left.contains("npx"),
        "{left}"
    );
    assert_eq!(json(&left), json("{\"a\": 2}"));
}

#[test]
fn a_hook_comes_with_its_scripts_and_goes_with_them() {
    let hook = r#"{"events": ["Stop"], "type": "command", "command": ".claude/scripts/check.sh",
        "dependencies": {"scripts": [{"path": "scripts/check.sh"}]}}"#;
    let project = Project::new();
    project.release(&[
        ("hooks/check.json", hook),
        ("scripts/check.sh", "#!/bin/sh\n"),
    ]);
    let asking = format!(
        "allow-executables = [\"scripts/check\"]\n[sources]\ncommunity = \"../community\"\n[hooks]\n{}",
        entry("check", "hooks/check.json", "")
    );
    project.write("agpm.toml", &asking);
    project.good("install");
    assert_eq!(project.written(), [".claude/scripts/check.sh", SETTINGS]);
    // Managed entries of a hook file do not reach the settings.
    assert_eq!(
        json(&project.read(SETTINGS)),
        json(
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ".claude/scripts/check.sh"}]}]}}"#
        )
    );
    project.good("remove dep hook check");
    assert!(project.written().is_empty(), "{:?}", project.written());
}

#[test]
fn a_hook_of_the_manifest_is_the_users_own_choice() {
    let project = both();
    project.good("install");
    assert!(project.read(SETTINGS).contains("lint"));
    // Installed executables were shown when they were new.
    assert!(
        project
            .good("--json install --dry-run")
            .stdout
            .contains("\"programs\": []")
    );
}

#[test]
fn the_plan_names_the_key_of_each_entry() {
    let project = both();
    let stdout = project.good("install --dry-run").stdout;
    assert!(
        stdout.contains("+ .mcp.json /mcpServers/fs  mcp-servers/fs: new"),
        "{stdout}"
    );
    assert!(
        stdout.contains(&format!("+ {SETTINGS} /hooks/PreToolUse  hooks/lint: new")),
        "{stdout}"
    );
    let planned = json(&project.good("--json install --dry-run").stdout).to_json();
    assert!(planned.contains("\"key\": \"/mcpServers/fs\""), "{planned}");
    assert!(project.written().is_empty());
}

#[test]
fn the_lock_holds_hooks_and_servers_with_the_file_they_are_in() {
    let project = both();
    project.good("install");
    assert!(
        project.locked("lint").starts_with("[[hooks]]")
            && project.locked("lint").contains(SETTINGS)
    );
    let server = project.locked("fs");
    assert!(server.starts_with("[[mcp-servers]]"), "{server}");
    assert!(server.contains("installed_at = \".mcp.json\""), "{server}");
}

#[test]
fn a_server_that_is_transitive_is_reported_with_what_it_runs() {
    let project = Project::with(
        &[
            ("agents/a.md", &needs("mcp-servers", &["mcp/fs.json"])),
            ("mcp/fs.json", SERVER),
        ],
        &format!("[agents]\n{}", entry("a", "agents/a.md", "")),
    );
    project.refused(
        "install",
        6,
        &["package/executable", "mcp-servers/fs", "npx -y fs"],
    );
    project.good("install --allow-executables");
    assert!(project.read(".mcp.json").contains("npx"));
    // It was allowed once.
    project.remove(".mcp.json");
    project.good("install");
}

#[test]
fn one_of_two_hooks_of_an_event_goes_alone() {
    let second = r#"{"events": ["PreToolUse"], "type": "command", "command": "audit"}"#;
    let hooks = [
        entry("lint", "hooks/lint.json", ""),
        entry("audit", "hooks/audit.json", ""),
    ];
    let project = Project::with(
        &[("hooks/lint.json", HOOK), ("hooks/audit.json", second)],
        &format!("[hooks]\n{}", hooks[0]),
    );
    project.write(SETTINGS, USERS);
    project.good("install");
    let settings = project.read(SETTINGS);
    project.manifest(&format!("[hooks]\n{}", hooks.concat()));
    project.good("install");
    assert!(project.read(SETTINGS).contains("audit"));
    project.manifest(&format!("[hooks]\n{}", hooks[0]));
    project.good("install");
    assert_eq!(project.read(SETTINGS), settings);
    project.manifest("");
    project.good("install");
    assert_eq!(project.read(SETTINGS), USERS);
}

#[test]
fn resources_that_are_not_installed_are_locked_and_in_no_file() {
    let project = server_only(&[("mcp/fs.json", SERVER)], "install = false");
    project.good("install");
    assert!(project.written().is_empty());
    assert!(project.locked("fs").contains("install = false"));
}

#[cfg(unix)]
#[test]
fn a_shared_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let project = server_only(&[("mcp/fs.json", SERVER)], "");
    project.write(".mcp.json", "{}\n");
    std::fs::set_permissions(project.path(".mcp.json"), PermissionsExt::from_mode(0o600)).unwrap();
    project.good("install");
    let mode = std::fs::metadata(project.path(".mcp.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_command_of_the_manifest_leaves_the_arguments_of_the_file() {
    let project = server_only(&[("mcp/fs.json", SERVER)], "command = \"bunx\"");
    project.good("install");
    let expected = format!(
        "{{\"mcpServers\": {{\"fs\": {}}}}}",
        SERVER.replace("npx", "bunx")
    );
    assert_eq!(json(&project.read(".mcp.json")), json(&expected));
}

#[test]
fn hooks_where_a_list_belongs_and_none_is_are_refused() {
    let project = both();
    project.write(SETTINGS, "{\"hooks\": {\"PreToolUse\": {}}}\n");
    project.refused("install", 6, &[SETTINGS]);
}

#[test]
fn hooks_and_servers_are_added_by_command() {
    let project = both();
    project.manifest("");
    project.good("add dep hook community:hooks/lint.json@v1.0.0");
    project.good("add dep mcp-server community:mcp/fs.json@v1.0.0");
    assert!(project.read(SETTINGS).contains("lint") && project.read(".mcp.json").contains("npx"));
    let stdout = project.good("list").stdout;
    for words in [SETTINGS, ".mcp.json", "hook ", "mcp-server"] {
        assert!(stdout.contains(words), "no `{words}` in\n{stdout}");
    }
    assert!(
        project
            .good("tree")
            .stdout
            .contains("mcp-servers/fs (v1.0.0)")
    );
}

#[test]
fn a_new_release_is_found_and_taken_by_update() {
    let project = both();
    project.manifest(&asking("^1.0"));
    project.good("install");
    let source = agpm_testkit::Repository::open(&project.sandbox, "community");
    assert!(project.read(".mcp.json").contains("/data"));
    let mut source = source;
    source.commit(&[("mcp/fs.json", &SERVER_2.replace("/data", "/new"))]);
    source.tag("v1.2.0");
    project.good("update --approve fs");
    assert!(project.read(".mcp.json").contains("/new"));
    assert!(project.read(SETTINGS).contains("lint --all"));
}

#[test]
fn a_failure_elsewhere_leaves_shared_files_alone() {
    let project = both();
    project.write(SETTINGS, USERS);
    project.write(".claude/agents/a.md", "mine\n");
    let mut source = agpm_testkit::Repository::open(&project.sandbox, "community");
    source.commit(&[("agents/a.md", "theirs\n")]);
    source.tag("v1.3.0");
    project.manifest(&format!(
        "{}[agents]\n{}",
        asking("v1.0.0"),
        range("a", "agents/a.md")
    ));
    project.refused("install", 6, &["install/unmanaged", ".claude/agents/a.md"]);
    assert_eq!(project.read(SETTINGS), USERS);
}

#[test]
fn nothing_to_do_starts_no_process_whatever_kinds_there_are() {
    let project = Project::with(
        &[
            ("hooks/lint.json", HOOK),
            ("mcp/fs.json", SERVER),
            ("skills/n/SKILL.md", "---\nname: n\ndescription: d\n---\n"),
            (
                "agents/a.md",
                "---\nm: 1\n---\n{{ agpm.project.x }}{{ 'd.md' | content }}\n",
            ),
        ],
        &format!(
            "[project]\nx = 1\n[hooks]\n{}[mcp-servers]\n{}[skills]\n{}[agents]\n{}[patch.agents.a]\nm = 2\n",
            entry("lint", "hooks/lint.json", ""),
            entry("fs", "mcp/fs.json", "tool = \"codex\""),
            entry("n", "skills/n", ""),
            entry("a", "agents/a.md", "")
        ),
    );
    project.write("d.md", "d\n");
    project.good("install");
    let mut command = project.sandbox.command(PROGRAM);
    command
        .current_dir(project.path(""))
        .args(["install"])
        .env("PATH", "/nowhere");
    let output = project.sandbox.output(command);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "Everything is up to date (4 resources)\n"),
        "{output}"
    );
}

#[test]
fn a_hook_in_claudes_shape_is_switched_off_by_a_patch() {
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
    let project = Project::one(
        "hooks",
        "hooks/h.json",
        hook,
        "[patch.hooks.x]\nenabled = false\n",
    );
    project.run("install");
    assert!(!project.exists(SETTINGS), "{}", project.read(SETTINGS));
}

#[test]
fn a_server_that_is_switched_off_is_left_out_for_claude_code() {
    let project = Project::one(
        "mcp-servers",
        "mcp/fs.json",
        SERVER,
        "[patch.mcp-servers.x]\nenabled = false\n",
    );
    project.run("install");
    assert!(
        !project.exists(".mcp.json"),
        "{}",
        project.read(".mcp.json")
    );
}

#[test]
fn the_refusal_of_a_users_entry_names_its_key() {
    let project = Project::one("mcp-servers", "mcp/fs.json", SERVER, "");
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"x\": {\"command\": \"mine\"}}}\n",
    );
    project.refused("install", 6, &["/mcpServers/x"]);
}

#[test]
fn the_refusal_of_a_wrong_container_names_its_key() {
    let project = Project::one("mcp-servers", "mcp/fs.json", SERVER, "");
    project.write(".mcp.json", "{\"mcpServers\": []}\n");
    project.refused("install", 6, &["/mcpServers"]);
}

#[test]
fn a_merge_target_in_toml_can_be_emptied_again() {
    let tool = "[tools.t]\npath = \".t\"\nresources = { mcp-servers = { merge-target = \".t/x.toml\" } }\n";
    let project = Project::with(
        &[("mcp/h.json", SERVER)],
        &format!(
            "{tool}[mcp-servers]\n{}",
            entry("i", "mcp/h.json", "tool = \"t\"")
        ),
    );
    if project.run("install").code == Some(0) {
        project.manifest("");
        project.good("install");
    }
}

#[test]
fn frozen_holds_to_what_the_manifest_said_of_a_server() {
    let project = Project::new();
    project.write("agpm.toml", "[mcp-servers]\nx = { command = \"a\" }\n");
    project.good("install");
    project.write("agpm.toml", "[mcp-servers]\nx = { command = \"b\" }\n");
    project.refused("install --frozen", 5, &["mcp-servers/x"]);
    project.refused("install --locked", 5, &["mcp-servers/x"]);
}
