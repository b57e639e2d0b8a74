//! Lists, explanations and checks say what is true of the project, on content as people write it.

use crate::support::{Project, entry, json};

#[test]
fn each_chain_has_its_own_requirement() {
    let project = Project::new();
    let needs = |requirement: &str| {
        format!(
            "---\ndependencies:\n  snippets:\n    - path: s/h.md\n      version: \"{requirement}\"\n---\nx\n"
        )
    };
    project.source(&[(
        "v1.1.0",
        &[
            ("agents/a.md", &needs("^1.0")),
            ("agents/b.md", &needs("^1.1")),
            (
                "agents/c.md",
                "---\ndependencies:\n  snippets:\n    - path: s/h.md\n---\nx\n",
            ),
            ("s/h.md", "h\n"),
        ],
    )]);
    let entries = ["a", "b", "c"].map(|name| {
        format!("{name} = {{ source = \"community\", path = \"agents/{name}.md\", version = \"^1.0\" }}\n")
    });
    project.manifest(&format!("[agents]\n{}", entries.concat()));
    project.good("install");
    let output = project.good("why snippets/h");
    for line in ["required as ^1.0\n", "required as ^1.1\n"] {
        assert!(output.stdout.contains(line), "{line}{output}");
    }
    assert!(!output.stdout.contains("&&"), "{output}");
}

#[test]
fn a_name_of_the_manifest_is_known_before_the_first_install() {
    let project = Project::new();
    project.write("a.md", "a\n");
    project.manifest("[agents]\nalpha = \"a.md\"\n");
    for line in [
        "why alpha",
        "why agents/alpha",
        "explain agents/alpha",
        "explain alpha",
    ] {
        let output = project.good(line);
        assert!(output.stdout.contains("agents/alpha"), "{line}\n{output}");
        assert!(output.stderr.contains("agpm install"), "{line}\n{output}");
    }
    for line in ["why beta", "explain agents/beta"] {
        assert_eq!(project.run(line).code, Some(3), "{line}");
    }
}

#[test]
fn a_hook_that_a_patch_disables_is_not_installed_anywhere() {
    let project = Project::new();
    project.write("a.md", "a\n");
    project.write(
        "h.json",
        r#"{"events": ["Stop"], "type": "command", "command": "x"}"#,
    );
    project.manifest(
        "[agents]\na = \"a.md\"\n[hooks]\nh = \"h.json\"\n[patch.hooks.h]\nenabled = false\n",
    );
    let output = project.good("install");
    assert!(
        output.stdout.contains("Installed 1 resource, 1 disabled"),
        "{output}"
    );
    let output = project.good("list");
    assert!(output.stdout.contains("(disabled)"), "{output}");
    assert!(!output.stdout.contains("settings"), "{output}");
    let output = project.good("explain hooks/h");
    assert!(
        output.stdout.contains("installed at: nowhere (disabled)"),
        "{output}"
    );
    let output = project.good("status");
    assert!(output.stdout.contains("1 agent\n"), "{output}");
    project.good("install --locked");
    project.manifest("[agents]\na = \"a.md\"\n[hooks]\nh = \"h.json\"\n");
    project.good("install");
    let output = project.good("list");
    assert!(!output.stdout.contains("(disabled)"), "{output}");
}

#[test]
fn a_pattern_without_matches_left_is_not_missing_from_the_lockfile() {
    let project = Project::new();
    for name in ["w", "x", "y"] {
        project.write(&format!("a/{name}.md"), &format!("{name}\n"));
    }
    project.manifest(
        "[agents]\na1 = \"a/*.md\"\na2 = { path = \"a/[xy].md\", exclude = [\"x\", \"y\"] }\n",
    );
    project.good("install");
    let output = project.good("list");
    assert!(!output.stderr.contains("lock/outdated"), "{output}");
}

#[test]
fn an_agent_with_tools_in_lower_case_is_copied_with_its_patch() {
    let project = Project::new();
    let agent =
        "---\nname: x\ndescription: d\nmodel: claude-3-opus\ntools: [read, write]\n---\nx\n";
    project.write("x.md", agent);
    project.manifest("[agents]\nx = \"x.md\"\n");
    project.good("install");
    assert_eq!(project.read(".claude/agents/x.md"), agent);
    project.manifest(
        "[agents]\nx = \"x.md\"\n[patch.agents.x]\nmax_tokens = 4096\ntemperature = \"0.8\"\n",
    );
    project.good("install");
    let installed = project.read(".claude/agents/x.md");
    for line in [
        "max_tokens: 4096",
        "temperature: \"0.8\"",
        "tools: [read, write]",
    ] {
        assert!(installed.contains(line), "{line}\n{installed}");
    }
}

