//! Edits of entries and blocks in files that users write too, over new versions.

use crate::support::Project;

const MCP: &str = ".mcp.json";
const MCP_BESIDE: &str = ".mcp.json.agpm-new";
const SERVERS: &str = "mcp/fs.json";
const RULES: &str = "rules/style.md";

/// A server that starts another command needs approval.
const UPDATE: &str = "update --approve mcp-servers/fs";

const USERS: &str =
    "{\n  // mine\n  \"mcpServers\": {\n    \"own\": {\"command\": \"own\"}\n  }\n}\n";

fn entry(name: &str, path: &str, version: &str, more: &str) -> String {
    format!(
        "{name} = {{ source = \"community\", path = \"{path}\", version = \"{version}\"{more} }}\n"
    )
}

fn server(args: &str, port: &str) -> String {
    format!("{{\"command\": \"npx\", \"args\": {args}, \"env\": {{\"PORT\": \"{port}\"}}}}\n")
}

/// A project with an edit of a server, before its next version is installed.
fn with_server(next: &str, edit: (&str, &str)) -> Project {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[(SERVERS, server("[\"a\"]", "1").as_str())]),
        ("v1.1.0", &[(SERVERS, next)]),
    ]);
    project.write(MCP, USERS);
    let manifest = |version: &str| format!("[mcp-servers]\n{}", entry("fs", SERVERS, version, ""));
    project.manifest(&manifest("=1.0.0"));
    project.good("install");
    let (from, to) = edit;
    let installed = project.read(MCP);
    assert!(installed.contains(from), "{installed}");
    project.write(MCP, &installed.replace(from, to));
    project.manifest(&manifest("^1.0"));
    project
}

#[test]
fn a_new_version_of_an_entry_is_merged_by_key() {
    let project = with_server(&server("[\"b\"]", "1"), ("\"1\"", "\"8080\""));
    let output = project.good(UPDATE);
    assert!(output.stdout.contains("merged"), "{output}");
    let now = project.read(MCP);
    assert!(now.contains("\"8080\"") && now.contains("[\"b\"]"), "{now}");
    assert!(now.contains("// mine") && now.contains("\"own\""), "{now}");
    project.good("install");
    let verified = project.run("verify");
    assert!(
        verified.stdout.contains("modified (based on 1.1.0)"),
        "{verified}"
    );
    project.good("undo");
    assert!(project.read(MCP).contains("[\"a\"]"));
    project.good("install --force");
    let forced = project.read(MCP);
    assert!(
        !forced.contains("8080") && forced.contains("// mine"),
        "{forced}"
    );
}

#[test]
fn both_changes_of_an_entry_are_a_conflict_with_the_whole_file_beside() {
    let start = || with_server(&server("[\"b\"]", "1"), ("\"a\"", "\"mine\""));
    let project = start();
    let before = project.read(MCP);
    let output = project.run(UPDATE);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("/mcpServers/fs/args"), "{output}");
    assert!(
        output.stderr.contains("agpm resolve mcp-servers/fs"),
        "{output}"
    );
    assert_eq!(project.read(MCP), before);
    assert_eq!(
        project.read(MCP_BESIDE),
        before.replace("\"mine\"", "\"b\"")
    );
    let verified = project.run("verify");
    assert!(
        verified.stdout.contains("conflict (based on 1.0.0)"),
        "{verified}"
    );
    let tree = project.tree();
    assert_eq!(project.run("install").code, Some(1));
    assert_eq!(project.tree(), tree);
    project.remove(MCP_BESIDE);
    assert_eq!(project.run("install").code, Some(1));
    assert_eq!(project.tree(), tree);
    for (side, value) in [("--mine", "mine"), ("--merged", "mine"), ("--new", "b")] {
        let project = start();
        assert_eq!(project.run(UPDATE).code, Some(1));
        let tree = project.tree();
        // Other content of the file does not matter.
        project.write(MCP, &project.read(MCP).replace("\"own\"}", "\"other\"}"));
        project.good(&format!("resolve mcp-servers/fs {side}"));
        let expected = before
            .replace("\"mine\"", &format!("\"{value}\""))
            .replace("\"own\"}", "\"other\"}");
        assert_eq!(project.read(MCP), expected, "{side}");
        assert!(!project.exists(MCP_BESIDE), "{side}");
        project.good("install");
        let verified = project.run("verify");
        assert_eq!(
            verified.code,
            Some(i32::from(value == "mine")),
            "{side}\n{verified}"
        );
        project.good("undo");
        project.write(MCP, &project.read(MCP).replace("\"other\"}", "\"own\"}"));
        assert_eq!(project.tree(), tree, "{side}");
    }
    let project = start();
    assert_eq!(project.run(UPDATE).code, Some(1));
    project.write(MCP, &project.read(MCP).replace("\"mine\"", "\"again\""));
    project.refused(
        "resolve fs --mine",
        6,
        &["was edited since the conflict arose"],
    );
    project.good("resolve fs --merged");
    assert!(project.read(MCP).contains("\"again\""));
}

