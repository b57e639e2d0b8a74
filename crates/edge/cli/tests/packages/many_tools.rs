//! One entry for many tools: who decides which, one name and one lock entry, and what does not support a type.

use agpm_text::Value;

use crate::support::{Project, entry, json, needs};

const AGENT: &str = "---\nname: helper\ndescription: Helps.\n---\nHelp.\n";
const SKILL: &str = "---\nname: notes\ndescription: Takes notes.\n---\nTake notes.\n";

/// A project with an agent and these lines before and after the table of agents.
fn agent(before: &str, more: &str) -> Project {
    let files = [("agents/helper.md", AGENT)];
    let line = entry("helper", "agents/helper.md", more);
    Project::with(&files, &format!("{before}[agents]\n{line}"))
}

fn placements(project: &Project, name: &str) -> String {
    let entry = project.locked(name);
    let fields = ["installed_at", "tool", "tools", "installed", "    {", "]"];
    let is_about_tools = |line: &&str| fields.iter().any(|field| line.starts_with(field));
    entry
        .lines()
        .filter(is_about_tools)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn an_entry_names_several_tools_and_the_lockfile_has_one_entry_for_all() {
    let project = agent("", "tools = [\"opencode\", \"claude-code\", \"opencode\"]");
    project.good("install");
    assert_eq!(
        project.written(),
        [".claude/agents/helper.md", ".opencode/agent/helper.md"]
    );
    assert_eq!(
        placements(&project, "helper"),
        "tools = [\"claude-code\", \"opencode\"]\n\
         installed = [\n    \
             { tool = \"claude-code\", at = \".claude/agents/helper.md\" },\n    \
             { tool = \"opencode\", at = \".opencode/agent/helper.md\" },\n\
         ]\n"
    );
    let lock = project.read("agpm.lock");
    assert_eq!(lock.matches("name = \"helper\"").count(), 1, "{lock}");
    for line in ["install", "install --locked", "install --frozen", "verify"] {
        project.good(line);
        assert_eq!(project.read("agpm.lock"), lock, "{line}");
    }
}

#[test]
fn one_tool_is_written_as_before_whoever_names_it() {
    let line = "installed_at = \".opencode/agent/helper.md\"\ntool = \"opencode\"\n";
    for (before, more) in [
        ("", "tool = \"opencode\""),
        ("", "tools = [\"opencode\"]"),
        ("[default-tools]\nagents = \"opencode\"\n", ""),
        ("[default-tools]\nagents = [\"opencode\"]\n", ""),
        ("[project]\ntools = [\"opencode\"]\n", ""),
    ] {
        let project = agent(before, more);
        project.good("install");
        assert_eq!(placements(&project, "helper"), line, "{before}{more}");
    }
}

#[test]
fn the_entry_wins_over_the_type_over_the_project_over_the_usual_tool() {
    let project = "[project]\ntools = [\"codex\", \"cursor\"]\n";
    let types = "[default-tools]\nagents = [\"gemini\", \"cursor\"]\n";
    let both = format!("{project}{types}");
    for (before, more, written) in [
        ("", "", vec![".claude/agents/helper.md"]),
        (
            project,
            "",
            vec![".codex/agents/helper.toml", ".cursor/agents/helper.md"],
        ),
        (
            both.as_str(),
            "",
            vec![".cursor/agents/helper.md", ".gemini/agents/helper.md"],
        ),
        (
            both.as_str(),
            "tools = [\"opencode\"]",
            vec![".opencode/agent/helper.md"],
        ),
    ] {
        let project = agent(before, more);
        project.good("install");
        assert_eq!(project.written(), written, "{before}{more}");
    }
}

#[test]
fn wrong_lists_of_tools_are_errors() {
    let own = |text: &str| format!("tools = {text}");
    for (before, more, words) in [
        (
            "",
            "tool = \"codex\", tools = [\"codex\"]".to_owned(),
            vec!["manifest/value", "`tool` and `tools` exclude each other"],
        ),
        ("", own("[]"), vec!["manifest/value", "empty list"]),
        ("", own("\"codex\""), vec!["manifest/value", "list"]),
        ("", own("[1]"), vec!["manifest/value", "string"]),
        (
            "",
            own("[\"codexx\"]"),
            vec!["manifest/unknown-tool", "codex"],
        ),
        (
            "[default-tools]\nagents = []\n",
            String::new(),
            vec!["manifest/value", "empty list"],
        ),
        (
            "[default-tools]\nagents = [\"codexx\"]\n",
            String::new(),
            vec!["manifest/unknown-tool"],
        ),
        (
            "[project]\ntools = []\n",
            String::new(),
            vec!["manifest/value", "empty list"],
        ),
        (
            "[project]\ntools = [\"codex\", \"codexx\"]\n",
            String::new(),
            vec!["manifest/unknown-tool", "codexx"],
        ),
    ] {
        agent(before, &more).refused("install", 1, &words);
    }
}

#[test]
fn tools_of_the_project_that_are_no_list_of_strings_are_variables_of_templates() {
    for value in ["\"codex\"", "{ codex = 1 }", "[1, 2]", "[\"codex\", 1]"] {
        let project = agent(&format!("[project]\ntools = {value}\n"), "");
        project.good("install");
        assert_eq!(project.written(), [".claude/agents/helper.md"], "{value}");
    }
    let text =
        "---\nname: helper\ndescription: d\n---\n{{ agpm.project.tools | join(sep=\"+\") }}\n";
    let project = Project::one(
        "agents",
        "agents/x.md",
        text,
        "[project]\ntools = [\"cursor\"]\n",
    );
    project.good("install");
    assert!(project.read(".cursor/agents/x.md").contains("\ncursor\n"));
}

#[test]
fn a_default_tool_without_the_type_is_a_note_and_a_named_one_an_error() {
    let files = [("snippets/style.md", "Short.\n")];
    let manifest = |before: &str, more: &str| {
        let line = entry("style", "snippets/style.md", more);
        Project::with(&files, &format!("{before}[snippets]\n{line}"))
    };
    let project = manifest("[project]\ntools = [\"claude-code\", \"codex\"]\n", "");
    let output = project.warned(
        "install",
        &["note[tool/unsupported]", "`codex`", "snippets"],
    );
    assert_eq!(output.stderr.matches("tool/unsupported").count(), 1);
    assert_eq!(project.written(), [".claude/snippets/style.md"]);
    assert_eq!(
        placements(&project, "style"),
        "installed_at = \".claude/snippets/style.md\"\ntool = \"claude-code\"\n"
    );
    let project = manifest("[default-tools]\nsnippets = [\"codex\", \"zed\"]\n", "");
    project.warned("install", &["tool/unsupported", "`codex`, `zed`"]);
    assert_eq!(project.written(), [".agpm/snippets/style.md"]);
    manifest("", "tools = [\"claude-code\", \"codex\"]").refused(
        "install",
        1,
        &["manifest/value", "`codex` has no place for snippets"],
    );
}

#[test]
fn children_get_all_tools_of_their_parent_that_support_the_type() {
    let files = [
        (
            "agents/boss.md",
            "---\nname: boss\ndescription: d\ndependencies:\n  agents:\n    - path: agents/helper.md\n  \
             snippets:\n    - path: snippets/style.md\n  commands:\n    - path: commands/ship.md\n      tool: opencode\n---\nBoss.\n",
        ),
        ("agents/helper.md", AGENT),
        ("snippets/style.md", "Short.\n"),
        ("commands/ship.md", "Ship.\n"),
    ];
    let line = entry(
        "boss",
        "agents/boss.md",
        "tools = [\"codex\", \"claude-code\"]",
    );
    let project = Project::with(&files, &format!("[agents]\n{line}"));
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".claude/agents/boss.md",
            ".claude/agents/helper.md",
            ".claude/snippets/style.md",
            ".codex/agents/boss.toml",
            ".codex/agents/helper.toml",
            ".opencode/command/ship.md",
        ]
    );
    let lock = project.read("agpm.lock");
    assert_eq!(lock.matches("name = \"helper\"").count(), 1, "{lock}");
    project.good("install --frozen");
    let line = entry("boss", "agents/boss.md", "tools = [\"codex\", \"gemini\"]");
    project.manifest(&format!("[agents]\n{line}"));
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".agpm/snippets/style.md",
            ".codex/agents/boss.toml",
            ".codex/agents/helper.toml",
            ".gemini/agents/boss.md",
            ".gemini/agents/helper.md",
            ".opencode/command/ship.md",
        ],
        "no tool of the parent has snippets, so the usual one gets it"
    );
}

