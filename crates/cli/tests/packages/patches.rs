//! Patches: the examples of the manifest reference, and the content around patched fields.

use crate::support::{Project, entry, json};

const RUST_EXPERT: &str = "\
---
# Who it is.
name: rust-expert
model:   opus   # the best one
description: 'Knows: Rust'

tools: [Read, Grep]
---

# Rust

Use `model: opus` and {{ braces }}.\t
\r
---
no end of line";

fn rust_expert(patches: &str) -> Project {
    let agent = entry("rust-expert", "agents/rust-expert.md", "");
    Project::with(
        &[("agents/rust-expert.md", RUST_EXPERT)],
        &format!("[agents]\n{agent}{patches}"),
    )
}

const PROJECT_PATCH: &str = "[patch.agents.rust-expert]\nmodel = \"claude-3-haiku\"\ntemperature = \"0.8\"\n\
                             max_tokens = \"4096\"\n";
const PRIVATE_PATCH: &str = "[patch.agents.rust-expert]\napi_key = \"${MY_ANTHROPIC_KEY}\"\n\
                             custom_endpoint = \"https://my-proxy.internal\"\nlogging_level = \"debug\"\n";

#[test]
fn project_patches_change_their_fields_and_no_other_byte() {
    let project = rust_expert(PROJECT_PATCH);
    project.good("install");
    let expected = RUST_EXPERT
        .replace("model:   opus   #", "model:   claude-3-haiku   #")
        .replace(
            "tools: [Read, Grep]\n",
            "tools: [Read, Grep]\ntemperature: \"0.8\"\nmax_tokens: \"4096\"\n",
        );
    assert_eq!(project.read(".claude/agents/rust-expert.md"), expected);
}

#[test]
fn removing_a_patch_gives_the_bytes_of_the_source_back() {
    let project = rust_expert(PROJECT_PATCH);
    project.good("install");
    project.manifest(&format!(
        "[agents]\n{}",
        entry("rust-expert", "agents/rust-expert.md", "")
    ));
    project.good("install");
    assert_eq!(project.read(".claude/agents/rust-expert.md"), RUST_EXPERT);
    assert!(!project.locked("rust-expert").contains("patches"));
}

#[test]
fn texts_and_lists_are_patched_in_and_front_matter_is_made_where_there_is_none() {
    let project = Project::with(
        &[("agents/ai/assistant.md", "# Assistant\n\nHelp.\n")],
        &format!(
            "[agents]\n{}[patch.agents.ai-assistant]\n\
             system_prompt = \"You are a helpful AI assistant focused on clarity.\"\n\
             tools = [\"web-search\", \"calculator\"]\n",
            entry("ai-assistant", "agents/ai/assistant.md", "")
        ),
    );
    project.good("install");
    let text = project.read(".claude/agents/assistant.md");
    let (front, body) = text
        .strip_prefix("---\n")
        .unwrap()
        .split_once("---\n")
        .unwrap();
    assert_eq!(body, "# Assistant\n\nHelp.\n");
    let lines: Vec<&str> = front.lines().map(str::trim).collect();
    assert_eq!(
        lines[0],
        "system_prompt: You are a helpful AI assistant focused on clarity."
    );
    assert!(
        front.contains("web-search") && front.contains("calculator"),
        "{front}"
    );
}

