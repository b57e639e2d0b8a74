//! Files of a project from before agpm: found, described in place, and left unchanged.

use proptest::prelude::*;

use agpm_text::Value;

use crate::support::{Project, entry, json};

const AGENT: &str = "---\nname: reviewer\ndescription: Reviews\n---\nReview.\n";
const SKILL: &str = "---\nname: pdf\ndescription: PDF files\n---\nRead.\n";

/// A project with a file of every detected kind.
fn furnished() -> Project {
    let project = Project::new();
    project.write(".claude/agents/reviewer.md", AGENT);
    project.write(".claude/agents/team/lead.md", AGENT);
    project.write(".claude/agents/README.md", "About.\n");
    project.write(".claude/commands/ship.md", "Ship {{ agpm.project.x }}\n");
    project.write(".claude/skills/pdf/SKILL.md", SKILL);
    project.write(".claude/skills/pdf/scripts/run.sh", "exit 0\n");
    project.write(".cursor/agents/reviewer.md", AGENT);
    project.write(".cursor/rules/style.mdc", "---\nalwaysApply: true\n---\n");
    project.write("CLAUDE.md", "Be kind.\n");
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"fs\": {\"command\": \"fs\"}}}\n",
    );
    project.write(
        ".claude/settings.json",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}\n",
    );
    project.write("skills-lock.json", "{\"version\": 1, \"skills\": {}}\n");
    project
}

/// Everything but the files of agpm.
fn own_files(project: &Project) -> Vec<(String, Vec<u8>)> {
    let is_agpms = |name: &str| {
        name.starts_with("agpm.") || name.starts_with(".agpm/") || name == ".gitignore"
    };
    let files = project.tree().into_iter();
    files.filter(|(name, _)| !is_agpms(name)).collect()
}

fn clone(project: &Project, url: &str, to: &str) {
    let mut command = project.sandbox.command("git");
    let to = project.path(to);
    command.args(["clone", "-q", url]).arg(to);
    let output = project.sandbox.output(command);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn init_reports_existing_files_and_the_chosen_tools() {
    let project = furnished();
    let before = own_files(&project);
    let output = project.good("init");
    for line in [
        "found agent .claude/agents/reviewer.md (claude-code)",
        "found agent .claude/agents/team/lead.md (claude-code)",
        "found agent .cursor/agents/reviewer.md (cursor)",
        "found command .claude/commands/ship.md (claude-code)",
        "found skill .claude/skills/pdf (claude-code)",
        "found instruction .cursor/rules/style.mdc (cursor)",
        "found instructions CLAUDE.md (claude-code)",
        "found hooks in .claude/settings.json: Stop (claude-code)",
        "found MCP servers in .mcp.json: fs (claude-code)",
        "found skills-lock.json of skills: agpm import skills-lock",
        "tools: claude-code, cursor (found in the project)",
    ] {
        assert!(
            output.stdout.lines().any(|printed| printed == line),
            "{line}\n{output}"
        );
    }
    assert!(!output.stdout.contains("README"), "{output}");
    assert_eq!(own_files(&project), before);
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("[project]\ntools = [\"claude-code\", \"cursor\"]\n"),
        "{manifest}"
    );
    assert!(!manifest.contains("in-place"), "{manifest}");
    project.good("install");
}

#[test]
fn init_bare_does_not_look() {
    let project = furnished();
    let output = project.good("init --bare");
    assert!(!output.stdout.contains("found"), "{output}");
    assert!(!project.read("agpm.toml").contains("[project]"));
}

#[test]
fn tools_in_home_count_only_where_the_project_has_none() {
    let project = Project::new();
    project.write("src/main.rs", "");
    std::fs::create_dir_all(project.sandbox.home().join(".gemini")).unwrap();
    std::fs::create_dir_all(project.sandbox.home().join(".agents/skills")).unwrap();
    let report = json(&project.good("init --json").stdout);
    assert_eq!(report.get("tools_from"), Some(&Value::from("home")));
    assert_eq!(report.get("tools"), Some(&Value::list(["gemini"])));
    project.write(".cursor/rules/a.mdc", "x\n");
    let report = json(&project.good("init --force --json").stdout);
    assert_eq!(report.get("tools"), Some(&Value::list(["cursor"])));
    assert_eq!(report.get("tools_from"), Some(&Value::from("project")));
}

