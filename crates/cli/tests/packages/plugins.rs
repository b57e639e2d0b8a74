//! Plugins: one dependency, many parts, for every tool that supports them.

use crate::support::{Project, json};

pub(crate) const REVIEW: &str = "---\nname: review\ndescription: Reviews.\n---\nReview.\n";
const COMMAND: &str = "---\ndescription: Runs.\n---\nRun `${CLAUDE_PLUGIN_ROOT}/run.sh`.\n";
const SKILL: &str = "---\nname: pdf\ndescription: Reads PDF.\n---\nRead.\n";
const HOOKS: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/run.sh\""}]}]}}"#;
const SERVERS: &str = r#"{"mcpServers": {"db": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/db.js", "${CLAUDE_PLUGIN_DATA}"]}}}"#;

/// A plugin with a part of each type.
const KIT: &[(&str, &str)] = &[
    (
        "plugins/kit/.claude-plugin/plugin.json",
        r#"{"name": "kit"}"#,
    ),
    ("plugins/kit/agents/review.md", REVIEW),
    ("plugins/kit/commands/run.md", COMMAND),
    ("plugins/kit/skills/pdf/SKILL.md", SKILL),
    ("plugins/kit/skills/pdf/pdf.py", "print()\n"),
    ("plugins/kit/hooks/hooks.json", HOOKS),
    ("plugins/kit/.mcp.json", SERVERS),
    ("plugins/kit/run.sh", "echo ran\n"),
    ("plugins/kit/db.js", "//\n"),
];

fn kit(more: &str) -> String {
    format!(
        "[plugins]\nkit = {{ source = \"community\", path = \"plugins/kit\", version = \"^1.0\"{more} }}\n"
    )
}

#[test]
fn a_plugin_is_one_entry_with_parts_and_a_directory() {
    let project = Project::with(KIT, &kit(""));
    let installed = project.good("install");
    for (path, text) in KIT {
        let inner = path.strip_prefix("plugins/").unwrap();
        assert_eq!(project.read(&format!(".agpm/plugins/{inner}")), *text);
    }
    assert_eq!(project.read(".claude/agents/review.md"), REVIEW);
    assert_eq!(
        project.read(".claude/commands/run.md"),
        COMMAND.replace("${CLAUDE_PLUGIN_ROOT}", ".agpm/plugins/kit")
    );
    assert_eq!(project.read(".claude/skills/pdf/pdf.py"), "print()\n");
    assert_eq!(
        json(&project.read(".claude/settings.local.json")),
        json(
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR/.agpm/plugins/kit/run.sh\""}]}]}}"#
        )
    );
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(
            r#"{"mcpServers": {"db": {"command": "node", "args": ["${CLAUDE_PROJECT_DIR:-.}/.agpm/plugins/kit/db.js", "${CLAUDE_PROJECT_DIR:-.}/.agpm/plugin-data/kit"]}}}"#
        )
    );
    // Executables are shown like those of resources in the manifest.
    assert!(installed.stdout.contains("hooks/kit"), "{installed}");
    assert!(installed.stdout.contains("mcp-servers/db"), "{installed}");
    let lock = project.read("agpm.lock");
    assert_eq!(lock.matches("[[").count(), 2, "{lock}");
    assert!(
        lock.contains(r#"parts = ["agents/review", "commands/run", "hooks/kit", "mcp-servers/db", "skills/pdf"]"#),
        "{lock}"
    );
    for line in ["install", "install --frozen", "install --locked", "verify"] {
        project.good(line);
    }
    assert_eq!(project.read("agpm.lock"), lock);
}

