//! One dependency for many tools: how tools are selected, one name and one lock entry, and unsupported types.

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
            vec!["manifest/value", "`tool` and `tools` cannot be combined"],
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
fn tools_of_the_project_that_are_not_list_of_strings_are_variables_of_templates() {
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
        &["manifest/value", "`codex` does not support snippets"],
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
        &["agents/helper differs from the lockfile"],
    );
    project.refused(
        "install --frozen",
        5,
        &["the tool of agents/helper differs from the lockfile"],
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

/// A project with a skill for these tools.
fn skill(tools: &str, more: &str) -> Project {
    let files = [("skills/notes/SKILL.md", SKILL)];
    let line = entry("notes", "skills/notes", &format!("tools = {tools}{more}"));
    Project::with(&files, &format!("[skills]\n{line}"))
}

#[test]
fn tools_share_the_copies_of_a_skill_that_they_read() {
    for (tools, written) in [
        ("[\"cursor\"]", vec![".cursor/skills/notes/SKILL.md"]),
        (
            "[\"claude-code\", \"cursor\", \"copilot\", \"opencode\"]",
            vec![".claude/skills/notes/SKILL.md"],
        ),
        (
            "[\"cursor\", \"opencode\"]",
            vec![".agents/skills/notes/SKILL.md"],
        ),
        (
            "[\"claude-code\", \"codex\", \"gemini\", \"cursor\", \"zed\"]",
            vec![
                ".agents/skills/notes/SKILL.md",
                ".claude/skills/notes/SKILL.md",
            ],
        ),
    ] {
        let project = skill(tools, "");
        project.good("install");
        assert_eq!(project.written(), written, "{tools}");
        for line in ["install", "install --locked", "install --frozen", "verify"] {
            project.good(line);
        }
        std::fs::remove_dir_all(project.path(".agpm")).unwrap();
        project.good("install --frozen");
        assert_eq!(project.written(), written, "{tools}");
    }
}

#[test]
fn the_lockfile_says_which_copy_each_tool_reads() {
    let project = skill("[\"claude-code\", \"cursor\", \"codex\"]", "");
    project.good("install");
    assert_eq!(
        placements(&project, "notes"),
        "tools = [\"claude-code\", \"codex\", \"cursor\"]\n\
         installed = [\n    \
             { tool = \"claude-code\", at = \".claude/skills/notes\" },\n    \
             { tool = \"codex\", at = \".agents/skills/notes\" },\n    \
             { tool = \"cursor\", at = \".claude/skills/notes\" },\n\
         ]\n"
    );
}

#[test]
fn a_tool_that_joins_or_leaves_moves_the_copies_that_must_move() {
    let project = skill("[\"cursor\"]", "");
    project.good("install");
    let with = |tools: &str| {
        let line = entry("notes", "skills/notes", &format!("tools = {tools}"));
        project.manifest(&format!("[skills]\n{line}"));
        project.good("install");
        project.written()
    };
    assert_eq!(
        with("[\"cursor\", \"claude-code\"]"),
        [".claude/skills/notes/SKILL.md"]
    );
    assert_eq!(
        with("[\"cursor\", \"codex\"]"),
        [".agents/skills/notes/SKILL.md"]
    );
    assert!(with("[\"cursor\"]").starts_with(&[".cursor/skills/notes/SKILL.md".to_owned()]));
}

#[test]
fn a_directory_that_the_manifest_names_for_skills_is_used() {
    let own = "[tools.cursor.resources]\nskills = { path = \"own\" }\n";
    let files = [("skills/notes/SKILL.md", SKILL)];
    let line = entry(
        "notes",
        "skills/notes",
        "tools = [\"cursor\", \"opencode\", \"codex\"]",
    );
    let project = Project::with(&files, &format!("{own}[skills]\n{line}"));
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".agents/skills/notes/SKILL.md",
            ".cursor/own/notes/SKILL.md"
        ]
    );
}

#[test]
fn a_file_name_gets_the_extension_of_each_of_several_tools() {
    let project = agent(
        "",
        "tools = [\"claude-code\", \"codex\"], filename = \"aide.md\"",
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [".claude/agents/aide.md", ".codex/agents/aide.toml"]
    );
    project.good("install --frozen");
}

const LIMITED: &str =
    "---\nname: helper\ndescription: Helps.\ntools: Read, Edit\nmodel: opus\n---\nHelp.\n";

/// An agent that not every tool can express, for Claude Code and two others.
fn limited(more: &str) -> Project {
    let line = entry(
        "helper",
        "agents/helper.md",
        &format!("tools = [\"claude-code\", \"codex\", \"cursor\"]{more}"),
    );
    let files = [("agents/helper.md", LIMITED)];
    Project::with(&files, &format!("[agents]\n{line}"))
}

#[test]
fn widening_is_refused_and_allowed_for_each_tool() {
    limited("").refused(
        "install",
        6,
        &[
            "codex and cursor cannot restrict tools",
            "allow-widening = [\"codex\", \"cursor\"]",
        ],
    );
    let project = limited(", allow-widening = [\"codex\"]");
    let output = project.run("install");
    assert_eq!(output.code, Some(6), "{output}");
    assert!(!output.stderr.contains("codex cannot"), "{output}");
    limited(", allow-widening = [\"codex\", \"cursor\"]").good("install");
    // For everything in the project.
    let project = limited("");
    let manifest = project.read("agpm.toml");
    let everywhere = "[project]\nallow-widening = [\"codex\", \"cursor\"]\n";
    project.write("agpm.toml", &format!("{everywhere}{manifest}"));
    project.good("install");
}

