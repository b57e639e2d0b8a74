//! `agpm explain TYPE:NAME`: the origin of an installed resource and of its values.

use agpm_text::Value;

use crate::support::{Project, entry, json, needs};

const EXPERT: &str = "---\nname: expert\nmodel: opus\ntools: [Read, Grep]\nlimits:\n  turns: 4\n  tokens: 100\n---\n# Expert\n";
const PATCH: &str = "[patch.agents.expert]\nmodel = \"sonnet\"\nlimits.turns = 9\n";

/// An agent that is patched, at line 4 of the manifest; its patch begins at line 5.
fn expert(more: &str) -> Project {
    let agent = entry("expert", "agents/expert.md", more);
    let project = Project::with(
        &[("agents/expert.md", EXPERT)],
        &format!("[agents]\n{agent}{PATCH}"),
    );
    project.good("install");
    project
}

/// Asserts that an explanation contains all of these lines.
fn explains(project: &Project, line: &str, lines: &[&str]) {
    let output = project.good(line);
    let block = lines.join("\n");
    assert!(
        output.stdout.contains(&block),
        "{line}: no\n{block}\nin\n{output}"
    );
}

#[test]
fn the_head_reports_where_it_came_from_who_asked_and_where_it_is() {
    let project = expert("");
    let output = project.good("explain agent:expert").stdout;
    let lock = project.locked("expert");
    let locked = |key: &str| {
        let line = lock.lines().find(|line| line.starts_with(key)).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let head = format!(
        "agent expert\n  source: community (../community)\n  path: agents/expert.md\n  required: agpm.toml:4, as v1.0.0\n  \
         version: v1.0.0\n  commit: {}\n  checksum: {}\n  tool: claude-code\n  installed at: .claude/agents/expert.md\n",
        locked("resolved_commit"),
        locked("checksum")
    );
    assert!(output.starts_with(&head), "{output}\n---\n{head}");
    assert_eq!(project.good("explain agents:expert").stdout, output);
}

#[test]
fn every_field_has_its_line_in_the_source_or_in_a_patch_with_what_it_shadows() {
    let project = expert("");
    project.write(
        "agpm.private.toml",
        "\n[patch.agents.expert]\napi_key = \"sk-0123456789abcdef\"\n",
    );
    project.good("install");
    explains(
        &project,
        "explain agent:expert",
        &[
            "/name = \"expert\"",
            "  from community (community:agents/expert.md@v1.0.0:2)",
            "/model = \"sonnet\"",
            "  from patch (agpm.toml:6), replace",
            "  shadows community (community:agents/expert.md@v1.0.0:3): \"opus\"",
            "/tools/0 = \"Read\"",
        ],
    );
    explains(
        &project,
        "explain agent:expert",
        &[
            "/api_key = \"********\"",
            "  from private patch (agpm.private.toml:3)",
        ],
    );
    assert!(
        !project
            .good("explain agent:expert --json")
            .stdout
            .contains("0123456789")
    );
}

#[test]
fn a_pointer_narrows_it_to_its_values_and_a_wrong_one_is_put_right() {
    let project = expert("");
    let output = project.good("explain agent:expert /limits").stdout;
    let expected = "/limits/turns = 9\n  from patch (agpm.toml:7), replace\n  \
                    shadows community (community:agents/expert.md@v1.0.0:6): 4\n\
                    /limits/tokens = 100\n  from community (community:agents/expert.md@v1.0.0:7)\n";
    assert_eq!(output, expected);
    project.refused(
        "explain agent:expert /limits/turn",
        3,
        &["explain/not-found", "`/limits/turns`"],
    );
}

#[test]
fn json_has_the_facts_and_the_leaves() {
    let project = expert("");
    let value = json(&project.good("explain agent:expert /model --json").stdout);
    let at = |path: &[&str]| {
        path.iter()
            .try_fold(&value, |value, key| value.child(key))
            .cloned()
    };
    for (path, expected) in [
        (&["agent"] as &[&str], Value::from("expert")),
        (&["pointer"], "/model".into()),
        (&["resource", "type"], "agent".into()),
        (&["resource", "url"], "../community".into()),
        (&["resource", "asked_at", "line"], 4_usize.into()),
        (&["resource", "requirement"], "v1.0.0".into()),
        (
            &["resource", "installed_at"],
            ".claude/agents/expert.md".into(),
        ),
        (&["leaves", "0", "layer"], "patch".into()),
        (&["leaves", "0", "shadows", "0", "value"], "opus".into()),
    ] {
        assert_eq!(at(path), Some(expected), "{path:?}");
    }
    assert_eq!(at(&["leaves", "1"]), None);
}

#[test]
fn transitive_resources_name_who_requires_them() {
    let project = Project::with(
        &[
            ("agents/app.md", &needs("commands", &["commands/run.md"])),
            ("commands/run.md", &needs("snippets", &["snippets/base.md"])),
            ("snippets/base.md", "# Base\n"),
        ],
        &format!("[agents]\n{}", entry("app", "agents/app.md", "")),
    );
    project.good("install");
    let name = project.good("list --type snippet").stdout;
    let name = name
        .lines()
        .find_map(|line| {
            line.split_whitespace()
                .find(|word| word.starts_with("base"))
        })
        .unwrap();
    let output = project.good(&format!("explain snippet:{name}"));
    for line in [
        "  needed by: agents/app (v1.0.0) -> commands/run (v1.0.0)\n",
        "  required as: v1.0.0\n",
    ] {
        assert!(output.stdout.contains(line), "{output}");
    }
    // It has no fields, and was not asked for by the manifest.
    assert!(
        !output.stdout.contains("\n/") && !output.stdout.contains("agpm.toml"),
        "{output}"
    );
}

#[test]
fn hooks_and_servers_are_reported_as_they_stand_in_the_files_of_their_tools() {
    let server = "{\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\"],\n      \"env\": {\"ROOT\": \"/\"}\n    }\n  }\n}\n";
    let hook = "{\n  \"events\": [\"PreToolUse\"],\n  \"matcher\": \"Bash\",\n  \"type\": \"command\",\n  \"command\": \"check\"\n}\n";
    let entries = format!(
        "[hooks]\n{}[mcp-servers]\n{}{}own = {{ command = \"uvx\", env = {{ API_TOKEN = \"hunter2hunter2\" }} }}\n\
         [patch.mcp-servers.fs]\nenv.LEVEL = \"debug\"\n",
        entry("check", "hooks/check.json", ""),
        entry("fs", "mcp/fs.json", "args = [\"mine\"]"),
        entry("open", "mcp/fs.json", "tool = \"opencode\""),
    );
    let project = Project::with(
        &[("hooks/check.json", hook), ("mcp/fs.json", server)],
        &entries,
    );
    project.write(
        ".claude/settings.local.json",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Edit\", \"hooks\": []}]}}",
    );
    project.good("install");
    explains(
        &project,
        "explain hook:check /hooks/PreToolUse",
        &[
            "/hooks/PreToolUse/1/matcher = \"Bash\"",
            "  from community (community:hooks/check.json@v1.0.0:3)",
        ],
    );
    explains(
        &project,
        "explain mcp-server:fs /mcpServers",
        &[
            "/mcpServers/fs/command = \"npx\"",
            "  from community (community:mcp/fs.json@v1.0.0:4)",
            "/mcpServers/fs/args/0 = \"mine\"",
            "  from manifest (agpm.toml:6), replace",
            "  shadows community (community:mcp/fs.json@v1.0.0:5): \"-y\"",
            "/mcpServers/fs/env/ROOT = \"/\"",
            "  from community (community:mcp/fs.json@v1.0.0:6)",
            "/mcpServers/fs/env/LEVEL = \"debug\"",
            "  from patch (agpm.toml:10)",
        ],
    );
    explains(
        &project,
        "explain mcp-servers:open",
        &[
            "/mcp/fs/type = \"local\"",
            "  from opencode (.opencode/opencode.json:4), converted",
            "/mcp/fs/command/0 = \"npx\"",
            "  from community (community:mcp/fs.json@v1.0.0:4)",
            "/mcp/fs/command/1 = \"-y\"",
            "  from community (community:mcp/fs.json@v1.0.0:5)",
            "/mcp/fs/environment/ROOT = \"/\"",
        ],
    );
    let own = project.good("explain mcp-server:own").stdout;
    assert!(
        own.contains("  source: the manifest itself\n  required: agpm.toml:8\n"),
        "{own}"
    );
    assert!(
        own.contains("/env/API_TOKEN = \"********\"\n  from manifest (agpm.toml:8)\n"),
        "{own}"
    );
    assert!(!own.contains("hunter2"), "{own}");
}

#[test]
fn entries_are_found_in_a_fresh_clone_and_missed_when_they_are_edited() {
    let hook = "{\"events\": [\"PreToolUse\", \"PostToolUse\"], \"type\": \"command\", \"command\": \"check\"}";
    let entries = [
        entry("one", "hooks/check.json", ""),
        entry("two", "hooks/check.json", ""),
    ]
    .concat();
    let project = Project::with(
        &[("hooks/check.json", hook)],
        &format!("[hooks]\n{entries}"),
    );
    project.good("install");
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    for name in ["one", "two"] {
        let output = project.good(&format!("explain hook:{name} /hooks"));
        assert_eq!(
            output.stdout.matches("/command = \"check\"\n").count(),
            2,
            "{output}"
        );
        assert_eq!(
            output.stdout.matches("  from community (").count(),
            4,
            "{output}"
        );
        assert_eq!(output.stderr, "", "{output}");
    }
    let settings = project.read(".claude/settings.local.json");
    project.write(
        ".claude/settings.local.json",
        &settings.replacen("\"check\"", "\"other\"", 1),
    );
    let output = project.warned("explain hook:one /hooks", &["install/edited"]);
    assert_eq!(output.stdout.matches("/command = ").count(), 1, "{output}");
    project.write(".claude/settings.local.json", "{");
    project.warned("explain hook:one /command", &["install/edited"]);
}

#[test]
fn converted_and_dropped_fields_are_both_reported() {
    let project = Project::with(
        &[("agents/expert.md", EXPERT)],
        &format!(
            "[agents]\n{}",
            entry("expert", "agents/expert.md", "tool = \"codex\"")
        ),
    );
    project.good("install");
    let output = project.good("explain agent:expert").stdout;
    for line in [
        "  conversion: `limits` is dropped: the tool does not support it\n",
        "/name = \"expert\"\n  from community (community:agents/expert.md@v1.0.0:2)\n",
        "/sandbox_mode = \"read-only\"\n  from codex (.codex/agents/expert.toml:",
        "/limits/turns is unset\n  shadows community (community:agents/expert.md@v1.0.0:6): 4\n",
    ] {
        assert!(output.contains(line), "{line}\n{output}");
    }
    // A value that changed its type is not unset.
    assert!(!output.contains("/tools/0 is unset"), "{output}");
}

#[test]
fn values_of_a_template_are_reported_with_the_template() {
    let text = "---\nname: x\ndescription: For {{ agpm.project.name }}\n---\n";
    let project = Project::one(
        "agents",
        "agents/x.md",
        text,
        "[project]\nname = \"shop\"\n",
    );
    project.good("install");
    explains(
        &project,
        "explain agent:x /description",
        &[
            "/description = \"For shop\"",
            "  from community (community:agents/x.md@v1.0.0:3), filled",
            "  shadows community (community:agents/x.md@v1.0.0:3): \"For {{ agpm.project.name }}\"",
        ],
    );
}

#[test]
fn files_of_this_machine_skills_and_scripts_are_reported() {
    let project = Project::with(
        &[
            (
                "skills/pdf/SKILL.md",
                "---\nname: pdf\ndescription: Reads\n---\n",
            ),
            ("skills/pdf/more.md", "more"),
            ("scripts/run.sh", "#!/bin/sh\n"),
        ],
        &format!(
            "[agents]\nmine = \"./mine.md\"\n[skills]\n{}[scripts]\n{}",
            entry("pdf", "skills/pdf", ""),
            entry("run", "scripts/run.sh", "")
        ),
    );
    project.write("mine.md", "---\nname: mine\n---\n");
    project.good("install");
    let mine = project.good("explain agent:mine").stdout;
    assert!(
        mine.contains("  source: this machine\n  path: mine.md\n  required: agpm.toml:4\n"),
        "{mine}"
    );
    assert!(
        mine.ends_with("/name = \"mine\"\n  from local (mine.md:2)\n"),
        "{mine}"
    );
    explains(
        &project,
        "explain skill:pdf /description",
        &[
            "/description = \"Reads\"",
            "  from community (community:skills/pdf/SKILL.md@v1.0.0:3)",
        ],
    );
    let script = project.good("explain script:run").stdout;
    assert!(
        script.ends_with("  installed at: .claude/scripts/run.sh\n  capability: runs run.sh\n"),
        "{script}"
    );
}

#[test]
fn names_that_are_wrong_or_mean_several_are_refused_with_the_right_ones() {
    let all = entry("all", "agents/*.md", "");
    let project = Project::with(
        &[
            ("agents/one.md", "1"),
            ("agents/two.md", "2"),
            ("snippets/base.md", "b"),
        ],
        &format!(
            "[agents]\n{all}[snippets]\n{}",
            entry("base", "snippets/base.md", "")
        ),
    );
    project.good("install");
    explains(
        &project,
        "explain agent:one",
        &["  required: agpm.toml:4, as v1.0.0, by the pattern `all` (agents/*.md)"],
    );
    explains(&project, "explain agent:one@v1.0.0", &["agent one"]);
    project.refused(
        "explain agent:all",
        3,
        &["could be `agent:one` or `agent:two`"],
    );
    project.refused(
        "explain agent:onee",
        3,
        &["unknown agent `onee`", "did you mean `one`?"],
    );
    project.refused("explain agent:base", 3, &["did you mean `snippet:base`?"]);
    project.refused("explain hook:x", 3, &["the project has no hooks"]);
    project.refused("explain agent:", 2, &["`agent:` names nothing"]);
    project.refused(
        "explain agent:one --show-secrets",
        2,
        &["`--show-secrets` is for `bottle:…`"],
    );
}

#[test]
fn two_of_one_name_are_distinguished_by_their_tools() {
    let project = Project::with(&[("agents/one.md", "1")], "");
    let old = |tool: &str, path: &str| {
        format!(
            "[[agents]]\nname = \"agents/one\"\nmanifest_alias = \"one\"\nsource = \"community\"\npath = \"agents/one.md\"\n\
             version = \"v1.0.0\"\ntool = \"{tool}\"\ninstalled_at = \"{path}\"\ndependencies = []\n"
        )
    };
    let lock = [
        old("claude-code", ".claude/agents/one.md"),
        old("opencode", ".opencode/agent/one.md"),
    ]
    .concat();
    project.write("agpm.lock", &format!("version = 1\n{lock}"));
    project.refused(
        "explain agent:one",
        3,
        &["`agent:one@claude-code` or `agent:one@opencode`"],
    );
    explains(
        &project,
        "explain agent:one@opencode",
        &["  tool: opencode", "  installed at: .opencode/agent/one.md"],
    );
}

#[test]
fn an_unlocked_resource_names_the_command_that_locks_it() {
    let project = Project::with(
        &[("agents/one.md", "1")],
        &format!("[agents]\n{}", entry("one", "agents/one.md", "")),
    );
    project.refused(
        "explain agent:one",
        5,
        &[
            "agents/one is not in `agpm.lock` yet",
            "agpm.toml:4",
            "run `agpm install`",
        ],
    );
    project.refused("explain agent:two", 3, &["unknown agent `two`"]);
    project.manifest(&format!(
        "[agents]\n{}[tools.claude-code]\nenabled = false\n",
        entry("one", "agents/one.md", "")
    ));
    project.refused(
        "explain agent:one",
        5,
        &["its tool `claude-code` is switched off"],
    );
}

#[test]
fn a_manifest_or_a_disk_that_moved_on_is_noticed() {
    let project = expert("");
    project.write(".claude/agents/expert.md", "other");
    project.warned("explain agent:expert", &["install/edited", "was edited"]);
    project.remove(".claude/agents/expert.md");
    project.warned(
        "explain agent:expert",
        &[
            "`.claude/agents/expert.md` does not exist",
            "run `agpm install`",
        ],
    );
    let agent = entry("expert", "agents/expert.md", "").replace("v1.0.0", "^v1.0");
    project.manifest(&format!("[agents]\n{agent}{PATCH}"));
    project.warned(
        "explain agent:expert",
        &["requires another version of agents/expert than the lockfile has"],
    );
}

#[test]
fn without_the_bytes_manifest_and_lockfile_are_reported() {
    let project = expert("");
    project.good("cache clean --all");
    let away = "[sources]\ncommunity = \"https://me:hunter2@example.invalid/community.git\"\n";
    let agent = entry("expert", "agents/expert.md", "");
    project.write("agpm.toml", &format!("{away}[agents]\n{agent}{PATCH}"));
    let output = project.warned(
        "explain agent:expert --offline",
        &["the content of agents/expert is not available"],
    );
    for line in [
        "  required: agpm.toml:4, as v1.0.0\n",
        "  installed at: .claude/agents/expert.md\n",
        "/model = \"sonnet\"\n  from patch (agpm.toml:6)\n",
    ] {
        assert!(output.stdout.contains(line), "{line}\n{output}");
    }
    assert!(
        output.stdout.contains("example.invalid") && !output.to_string().contains("hunter2"),
        "{output}"
    );
}

#[test]
fn a_user_has_it_reported_of_home() {
    let project = Project::new();
    let source = project.release(&[("agents/expert.md", EXPERT)]);
    let agent = entry("expert", "agents/expert.md", "");
    let manifest = format!(
        "[sources]\ncommunity = \"{}\"\n[agents]\n{agent}{PATCH}",
        source.url()
    );
    project.sandbox.write("~/.config/agpm/agpm.toml", manifest);
    project.sandbox.write("project/x", "");
    project.good("install -g");
    explains(
        &project,
        "explain agent:expert -g",
        &["  installed at: .claude/agents/expert.md"],
    );
    explains(
        &project,
        "explain agent:expert /model -g",
        &["/model = \"sonnet\""],
    );
}