#[test]
fn removal_takes_all_parts_and_undo_brings_them_back() {
    let project = Project::with(KIT, &kit(""));
    let before = project.tree();
    project.good("install");
    let installed = project.tree();
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".agpm/plugins/kit"));
    assert!(!project.exists(".claude/agents/review.md") && !project.exists(".claude/skills/pdf"));
    assert!(!project.exists(".claude/settings.local.json") && !project.exists(".mcp.json"));
    project.good("undo");
    project.manifest(&kit(""));
    assert_eq!(project.tree(), installed);
    project.good("undo");
    let files: Vec<&String> = before.iter().map(|(path, _)| path).collect();
    assert_eq!(files, ["agpm.toml"]);
}

#[test]
fn edits_of_parts_are_kept_and_found() {
    let project = Project::with(KIT, &kit(""));
    project.good("install");
    project.write(".claude/agents/review.md", "mine\n");
    project.write(".agpm/plugins/kit/run.sh", "echo other\n");
    let found = project.run("verify");
    assert_eq!(found.code, Some(1), "{found}");
    assert!(found.stdout.contains(".claude/agents/review.md"), "{found}");
    assert!(found.stdout.contains(".agpm/plugins/kit/run.sh"), "{found}");
    project.run("install");
    assert_eq!(project.read(".claude/agents/review.md"), "mine\n");
}

#[test]
fn git_ignores_the_state_and_not_the_plugins() {
    let project = Project::with(KIT, &kit(""));
    project.good("install");
    let root = project.sandbox.work().join("project");
    let git = |arguments: &[&str]| {
        let mut command = project.sandbox.command("git");
        command.current_dir(&root).args(arguments);
        project.sandbox.output(command)
    };
    git(&["init", "-q"]);
    let untracked = git(&["ls-files", "--others", "--exclude-standard"]).stdout;
    assert!(
        untracked.contains(".agpm/plugins/kit/run.sh"),
        "{untracked}"
    );
    assert!(!untracked.contains(".agpm/ledger.json"), "{untracked}");
    project.write(".agpm/plugin-data/kit/state", "x");
    let untracked = git(&["ls-files", "--others", "--exclude-standard"]).stdout;
    assert!(!untracked.contains("plugin-data"), "{untracked}");
}

#[test]
fn parts_are_chosen_by_type_and_by_name() {
    let parts = |more: &str| {
        let project = Project::with(KIT, &kit(more));
        project.good("install");
        let lock = project.read("agpm.lock");
        let line = lock.lines().find(|line| line.starts_with("parts")).unwrap();
        line.to_owned()
    };
    assert_eq!(
        parts(", only = [\"agents\"]"),
        r#"parts = ["agents/review"]"#
    );
    assert_eq!(
        parts(", only = [\"skill/pdf\", \"hooks\"]"),
        r#"parts = ["hooks/kit", "skills/pdf"]"#
    );
    assert_eq!(
        parts(", exclude = [\"hooks\", \"mcp-servers/db\", \"commands\"]"),
        r#"parts = ["agents/review", "skills/pdf"]"#
    );
    let project = Project::with(KIT, &kit(", exclude = [\"agents/reviews\"]"));
    let warned = project.good("install");
    assert!(
        warned.stderr.contains("did you mean `agents/review`?"),
        "{warned}"
    );
    project.manifest(&kit(", only = [\"review\"]"));
    project.refused(
        "install",
        1,
        &["manifest/value", "`review` does not name parts"],
    );
    project.manifest(&kit(", filename = \"x\""));
    project.refused("install", 1, &["manifest/unknown-key"]);
    // The selection is part of the lockfile.
    project.manifest(&kit(""));
    project.good("install");
    project.manifest(&kit(", only = [\"agents\"]"));
    project.refused(
        "install --frozen",
        5,
        &["the parts of plugins/kit differ from the lockfile"],
    );
}