#[test]
fn a_resource_that_parents_for_two_tools_need_has_one_name() {
    let boss = needs("agents", &["agents/helper.md"]);
    let files = [
        ("agents/one.md", boss.as_str()),
        ("agents/two.md", boss.as_str()),
        ("agents/helper.md", AGENT),
    ];
    let lines = [
        entry("one", "agents/one.md", "tool = \"claude-code\""),
        entry("two", "agents/two.md", "tool = \"opencode\""),
    ];
    let project = Project::with(&files, &format!("[agents]\n{}", lines.concat()));
    project.good("install");
    let entry = project.locked("helper");
    assert!(
        entry.contains("tools = [\"claude-code\", \"opencode\"]"),
        "{entry}"
    );
    project.good("install --frozen");
}

#[test]
fn a_tool_that_goes_takes_its_copies_along_and_leaves_the_others() {
    let project = agent("", "tools = [\"claude-code\", \"codex\", \"opencode\"]");
    project.good("install");
    let before = project.modified(".claude/agents/helper.md");
    let line = entry(
        "helper",
        "agents/helper.md",
        "tools = [\"claude-code\", \"opencode\"]",
    );
    project.manifest(&format!("[agents]\n{line}"));
    project.refused(
        "install --locked",
        5,
        &["agents/helper is not what is locked"],
    );
    project.refused(
        "install --frozen",
        5,
        &["the tool of agents/helper is not what is locked"],
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [".claude/agents/helper.md", ".opencode/agent/helper.md"]
    );
    assert_eq!(project.modified(".claude/agents/helper.md"), before);
    project.manifest("[agents]\n");
    project.good("install");
    assert!(project.written().is_empty());
}

