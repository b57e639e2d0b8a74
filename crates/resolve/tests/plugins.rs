//! Plugins as files, and what is read out of them.

use agpm_diag::{Notes, Severity};
use agpm_resolve::plugin::{
    PartContent, PluginContext, PluginDialect, PluginListing, PluginTree, read_marketplace,
    read_plugin,
};
use agpm_text::{Format, parse_alone};

const CONTEXT: PluginContext<'_> = PluginContext {
    name: "kit",
    label: "hub:plugins/kit@v1",
};

fn read_with(
    files: &[(&str, &str)],
    entry: Option<&agpm_resolve::plugin::MarketplaceEntry>,
) -> (Option<PluginListing>, Notes) {
    let mut notes = Notes::default();
    let tree = PluginTree::new(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    let file = agpm_resolve::plugin::manifest_of(|path| tree.has_file(path));
    let listing = read_plugin(&tree, file, entry, CONTEXT, &mut notes);
    (listing, notes)
}

fn parts(files: &[(&str, &str)]) -> Vec<String> {
    let (listing, notes) = read_with(files, None);
    assert_eq!(messages(&notes), Vec::<String>::new());
    ids(&listing.expect("it is a plugin"))
}

fn ids(listing: &PluginListing) -> Vec<String> {
    listing
        .parts
        .iter()
        .map(|part| part.id.to_string())
        .collect()
}

fn messages(notes: &Notes) -> Vec<String> {
    let mut messages: Vec<String> = notes
        .diagnostics
        .iter()
        .map(|found| found.message.clone())
        .collect();
    messages.sort();
    messages
}

#[test]
fn default_directories_hold_parts() {
    assert_eq!(
        parts(&[
            (".claude-plugin/plugin.json", r#"{"name": "kit"}"#),
            ("agents/review.md", ""),
            ("agents/README.md", ""),
            ("commands/a/run.md", ""),
            ("commands/b/run.md", ""),
            ("commands/go.md", ""),
            ("skills/pdf/SKILL.md", ""),
            ("skills/pdf/scripts/x.py", ""),
            ("skills/deep/er/SKILL.md", ""),
            ("hooks/hooks.json", "{}"),
            (".mcp.json", r#"{"mcpServers": {"db": {"command": "db"}}}"#),
            ("lib/x.md", ""),
        ]),
        [
            "agents/review",
            "commands/a-run",
            "commands/b-run",
            "commands/go",
            "hooks/kit",
            "mcp-servers/db",
            "skills/pdf",
        ]
    );
}

#[test]
fn the_manifest_adds_its_own_paths_and_objects() {
    let manifest = r#"{
        "name": "kit",
        "agents": ["./more/one.md", "./extra/"],
        "commands": {"go": {"source": "./more/go.md"}},
        "skills": ["./packs", "./single"],
        "hooks": [{"Stop": []}, "./more/hooks.json", "./hooks/hooks.json"],
        "mcpServers": {"inline": {"url": "https://x.example"}},
        "lspServers": {}, "outputStyles": "./styles"
    }"#;
    let files = [
        (".claude-plugin/plugin.json", manifest),
        ("agents/review.md", ""),
        ("more/one.md", ""),
        ("more/go.md", ""),
        ("more/hooks.json", "{}"),
        ("hooks/hooks.json", "{}"),
        ("extra/two.md", ""),
        ("packs/a/SKILL.md", ""),
        ("single/SKILL.md", ""),
        ("themes/x.json", ""),
    ];
    let (listing, notes) = read_with(&files, None);
    let listing = listing.unwrap();
    assert_eq!(messages(&notes), Vec::<String>::new());
    assert_eq!(
        ids(&listing),
        [
            "agents/one",
            "agents/review",
            "agents/two",
            "commands/go",
            "hooks/kit",
            "hooks/kit-2",
            "hooks/kit-3",
            "mcp-servers/inline",
            "skills/a",
            "skills/single",
        ]
    );
    assert_eq!(
        listing.unsupported,
        ["lspServers", "outputStyles", "themes"]
    );
}

#[test]
fn servers_are_read_with_and_without_a_wrapper() {
    for text in [
        r#"{"mcpServers": {"a": {"command": "a"}, "b": {"url": "https://b.example"}}}"#,
        r#"{"a": {"command": "a"}, "b": {"type": "http", "url": "https://b.example"}}"#,
    ] {
        assert_eq!(
            parts(&[(".mcp.json", text)]),
            ["mcp-servers/a", "mcp-servers/b"]
        );
    }
}

#[test]
fn a_plugin_may_be_one_skill() {
    let (listing, _) = read_with(&[("SKILL.md", ""), ("x.py", "")], None);
    let listing = listing.unwrap();
    assert_eq!(ids(&listing), ["skills/kit"]);
    assert!(matches!(listing.parts[0].content, PartContent::Directory));
    assert_eq!(listing.parts[0].path, "");
}

#[test]
fn all_mistakes_of_a_manifest_are_reported_and_reject_it() {
    let manifest = r#"{
        "name": 5, "agents": "/etc/passwd", "commands": ["../../x", 3], "skills": true,
        "hooks": 1, "mcpServers": "a/../../b.json", "dependencies": [{"version": "1"}, 2]
    }"#;
    let (listing, notes) = read_with(&[(".claude-plugin/plugin.json", manifest)], None);
    assert!(listing.is_none());
    let messages = messages(&notes).join("\n");
    for expected in [
        "`name` is a number",
        "`/etc/passwd` is outside the plugin",
        "`../../x` is outside the plugin",
        "`commands` is a number",
        "`skills` is a boolean",
        "`hooks` is a number",
        "`a/../../b.json` is outside the plugin",
        "`name` is missing",
        "`dependencies` is a number",
    ] {
        assert!(messages.contains(expected), "{expected}\n{messages}");
    }
}

#[test]
fn paths_that_are_missing_are_reported() {
    let manifest = r#"{"name": "kit", "agents": "./gone", "hooks": "./gone.json"}"#;
    let (_, notes) = read_with(&[(".claude-plugin/plugin.json", manifest)], None);
    assert_eq!(
        messages(&notes),
        [
            "plugin `kit` has no `gone.json`, which `hooks` refers to",
            "plugin `kit` has no `gone`, which `agents` refers to",
        ]
    );
}

#[test]
fn a_file_of_hooks_is_read_completely_or_not_at_all() {
    for hooks in [
        "[1, 2]",
        "[1, 2",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]"#,
        r#"{"hooks" {}}"#,
    ] {
        let files = [("hooks/hooks.json", hooks), ("agents/a.md", "")];
        let (listing, notes) = read_with(&files, None);
        assert_eq!(ids(&listing.unwrap()), ["agents/a"], "{hooks}");
        let mut errors = notes.diagnostics.iter();
        assert!(
            errors.any(|found| found.severity == Severity::Error),
            "{hooks}"
        );
    }
}