#[test]
fn each_part_goes_to_every_tool_that_supports_it() {
    let project = Project::with(
        KIT,
        &kit(", tools = [\"claude-code\", \"codex\", \"opencode\"]"),
    );
    let noted = project.good("install");
    assert!(
        noted
            .stderr
            .contains("codex does not support these parts of plugin `kit`\n  commands: `run`"),
        "{noted}"
    );
    assert!(
        noted
            .stderr
            .contains("opencode does not support these parts of plugin `kit`\n  hooks: `kit`"),
        "{noted}"
    );
    for path in [
        ".claude/agents/review.md",
        ".codex/agents/review.toml",
        ".opencode/agent/review.md",
        ".opencode/command/run.md",
        ".codex/config.toml",
    ] {
        assert!(project.exists(path), "{path}");
    }
    assert_eq!(
        json(&project.read(".codex/hooks.json")),
        json(
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh \".agpm/plugins/kit/run.sh\""}]}]}}"#
        )
    );
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains(r#"tools = ["claude-code", "codex", "opencode"]"#),
        "{lock}"
    );
    project.good("verify");
    project.good("install --frozen");
    let only_hooks = kit(", only = [\"hooks\"], tool = \"opencode\"");
    project.manifest(&only_hooks);
    project.refused(
        "install",
        1,
        &["plugin/no-parts", "plugin `kit` has no part for opencode"],
    );
}

#[test]
fn a_clash_of_names_offers_a_prefix() {
    let mut files = KIT.to_vec();
    files.push(("agents/review.md", REVIEW));
    let agent = "[agents]\nreview = { source = \"community\", path = \"agents/review.md\", version = \"^1.0\" }\n";
    let project = Project::with(&files, &format!("{agent}{}", kit("")));
    project.refused(
        "install",
        1,
        &[
            "plugin/clash",
            "agents/review",
            "`prefix = true` on plugins/kit",
        ],
    );
    project.manifest(&format!("{agent}{}", kit(", prefix = true")));
    project.good("install");
    assert_eq!(
        project.read(".claude/agents/kit-review.md"),
        REVIEW.replace("name: review", "name: kit-review")
    );
    assert_eq!(
        project.read(".claude/skills/kit-pdf/SKILL.md"),
        SKILL.replace("name: pdf", "name: kit-pdf")
    );
    assert!(project.exists(".claude/commands/kit-run.md"));
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains(r#"parts = ["agents/kit-review", "commands/kit-run", "hooks/kit", "mcp-servers/db", "skills/kit-pdf"]"#),
        "{lock}"
    );
}

#[test]
fn servers_of_two_plugins_get_out_of_each_others_way_by_rename() {
    let other = [
        ("plugins/other/.mcp.json", SERVERS),
        ("plugins/other/db.js", "//\n"),
    ];
    let files = [KIT, &other].concat();
    let both = |more: &str| {
        let other = format!(
            "other = {{ source = \"community\", path = \"plugins/other\", version = \"^1.0\"{more} }}\n"
        );
        kit("") + &other
    };
    let project = Project::with(&files, &both(""));
    project.refused(
        "install",
        1,
        &["plugin/clash", "mcp-servers/db", "`rename = { db = "],
    );
    project.manifest(&both(", rename = { db = \"db2\" }"));
    project.good("install");
    let servers = project.read(".mcp.json");
    assert!(
        servers.contains("\"db2\"") && servers.contains(".agpm/plugins/other/db.js"),
        "{servers}"
    );
    project.manifest(&both(", rename = { dbx = \"db2\" }"));
    project.refused("install", 1, &["plugin `other` has no server `dbx`"]);
}

#[test]
fn a_hook_that_names_a_file_that_is_missing_refuses_the_plugin() {
    let files: Vec<_> = KIT
        .iter()
        .filter(|(path, _)| !path.ends_with("run.sh"))
        .copied()
        .collect();
    let project = Project::with(&files, &kit(""));
    project.refused(
        "install",
        1,
        &[
            "plugin/missing-file",
            "`run.sh`",
            "exclude = [\"hooks/kit\"]",
        ],
    );
    project.manifest(&kit(", exclude = [\"hooks\"]"));
    project.good("install");
}