#[test]
fn private_patches_extend_those_of_the_project() {
    let project = rust_expert(PROJECT_PATCH);
    project.write("agpm.private.toml", PRIVATE_PATCH);
    project.good("install");
    let text = project.read(".claude/agents/rust-expert.md");
    for line in [
        "model:   claude-3-haiku   # the best one",
        "temperature: \"0.8\"",
        "max_tokens: \"4096\"",
        "${MY_ANTHROPIC_KEY}",
        "custom_endpoint: https://my-proxy.internal",
        "logging_level: debug",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
    assert!(text.ends_with(RUST_EXPERT.split_once("\n---\n").unwrap().1));
}

#[test]
fn the_lock_names_the_fields_of_both_files_and_no_value() {
    let project = rust_expert(PROJECT_PATCH);
    project.write("agpm.private.toml", PRIVATE_PATCH);
    project.good("install");
    let fields = "patches = [\"model\", \"temperature\", \"max_tokens\", \"api_key\", \"custom_endpoint\", \
                  \"logging_level\"]";
    assert!(
        project.locked("rust-expert").contains(fields),
        "{}",
        project.locked("rust-expert")
    );
    let lock = project.read("agpm.lock");
    for value in ["haiku", "4096", "MY_ANTHROPIC_KEY", "my-proxy"] {
        assert!(!lock.contains(value), "{lock}");
    }
}

#[test]
fn the_checksum_is_that_of_the_source_whatever_is_patched() {
    let project = rust_expert("");
    project.good("install");
    let checksum = |text: String| {
        text.lines()
            .find(|line| line.starts_with("checksum"))
            .unwrap()
            .to_owned()
    };
    let before = checksum(project.locked("rust-expert"));
    project.write("agpm.private.toml", PRIVATE_PATCH);
    project.good("install");
    assert_eq!(checksum(project.locked("rust-expert")), before);
    project.good("install --frozen");
    project.good("verify");
}

#[test]
fn one_field_in_both_files_is_the_conflict_of_the_reference() {
    let project = rust_expert(PROJECT_PATCH);
    project.write(
        "agpm.private.toml",
        "[patch.agents.rust-expert]\nmodel = \"sonnet\"\n",
    );
    for line in ["install", "validate"] {
        let output = project.run(line);
        assert_eq!(output.code, Some(1), "{output}");
        for words in [
            "Patch conflict for agents/rust-expert",
            "Field 'model' appears in both agpm.toml and agpm.private.toml",
            "Keep the field in one file only",
        ] {
            assert!(
                output.to_string().contains(words),
                "{line}: no `{words}` in\n{output}"
            );
        }
    }
    assert!(project.written().is_empty() && !project.exists("agpm.lock"));
}

#[test]
fn a_nested_field_in_both_files_conflicts_and_its_neighbours_do_not() {
    let project = rust_expert("[patch.agents.rust-expert]\nlimits.tokens = 1\n");
    project.write(
        "agpm.private.toml",
        "[patch.agents.rust-expert]\nlimits.time = 2\n",
    );
    project.good("install");
    let text = project.read(".claude/agents/rust-expert.md");
    assert!(text.contains("limits:\n  tokens: 1\n  time: 2\n"), "{text}");
    project.write(
        "agpm.private.toml",
        "[patch.agents.rust-expert]\nlimits.tokens = 2\n",
    );
    project.refused("install", 1, &["patch/conflict", "'limits.tokens'"]);
    project.write(
        "agpm.private.toml",
        "[patch.agents.rust-expert]\nlimits = 2\n",
    );
    project.refused("install", 1, &["patch/conflict"]);
}

#[test]
fn every_type_of_toml_can_be_a_patch() {
    let project = rust_expert(
        "[patch.agents.rust-expert]\ntext = \"no\"\nwhole = 3\nbroken = 0.5\nuseful = true\nday = 2024-01-02\n\
         list = [1, \"two\"]\ntable = { a = 1, b = { c = false } }\n",
    );
    project.good("install");
    let text = project.read(".claude/agents/rust-expert.md");
    for line in [
        "text: \"no\"",
        "whole: 3",
        "broken: 0.5",
        "useful: true",
        "2024-01-02",
        "c: false",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
    let fields = "patches = [\"text\", \"whole\", \"broken\", \"useful\", \"day\", \"list\", \"table.a\", \"table.b.c\"]";
    assert!(
        project.locked("rust-expert").contains(fields),
        "{}",
        project.locked("rust-expert")
    );
}

#[test]
fn snippets_and_commands_are_patched_like_agents() {
    let project = Project::with(
        &[
            (
                "snippets/python-utils.md",
                "---\nauthor: Them\n---\nUtilities\n",
            ),
            (
                "commands/deploy.md",
                "---\ndescription: Deploys\n---\nDeploy\n",
            ),
        ],
        &format!(
            "[snippets]\n{}[commands]\n{}[patch.snippets.python-utils]\nauthor = \"Internal Team\"\n\
             version = \"2.0.0\"\n[patch.commands.deploy]\ntimeout = \"300\"\nretry_count = \"3\"\n",
            entry("python-utils", "snippets/python-utils.md", ""),
            entry("deploy", "commands/deploy.md", "")
        ),
    );
    project.good("install");
    assert_eq!(
        project.read(".agpm/snippets/python-utils.md"),
        "---\nauthor: Internal Team\nversion: 2.0.0\n---\nUtilities\n"
    );
    assert_eq!(
        project.read(".claude/commands/deploy.md"),
        "---\ndescription: Deploys\ntimeout: \"300\"\nretry_count: \"3\"\n---\nDeploy\n"
    );
}

#[test]
fn a_hook_is_patched_before_it_is_merged() {
    let project = Project::with(
        &[(
            "hooks/pre-commit.json",
            "{\"events\": [\"PreToolUse\"], \"type\": \"command\", \"command\": \"check\", \"timeout\": 5}\n",
        )],
        &format!(
            "[hooks]\n{}[patch.hooks.pre-commit]\ntimeout = 60\n",
            entry("pre-commit", "hooks/pre-commit.json", "")
        ),
    );
    project.good("install");
    let settings = project.read(".claude/settings.local.json");
    assert!(
        settings.contains("\"timeout\": 60") && settings.contains("check"),
        "{settings}"
    );
    assert!(
        project
            .locked("pre-commit")
            .contains("patches = [\"timeout\"]")
    );
}

#[test]
fn a_hook_that_is_switched_off_by_a_patch_does_not_run() {
    let hook = "{\"events\": [\"PreToolUse\"], \"type\": \"command\", \"command\": \"check\"}\n";
    let entries = format!(
        "[hooks]\n{}",
        entry("pre-commit", "hooks/pre-commit.json", "")
    );
    let project = Project::with(&[("hooks/pre-commit.json", hook)], &entries);
    project.good("install");
    assert!(
        project
            .read(".claude/settings.local.json")
            .contains("check")
    );
    project.manifest(&format!(
        "{entries}[patch.hooks.pre-commit]\nenabled = false\n"
    ));
    project.good("install");
    assert!(
        !project.exists(".claude/settings.local.json"),
        "{:?}",
        project.tree()
    );
    assert!(
        project
            .locked("pre-commit")
            .contains("patches = [\"enabled\"]")
    );
}

#[test]
fn the_arguments_of_a_server_are_patched_whatever_shape_its_file_has() {
    for file in [
        "{\"command\": \"npx\", \"args\": [\"-y\", \"fs\"]}",
        "{\"mcpServers\": {\"filesystem\": {\"command\": \"npx\", \"args\": [\"-y\", \"fs\"]}}}",
    ] {
        let project = Project::with(
            &[("mcp/filesystem.json", file)],
            &format!(
                "[mcp-servers]\n{}[patch.mcp-servers.filesystem]\nargs = [\"--root\", \"/custom/path\"]\n",
                entry("filesystem", "mcp/filesystem.json", "")
            ),
        );
        project.good("install");
        let text = project.read(".mcp.json");
        let flat: String = text.split_whitespace().collect();
        assert_eq!(
            flat,
            "{\"mcpServers\":{\"filesystem\":{\"command\":\"npx\",\"args\":[\"--root\",\"/custom/path\"]}}}"
        );
        assert!(
            project
                .locked("filesystem")
                .contains("patches = [\"args\"]")
        );
    }
}

#[test]
fn a_script_has_no_fields_so_that_a_patch_warns_and_strict_fails() {
    let script = "#!/bin/sh\nmake\n";
    let project = Project::with(
        &[("scripts/build.sh", script)],
        &format!(
            "[scripts]\n{}[patch.scripts.build]\nshell = \"/bin/bash\"\nenvironment.NODE_ENV = \"production\"\n",
            entry("build", "scripts/build.sh", "")
        ),
    );
    project.refused("install --strict", 1, &["patch/no-fields", "scripts/build"]);
    project.warned("install", &["warning[patch/no-fields]", "scripts/build"]);
    assert_eq!(project.read(".claude/scripts/build.sh"), script);
    assert!(!project.locked("build").contains("patches"));
    assert!(!project.good("list").stdout.contains("(patched)"));
}

#[test]
fn a_binary_is_copied_as_it_is_and_the_patch_warns() {
    let project = Project::new();
    let mut source = project.source(&[]);
    std::fs::create_dir_all(source.path().join("scripts")).unwrap();
    std::fs::write(source.path().join("scripts/tool.bin"), [0xff, 0, 0xfe]).unwrap();
    source.commit(&[]);
    source.tag("v1.0.0");
    project.manifest(&format!(
        "[scripts]\n{}[patch.scripts.tool]\na = 1\n",
        entry("tool", "scripts/tool.bin", "")
    ));
    project.warned("install", &["patch/no-fields"]);
    assert_eq!(
        std::fs::read(project.path(".claude/scripts/tool.bin")).unwrap(),
        [0xff, 0, 0xfe]
    );
}

const AI: &[(&str, &str)] = &[
    (
        "agents/ai/ai-assistant.md",
        "---\nmodel: opus\n---\nassist\n",
    ),
    (
        "agents/ai/ai-analyzer.md",
        "---\nmodel: opus\n---\nanalyze\n",
    ),
    ("agents/ai/ai-other.md", "---\nmodel: opus\n---\nother\n"),
];

#[test]
fn matches_of_a_pattern_are_patched_by_their_own_names() {
    let project = Project::with(
        AI,
        &format!(
            "[agents]\n{}[patch.agents.ai-assistant]\nmodel = \"claude-3-haiku\"\n\
             [patch.agents.ai-analyzer]\nmodel = \"claude-3-opus\"\n",
            entry("ai-agents", "agents/ai/*.md", "")
        ),
    );
    project.good("install");
    for (name, model) in [
        ("ai-assistant", "claude-3-haiku"),
        ("ai-analyzer", "claude-3-opus"),
        ("ai-other", "opus"),
    ] {
        let text = project.read(&format!(".claude/agents/{name}.md"));
        assert!(
            text.starts_with(&format!("---\nmodel: {model}\n---\n")),
            "{name}\n{text}"
        );
    }
}

#[test]
fn the_name_of_a_pattern_is_refused_with_the_names_of_its_matches() {
    let entries = format!("[agents]\n{}", entry("ai-agents", "agents/ai/*.md", ""));
    let project = Project::with(
        AI,
        &format!("{entries}[patch.agents.ai-agents]\nmodel = \"x\"\n"),
    );
    project.refused(
        "install",
        1,
        &[
            "patch/unknown",
            "`ai-agents` is a pattern",
            "`ai-analyzer`, `ai-assistant`, `ai-other`",
        ],
    );
}

#[test]
fn an_unknown_name_is_an_error_with_the_near_one_in_validate_too() {
    let project = rust_expert("[patch.agents.rust-exprt]\nmodel = \"x\"\n");
    project.refused(
        "install",
        1,
        &[
            "patch/unknown",
            "`rust-exprt`",
            "did you mean `rust-expert`?",
        ],
    );
    let output = project.run("validate");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output.stdout.contains("did you mean `rust-expert`?"),
        "{output}"
    );
}

#[test]
fn transitive_resources_cannot_be_patched() {
    let project = Project::with(
        &[
            (
                "agents/a.md",
                "---\ndependencies:\n  snippets:\n    - path: snippets/s.md\n---\na\n",
            ),
            ("snippets/s.md", "s\n"),
        ],
        &format!(
            "[agents]\n{}[patch.snippets.s]\nx = 1\n",
            entry("a", "agents/a.md", "")
        ),
    );
    project.refused(
        "install",
        1,
        &["patch/unknown", "no `s` in `[snippets]`", "add it"],
    );
}

#[test]
fn list_marks_what_is_patched() {
    let project = Project::with(
        &[
            ("agents/rust-expert.md", RUST_EXPERT),
            ("agents/helper.md", "help\n"),
        ],
        &format!(
            "[agents]\n{}{}{PROJECT_PATCH}",
            entry("rust-expert", "agents/rust-expert.md", ""),
            entry("helper", "agents/helper.md", "")
        ),
    );
    project.good("install");
    assert_eq!(
        project.good("list").stdout,
        "\
Name         Type    Version  Source     Installed At                   Status
helper       agent   v1.0.0   community  .claude/agents/helper.md
rust-expert  agent   v1.0.0   community  .claude/agents/rust-expert.md  (patched)
"
    );
}

#[test]
fn list_as_json_has_the_patched_fields() {
    let project = rust_expert(PROJECT_PATCH);
    project.write(
        "agpm.private.toml",
        "[patch.agents.rust-expert]\napi_key = \"k\"\n",
    );
    project.good("install");
    let flat: String = project
        .good("list --format json")
        .stdout
        .split_whitespace()
        .collect();
    assert!(
        flat.contains("\"patches\":[\"model\",\"temperature\",\"max_tokens\",\"api_key\"]"),
        "{flat}"
    );
}

#[test]
fn list_in_detail_reports_old_and_new_values_and_keeps_secrets() {
    let project = rust_expert(PROJECT_PATCH);
    project.write(
        "agpm.private.toml",
        "[patch.agents.rust-expert]\napi_key = \"sk-very-secret\"\n",
    );
    project.good("install");
    let stdout = project.good("list --detailed").stdout;
    for line in [
        "\n  model: \"opus\" -> \"claude-3-haiku\" (agpm.toml)\n",
        "\n  temperature: (not set) -> \"0.8\" (agpm.toml)\n",
        "\n  api_key: (not set) -> *** (agpm.private.toml)\n",
    ] {
        assert!(stdout.contains(line), "no `{line}` in\n{stdout}");
    }
    for line in [
        "list --detailed",
        "list --detailed --format json",
        "list --detailed --format yaml",
    ] {
        let output = project.good(line).to_string();
        assert!(!output.contains("sk-very-secret"), "{line}\n{output}");
    }
}

#[test]
fn a_changed_patch_is_applied_and_an_edited_file_is_kept() {
    let project = rust_expert("[patch.agents.rust-expert]\nmodel = \"one\"\n");
    project.good("install");
    let agent = entry("rust-expert", "agents/rust-expert.md", "");
    project.manifest(&format!(
        "[agents]\n{agent}[patch.agents.rust-expert]\nmodel = \"two\"\n"
    ));
    project.good("install");
    assert!(
        project
            .read(".claude/agents/rust-expert.md")
            .contains("model:   two   #")
    );
    project.write(".claude/agents/rust-expert.md", "mine\n");
    project.manifest(&format!(
        "[agents]\n{agent}[patch.agents.rust-expert]\nmodel = \"three\"\n"
    ));
    let output = project.run("install");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("install/conflict"), "{output}");
    assert_eq!(project.read(".claude/agents/rust-expert.md"), "mine\n");
}

