//! `import`: entries of other managers become dependencies, and their files stay.

use agpm_text::Value;

use crate::support::{Project, json};

/// Imports a file and gives the manifest that comes out.
fn imported(format: &str, file: &str, text: &str) -> (Project, String) {
    let project = Project::new();
    project.write(file, text);
    project.good(&format!("import {format}"));
    assert_eq!(project.read(file), text, "the file of the manager stays");
    project.good("validate");
    let manifest = project.read("agpm.toml");
    (project, manifest)
}

fn assert_lines(manifest: &str, lines: &[&str]) {
    for line in lines {
        assert!(
            manifest.lines().any(|written| written == *line),
            "{line}\n{manifest}"
        );
    }
}

const SKILLS_LOCK: &str = r#"{
  "version": 1,
  "skills": {
    "pdf": {"source": "anthropics/skills", "sourceType": "github", "skillPath": "skills/pdf/SKILL.md", "computedHash": "00"},
    "top": {"source": "o/top", "ref": "v1.2.0", "sourceType": "github", "skillPath": "SKILL.md", "computedHash": "00"},
    "lab": {"source": "g/lab", "ref": "0123456789012345678901234567890123456789", "sourceType": "gitlab", "skillPath": "lab"},
    "lost": {"source": "o/lost", "sourceType": "github", "computedHash": "00"},
    "web": {"source": "bun.com", "sourceType": "mintlify", "computedHash": "00"}
  }
}
"#;

#[test]
fn skills_lock_version_1_becomes_skills() {
    let (project, manifest) = imported("skills-lock", "skills-lock.json", SKILLS_LOCK);
    assert_lines(
        &manifest,
        &[
            "skills = \"https://github.com/anthropics/skills\"",
            "pdf = { source = \"skills\", path = \"skills/pdf\", branch = \"main\" }",
            "top = { source = \"top\", path = \".\", version = \"v1.2.0\" }",
            "lab = { source = \"lab\", path = \"lab\", rev = \"0123456789012345678901234567890123456789\" }",
        ],
    );
    let again = project.good("import skills-lock");
    assert!(again.stdout.contains("is unchanged"), "{again}");
    assert!(again.stderr.contains("keeps it"), "{again}");
    assert!(
        again.stderr.contains("run `agpm add o/lost lost`"),
        "{again}"
    );
    assert_eq!(project.read("agpm.toml"), manifest);
}