#[test]
fn programs_get_the_variable_that_they_read() {
    let script = "#!/bin/sh\ncat \"$CLAUDE_PLUGIN_ROOT/greeting\"\n";
    let mut files: Vec<_> = KIT
        .iter()
        .filter(|(path, _)| !path.ends_with("run.sh"))
        .copied()
        .collect();
    files.extend([
        ("plugins/kit/run.sh", script),
        ("plugins/kit/greeting", "hello\n"),
    ]);
    let project = Project::with(&files, &kit(", tools = [\"claude-code\", \"codex\"]"));
    project.good("install");
    let root = project.sandbox.work().join("project");
    std::fs::create_dir_all(root.join("sub dir")).unwrap();
    for (file, directory) in [
        (".claude/settings.local.json", "sub dir"),
        (".codex/hooks.json", "."),
    ] {
        let hooks = json(&project.read(file));
        let command = hooks
            .get("hooks")
            .and_then(|hooks| hooks.get("Stop"))
            .and_then(|stop| stop.child("0"))
            .and_then(|group| group.get("hooks"))
            .and_then(|hooks| hooks.child("0"))
            .and_then(|hook| hook.get("command"))
            .and_then(|command| command.as_str())
            .unwrap()
            .to_owned();
        let mut shell = project.sandbox.command("sh");
        shell
            .current_dir(root.join(directory))
            .env("CLAUDE_PROJECT_DIR", &root)
            .args(["-c", &command]);
        let ran = project.sandbox.output(shell);
        assert_eq!(ran.stdout, "hello\n", "{command}\n{ran}");
    }
}

#[test]
fn unknown_variables_are_a_warning_and_others_belong_to_the_tool() {
    let servers = r#"{"db": {"command": "db", "args": ["${user_config.key}", "${CLAUDE_PLUGIN_NAME}", "${HOME}"]}}"#;
    let project = Project::with(&[("plugins/kit/.mcp.json", servers)], &kit(""));
    let warned = project.good("install");
    assert!(warned.stderr.contains("`${user_config.key}`"), "{warned}");
    assert!(
        warned.stderr.contains("`${CLAUDE_PLUGIN_NAME}`"),
        "{warned}"
    );
    assert!(!warned.stderr.contains("`${HOME}`"), "{warned}");
}

#[test]
fn missing_features_of_tools_are_reported_once() {
    let manifest = r#"{"name": "kit", "lspServers": {"c": {"command": "clangd"}}, "outputStyles": "./styles"}"#;
    let files = [
        ("plugins/kit/.claude-plugin/plugin.json", manifest),
        ("plugins/kit/agents/review.md", REVIEW),
    ];
    let project = Project::with(&files, &kit(", tools = [\"claude-code\", \"codex\"]"));
    let noted = project.good("install");
    let line = "not installed of plugin `kit`: lspServers, outputStyles";
    assert_eq!(noted.stderr.matches(line).count(), 1, "{noted}");
    let alone = Project::with(&files[..1], &kit(""));
    alone.refused("install", 1, &["plugin/no-parts"]);
}

#[test]
fn a_single_hook_brings_its_plugin() {
    for tool in ["claude-code", "codex"] {
        let hook = format!(
            "[hooks]\nstop = {{ source = \"community\", path = \"plugins/kit/hooks/hooks.json\", version = \"^1.0\", tool = \"{tool}\" }}\n"
        );
        let project = Project::with(KIT, &hook);
        project.good("install");
        assert_eq!(project.read(".agpm/plugins/kit/run.sh"), "echo ran\n");
        assert!(
            !project.exists(".claude/agents"),
            "only the hook was asked for"
        );
        let lock = project.read("agpm.lock");
        assert!(
            lock.contains("dependencies = [\"plugins/kit@v1.0.0\"]"),
            "{lock}"
        );
        for line in ["verify", "install --frozen"] {
            project.good(line);
        }
        let file = if tool == "codex" {
            ".codex/hooks.json"
        } else {
            ".claude/settings.local.json"
        };
        let text = project.read(file);
        assert!(
            text.contains(".agpm/plugins/kit/run.sh") && !text.contains("PLUGIN_ROOT"),
            "{text}"
        );
    }
}