#[test]
fn patches_follow_the_resource_through_an_update() {
    let project = Project::new();
    let mut source = project.release(&[("agents/a.md", "---\nmodel: opus\n---\none\n")]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n\
         [patch.agents.a]\nmodel = \"haiku\"\n",
    );
    project.good("install");
    source.commit(&[("agents/a.md", "---\n# new\nmodel: sonnet\n---\ntwo\n")]);
    source.tag("v1.1.0");
    project.good("update");
    assert_eq!(
        project.read(".claude/agents/a.md"),
        "---\n# new\nmodel: haiku\n---\ntwo\n"
    );
}

#[test]
fn a_patch_for_a_tool_that_is_switched_off_is_not_an_error() {
    let project = Project::with(
        &[("agents/a.md", "---\nmodel: x\n---\n")],
        &format!(
            "[tools.opencode]\nenabled = false\n[agents]\n{}[patch.agents.a]\nmodel = \"y\"\n",
            entry("a", "agents/a.md", "tool = \"opencode\"")
        ),
    );
    project.good("install");
    assert!(project.written().is_empty());
}

#[test]
fn a_key_that_is_patched_stays_where_it_is_in_json() {
    let file = "{\n  \"command\": \"npx\",\n  \"args\": [1],\n  \"env\": {\"A\": \"1\", \"B\": \"2\"}\n}\n";
    let file = file.replace("[1]", "[\"a\"]");
    let project = Project::with(
        &[("mcp/fs.json", &file)],
        &format!(
            "[mcp-servers]\n{}[patch.mcp-servers.fs]\nenv.B = \"3\"\nenv.C = \"4\"\n",
            entry("fs", "mcp/fs.json", "")
        ),
    );
    project.good("install");
    let flat: String = project.read(".mcp.json").split_whitespace().collect();
    assert!(
        flat.contains("\"env\":{\"A\":\"1\",\"B\":\"3\",\"C\":\"4\"}"),
        "{flat}"
    );
}