#[test]
fn the_lockfile_in_home_is_read_for_the_user_and_where_a_project_has_none() {
    let project = Project::new();
    project.write("a.txt", "");
    let lock = "{\"version\": 3, \"skills\": {\"pdf\": {\"source\": \"a/b\", \"sourceType\": \"github\", \
        \"sourceUrl\": \"https://github.com/a/b.git\", \"skillPath\": \"skills/pdf/SKILL.md\", \"skillFolderHash\": \"x\"}}, \
        \"lastSelectedAgents\": [\"codex\"]}";
    let file = project.sandbox.home().join(".agents/.skill-lock.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, lock).unwrap();
    let report = json(&project.good("import skills-lock --json").stdout);
    assert_eq!(report.get("written"), Some(&Value::from(true)));
    assert_lines(
        &project.read("agpm.toml"),
        &["pdf = { source = \"b\", path = \"skills/pdf\", branch = \"main\" }"],
    );
    let report = json(&project.good("import skills-lock -g --json").stdout);
    assert_eq!(report.get("written"), Some(&Value::from(true)));
}

#[test]
fn a_skill_is_for_the_tool_whose_directory_has_it() {
    let project = Project::new();
    project.write("skills-lock.json", SKILLS_LOCK);
    project.write(".agents/skills/pdf/SKILL.md", "x\n");
    project.good("import skills-lock");
    assert!(
        project
            .read("agpm.toml")
            .contains("path = \"skills/pdf\", branch = \"main\", tool = \"agents\""),
    );
}

const APM: &str = "\
name: x
version: 1.0.0
targets: [claude, copilot]
dependencies:
  apm:
    - anthropics/skills/skills/skill-creator#b29e7cf6
    - contoso/prompts/review.prompt.md#v1.0.0
    - git: https://gitlab.com/acme/repo.git
      path: agents/sec.agent.md
      ref: main
      alias: acme-sec
    - microsoft/apm-sample-package
  mcp:
    - name: mine
      registry: false
      transport: stdio
      command: serve
      args: [\"--fast\"]
      env: {TOKEN: ghp_abcdefghijklmnopqrstuvwxyz0123456789}
";
const APM_LOCK: &str = "\
lockfile_version: '1'
dependencies:
- repo_url: anthropics/skills
  host: github.com
  resolved_commit: b29e7cf65e5cb78a5ac33d582270551bc74a14eb
  virtual_path: skills/skill-creator
  package_type: claude_skill
- repo_url: https://github.com/o/plug
  resolved_commit: a123456789012345678901234567890123456789
  package_type: marketplace_plugin
";

#[test]
fn apm_becomes_dependencies_servers_and_tools() {
    let (project, manifest) = imported("apm", "apm.yml", APM);
    assert_lines(
        &manifest,
        &[
            "tools = [\"claude-code\", \"copilot\"]",
            "skill-creator = { source = \"skills\", path = \"skills/skill-creator\", rev = \"b29e7cf6\" }",
            "review = { source = \"prompts\", path = \"review.prompt.md\", version = \"v1.0.0\" }",
            "acme-sec = { source = \"repo\", path = \"agents/sec.agent.md\", version = \"main\" }",
            "mine = { command = \"serve\", args = [\"--fast\"] }",
        ],
    );
    assert!(!manifest.contains("ghp_"), "{manifest}");
    let output = project.good("import apm");
    assert!(
        output.stderr.contains("an APM package has no counterpart"),
        "{output}"
    );
}

#[test]
fn apm_takes_commits_and_types_from_its_lockfile() {
    let project = Project::new();
    project.write("apm.yml", APM);
    project.write("apm.lock.yaml", APM_LOCK);
    project.good("import apm");
    assert_lines(
        &project.read("agpm.toml"),
        &[
            "skill-creator = { source = \"skills\", path = \"skills/skill-creator\", rev = \"b29e7cf65e5cb78a5ac33d582270551bc74a14eb\" }",
        ],
    );
    project.write("agpm.toml", "");
    project.good("import apm apm.lock.yaml");
    assert_lines(
        &project.read("agpm.toml"),
        &[
            "plug = { source = \"plug\", path = \".\", rev = \"a123456789012345678901234567890123456789\" }",
        ],
    );
}

#[test]
fn rulesync_becomes_tools_skills_and_servers() {
    let project = Project::new();
    project.write(
        "rulesync.jsonc",
        "{ // tools\n\"targets\": [\"claudecode\", \"codexcli\"], \"sources\": [\n\
         {\"source\": \"owner/repo\"},\n\
         {\"source\": \"anthropics/skills\", \"skills\": [\"pdf\"]},\n\
         {\"source\": \"o/r@v1.0.0:path/to\", \"skills\": [\"x\"]},\n\
         {\"source\": \"acme/std\", \"rules\": [\"testing\", \"go.md\"]},\n\
         {\"source\": \"pkg\", \"transport\": \"npm\"},\n]}\n",
    );
    let commit = "0123456789012345678901234567890123456789";
    project.write(
        "rulesync.lock",
        &format!("{{\"lockfileVersion\": 1, \"sources\": {{\"owner/repo\": {{\"resolvedRef\": \"{commit}\", \"skills\": {{}}}}}}}}"),
    );
    project.write(
        ".rulesync/mcp.json",
        "{\"mcpServers\": {\"fs\": {\"type\": \"stdio\", \"command\": \"fs\"}}}",
    );
    project.write(
        ".rulesync/rules/a.md",
        "---\ntargets: [\"*\"]\nglobs: [\"src/**\"]\n---\nx\n",
    );
    project.write(
        ".rulesync/subagents/b.md",
        "---\nname: b\ntargets: [cursor]\ndescription: d\n---\nx\n",
    );
    project.write(".rulesync/commands/sub/c.md", "x\n");
    project.write(
        ".rulesync/skills/d/SKILL.md",
        "---\nname: d\ndescription: d\n---\n",
    );
    project.write(".rulesync/skills/.curated/e/SKILL.md", "x\n");
    project.write(".rulesync/.aiignore", "x\n");
    project.write(".rulesyncignore", "x\n");
    let output = project.good("import rulesync");
    assert_lines(
        &project.read("agpm.toml"),
        &[
            "tools = [\"claude-code\", \"codex\"]",
            &format!("repo = {{ source = \"repo\", path = \"skills/*\", rev = \"{commit}\" }}"),
            "pdf = { source = \"skills\", path = \"skills/pdf\", branch = \"main\" }",
            "x = { source = \"r\", path = \"path/to/x\", version = \"v1.0.0\" }",
            "fs = { command = \"fs\" }",
            "go = { source = \"std\", path = \"rules/go.md\", branch = \"main\" }",
            "a = { path = \".rulesync/rules/a.md\" }",
            "b = { path = \".rulesync/subagents/b.md\", tools = [\"cursor\"] }",
            "c = { path = \".rulesync/commands/sub/c.md\" }",
            "d = { path = \".rulesync/skills/d\" }",
        ],
    );
    for words in [
        "an npm package has no counterpart",
        "`.rulesync/.aiignore` has no counterpart",
        "`.rulesyncignore` has no counterpart",
    ] {
        assert!(output.stderr.contains(words), "{words}\n{output}");
    }
}

#[test]
fn ruler_becomes_tools_servers_and_local_skills() {
    let project = Project::new();
    project.write(
        ".ruler/ruler.toml",
        "default_agents = [\"claude\", \"cursor\", \"aider\"]\n[agents.cursor]\nenabled = false\n\
         [mcp_servers.api]\nurl = \"https://api.example\"\n[mcp_servers.api.headers]\nA = \"b\"\n",
    );
    project.write(
        ".ruler/skills/foo/SKILL.md",
        "---\nname: foo\ndescription: d\n---\n",
    );
    project.write(".ruler/AGENTS.md", "x\n");
    project.write(".ruler/deep/rules.md", "x\n");
    project.write(".ruler/agents/helper.md", "x\n");
    let output = project.good("import ruler");
    assert_lines(
        &project.read("agpm.toml"),
        &[
            "tools = [\"claude-code\"]",
            "api = { url = \"https://api.example\" }",
            "foo = { path = \".ruler/skills/foo\" }",
            "AGENTS = { path = \".ruler/AGENTS.md\" }",
            "rules = { path = \".ruler/deep/rules.md\" }",
            "helper = { path = \".ruler/agents/helper.md\" }",
        ],
    );
    for words in ["the tool `aider`", "`headers` of the server `api`"] {
        assert!(output.stderr.contains(words), "{words}\n{output}");
    }
    project.good("install");
    assert!(project.exists(".claude/skills/foo/SKILL.md"));
}

#[test]
fn plugins_of_claude_code_keep_their_marketplaces() {
    let (project, manifest) = imported(
        "claude",
        ".claude/settings.json",
        "{\"enabledPlugins\": {\"a@team\": true, \"off@team\": false, \"b@claude-plugins-official\": true, \"c@gone\": true},\n\
         \"extraKnownMarketplaces\": {\"team\": {\"source\": {\"source\": \"github\", \"repo\": \"o/plugins\"}}}}\n",
    );
    assert_lines(
        &manifest,
        &[
            "team = \"https://github.com/o/plugins\"",
            "a = { marketplace = \"team\", name = \"a\" }",
            "b = { marketplace = \"claude-plugins-official\", name = \"b\" }",
        ],
    );
    assert!(!manifest.contains("off ="), "{manifest}");
    let output = project.good("import claude");
    assert!(
        output.stderr.contains("unknown marketplace `gone`"),
        "{output}"
    );
}

#[test]
fn a_project_of_agpm_cli_is_reported_in_place_and_imported_from_elsewhere() {
    let project = Project::new();
    project.release(&[("agents/a.md", "A.\n")]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.write("old.lock", "");
    let before = project.tree();
    let output = project.good("import agpm-cli");
    assert!(output.stdout.contains("no file was changed"), "{output}");
    assert_eq!(project.tree(), before);
    project.write(
        "old/agpm.toml",
        "[sources]\ncommunity = \"https://x.example/other.git\"\n[agents]\na = { source = \"community\", path = \"a.md\" }\n\
         b = { source = \"community\", path = \"b.md\", version = \"v1\" }\nc = \"./c.md\"\n[target]\nagents = \"x\"\n",
    );
    let output = project.good("import agpm-cli old/agpm.toml");
    assert!(
        output.stderr.contains("has agents/a already, and keeps it"),
        "{output}"
    );
    assert!(
        output.stderr.contains("`target` has no counterpart"),
        "{output}"
    );
    assert_lines(
        &project.read("agpm.toml"),
        &[
            "x-example-community = \"https://x.example/other.git\"",
            "c = { path = \"old/c.md\" }",
        ],
    );
}

#[test]
fn bad_files_are_reported_whole_and_change_nothing() {
    let deep = format!(
        "{{\"version\": 1, \"skills\": {}1{}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    for (format, file, text, words) in [
        (
            "skills-lock",
            "l.json",
            "{\"version\": 1, \"skills\": {\"a\": {\"sou",
            &["json/"][..],
        ),
        (
            "skills-lock",
            "l.json",
            "[]",
            &["this file is not a lockfile of skills"],
        ),
        (
            "skills-lock",
            "l.json",
            "",
            &["this file is not a lockfile of skills"],
        ),
        (
            "skills-lock",
            "l.json",
            "{\"version\": 9, \"skills\": {}}",
            &["unknown version `9`"],
        ),
        (
            "skills-lock",
            "l.json",
            "{\"version\": 1, \"skills\": 5}",
            &["`skills` is a number"],
        ),
        (
            "skills-lock",
            "l.json",
            "{\"version\": 1, \"skills\": {\"../x\": {\"source\": \"a/b\", \"skillPath\": \"../../etc\"}, \"y\": 5, \
             \"z\": {\"source\": 1, \"skillPath\": \"/abs\"}}}",
            &[
                "`../x` cannot be the name",
                "leaves its directory",
                "the skill is a number",
                "`source` is a number",
                "absolute",
            ],
        ),
        ("skills-lock", "l.json", &deep, &["error["]),
        ("apm", "apm.yml", "dependencies: [a, b\n", &["yaml/"]),
        (
            "apm",
            "apm.yml",
            "dependencies: 5\n",
            &["`dependencies` is a number"],
        ),
        (
            "apm",
            "apm.yml",
            "dependencies:\n  apm:\n    - 5\n    - o/r/../../x.agent.md\n",
            &["a dependency is a number", "leaves its directory"],
        ),
        (
            "rulesync",
            "r.jsonc",
            "{\"targets\": 5, \"sources\": [1, {}]}",
            &[
                "`targets` is a number",
                "a source is a number",
                "has no `source`",
            ],
        ),
        (
            "ruler",
            "r.toml",
            "default_agents = 5\n",
            &["`default_agents` is a number"],
        ),
        (
            "claude",
            "s.json",
            "{\"enabledPlugins\": {\"a\": true, \"b@c\": \"x\"}}",
            &["does not name a marketplace", "not true or false"],
        ),
        (
            "agpm-cli",
            "old.toml",
            "[agents]\na = { source = \"gone\", path = \"a.md\" }\n",
            &["the source `gone` is not in `[sources]`"],
        ),
    ] {
        let project = Project::new();
        project.write(file, text);
        let before = project.tree();
        let output = project.run(&format!("import {format} {file}"));
        assert_eq!(output.code, Some(1), "{text}\n{output}");
        for word in words {
            assert!(output.stderr.contains(word), "{word}\n{text}\n{output}");
        }
        assert_eq!(project.tree(), before, "{text}");
    }
}

#[test]
fn byte_order_marks_and_windows_lines_are_read() {
    let project = Project::new();
    let text = SKILLS_LOCK.replace('\n', "\r\n");
    project.write("skills-lock.json", &format!("\u{feff}{text}"));
    project.good("import skills-lock");
    project.good("validate");
    assert!(project.read("agpm.toml").contains("pdf = {"));
}

#[test]
fn a_missing_file_and_an_unknown_format_say_what_to_do() {
    let project = Project::new();
    project.write("a.txt", "");
    project.refused(
        "import apm",
        1,
        &["apm.yml", "name the file: `agpm import apm FILE`"],
    );
    project.refused("import skill-lock", 3, &["did you mean `skills-lock`?"]);
    let output = project.run("import apm --json");
    let report = json(&output.stdout);
    assert_eq!(report.get("ok"), Some(&Value::from(false)));
    assert!(!project.exists("agpm.toml"));
}

#[test]
fn a_dry_run_prints_the_sections_and_writes_nothing() {
    let project = Project::new();
    project.write("skills-lock.json", SKILLS_LOCK);
    let output = project.good("import skills-lock --dry-run");
    assert!(output.stdout.contains("[skills]\npdf = {"), "{output}");
    assert!(!project.exists("agpm.toml"));
}