#[test]
fn lists_merge_by_item_where_the_manifest_has_a_rule() {
    let project = with_server(
        &server("[\"b\", \"a\"]", "1"),
        ("[\"a\"]", "[\"a\", \"c\"]"),
    );
    let manifest = project.read("agpm.toml");
    let output = project.run(UPDATE);
    assert_eq!(output.code, Some(1), "{output}");
    project.write(
        "agpm.toml",
        &format!("{manifest}\n[merge]\n\".mcp.json\" = \"extend-lists\"\n"),
    );
    project.good("install");
    let now = project.read(MCP);
    assert!(now.contains("[\"b\", \"a\", \"c\"]"), "{now}");
    assert!(!project.exists(MCP_BESIDE));
}

/// A project with an edit of an instruction's block.
fn with_block(next: &str, edit: (&str, &str)) -> Project {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[(RULES, "one\n\ntwo\n\nthree\n")]),
        ("v1.1.0", &[(RULES, next)]),
    ]);
    project.write("AGENTS.md", "# Mine\n");
    let manifest = |version: &str| {
        let more = ", tool = \"codex\"";
        format!("[instructions]\n{}", entry("style", RULES, version, more))
    };
    project.manifest(&manifest("=1.0.0"));
    project.good("install");
    let (from, to) = edit;
    project.write("AGENTS.md", &project.read("AGENTS.md").replace(from, to));
    project.manifest(&manifest("^1.0"));
    project
}

#[test]
fn a_new_version_of_a_block_is_merged_by_line_or_left_beside_it() {
    let project = with_block("one\n\ntwo\n\n3\n", ("one", "mine"));
    project.good("update");
    let now = project.read("AGENTS.md");
    assert!(
        now.contains("mine\n\ntwo\n\n3\n") && now.starts_with("# Mine\n"),
        "{now}"
    );

    let project = with_block("1\n\ntwo\n\nthree\n", ("one", "mine"));
    let before = project.read("AGENTS.md");
    let output = project.run("update");
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.read("AGENTS.md"), before);
    let beside = "AGENTS.md.agpm-new";
    assert_eq!(project.read(beside), before.replace("mine", "1"));
    let tree = project.tree();
    assert_eq!(project.run("install").code, Some(1));
    assert_eq!(project.tree(), tree);
    project.good("resolve instructions/style --new");
    assert_eq!(project.read("AGENTS.md"), before.replace("mine", "1"));
    assert!(!project.exists(beside));
    project.good("verify");
    project.good("install");
}

/// Killed at every write, the project has the old or the new state, and the edit in either.
#[test]
fn a_killed_merge_loses_no_byte_of_the_edit() {
    for at in 1..60 {
        let project = with_server(&server("[\"b\"]", "1"), ("\"1\"", "\"8080\""));
        let mut command = project.sandbox.command(crate::support::PROGRAM);
        command
            .current_dir(project.path(""))
            .args(UPDATE.split(' '))
            .env("AGPM_STOP_AT_WRITE", at.to_string());
        if project.sandbox.output(command).code == Some(0) {
            assert!(at > 4, "only {at} writes");
            return;
        }
        assert!(
            project.read(MCP).contains("\"8080\""),
            "killed at write {at}"
        );
        project.good(UPDATE);
        let now = project.read(MCP);
        assert!(
            now.contains("\"8080\"") && now.contains("[\"b\"]"),
            "{at}: {now}"
        );
    }
}