#[test]
fn adopted_files_are_described_listed_and_never_touched() {
    let project = furnished();
    let before = own_files(&project);
    let output = project.good("init --adopt");
    assert!(
        output
            .stdout
            .contains("Adopted 6 resources; no file was changed"),
        "{output}"
    );
    let manifest = project.read("agpm.toml");
    for line in [
        "reviewer = { path = \".claude/agents/reviewer.md\", tool = \"claude-code\", in-place = true }",
        "reviewer-cursor = { path = \".cursor/agents/reviewer.md\", tool = \"cursor\", in-place = true }",
        "style = { path = \".cursor/rules/style.mdc\", tool = \"cursor\", in-place = true }",
        "pdf = { path = \".claude/skills/pdf\", tool = \"claude-code\", in-place = true }",
    ] {
        assert!(manifest.contains(line), "{line}\n{manifest}");
    }
    project.good("install");
    assert_eq!(own_files(&project), before);
    project.good("verify");
    project.good("validate");
    assert_eq!(project.good("install --frozen --check").code, Some(0));
    let listed = project.good("list --json").stdout;
    assert!(
        listed.contains("\"installed_at\": \".claude/skills/pdf\""),
        "{listed}"
    );
    for id in [
        "agents/reviewer",
        "skills/pdf",
        "commands/ship",
        "instructions/style",
    ] {
        project.good(&format!("remove {id}"));
    }
    assert_eq!(own_files(&project), before);
    project.good("undo");
    assert_eq!(own_files(&project), before);
}

#[test]
fn an_edited_file_in_place_is_drift_until_the_next_install() {
    let project = furnished();
    project.good("init --adopt");
    project.good("install");
    project.write(".claude/agents/reviewer.md", "Other.\n");
    let output = project.run("verify");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output
            .stdout
            .contains(".claude/agents/reviewer.md is not what `agpm.lock` has"),
        "{output}"
    );
    assert!(!output.stdout.contains("skills/pdf"), "{output}");
    assert_eq!(project.run("install --frozen --check").code, Some(1));
    project.good("install");
    assert_eq!(project.read(".claude/agents/reviewer.md"), "Other.\n");
    project.good("verify");
    project.write(".claude/skills/pdf/scripts/run.sh", "exit 1\n");
    assert_eq!(project.run("verify").code, Some(1));
}

/// A file that agpm wrote and that is described in place later stays too.
#[test]
fn a_managed_file_that_is_described_in_place_stays() {
    let project = Project::new();
    project.release(&[("agents/a.md", AGENT)]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    project.manifest(
        "[agents]\na = { path = \".claude/agents/a.md\", tool = \"claude-code\", in-place = true }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), AGENT);
    project.manifest("");
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), AGENT);
}

#[test]
fn in_place_is_for_files_of_the_project() {
    let project = Project::new();
    project.write(".claude/agents/a.md", AGENT);
    for (manifest, words) in [
        (
            "[agents]\na = { path = \"../a.md\", in-place = true }\n",
            "a resource in place is a file of this project",
        ),
        (
            "[agents]\na = { path = \".claude/agents/*.md\", in-place = true }\n",
            "cannot be a pattern",
        ),
        (
            "[hooks]\na = { path = \"a.json\", in-place = true }\n",
            "`in-place` cannot be set for hooks",
        ),
        (
            "[agents]\na = { path = \".claude/agents/a.md\", in-place = true, filename = \"b\" }\n",
            "`in-place` and `filename` cannot be combined",
        ),
    ] {
        project.write("agpm.toml", manifest);
        let output = project.run("validate");
        assert_eq!(output.code, Some(1), "{manifest}{output}");
        assert!(
            output.stderr.contains(words) || output.stdout.contains(words),
            "{output}"
        );
    }
    project.write(
        "agpm.toml",
        "[agents]\na = { path = \".claude/agents/a.md\", in-place = true }\n[patch.agents.a]\nmodel = \"x\"\n",
    );
    let output = project.run("install");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output
            .stderr
            .contains("is in place, so it cannot be patched"),
        "{output}"
    );
}