#[test]
fn a_patch_goes_with_its_dependency() {
    let project = rust_expert(PROJECT_PATCH);
    project.good("install");
    let output = project.good("remove dep agent rust-expert");
    assert!(output.stdout.contains("and its patch"), "{output}");
    let manifest = project.read("agpm.toml");
    assert!(
        !manifest.contains("patch") && !manifest.contains("haiku"),
        "{manifest}"
    );
    project.good("install --locked");
}

#[test]
fn a_json_file_with_comments_can_be_patched() {
    let file = "// why\n{\n  \"command\": \"npx\", // keep\n  \"args\": [\"a\"]\n}\n";
    Project::one("mcp-servers", "mcp/fs.json", file, "").good("install");
    let project = Project::one(
        "mcp-servers",
        "mcp/fs.json",
        file,
        "[patch.mcp-servers.x]\nargs = [\"b\"]\n",
    );
    project.good("install");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(r#"{"mcpServers": {"x": {"command": "npx", "args": ["b"]}}}"#)
    );
}

#[test]
fn a_colleague_without_private_patches_can_install_locked() {
    let project = Project::one("agents", "agents/a.md", "---\nmodel: x\n---\n", "");
    project.write("agpm.private.toml", "[patch.agents.x]\nmodel = \"y\"\n");
    project.good("install");
    project.remove("agpm.private.toml");
    project.good("install --frozen");
    project.good("install --locked");
}

#[test]
fn a_private_switch_leaves_the_shared_lock_alone() {
    let hook = "{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"x\"}\n";
    let project = Project::one("hooks", "hooks/x.json", hook, "");
    project.good("install");
    let lock = project.read("agpm.lock");
    project.write("agpm.private.toml", "[patch.hooks.x]\nenabled = false\n");
    project.good("install --locked");
    assert!(!project.exists(".claude/settings.local.json"));
    project.good("verify");
    project.good("install");
    let own = project.read("agpm.lock");
    assert_eq!(
        own.lines()
            .filter(|line| !line.contains("patches"))
            .collect::<Vec<_>>(),
        lock.lines().collect::<Vec<_>>()
    );
    project.remove("agpm.private.toml");
    project.good("install --frozen");
    assert!(
        project
            .read(".claude/settings.local.json")
            .contains("\"x\"")
    );
}