#[test]
fn agent_plugins_follow_their_own_rules() {
    let schema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
    let manifest = format!(r#"{{"$schema": "{schema}", "name": "kit", "extra": 1}}"#);
    let servers = r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"good": {"type": "stdio", "command": "./bin/good"}, "bad": {"type": "stdio", "command": "a b"}}}"#;
    let open = "---\nname: open\ndescription: d\nmodel: x\n---\n";
    let files = [
        ("plugins/kit/plugin.json", manifest.as_str()),
        ("plugins/kit/mcp.json", servers),
        ("plugins/kit/bin/good", "#!/bin/sh\n"),
        ("plugins/kit/skills/pdf/SKILL.md", SKILL),
        ("plugins/kit/skills/open/SKILL.md", open),
    ];
    let project = Project::with(&files, &kit(", tools = [\"claude-code\", \"codex\"]"));
    let warned = project.good("install");
    for word in [
        "unknown key `extra`",
        "the MCP server `bad`",
        "the skill `open`",
    ] {
        assert!(warned.stderr.contains(word), "{word}\n{warned}");
    }
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(
            r#"{"mcpServers": {"good": {"command": "${CLAUDE_PROJECT_DIR:-.}/.agpm/plugins/kit/bin/good", "cwd": "${CLAUDE_PROJECT_DIR:-.}/.agpm/plugins/kit"}}}"#
        )
    );
    let codex = project.read(".codex/config.toml");
    assert!(
        codex.contains("command = \"./bin/good\"") && codex.contains("cwd = \".agpm/plugins/kit\""),
        "{codex}"
    );
    let bad = Project::with(
        &[("plugins/kit/plugin.json", r#"{"name": "kit"}"#), files[3]],
        &kit(""),
    );
    bad.refused("install", 1, &["plugin/manifest", "`$schema` is missing"]);
}

#[test]
fn commands_that_look_know_parts() {
    let project = Project::with(KIT, &kit(""));
    project.good("install");
    let list = project.good("list");
    assert!(
        list.stdout.contains("plugin") && !list.stdout.contains("agents/review"),
        "{list}"
    );
    let detailed = project.good("list --detailed");
    assert!(detailed.stdout.contains("agents/review"), "{detailed}");
    let tree = project.good("tree");
    assert!(tree.stdout.contains("skills/pdf (v1.0.0) [part]"), "{tree}");
    let why = project.good("why agents/review");
    assert!(why.stdout.starts_with("plugins/kit (v1.0.0)"), "{why}");
    let by_path = project.good("why .claude/agents/review.md");
    assert!(
        by_path.stdout.starts_with("plugins/kit (v1.0.0)"),
        "{by_path}"
    );
    let plugin = project.good("explain plugins/kit");
    assert!(
        plugin.stdout.contains("parts: agents/review, commands/run"),
        "{plugin}"
    );
    let part = project.good("explain agents/review");
    assert!(part.stdout.contains("part of: plugins/kit"), "{part}");
    assert!(
        part.stdout
            .contains("installed at: .claude/agents/review.md"),
        "{part}"
    );
}

#[test]
fn a_clone_without_state_is_as_installed() {
    let project = Project::with(KIT, &kit(""));
    project.good("install");
    let root = project.sandbox.work().join("project");
    for name in ["ledger.json", "folders.json", "lock", ".gitignore"] {
        std::fs::remove_file(root.join(".agpm").join(name)).unwrap();
    }
    std::fs::remove_dir_all(root.join(".agpm/history")).unwrap();
    project.good("verify");
    let again = project.good("install --frozen");
    assert!(again.stdout.contains("up to date"), "{again}");
    project.manifest("");
    project.good("install");
    assert!(
        !project.exists(".agpm/plugins/kit/run.sh") && !project.exists(".claude/agents/review.md")
    );
}

#[test]
fn patches_and_updates_reach_parts() {
    let project = Project::new();
    let mut repository = project.release(KIT);
    project.manifest(&(kit("") + "[patch.agents.review]\nmodel = \"opus\"\n"));
    project.good("install");
    assert!(
        project
            .read(".claude/agents/review.md")
            .contains("model: opus")
    );
    project.good("install --frozen");
    repository.commit(&[(
        "plugins/kit/agents/review.md",
        "---\nname: review\ndescription: New.\n---\n",
    )]);
    repository.tag("v1.1.0");
    project.good("update agents/review");
    assert!(project.read(".claude/agents/review.md").contains("New."));
    project.manifest(&(kit("") + "[patch.agents.revue]\nmodel = \"opus\"\n"));
    project.refused("install", 1, &["patch/unknown", "`revue`"]);
    project.manifest(&(kit("") + "[patch.plugins.kit]\nmodel = \"opus\"\n"));
    project.refused("install", 1, &["plugins have no fields to patch"]);
}

#[test]
fn a_local_directory_is_a_plugin_that_is_read_again() {
    let project = Project::with(&[("a.md", "")], "[plugins]\nkit = \"./mine/kit\"\n");
    project.write("mine/kit/agents/review.md", REVIEW);
    project.good("install");
    assert_eq!(project.read(".claude/agents/review.md"), REVIEW);
    project.write("mine/kit/agents/second.md", REVIEW);
    project.good("install");
    assert!(project.exists(".claude/agents/second.md"));
    project.good("verify");
}

#[test]
fn a_part_that_would_be_allowed_more_has_two_ways_out() {
    let agent = "---\nname: writer\ndescription: d\ntools: Read, Write\n---\nWrite.\n";
    let files = [
        ("plugins/kit/agents/writer.md", agent),
        ("plugins/kit/agents/review.md", REVIEW),
    ];
    let both = |more: &str| kit(&format!(", tools = [\"claude-code\", \"codex\"]{more}"));
    let words = [
        "tool/widening",
        "allow-widening = [\"codex\"]",
        "exclude = [\"agents/writer\"]",
    ];
    let project = Project::with(&files, &both(""));
    project.refused("install", 6, &words);
    // The name is the plugin's own.
    let project = Project::with(&files, &both(", prefix = true"));
    project.refused("install", 6, &words);
    let project = Project::with(&files, &both(", exclude = [\"agents/writer\"]"));
    project.good("install");
    assert!(
        project.exists(".codex/agents/review.toml") && !project.exists(".codex/agents/writer.toml")
    );
    let project = Project::with(&files, &both(", allow-widening = [\"codex\"]"));
    project.good("install");
    assert!(project.exists(".codex/agents/writer.toml"));
}

#[test]
fn a_plugin_without_parts_says_what_it_has_instead() {
    let manifest = r#"{"name": "kit", "lspServers": {"c": {"command": "clangd"}}}"#;
    let servers = [("plugins/kit/.claude-plugin/plugin.json", manifest)];
    Project::with(&servers, &kit("")).refused(
        "install",
        1,
        &[
            "plugin/no-parts",
            "has only lspServers, which agpm does not install",
        ],
    );
    Project::with(&[("plugins/kit/README.md", "")], &kit("")).refused(
        "install",
        1,
        &[
            "plugin/no-parts",
            "nothing to install",
            "agents, commands, skills, hooks and MCP servers",
        ],
    );
    let files = [("plugins/kit/agents/review.md", REVIEW)];
    Project::with(&files, &kit(", exclude = [\"agents\"]")).refused(
        "install",
        1,
        &["plugin/no-parts", "its parts are agents/review"],
    );
}