#[test]
fn a_nested_clone_becomes_a_dependency_on_its_commit() {
    let project = Project::new();
    let url = project
        .release(&[("SKILL.md", SKILL), ("run.sh", "exit 0\n")])
        .url();
    clone(&project, &url, ".claude/skills/pdf");
    project.write(".claude/skills/mine/SKILL.md", SKILL);
    let before = own_files(&project);
    let output = project.good("init --adopt");
    assert!(
        output
            .stdout
            .contains("adopted skills/pdf from file://[SANDBOX]/work/community at "),
        "{output}"
    );
    let manifest = project.read("agpm.toml");
    assert!(manifest.contains("path = \".\", rev = \""), "{manifest}");
    assert!(
        manifest.contains("mine = { path = \".claude/skills/mine\""),
        "{manifest}"
    );
    project.good("install");
    assert_eq!(own_files(&project), before);
    project.good("verify");
    project.good("remove skills/pdf");
    assert_eq!(own_files(&project), before);
}

#[test]
fn a_clone_that_was_edited_is_described_in_place() {
    let project = Project::new();
    let url = project.release(&[("SKILL.md", SKILL)]).url();
    clone(&project, &url, ".claude/skills/pdf");
    project.write(".claude/skills/pdf/SKILL.md", "Other.\n");
    let output = project.good("init --adopt");
    assert!(
        output.stdout.contains("in place") && output.stdout.contains("has other bytes"),
        "{output}"
    );
    project.good("install");
    assert_eq!(project.read(".claude/skills/pdf/SKILL.md"), "Other.\n");
}

#[test]
fn a_skill_of_a_lockfile_becomes_a_dependency_if_its_bytes_are_the_same() {
    let project = Project::new();
    let files = [
        ("skills/pdf/SKILL.md", SKILL),
        ("skills/old/SKILL.md", SKILL),
    ];
    let url = project.release(&files).url();
    project.write(".agents/skills/pdf/SKILL.md", SKILL);
    project.write(".agents/skills/old/SKILL.md", "Older.\n");
    let entry = |name: &str| {
        format!(
            "\"{name}\": {{\"source\": \"{url}\", \"sourceType\": \"git\", \"skillPath\": \"skills/{name}/SKILL.md\"}}"
        )
    };
    let lock = format!(
        "{{\"version\": 1, \"skills\": {{{}, {}}}}}",
        entry("pdf"),
        entry("old")
    );
    project.write("skills-lock.json", &lock);
    let before = own_files(&project);
    let output = project.good("init --adopt");
    let from = "adopted skills/pdf from file://[SANDBOX]/work/community at main";
    assert!(output.stdout.contains(from), "{output}");
    assert!(
        output.stdout.contains("adopted skills/old in place"),
        "{output}"
    );
    project.good("install");
    assert_eq!(own_files(&project), before);
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("path = \"skills/pdf\", tool = \"agents\", branch = \"main\""),
        "{manifest}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Adopting and installing changes no byte, whatever the files hold.
    #[test]
    fn adopting_and_installing_changes_no_byte(files in generated_files()) {
        let project = Project::new();
        for (path, text) in &files {
            project.write(path, text);
        }
        let before = own_files(&project);
        project.good("init --adopt");
        prop_assert_eq!(&own_files(&project), &before);
        project.good("install");
        prop_assert_eq!(&own_files(&project), &before);
        prop_assert_eq!(project.run("install --frozen --check").code, Some(0));
        project.write("agpm.toml", "");
        project.good("install");
        prop_assert_eq!(&own_files(&project), &before);
    }
}