#[test]
fn patched_fields_survive_a_conversion_or_are_not_locked() {
    let project = Project::new();
    project.write(
        "x.agent.md",
        "---\nname: x\ndescription: d\ntools: ['codebase']\n---\nx\n",
    );
    project.manifest(
        "[agents]\nx = { path = \"x.agent.md\", tools = [\"claude-code\", \"gemini\"] }\n\
         [patch.agents.x]\nmax_tokens = 4096\n",
    );
    let output = project.good("install");
    assert!(
        project
            .read(".claude/agents/x.agent.md")
            .contains("max_tokens: 4096")
    );
    assert!(output.stderr.contains("patch/dropped"), "{output}");
    assert!(output.stderr.contains("agents/x for gemini"), "{output}");
    assert!(
        project
            .read("agpm.lock")
            .contains("\npatches = [\"max_tokens\"]")
    );
    project.good("install --locked");
    project.manifest(
        "[agents]\nx = { path = \"x.agent.md\", tool = \"gemini\" }\n\
         [patch.agents.x]\nmax_tokens = 4096\n",
    );
    project.good("install");
    let lock = project.read("agpm.lock");
    assert!(!lock.contains("\npatches = "), "{lock}");
    assert!(
        lock.contains("dropped_patches = [\"max_tokens\"]"),
        "{lock}"
    );
    project.good("install --locked");
    project.good("ci");
}

#[test]
fn the_way_out_of_equal_names_works() {
    let project = Project::new();
    let parent = "---\nname: same\ndescription: d\ndependencies:\n  agents:\n    - path: agents/z.md\n---\nx\n";
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", parent),
            ("agents/z.md", "---\nname: same\ndescription: d\n---\nx\n"),
        ],
    )]);
    let manifest = format!("[agents]\n{}", entry("a", "agents/a.md", ""));
    project.manifest(&manifest);
    let output = project.good("install");
    let way_out = "`[patch.agents.a]` with `name = \"a\"`";
    assert!(output.stderr.contains(way_out), "{output}");
    project.manifest(&format!("{manifest}\n[patch.agents.a]\nname = \"a\"\n"));
    let output = project.good("install");
    assert!(!output.stderr.contains("same-name"), "{output}");
}

#[test]
fn many_locations_of_one_warning_are_one_on_screen() {
    let project = Project::new();
    project.write("a.md", "a\n");
    let lines: String = (0..30)
        .map(|number| {
            format!(
                "a{number} = {{ path = \"a.md\", filename = \"a{number}.md\", repo = \"x\" }}\n"
            )
        })
        .collect();
    project.manifest(&format!("[agents]\n{lines}"));
    let folded = project.good("install --dry-run");
    assert!(folded.stderr.contains("30 keys"), "{folded}");
    assert!(
        folded
            .stderr
            .contains("and 29 more locations; `-v` shows all"),
        "{folded}"
    );
    assert!(folded.stderr.lines().count() < 15, "{folded}");
    let all = project.good("install --dry-run -v");
    assert!(all.stderr.matches("repo = ").count() >= 30, "{all}");
    let json = json(&project.good("install --dry-run --json").stdout);
    let found = json
        .get("diagnostics")
        .map(|list| list.to_json())
        .unwrap_or_default();
    assert!(found.contains("30 keys"), "{found}");
}

#[test]
fn a_hook_that_a_tool_cannot_run_names_the_tool_and_the_entry() {
    let project = Project::new();
    project.write(
        "deep/hooks.json",
        r#"{"hooks": {"WorktreeCreate": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#,
    );
    project.manifest(
        "[hooks]\nmine = { path = \"deep/hooks.json\", tools = [\"claude-code\", \"codex\", \"copilot\"] }\n",
    );
    let output = project.run("install");
    assert_eq!(output.code, Some(1), "{output}");
    for words in ["hooks/mine for codex", "hooks/mine for copilot"] {
        assert!(output.stderr.contains(words), "{words}\n{output}");
    }
    assert!(!output.stderr.contains("`hooks`"), "{output}");
}

