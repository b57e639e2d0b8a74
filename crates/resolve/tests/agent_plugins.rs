//! Agent Plugins 1.0: the rules for clients, one row for each case of the public conformance suites.

use agpm_diag::{Notes, Severity};
use agpm_resolve::plugin::{PluginContext, PluginTree, manifest_of, read_plugin};

const SCHEMA: &str = r#""$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json""#;
const SERVERS: &str = r#""$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json""#;

/// The result of reading a plugin.
#[derive(Debug, PartialEq)]
enum Outcome {
    Rejected(Vec<String>),
    Loaded {
        parts: Vec<String>,
        warnings: Vec<String>,
    },
}

fn loaded(parts: &[&str], warnings: &[&str]) -> Outcome {
    Outcome::Loaded {
        parts: texts(parts),
        warnings: texts(warnings),
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn outcome(files: &[(&str, &str)]) -> Outcome {
    let tree = PluginTree::new(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    let context = PluginContext {
        name: "kit",
        label: "kit@v1",
    };
    let mut notes = Notes::default();
    let manifest = manifest_of(|path| tree.has_file(path));
    let listing = read_plugin(&tree, manifest, None, context, &mut notes);
    let found = |severity| {
        let of_severity = notes
            .diagnostics
            .iter()
            .filter(|one| one.severity == severity);
        let messages: Vec<String> = of_severity.map(|one| one.message.clone()).collect();
        messages
    };
    match listing {
        None => Outcome::Rejected(found(Severity::Error)),
        Some(listing) => {
            assert_eq!(found(Severity::Error), Vec::<String>::new());
            let ids = listing.parts.iter().map(|part| part.id.to_string());
            Outcome::Loaded {
                parts: ids.collect(),
                warnings: found(Severity::Warning),
            }
        }
    }
}

/// A plugin whose manifest has these members besides `$schema` and `name`.
fn manifest(members: &str) -> Outcome {
    let text = format!(r#"{{ {SCHEMA}, "name": "kit"{members} }}"#);
    outcome(&[("plugin.json", &text)])
}

#[test]
fn a_manifest_is_closed_but_for_unknown_keys_and_extensions() {
    for (members, expected) in [
        ("", loaded(&[], &[])),
        (
            r#", "version": "one", "description": "d", "author": {"name": "a", "email": "b", "url": "c"}, "homepage": "h", "repository": "r", "license": "l", "keywords": ["k"], "extensions": {"com.example": {"x": 1}}"#,
            loaded(&[], &[]),
        ),
        (r#", "author": {}"#, loaded(&[], &[])),
        // A client does not check the contents of foreign namespaces.
        (r#", "extensions": {"com.example": 5}"#, loaded(&[], &[])),
        (
            r#", "commands": ["./commands/a.md"]"#,
            loaded(
                &[],
                &["plugin.json of plugin `kit`: unknown key `commands`"],
            ),
        ),
        (
            r#", "extensions": "com.example""#,
            loaded(
                &[],
                &["plugin.json of plugin `kit`: `extensions` is a string"],
            ),
        ),
        (
            r#", "extensions": false, "more": true"#,
            loaded(
                &[],
                &[
                    "plugin.json of plugin `kit`: unknown key `more`",
                    "plugin.json of plugin `kit`: `extensions` is a boolean",
                ],
            ),
        ),
    ] {
        assert_eq!(manifest(members), expected, "{members}");
    }
    for (members, message) in [
        (r#", "author": "Ann""#, "`author` is a string"),
        (r#", "author": {"name": 5}"#, "`name` is a number"),
        (
            r#", "author": {"name": "Ann", "phone": "1"}"#,
            "unknown key `phone` in `author`",
        ),
        (r#", "version": 1"#, "`version` is a number"),
        (r#", "homepage": []"#, "`homepage` is a list"),
        (r#", "keywords": "k""#, "`keywords` is a string"),
        (r#", "keywords": [1]"#, "`keywords` is a number"),
    ] {
        let message = format!("plugin.json of plugin `kit`: {message}");
        assert_eq!(
            manifest(members),
            Outcome::Rejected(vec![message]),
            "{members}"
        );
    }
}

#[test]
fn a_manifest_needs_its_schema_and_a_name() {
    for (text, message) in [
        (r#"{"name": "kit"}"#.to_owned(), "`$schema` is missing"),
        (
            r#"{"$schema": "https://agent-plugins.org/schemas/2.0.0/plugin.schema.json", "name": "kit"}"#.to_owned(),
            "`$schema` is `https://agent-plugins.org/schemas/2.0.0/plugin.schema.json`",
        ),
        (format!("{{ {SCHEMA} }}"), "`name` is missing"),
        (
            format!(r#"{{ {SCHEMA}, "name": "Has--Two" }}"#),
            "invalid plugin name `Has--Two`",
        ),
        (
            format!(r#"{{ {SCHEMA}, "name": "a..b" }}"#),
            "invalid plugin name `a..b`",
        ),
    ] {
        let message = format!("plugin.json of plugin `kit`: {message}");
        assert_eq!(
            outcome(&[("plugin.json", &text)]),
            Outcome::Rejected(vec![message]),
            "{text}"
        );
    }
    // JSON has no comments.
    let commented = format!(r#"{{ {SCHEMA}, "name": "kit" /* the name */ }}"#);
    let rejected = outcome(&[("plugin.json", &commented)]);
    assert!(matches!(rejected, Outcome::Rejected(_)), "{rejected:?}");
}

/// A plugin with a skill and this file of servers.
fn servers(text: &str) -> Outcome {
    let manifest = format!(r#"{{ {SCHEMA}, "name": "kit" }}"#);
    outcome(&[
        ("plugin.json", &manifest),
        ("mcp.json", text),
        ("skills/a/SKILL.md", "---\nname: a\ndescription: d\n---\n"),
    ])
}

#[test]
fn a_broken_file_of_servers_disables_the_servers_and_nothing_else() {
    let disabled = |why: &str| {
        loaded(
            &["skills/a"],
            &[&format!(
                "plugin `kit`: skipped all MCP servers: `mcp.json` {why}"
            )],
        )
    };
    for (text, why) in [
        ("[]", "is a list"),
        (r#"{"mcpServers": {}}"#, "has no `$schema`"),
        (
            r#"{"$schema": 1, "mcpServers": {}}"#,
            "has a `$schema` that is not a string",
        ),
        (
            r#"{"$schema": "https://agent-plugins.org/schemas/0.9.0/mcp.schema.json", "mcpServers": {}}"#,
            "has the unknown `$schema` `https://agent-plugins.org/schemas/0.9.0/mcp.schema.json`",
        ),
    ] {
        assert_eq!(servers(text), disabled(why), "{text}");
    }
    for (members, why) in [
        (
            r#", "mcpServers": {}, "comment": """#,
            "has the unknown key `comment`",
        ),
        ("", "has no `mcpServers`"),
        (r#", "mcpServers": []"#, "has `mcpServers` that is a list"),
    ] {
        let text = format!("{{ {SERVERS}{members} }}");
        assert_eq!(servers(&text), disabled(why), "{text}");
    }
    assert_eq!(servers(""), disabled("is empty"));
    for text in [
        "{ this is not json",
        r#"{"mcpServers":}"#,
        "{} // a comment",
    ] {
        let Outcome::Loaded { parts, warnings } = servers(text) else {
            panic!("{text} rejects the plugin");
        };
        assert_eq!(parts, ["skills/a"]);
        assert!(
            matches!(warnings.as_slice(), [one] if one.contains("skipped all MCP servers: `mcp.json` is not valid JSON")),
            "{text}: {warnings:?}"
        );
    }
    let empty = format!(r#"{{ {SERVERS}, "mcpServers": {{}} }}"#);
    assert_eq!(servers(&empty), loaded(&["skills/a"], &[]));
}

/// A file with the server `good` and one more.
fn server(more: &str) -> Outcome {
    servers(&format!(
        r#"{{ {SERVERS}, "mcpServers": {{ "good": {{"type": "stdio", "command": "./bin/run"}}, "more": {more} }} }}"#
    ))
}

#[test]
fn a_server_that_breaks_a_rule_is_skipped_with_the_reason() {
    for (server_text, why) in [
        ("5", "it is not an object"),
        (
            r#"{"command": "node"}"#,
            "its `type` is not `stdio`, `streamable-http` or `sse`",
        ),
        (
            r#"{"type": "websocket", "url": "wss://example.com"}"#,
            "its `type` is not `stdio`, `streamable-http` or `sse`",
        ),
        (
            r#"{"type": "stdio", "command": "./run", "restart": true}"#,
            "servers of type `stdio` have no key `restart`",
        ),
        (
            r#"{"type": "stdio", "command": "./run", "url": "https://a.example"}"#,
            "servers of type `stdio` have no key `url`",
        ),
        (
            r#"{"type": "streamable-http", "url": "https://a.example", "command": "./run"}"#,
            "servers of type `streamable-http` have no key `command`",
        ),
        (r#"{"type": "stdio"}"#, "it has no `command`"),
        (
            r#"{"type": "stdio", "command": ["a"]}"#,
            "its `command` is not a string",
        ),
        (
            r#"{"type": "stdio", "command": ""}"#,
            "`` is not one executable",
        ),
        (
            r#"{"type": "stdio", "command": "../bin/run"}"#,
            "`../bin/run` is not one executable",
        ),
        (
            r#"{"type": "stdio", "command": "./a/../../run"}"#,
            "`./a/../../run` is not one executable",
        ),
        (
            r#"{"type": "stdio", "command": "bin/run"}"#,
            "`bin/run` is not one executable",
        ),
        (
            r#"{"type": "stdio", "command": "npx -y x"}"#,
            "`npx -y x` is not one executable",
        ),
        (
            r#"{"type": "stdio", "command": "a", "args": "b"}"#,
            "its `args` is not a list of strings",
        ),
        (
            r#"{"type": "stdio", "command": "a", "env": {"A": 1}}"#,
            "its `env` is not an object of strings",
        ),
        (
            r#"{"type": "stdio", "command": "a", "env": {"PLUGIN_ROOT": "/x"}}"#,
            "its `env` sets `PLUGIN_ROOT`, which only clients set",
        ),
        (
            r#"{"type": "stdio", "command": "a", "env": {"PLUGIN_DATA": "${PLUGIN_DATA}"}}"#,
            "its `env` sets `PLUGIN_DATA`, which only clients set",
        ),
        (
            r#"{"type": "stdio", "command": "a", "cwd": "data"}"#,
            "its `cwd` `data` is outside the plugin",
        ),
        (
            r#"{"type": "stdio", "command": "a", "cwd": "./.."}"#,
            "its `cwd` `./..` is outside the plugin",
        ),
        (
            r#"{"type": "stdio", "command": "a", "cwd": "./data/../.."}"#,
            "its `cwd` `./data/../..` is outside the plugin",
        ),
        (
            r#"{"type": "stdio", "command": "a", "cwd": "${PLUGIN_DATA}/.."}"#,
            "its `cwd` `${PLUGIN_DATA}/..` is outside the plugin",
        ),
        (
            r#"{"type": "stdio", "command": "a", "cwd": "${PLUGIN_ROOTS}"}"#,
            "its `cwd` `${PLUGIN_ROOTS}` is outside the plugin",
        ),
        (r#"{"type": "sse"}"#, "it has no `url`"),
        (
            r#"{"type": "sse", "url": "ftp://a.example"}"#,
            "its URL is not `https`",
        ),
        (
            r#"{"type": "streamable-http", "url": "http://a.example/mcp"}"#,
            "its URL is not `https`",
        ),
        (
            r#"{"type": "sse", "url": "http://localhost.example"}"#,
            "its URL is not `https`",
        ),
        (
            r#"{"type": "streamable-http", "url": "https://a.example/mcp#x"}"#,
            "its URL has a fragment",
        ),
        (
            r#"{"type": "sse", "url": "https://ann:secret@a.example/sse"}"#,
            "its URL contains a user name or a password",
        ),
        (
            r#"{"type": "sse", "url": "https:///sse"}"#,
            "its URL has no valid host",
        ),
        (
            r#"{"type": "sse", "url": "https://a.example", "headers": {"X-A": 1}}"#,
            "its `headers` is not an object of strings",
        ),
        (
            r#"{"type": "sse", "url": "https://a.example", "headers": {"X A": "1"}}"#,
            "`X A` is not a valid HTTP header",
        ),
        (
            r#"{"type": "sse", "url": "https://a.example", "headers": {"X-A": "1", "x-a": "2"}}"#,
            "it has the header `x-a` twice",
        ),
    ] {
        let warning = format!("plugin `kit`: skipped the MCP server `more`: {why}");
        assert_eq!(
            server(server_text),
            loaded(&["mcp-servers/good", "skills/a"], &[&warning]),
            "{server_text}"
        );
    }
}

#[test]
fn servers_within_the_rules_are_parts() {
    for text in [
        r#"{"type": "stdio", "command": "node", "args": ["${PLUGIN_ROOT}/a b", ""], "env": {"A": "${PLUGIN_DATA}|$B"}, "cwd": "./work"}"#,
        r#"{"type": "stdio", "command": "./bin/run it.sh", "cwd": "${PLUGIN_ROOT}"}"#,
        r#"{"type": "stdio", "command": "./a/../run", "cwd": "${PLUGIN_DATA}/x"}"#,
        r#"{"type": "stdio", "command": "node", "cwd": "./a/../b"}"#,
        r#"{"type": "streamable-http", "url": "http://localhost:8080/mcp"}"#,
        r#"{"type": "streamable-http", "url": "http://127.0.0.1/mcp?value=$X"}"#,
        r#"{"type": "sse", "url": "http://[::1]:9000/sse"}"#,
        r#"{"type": "sse", "url": "HTTPS://a.example", "headers": {"X-A": "${B}", "AcCePt": "text/plain"}}"#,
    ] {
        let expected = loaded(&["mcp-servers/good", "mcp-servers/more", "skills/a"], &[]);
        assert_eq!(server(text), expected, "{text}");
    }
}

#[test]
fn only_direct_children_that_follow_the_standard_are_skills() {
    let manifest = format!(r#"{{ {SCHEMA}, "name": "kit" }}"#);
    let full = "---\nname: full\ndescription: d\nlicense: MIT\ncompatibility: c\nmetadata:\n  version: \"1.0\"\nallowed-tools: Bash(git:*) Read\n---\n";
    let long = format!("---\nname: long\ndescription: {}\n---\n", "d".repeat(1025));
    let files: [(&str, &str); 12] = [
        ("plugin.json", &manifest),
        (
            "skills/good/SKILL.md",
            "---\nname: good\ndescription: d\n---\n",
        ),
        (
            "skills/good/references/inner/SKILL.md",
            "---\nname: inner\ndescription: d\n---\n",
        ),
        ("skills/full/SKILL.md", full),
        ("skills/none/README.md", "no skill"),
        ("skills/notes.txt", "no skill"),
        (
            "skills/broken/SKILL.md",
            "---\nname: broken\n- description: d\n---\n",
        ),
        (
            "skills/listed/SKILL.md",
            "---\nname: listed\ndescription: d\nallowed-tools: [Read]\n---\n",
        ),
        ("skills/long/SKILL.md", &long),
        (
            "skills/more/SKILL.md",
            "---\nname: more\ndescription: d\nmodel: x\n---\n",
        ),
        (
            "skills/other/SKILL.md",
            "---\nname: another\ndescription: d\n---\n",
        ),
        ("skills/short/SKILL.md", "---\nname: short\n---\n"),
    ];
    let skipped = [
        "`broken`: its front matter cannot be read",
        "`listed`: its `allowed-tools` is not a string",
        "`long`: the `description` of the skill `long` has 1025 characters",
        "`more`: skills have no field `model`",
        "`other`: the skill `another` is in a directory named `other`",
        "`short`: the skill `short` has no `description`",
    ];
    let skipped = skipped.map(|why| format!("plugin `kit`: skipped the skill {why}"));
    let skipped: Vec<&str> = skipped.iter().map(String::as_str).collect();
    assert_eq!(
        outcome(&files),
        loaded(&["skills/full", "skills/good"], &skipped)
    );
}

#[test]
fn a_location_of_another_kind_concerns_its_type_alone() {
    let manifest = format!(r#"{{ {SCHEMA}, "name": "kit" }}"#);
    let skill = "---\nname: a\ndescription: d\n---\n";
    let directory = [
        ("plugin.json", manifest.as_str()),
        ("mcp.json/.keep", ""),
        ("skills/a/SKILL.md", skill),
    ];
    assert_eq!(
        outcome(&directory),
        loaded(
            &["skills/a"],
            &["plugin `kit`: skipped all MCP servers: `mcp.json` is not a file"]
        )
    );
    let file = [("plugin.json", manifest.as_str()), ("skills", "text")];
    assert_eq!(
        outcome(&file),
        loaded(
            &[],
            &["plugin `kit`: skipped skills: `skills` is not a directory"]
        )
    );
}