/// Files at paths that tools read, with unusual contents.
fn generated_files() -> impl Strategy<Value = Vec<(String, String)>> {
    let directory = prop::sample::select(vec![
        ".claude/agents",
        ".claude/agents/deep/er",
        ".claude/commands",
        ".cursor/agents",
        ".opencode/agent",
        ".codex/agents",
        ".gemini/commands",
        ".github/agents",
        ".github/prompts",
        ".claude/rules",
        ".cursor/rules/deep",
        ".github/instructions",
        ".kiro/steering",
        ".clinerules/workflows",
        ".kiro/agents",
        ".devin/agents",
        ".goose/agents",
        ".agents/workflows",
    ]);
    let name = prop::sample::select(vec![
        "a.md",
        "A.md",
        "b.agent.md",
        "c.prompt.md",
        "d.toml",
        "e.mdc",
        "f.instructions.md",
        "[x].md",
        "ü ber.md",
        "README.md",
    ]);
    let text = prop::sample::select(vec![
        "",
        "plain\n",
        "---\nname: [unclosed\n---\n",
        "{{ agpm.project.missing }}\n",
        "---\ndependencies:\n  snippets:\n  - path: none.md\n---\n",
        "\u{feff}---\r\nname: a\r\n---\r\n",
        "name = \"x\"\n",
        "---\nmode: subagent\n---\nx\n",
        "---\nagpm:\n  templating: true\n---\n{% if %}",
    ]);
    let file = (directory, name, text.clone())
        .prop_map(|(directory, name, text)| (format!("{directory}/{name}"), text.to_owned()));
    let skill = (
        prop::sample::select(vec![".claude/skills", ".agents/skills", ".cursor/skills"]),
        prop::sample::select(vec!["pdf", "Big Name", "x.y"]),
        prop::sample::select(vec![
            "SKILL.md",
            "scripts/run.sh",
            "node_modules/m/index.js",
        ]),
        text,
    )
        .prop_map(|(directory, skill, file, text)| {
            (format!("{directory}/{skill}/{file}"), text.to_owned())
        });
    prop::collection::vec(prop_oneof![file, skill], 1..8)
}

#[test]
fn adopting_adds_to_an_existing_manifest_and_changes_nothing_else_in_it() {
    let project = Project::new();
    project.release(&[(
        "agents/far.md",
        "---\nname: far\ndescription: d\n---\nFar.\n",
    )]);
    let manifest = format!(
        "# mine\n[sources]\ncommunity = \"../community\"\n\n[agents]\n{}",
        entry("far", "agents/far.md", "")
    );
    project.write("agpm.toml", &manifest);
    project.good("install");
    let own = "---\nname: own\ndescription: d\n---\nOwn.\n";
    project.write(".claude/agents/own.md", own);
    let output = project.good("init --adopt");
    assert!(
        output.stdout.contains("Added 1 dependency to agpm.toml"),
        "{output}"
    );
    let extended = project.read("agpm.toml");
    assert!(extended.starts_with(&manifest), "{extended}");
    assert!(
        extended.contains("own = { path = \".claude/agents/own.md\""),
        "{extended}"
    );
    assert!(!extended.contains("tools ="), "{extended}");
    project.good("install");
    assert_eq!(project.read(".claude/agents/own.md"), own);
    // What is managed already is not added again.
    let again = project.good("init --adopt");
    assert!(again.stdout.contains("Nothing to add"), "{again}");
    assert_eq!(project.read("agpm.toml"), extended);
    project.good("undo");
    project.refused("init", 6, &["agpm init --adopt"]);
    let replaced = project.good("init --force");
    assert!(
        replaced
            .stdout
            .contains("Replaced agpm.toml; `agpm undo` restores it"),
        "{replaced}"
    );
    project.good("undo");
    assert_eq!(project.read("agpm.toml"), extended);
    // A manifest with errors is not extended.
    project.write("agpm.toml", "[agents\n");
    project.refused("init --adopt", 1, &["toml/syntax"]);
}