#[test]
fn names_that_are_one_file_on_some_system_clash() {
    for (one, other) in [
        ("caf\u{e9}", "cafe\u{301}"),
        ("\u{17f}", "s"),
        ("stra\u{df}e", "strasse"),
    ] {
        let project = Project::new();
        project.write(&format!("a/{one}.md"), "1\n");
        project.write(&format!("a/{other}.md"), "2\n");
        project.manifest("[agents]\nall = \"a/*.md\"\n");
        let output = project.run("install");
        assert!(matches!(output.code, Some(1 | 6)), "{output}");
        assert!(output.stderr.contains("package/target-clash"), "{output}");
        assert!(!project.exists(".claude"), "{output}");
    }
    for name in ["a\u{200b}b", "\u{202e}ba", "a\u{e0041}"] {
        let project = Project::new();
        project.write(&format!("a/{name}.md"), "1\n");
        project.manifest("[agents]\nall = \"a/*.md\"\n");
        let output = project.run("install");
        assert_eq!(output.code, Some(6), "{output}");
        assert!(output.stderr.contains("invisible character"), "{output}");
        assert!(!project.exists(".claude"), "{output}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_in_place_of_a_lockfile_or_an_imported_file_are_not_waited_for() {
    let pipe = |project: &Project, path: &str| {
        let status = std::process::Command::new("mkfifo")
            .arg(project.path(path))
            .status()
            .unwrap();
        assert!(status.success());
    };
    let project = Project::new();
    project.write("a.md", "a\n");
    project.manifest("[agents]\na = \"a.md\"\n");
    project.good("install");
    std::fs::remove_file(project.path("agpm.lock")).unwrap();
    pipe(&project, "agpm.lock");
    pipe(&project, "skills-lock.json");
    pipe(&project, "apm.yml");
    for line in [
        "install",
        "install --frozen",
        "ci",
        "list",
        "import agpm-cli",
        "import skills-lock",
        "import apm apm.yml",
        "import",
    ] {
        let output = project.run(line);
        assert_ne!(output.code, None, "{line}\n{output}");
    }
    let output = project.run("import apm apm.yml");
    assert!(output.stderr.contains("is not a regular file"), "{output}");
}

#[test]
fn line_breaks_in_names_forge_no_line() {
    let project = Project::new();
    project.write(".claude/agents/a\"b\nforged line.md", "x\n");
    let output = project.good("init --adopt");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(
        !lines.iter().any(|line| line.starts_with("forged")),
        "{output}"
    );
    assert!(output.stdout.contains("\\n"), "{output}");
}

#[test]
fn import_alone_lists_what_it_finds() {
    let project = Project::new();
    project.write("a.txt", "");
    let output = project.good("import");
    assert!(
        output.stderr.contains("No files of other managers found"),
        "{output}"
    );
    project.write("skills-lock.json", "{\"version\": 1, \"skills\": {}}");
    project.write(".ruler/ruler.toml", "");
    let output = project.good("import");
    for line in [
        "found skills-lock.json of skills: agpm import skills-lock\n",
        "found .ruler/ruler.toml of ruler: agpm import ruler\n",
    ] {
        assert!(output.stdout.contains(line), "{line}{output}");
    }
    let json = json(&project.good("import --json").stdout);
    assert!(json.get("found").is_some(), "{json:?}");
}

#[test]
fn an_import_in_place_says_which_files_move() {
    let project = Project::new();
    project.write("a/x.md", "x\n");
    project.manifest("[agents]\nx = \"a/x.md\"\n");
    project.write(".claude/agents/agpm/x.md", "x\n");
    project.write(
        "agpm.lock",
        "version = 1\n[[agents]]\nname = \"a/x\"\npath = \"a/x.md\"\nchecksum = \"\"\n\
         installed_at = \".claude/agents/agpm/x.md\"\ndependencies = []\nmanifest_alias = \"x\"\napplied_patches = {}\n",
    );
    let output = project.good("import agpm-cli");
    let line = ".claude/agents/agpm/x.md: moves to `.claude/agents/x.md`\n";
    assert!(output.stdout.contains(line), "{output}");
    let output = project.good("import");
    assert!(output.stdout.contains("of agpm-cli"), "{output}");
    project.good("install");
    assert!(!project.exists(".claude/agents/agpm"));
}

#[test]
fn a_file_in_home_is_named_when_it_is_read() {
    let project = Project::new();
    project.write("a.txt", "");
    let file = project.sandbox.home().join(".agents/.skill-lock.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{\"version\": 3, \"skills\": {}}").unwrap();
    let output = project.good("import skills-lock");
    assert!(
        output.stderr.contains("`skills-lock.json` does not exist"),
        "{output}"
    );
    assert!(
        output.stderr.contains(".agents/.skill-lock.json` is read"),
        "{output}"
    );
}

#[test]
fn a_server_of_a_layer_is_judged_with_its_arguments() {
    let project = Project::new();
    project.write(
        "team/.mcp.json",
        r#"{"mcpServers": {"near": {"command": "npx", "args": ["@corp/fs"], "env": {"A": "b"}}}}"#,
    );
    project.manifest("[[layers]]\nname = \"team\"\npath = \"team\"\n");
    project.write("policy.toml", "[mcp]\nallow-commands = [\"npx @corp/*\"]\n");
    project.good("install --policy policy.toml");
    project.write(
        "policy.toml",
        "[mcp]\nallow-commands = [\"npx @other/*\"]\n",
    );
    let output = project.run("install --force --policy policy.toml");
    assert_eq!(output.code, Some(6), "{output}");
    assert!(output.stderr.contains("npx @corp/fs"), "{output}");
}

#[test]
fn ci_reports_all_findings_of_the_lockfile_and_goes_on() {
    let project = Project::new();
    project.write("a.md", "a\n");
    project.write("b.md", "b\n");
    project.manifest("[agents]\na = \"a.md\"\nb = \"b.md\"\n[snippets]\ns = \"b.md\"\n");
    project.good("install");
    project.manifest("[agents]\na = \"a.md\"\nc = \"b.md\"\n[snippets]\ns = \"b.md\"\n");
    project.write(".claude/agents/a.md", "changed\n");
    let output = project.run("ci");
    assert_eq!(output.code, Some(5), "{output}");
    for words in [
        "agents/c is not in the lockfile",
        "agents/b is no longer required",
        ".claude/agents/a.md was modified",
    ] {
        assert!(output.stdout.contains(words), "{words}\n{output}");
    }
    for line in [
        "failed   lock  (2 findings)",
        "ok       approval",
        "ok       policy",
    ] {
        assert!(output.stdout.contains(line), "{line}\n{output}");
    }
}

#[test]
fn an_age_is_shown_as_it_is_written() {
    let project = Project::new();
    project.manifest("");
    project.write("policy.toml", "[versions]\nmin-release-age = \"7d\"\n");
    let output = project.good("policy show --policy policy.toml");
    assert!(output.stdout.contains("7d"), "{output}");
    let output = project.good("policy show --policy policy.toml --json");
    assert!(output.stdout.contains("\"7d\""), "{output}");
}

#[test]
fn a_former_name_of_a_code_leads_to_its_page() {
    let project = Project::new();
    project.manifest("");
    let output = project.good("explain install/not-ours");
    assert!(output.stdout.contains("install/unmanaged"), "{output}");
}

#[test]
fn conversions_that_differ_only_in_reasons_are_one_line() {
    let project = Project::new();
    let lines: String = (0..9)
        .map(|number| {
            let text = format!(
                "---\nname: a{number}\ndescription: d\ntools: [Read, Odd{number}]\n---\nx\n"
            );
            project.write(&format!("a/a{number}.md"), &text);
            format!("a{number} = {{ path = \"a/a{number}.md\", tool = \"gemini\" }}\n")
        })
        .collect();
    project.manifest(&format!("[agents]\n{lines}"));
    let output = project.good("install");
    let converts = output
        .stdout
        .lines()
        .filter(|line| line.starts_with("converts"));
    let converts: Vec<&str> = converts.collect();
    let expected = "converts  agents/a0, agents/a1 and 7 more for gemini: tools approximated for 9 reasons; `-v` shows them";
    assert_eq!(converts, [expected], "{output}");
}

#[test]
fn a_match_of_two_patterns_is_excluded_by_its_short_name() {
    let project = Project::new();
    project.write("a/deep/analyzer.md", "x\n");
    let manifest = "[agents]\none = \"a/**/*.md\"\ntwo = { path = \"a/deep/*.md\"MORE }\n";
    project.manifest(&manifest.replace("MORE", ""));
    let output = project.run("install");
    assert!(
        output.stderr.contains("`exclude = [\"analyzer\"]`"),
        "{output}"
    );
    project.manifest(&manifest.replace("MORE", ", exclude = [\"analyzer\"]"));
    project.good("install");
}