#[test]
fn a_conversion_is_shown_once_for_each_tool_and_only_where_it_is_written() {
    let project = limited(", allow-widening = [\"codex\", \"cursor\"]");
    let first = project.good("install").stdout;
    for tool in ["codex", "cursor"] {
        let line = format!("converts  agents/helper for {tool}: tools widened");
        assert_eq!(first.matches(&line).count(), 1, "{first}");
    }
    assert!(!first.contains("for claude-code"), "{first}");
    assert!(!project.good("install").stdout.contains("converts"));
    project.remove(".codex/agents/helper.toml");
    let again = project.good("install").stdout;
    assert!(again.contains("for codex: tools widened"), "{again}");
    assert!(!again.contains("for cursor"), "{again}");
    let text = project.good("explain agents/helper").stdout;
    assert!(
        text.contains("conversion: for codex: `tools` is widened"),
        "{text}"
    );
}

#[test]
fn errors_of_a_resource_are_reported_once_for_all_tools() {
    let text = "---\nname: helper\ndescription: [d\n---\nHelp.\n";
    let line = entry(
        "helper",
        "agents/helper.md",
        "tools = [\"claude-code\", \"codex\", \"cursor\", \"opencode\"]",
    );
    let project = Project::with(&[("agents/helper.md", text)], &format!("[agents]\n{line}"));
    let output = project.good("install");
    let count = output.stderr.matches("resource/front-matter").count();
    assert_eq!(count, 1, "{output}");
}

#[test]
fn list_has_a_column_of_tools_if_there_are_several() {
    let files = [("agents/helper.md", AGENT), ("snippets/style.md", "S.\n")];
    let manifest = |more: &str| {
        let agent = entry("helper", "agents/helper.md", more);
        let snippet = entry("style", "snippets/style.md", "");
        format!("[agents]\n{agent}[snippets]\n{snippet}")
    };
    let project = Project::with(&files, &manifest(""));
    project.good("install");
    let stdout = project.good("list").stdout;
    assert!(!stdout.contains("Tools"), "{stdout}");
    project.manifest(&manifest("tools = [\"claude-code\", \"codex\"]"));
    project.good("install");
    let list = project.good("list").stdout;
    assert!(list.contains("Source     Tools"), "{list}");
    assert!(list.contains("claude-code, codex"), "{list}");
    assert!(list.contains(".claude/agents/helper.md (+1)"), "{list}");
    let codex = project.good("list --tool codex").stdout;
    assert!(
        codex.contains("helper") && !codex.contains("style"),
        "{codex}"
    );
    let own = project.good("list --tool agpm").stdout;
    assert!(own.contains("style") && !own.contains("helper"), "{own}");
    project.refused("list --tool codexx", 3, &["codexx", "codex"]);
}

#[test]
fn a_conversion_of_a_changed_source_is_shown_although_no_file_changes() {
    let agent = |more: &str| format!("---\nname: x\ndescription: d\n{more}---\nx\n");
    let (first, second) = (agent("maxTurns: 3\n"), agent("maxTurns: 3\ncolor: red\n"));
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[("agents/x.md", &first)]),
        ("v1.1.0", &[("agents/x.md", &second)]),
    ]);
    let manifest = |version: &str| {
        let line = format!(
            "x = {{ source = \"community\", path = \"agents/x.md\", version = \"{version}\", tool = \"codex\" }}"
        );
        format!("[agents]\n{line}\n")
    };
    project.manifest(&manifest("v1.0.0"));
    project.good("install");
    let before = project.read(".codex/agents/x.toml");
    project.manifest(&manifest("v1.1.0"));
    let stdout = project.good("install").stdout;
    assert!(stdout.contains("color dropped"), "{stdout}");
    assert_eq!(project.read(".codex/agents/x.toml"), before);
    let stdout = project.good("install").stdout;
    assert!(!stdout.contains("converts"), "{stdout}");
}

#[test]
fn commands_of_several_tools_are_shown_once() {
    let servers = r#"{"mcpServers": {"a": {"command": "one"}, "b": {"command": "two"}}}"#;
    let line = entry(
        "x",
        "mcp/x.json",
        "tools = [\"claude-code\", \"codex\", \"gemini\"]",
    );
    let project = Project::with(
        &[("mcp/x.json", servers)],
        &format!("[mcp-servers]\n{line}"),
    );
    let stdout = project.good("install").stdout;
    for command in ["runs  one", "runs  two"] {
        assert_eq!(stdout.matches(command).count(), 1, "{stdout}");
    }
}

#[test]
fn the_offered_file_name_ends_a_clash_for_all_tools() {
    let agent = |name: &str| format!("---\nname: {name}\ndescription: d\n---\nx\n");
    let (first, second) = (agent("one"), agent("two"));
    let files = [
        ("a/agents/x.md", first.as_str()),
        ("b/agents/x.md", second.as_str()),
    ];
    let manifest = |more: &str| {
        let tools = "tools = [\"claude-code\", \"codex\"]";
        let first = entry("one", "a/agents/x.md", tools);
        let second = entry("two", "b/agents/x.md", &format!("{tools}{more}"));
        format!("[agents]\n{first}{second}")
    };
    let project = Project::with(&files, &manifest(""));
    project.refused(
        "install",
        1,
        &[
            "two resources would be installed at",
            "add `filename = \"two\"` to agents/two",
        ],
    );
    let project = Project::with(&files, &manifest(", filename = \"two\""));
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".claude/agents/two.md",
            ".claude/agents/x.md",
            ".codex/agents/two.toml",
            ".codex/agents/x.toml"
        ]
    );
}