#[test]
fn the_manifest_of_another_client_replaces_default_directories() {
    let hooks = r#"{"version": 1, "hooks": {"stop": [{"command": "./a.sh"}]}}"#;
    let files = [
        (".claude-plugin/plugin.json", r#"{"name": "kit"}"#),
        (
            ".cursor-plugin/plugin.json",
            r#"{"name": "kit", "hooks": "./hooks/cursor.json", "agents": "./agents/*.md", "skills": "./skills/a/SKILL.md"}"#,
        ),
        (
            ".codex-plugin/plugin.json",
            r#"{"name": "kit", "hooks": {}, "commands": "./commands/"}"#,
        ),
        ("hooks/hooks.json", r#"{"hooks": {}}"#),
        ("hooks/cursor.json", hooks),
        ("agents/one.md", ""),
        ("agents/inner/two.md", ""),
        ("skills/a/SKILL.md", ""),
        ("skills/b/SKILL.md", ""),
        ("mcp.json", r#"{"mcpServers": {"db": {"command": "x"}}}"#),
    ];
    let tree = PluginTree::new(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    let parts = |own: &str| {
        let manifest = agpm_resolve::plugin::manifest_for(Some(own), |path| tree.has_file(path));
        let mut notes = Notes::default();
        let listing = read_plugin(&tree, manifest, None, CONTEXT, &mut notes).unwrap();
        assert_eq!(messages(&notes), Vec::<String>::new());
        let path = |part: &agpm_resolve::plugin::PluginPart| format!("{} {}", part.id, part.path);
        listing.parts.iter().map(path).collect::<Vec<_>>()
    };
    let agents = ["agents/one agents/one.md", "agents/two agents/inner/two.md"];
    let skills = ["skills/a skills/a", "skills/b skills/b"];
    let claude = [&agents[..], &skills[..], &["hooks/kit hooks/hooks.json"]].concat();
    let sorted = |mut parts: Vec<String>| {
        parts.sort();
        parts
    };
    let expected = |parts: &[&str]| sorted(parts.iter().map(|part| (*part).to_owned()).collect());
    assert_eq!(
        sorted(parts(".claude-plugin/plugin.json")),
        expected(&claude)
    );
    assert_eq!(sorted(parts("none")), expected(&claude));
    assert_eq!(
        sorted(parts(".codex-plugin/plugin.json")),
        expected(&[&agents[..], &skills[..]].concat())
    );
    assert_eq!(
        sorted(parts(".cursor-plugin/plugin.json")),
        expected(&[
            agents[0],
            skills[0],
            "hooks/kit hooks/cursor.json",
            "mcp-servers/db mcp.json"
        ])
    );
}

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

#[test]
fn agent_plugins_skip_what_breaks_the_rules_and_reject_a_bad_manifest() {
    let manifest = format!(r#"{{"$schema": "{SCHEMA}", "name": "kit", "shiny": true}}"#);
    let servers = r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {
        "good": {"type": "stdio", "command": "./bin/server"},
        "shell": {"type": "stdio", "command": "sh -c x"},
        "plain": {"type": "sse", "url": "http://x.example"},
        "near": {"type": "streamable-http", "url": "http://localhost:80/x"},
        "out": {"type": "stdio", "command": "x", "cwd": "../x"}
    }}"#;
    let good = "---\nname: good\ndescription: Does it\n---\n";
    let open = "---\nname: open\ndescription: Does it\nmodel: opus\n---\n";
    let files = [
        ("plugin.json", manifest.as_str()),
        ("mcp.json", servers),
        ("skills/good/SKILL.md", good),
        ("skills/open/SKILL.md", open),
        ("agents/not-a-part.md", ""),
    ];
    let (listing, notes) = read_with(&files, None);
    let listing = listing.unwrap();
    assert_eq!(listing.dialect, Some(PluginDialect::AgentPlugins));
    assert_eq!(
        ids(&listing),
        ["mcp-servers/good", "mcp-servers/near", "skills/good"]
    );
    assert!(
        notes
            .diagnostics
            .iter()
            .all(|found| found.severity == Severity::Warning)
    );
    assert_eq!(notes.diagnostics.len(), 5);
    let PartContent::Inline(server) = &listing.parts[0].content else {
        panic!("a server is inline");
    };
    let server = server
        .get("mcpServers")
        .and_then(|all| all.get("good"))
        .unwrap();
    assert_eq!(
        server.get("command").unwrap().as_str(),
        Some("${PLUGIN_ROOT}/bin/server")
    );
    assert_eq!(server.get("cwd").unwrap().as_str(), Some("${PLUGIN_ROOT}"));

    for bad in [
        r#"{"name": "kit"}"#.to_owned(),
        format!(r#"{{"$schema": "{SCHEMA}"}}"#),
        format!(r#"{{"$schema": "{SCHEMA}", "name": "Kit--x"}}"#),
        format!(r#"{{"$schema": "{SCHEMA}", "name": "kit", "author": "me"}}"#),
    ] {
        let (listing, _) = read_with(&[("plugin.json", &bad), files[2]], None);
        assert!(listing.is_none(), "{bad}");
    }
}

fn marketplace(text: &str) -> (agpm_resolve::plugin::Marketplace, Vec<String>) {
    let parsed = parse_alone(text, Format::Jsonc);
    let (read, found) =
        read_marketplace(parsed.document.root().expect("a value"), "marketplace.json");
    (read, found.into_iter().map(|one| one.message).collect())
}

#[test]
fn marketplaces_say_where_plugins_are() {
    let sha = "a".repeat(40);
    let (read, found) = marketplace(&format!(
        r#"{{"name": "m", "owner": {{}}, "metadata": {{"pluginRoot": "./plugins"}}, "plugins": [
            {{"name": "a", "source": "a"}},
            {{"name": "b", "source": "./plugins/b"}},
            {{"name": "c", "source": {{"source": "github", "repo": "o/r", "ref": "v1", "sha": "{sha}"}}}},
            {{"name": "d", "source": {{"source": "git-subdir", "url": "https://x.example/r.git", "path": "p/d"}}}},
            {{"name": "e", "source": {{"source": "npm", "package": "e"}}}},
            {{"name": "f", "source": "../../f"}},
            {{"name": "g", "source": {{"source": "github", "repo": "--upload-pack=x/y"}}}},
            {{"source": "./nameless"}}
        ], "renames": {{"old": "older", "older": "a", "gone": null, "x": "y", "y": "x"}}}}"#
    ));
    assert_eq!(found, Vec::<String>::new());
    let source = |name: &str| format!("{:?}", read.find(name).unwrap().source);
    assert_eq!(source("a"), r#"Some(Relative("plugins/a"))"#);
    assert_eq!(source("b"), r#"Some(Relative("plugins/b"))"#);
    assert!(source("c").contains("https://github.com/o/r.git") && source("c").contains(&sha));
    assert!(source("d").contains("p/d"));
    assert_eq!(source("e"), r#"Some(Unsupported("npm"))"#);
    assert_eq!(source("f"), "None");
    assert_eq!(source("g"), "None");
    assert_eq!(read.find("f").unwrap().diagnostics.len(), 1);
    assert_eq!(read.find("old").unwrap().name, "a");
    let gone = read.find("gone").unwrap_err().help.unwrap();
    assert_eq!(gone, "the marketplace removed it");
    assert!(read.find("x").is_err());
    assert!(read.find("aa").is_err());
}

#[test]
fn a_marketplace_that_is_none_is_reported() {
    let (read, found) = marketplace(r#"{"plugins": {}}"#);
    assert!(read.entries.is_empty());
    assert_eq!(
        found,
        [
            "marketplace.json: `name` is missing",
            "marketplace.json: `plugins` is an object"
        ]
    );
}

#[test]
fn an_entry_that_is_the_manifest_lists_all_there_is_of_a_type() {
    let (read, _) = marketplace(
        r#"{"name": "m", "plugins": [
            {"name": "kit", "source": "./", "strict": false, "skills": ["./skills/pdf"]},
            {"name": "more", "source": "./", "agents": "./extra/two.md"}
        ]}"#,
    );
    let files = [
        ("skills/pdf/SKILL.md", ""),
        ("skills/doc/SKILL.md", ""),
        ("agents/one.md", ""),
        ("extra/two.md", ""),
    ];
    let read_as = |name: &str| {
        let (listing, notes) = read_with(&files, Some(read.find(name).unwrap()));
        assert_eq!(messages(&notes), Vec::<String>::new());
        ids(&listing.unwrap())
    };
    assert_eq!(read_as("kit"), ["agents/one", "skills/pdf"]);
    assert_eq!(
        read_as("more"),
        ["agents/one", "agents/two", "skills/doc", "skills/pdf"]
    );
}