#[test]
fn a_switched_off_tool_is_left_out_of_a_list() {
    let off = "[tools.codex]\nenabled = false\n";
    let project = agent(off, "tools = [\"claude-code\", \"codex\"]");
    project.good("install");
    assert_eq!(project.written(), [".claude/agents/helper.md"]);
    project.good("install --frozen");
    let project = agent(off, "tools = [\"codex\"]");
    project.good("install");
    assert!(project.written().is_empty());
}

#[test]
fn a_clone_without_state_knows_the_copies_of_all_tools() {
    let project = agent("", "tools = [\"claude-code\", \"codex\"]");
    project.good("install");
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project.manifest("[agents]\n");
    project.good("install");
    assert!(project.written().is_empty(), "{:?}", project.written());
}

#[test]
fn a_pattern_is_for_many_tools_and_its_matches_keep_their_names() {
    let files = [("agents/helper.md", AGENT), ("agents/tester.md", AGENT)];
    let more = "tools = [\"codex\", \"opencode\"], exclude = [\"tester\"]";
    let line = entry("all", "agents/*.md", more);
    let project = Project::with(&files, &format!("[agents]\n{line}"));
    project.good("install");
    assert_eq!(
        project.written(),
        [".codex/agents/helper.toml", ".opencode/agent/helper.md"]
    );
    project.good("install --frozen");
}

#[test]
fn an_entry_that_is_not_written_lists_its_tools() {
    let project = agent("", "tools = [\"codex\", \"opencode\"], install = false");
    project.good("install");
    assert!(project.written().is_empty());
    assert_eq!(
        placements(&project, "helper"),
        "tools = [\"codex\", \"opencode\"]\n"
    );
    project.good("install --frozen");
}

#[test]
fn patches_and_servers_reach_every_tool() {
    let files = [
        ("agents/helper.md", AGENT),
        (
            "mcp/fs.json",
            "{\"command\": \"npx\", \"args\": [\"-y\", \"fs\"]}",
        ),
        ("skills/notes/SKILL.md", SKILL),
    ];
    let manifest = [
        "[project]\ntools = [\"claude-code\", \"codex\"]\n[agents]\n",
        &entry("helper", "agents/helper.md", ""),
        "[mcp-servers]\n",
        &entry("fs", "mcp/fs.json", ""),
        "[skills]\n",
        &entry("notes", "skills/notes", ""),
        "[patch.agents.helper]\ndescription = \"Helps more.\"\n",
        "[patch.mcp-servers.fs]\nargs = [\"-y\", \"other\"]\n",
    ];
    let project = Project::with(&files, &manifest.concat());
    project.good("install");
    for file in [".claude/agents/helper.md", ".codex/agents/helper.toml"] {
        assert!(project.read(file).contains("Helps more."), "{file}");
    }
    for file in [".mcp.json", ".codex/config.toml"] {
        assert!(project.read(file).contains("other"), "{file}");
    }
    let entry = project.locked("helper");
    assert!(entry.contains("patches = [\"description\"]"), "{entry}");
    project.good("verify");
}

#[test]
fn views_show_all_tools() {
    let project = agent("", "tools = [\"claude-code\", \"codex\"]");
    project.good("install");
    let list = json(&project.good("list --format json").stdout);
    let Some(Value::List(agents)) = list.get("agents") else {
        panic!("{list:?}");
    };
    assert_eq!(agents.len(), 1);
    assert_eq!(
        agents[0].get("tools"),
        Some(&Value::list(["claude-code", "codex"]))
    );
    let text = project.good("explain agent:helper").stdout;
    for words in [
        "tools: claude-code, codex",
        "installed at: .claude/agents/helper.md",
        "installed at: .codex/agents/helper.toml",
    ] {
        assert!(text.contains(words), "{text}");
    }
    for path in [".claude/agents/helper.md", ".codex/agents/helper.toml"] {
        let why = project.good(&format!("why {path}")).stdout;
        assert!(why.contains("agents/helper"), "{why}");
    }
}
