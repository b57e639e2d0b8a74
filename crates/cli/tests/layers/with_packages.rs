//! Layers and packages in one project, and in one file.

use agpm_testkit::check_in_parallel;

use crate::support::{Project, directory, entry, json};

const HOOK: &str =
    r#"{"events": ["PreToolUse"], "matcher": "Bash", "type": "command", "command": "lint"}"#;
const SERVER: &str = r#"{"command": "npx", "args": ["-y", "fs"]}"#;
const HOOKS_FILE: &str = ".claude/settings.local.json";
const LAYER: &str = r#"{"permissions": {"allow": ["Read"]}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]}}"#;
const USERS: &str = "{\n  // mine\n  \"model\": \"opus\"\n}\n";

fn project() -> Project {
    let project = Project::with(
        &[
            ("hooks/lint.json", HOOK),
            ("mcp/fs.json", SERVER),
            ("agents/a.md", "a\n"),
        ],
        "",
    );
    project.layer("org", HOOKS_FILE, LAYER);
    project.layer(
        "org",
        ".mcp.json",
        "{\"mcpServers\": {\"docs\": {\"command\": \"docs\"}}}\n",
    );
    project
}

fn packages() -> String {
    format!(
        "[hooks]\n{}[mcp-servers]\n{}",
        entry("lint", "hooks/lint.json", ""),
        entry("fs", "mcp/fs.json", "")
    )
}

fn ask(project: &Project, packages_too: bool, layers_too: bool) {
    let packages = if packages_too {
        packages()
    } else {
        String::new()
    };
    let layers = if layers_too {
        directory("org")
    } else {
        String::new()
    };
    project.manifest(&format!("{packages}{layers}"));
    project.good("install");
    project.good("install --check");
    project.good("verify");
}

fn holds(project: &Project, packages_too: bool, layers_too: bool) {
    let texts = [HOOKS_FILE, ".mcp.json"].map(|path| {
        if project.exists(path) {
            json(&project.read(path)).to_json()
        } else {
            String::new()
        }
    });
    let all = texts.concat();
    for (word, wanted) in [
        ("\"lint\"", packages_too),
        ("npx", packages_too),
        ("bell", layers_too),
        ("\"Read\"", layers_too),
        ("docs", layers_too),
    ] {
        assert_eq!(all.contains(word), wanted, "{word} in {all}");
        assert!(all.matches(word).count() <= 2, "{word} doubled in {all}");
    }
}

#[test]
fn hooks_servers_and_keys_of_layers_come_and_go_in_any_order() {
    let steps = [(false, false), (true, false), (false, true), (true, true)];
    check_in_parallel(&steps, |firsts| {
        for first in firsts {
            for second in steps {
                for users in [None, Some(USERS)] {
                    let project = project();
                    users.inspect(|users| project.write(HOOKS_FILE, users));
                    for (packages_too, layers_too) in [*first, second, (true, true)] {
                        ask(&project, packages_too, layers_too);
                        holds(&project, packages_too, layers_too);
                    }
                    ask(&project, first.0, first.1);
                    ask(&project, false, false);
                    match users {
                        Some(users) => assert_eq!(project.read(HOOKS_FILE), users),
                        None => assert_eq!(project.written(), [""; 0], "{first:?} {second:?}"),
                    }
                }
            }
        }
    });
}

#[test]
fn a_package_and_a_layer_that_want_one_key_clash() {
    let project = project();
    project.layer(
        "org",
        ".mcp.json",
        "{\"mcpServers\": {\"fs\": {\"command\": \"other\"}}}\n",
    );
    project.manifest(&format!("{}{}", packages(), directory("org")));
    let output = project.run("install");
    assert!(matches!(output.code, Some(1 | 6)), "{output}");
    for word in [
        "mcp-servers/fs",
        "layers/org",
        "/mcpServers/fs",
        ".mcp.json",
    ] {
        assert!(output.stderr.contains(word), "no `{word}` in\n{output}");
    }
    assert_eq!(project.written(), [""; 0]);
    // The same thing twice is no clash.
    project.layer(
        "org",
        ".mcp.json",
        format!("{{\"mcpServers\": {{\"fs\": {SERVER}}}}}"),
    );
    project.good("install");
    project.good("verify");
    project.manifest(&directory("org"));
    project.good("install");
    assert!(project.read(".mcp.json").contains("npx"));
}

#[test]
fn a_package_and_a_layer_at_one_path_clash() {
    let project = project();
    project.layer("org", ".claude/agents/a.md", "b\n");
    project.manifest(&format!(
        "[agents]\n{}{}",
        entry("a", "agents/a.md", ""),
        directory("org")
    ));
    let output = project.run("install");
    assert!(matches!(output.code, Some(1 | 6)), "{output}");
    for word in ["agents/a", "layers/org", ".claude/agents/a.md"] {
        assert!(output.stderr.contains(word), "no `{word}` in\n{output}");
    }
    assert_eq!(project.written(), [""; 0]);
}

#[test]
fn a_path_goes_from_a_package_to_a_layer_and_back() {
    let project = project();
    project.layer("org", ".claude/agents/a.md", "b\n");
    let package = format!("[agents]\n{}", entry("a", "agents/a.md", ""));
    for (manifest, text) in [
        (package.clone(), "a\n"),
        (directory("org"), "b\n"),
        (package, "a\n"),
    ] {
        project.manifest(&manifest);
        project.good("install");
        assert_eq!(project.read(".claude/agents/a.md"), text);
        project.good("verify");
    }
}

#[test]
fn a_key_goes_from_a_package_to_a_layer_and_back() {
    let project = project();
    project.write(".mcp.json", "{\"mine\": 0}\n");
    project.layer(
        "org",
        ".mcp.json",
        "{\"mcpServers\": {\"fs\": {\"command\": \"other\"}}}\n",
    );
    for (manifest, word) in [
        (packages(), "npx"),
        (directory("org"), "other"),
        (packages(), "npx"),
    ] {
        project.manifest(&manifest);
        project.good("install");
        let text = project.read(".mcp.json");
        assert!(text.contains(word) && text.contains("mine"), "{text}");
        assert_eq!(
            text.matches("\"fs\"").count(),
            if word == "npx" { 2 } else { 1 },
            "{text}"
        );
        project.good("verify");
    }
}

#[test]
fn a_fresh_clone_knows_what_is_whose() {
    let project = project();
    project.write(HOOKS_FILE, USERS);
    ask(&project, true, true);
    let before = project.read(HOOKS_FILE);
    project.forget();
    ask(&project, true, true);
    assert_eq!(project.read(HOOKS_FILE), before);
    ask(&project, false, true);
    holds(&project, false, true);
    ask(&project, false, false);
    holds(&project, false, false);
    assert!(
        project
            .read(HOOKS_FILE)
            .starts_with("{\n  // mine\n  \"model\": \"opus\"")
    );
}

#[test]
fn explain_names_the_package_the_layer_and_the_user() {
    let project = project();
    project.write(HOOKS_FILE, USERS);
    ask(&project, true, true);
    let output = project.good(&format!("explain file:{HOOKS_FILE}"));
    for words in [
        "hooks/lint",
        "from org (../org/.claude/settings.local.json:1)",
        "/model = \"opus\"\n  from yours",
    ] {
        assert!(output.stdout.contains(words), "no `{words}` in\n{output}");
    }
}
