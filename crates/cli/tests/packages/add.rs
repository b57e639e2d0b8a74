//! `add ADDRESS… [NAME…]`.

use agpm_testkit::{Behaviour, HttpServer, Repository};

use crate::support::Project;

const PDF: &str = "---\nname: pdf\ndescription: Reads PDF files\n---\nText.\n";
const ART: &str = "---\nname: art\ndescription: Draws\n---\nText.\n";
const AGENT: &str = "---\nname: reviewer\ndescription: Reviews\n---\nText.\n";

/// A repository `skills` with these files and tags, and a project without a manifest.
fn library(files: &[(&str, &str)], tags: &[&str]) -> Project {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "skills");
    source.commit(files);
    tags.iter().for_each(|tag| source.tag(tag));
    project.sandbox.write("project/.keep", "");
    project
}

fn url(project: &Project) -> String {
    format!("file://{}", project.sandbox.work().join("skills").display())
}

fn three() -> Project {
    library(
        &[
            ("skills/pdf/SKILL.md", PDF),
            ("skills/art/SKILL.md", ART),
            ("agents/reviewer.md", AGENT),
        ],
        &["v1.0.0", "v1.2.0", "v2.0.0-rc.1"],
    )
}

#[test]
fn one_command_creates_the_manifest_adds_the_source_and_installs() {
    let project = three();
    let url = url(&project);
    let output = project.good(&format!("add {url} pdf"));
    let manifest = project.read("agpm.toml");
    let (cooldown, manifest) = manifest.split_once("\n\n").unwrap();
    assert!(cooldown.ends_with("# [policy.versions]\n# min-release-age = \"7d\""));
    assert_eq!(
        manifest,
        format!(
            "[sources]\nskills = \"{url}\"\n\n[skills]\n\
             pdf = {{ source = \"skills\", path = \"skills/pdf\", version = \"^1.2.0\" }}\n"
        )
    );
    assert!(project.exists("agpm.lock") && project.exists(".claude/skills/pdf/SKILL.md"));
    for line in [
        "Created agpm.toml",
        "Added source skills: file://",
        "Added skills/pdf ^1.2.0 from skills:skills/pdf",
        "Undo it with `agpm undo`",
    ] {
        assert!(output.stdout.contains(line), "no `{line}` in\n{output}");
    }
    project.good("undo");
    assert!(!project.exists("agpm.toml") && !project.exists(".claude/skills/pdf/SKILL.md"));
}

#[test]
fn several_candidates_are_listed_with_a_command_for_each() {
    let project = three();
    let url = url(&project);
    project.refused(
        &format!("add {url}"),
        3,
        &[
            "has 3 resources",
            "work/skills pdf  # Reads PDF files",
            "work/skills art  # Draws",
            "work/skills reviewer  # Reviews",
            "--all",
        ],
    );
    project.refused(&format!("add {url} --yes"), 3, &["add/several"]);
    project.good(&format!("add {url} --type agent"));
    assert!(project.exists(".claude/agents/reviewer.md"));
    project.good(&format!("add {url} --all"));
    assert!(project.exists(".claude/skills/art/SKILL.md"));
    assert!(project.exists(".claude/skills/pdf/SKILL.md"));
}

#[test]
fn adding_twice_changes_nothing_and_another_requirement_changes_the_entry() {
    let project = three();
    let url = url(&project);
    project.good(&format!("add {url} pdf"));
    let before = project.tree();
    for again in ["pdf", "skills/pdf", "skill:pdf"] {
        let output = project.good(&format!("add {url}.git {again}"));
        assert!(output.stdout.contains("already"), "{output}");
    }
    project.good(&format!("add {url}//skills/pdf@^1.2.0"));
    project.good("add skills:skills/pdf");
    assert_eq!(project.tree(), before);
    let names = project.good(&format!("add {url} pdf skills/pdf"));
    assert_eq!(names.stdout.matches("skills/pdf").count(), 1, "{names}");
    let changed = project.good(&format!("add {url}//skills/pdf@v1.0.0"));
    let line = "Changed skills/pdf: ^1.2.0 -> v1.0.0";
    assert!(changed.stdout.contains(line), "{changed}");
    let entry = "pdf = { source = \"skills\", path = \"skills/pdf\", version = \"v1.0.0\" }";
    assert!(project.read("agpm.toml").contains(entry));
    project.good("undo");
    assert_eq!(project.tree(), before);
}

#[test]
fn more_tools_change_the_entry_and_unknown_ones_are_errors() {
    let project = three();
    let url = url(&project);
    project.good(&format!("add {url} reviewer --tool claude-code"));
    project.refused(
        &format!("add {url} reviewer --tool claude"),
        1,
        &["unknown tool `claude`", "did you mean `claude-code`?"],
    );
    let same = project.good(&format!("add {url} reviewer --tool claude-code"));
    assert!(same.stdout.contains("already in the manifest"), "{same}");
    let more = project.good(&format!("add {url} reviewer --tool gemini"));
    let line = "Changed agents/reviewer: tools + gemini";
    assert!(more.stdout.contains(line), "{more}");
    assert!(project.exists(".gemini/agents/reviewer.md"));
    assert!(project.exists(".claude/agents/reviewer.md"));
    // A path alone becomes a table, and comments stay.
    let local = three();
    local.write("agents/own.md", AGENT);
    local.write("agpm.toml", "[agents]\nown = \"./agents/own.md\" # mine\n");
    local.good("add ./agents/own.md --tool claude-code,gemini");
    assert_eq!(
        local.read("agpm.toml"),
        "[agents]\nown = { path = \"./agents/own.md\", tools = [\"claude-code\", \"gemini\"] } # mine\n"
    );
}

#[test]
fn a_name_may_follow_the_repository_and_have_its_own_version() {
    let project = three();
    let url = url(&project);
    project.good(&format!("add {url} pdf@v1.0.0 reviewer"));
    let manifest = project.read("agpm.toml");
    for line in [
        "pdf = { source = \"skills\", path = \"skills/pdf\", version = \"v1.0.0\" }",
        "reviewer = { source = \"skills\", path = \"agents/reviewer.md\", version = \"^1.2.0\" }",
    ] {
        assert!(manifest.contains(line), "no {line} in\n{manifest}");
    }
    // One resource of the source has this name.
    project.good(&format!("add {url}//art@v1.0.0"));
    let line = "art = { source = \"skills\", path = \"skills/art\", version = \"v1.0.0\" }";
    assert!(project.read("agpm.toml").contains(line));
    project.refused(&format!("add {url}//nope"), 3, &["unknown path `nope`"]);
    project.refused("add ./x pdf@v1", 2, &["without versions"]);
}

#[test]
fn a_branch_has_its_commit() {
    let project = three();
    let output = project.good(&format!("add {}@main pdf", url(&project)));
    let line = output
        .stdout
        .lines()
        .find(|line| line.starts_with("Added skills/pdf main ("));
    assert!(line.is_some(), "{output}");
}

#[test]
fn a_new_project_is_for_the_tools_that_it_uses() {
    let with = |files: &[&str]| {
        let project = three();
        files.iter().for_each(|file| project.write(file, "{}"));
        project
    };
    let project = with(&[".cursor/cli.json", ".github/copilot-instructions.md"]);
    let url = url(&project);
    let output = project.good(&format!("add {url} reviewer"));
    let line = "Tools: cursor, copilot (found in this project)";
    assert!(output.stdout.contains(line), "{output}");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("\n\n[project]\ntools = [\"cursor\", \"copilot\"]\n\n[sources]\n"),
        "{manifest}"
    );
    assert!(project.exists(".cursor/agents/reviewer.md"));
    assert!(project.exists(".github/agents/reviewer.agent.md"));
    assert!(!project.exists(".claude"));
    assert!(project.read(".gitignore").contains("agpm.private.toml"));
    project.good("undo");
    assert!(!project.exists(".gitignore") && !project.exists("agpm.toml"));
    // The same tools as `init`.
    project.good("init");
    assert!(
        project
            .read("agpm.toml")
            .contains("tools = [\"cursor\", \"copilot\"]")
    );

    let unknown = three();
    let output = unknown.good(&format!("add {} reviewer", self::url(&unknown)));
    let line = "Tools: claude-code (default; choose others with `--tool`)";
    assert!(output.stdout.contains(line), "{output}");
    assert!(!unknown.read("agpm.toml").contains("[project]"));
}

#[test]
fn a_resource_in_the_format_of_a_tool_makes_the_project_one_of_that_tool() {
    let hook =
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}";
    let project = library(
        &[
            ("agents/helper.agent.md", AGENT),
            ("x/own.mdc", "Text.\n"),
            ("hooks/stop/hooks.json", hook),
            ("hooks/check/hooks.json", hook),
        ],
        &[],
    );
    let url = url(&project);
    // Hooks of several clients are JSON.
    let output = project.good(&format!("add {url} stop --dry-run"));
    let default = "Tools: claude-code (default; choose others with `--tool`)";
    assert!(output.stdout.contains(default), "{output}");
    // All hooks of a repository have one file name, and Copilot reads them from one directory.
    let output = project.good(&format!("add {url} --all --tool copilot"));
    assert!(!output.stdout.contains("Left out"), "{output}");
    assert!(project.exists(".github/hooks/stop.json"));
    assert!(project.exists(".github/hooks/check.json"));
    project.good("undo");
    let output = project.good(&format!("add {url} helper own"));
    let line = "Tools: cursor, copilot (the format of what was added)";
    assert!(output.stdout.contains(line), "{output}");
    assert!(project.exists(".github/agents/helper.agent.md"));
    assert!(project.exists(".cursor/rules/own.mdc"));
    // An existing manifest keeps its tools.
    let manifest = library(&[("agents/helper.agent.md", AGENT)], &[]);
    manifest.write("agpm.toml", "");
    manifest.good(&format!("add {} helper", self::url(&manifest)));
    assert!(
        manifest.exists(".claude/agents/helper.agent.md")
            || manifest.exists(".claude/agents/helper.md")
    );
    assert!(!manifest.read("agpm.toml").contains("[project]"));
}

const LIMITED: &str = "---\nname: limited\ndescription: d\ntools: Read, Grep, Bash\n---\nText.\n";

#[test]
fn a_wider_conversion_is_one_error_with_the_command_that_approves_it() {
    let project = library(
        &[
            ("agents/limited.md", LIMITED),
            ("agents/reviewer.md", AGENT),
        ],
        &[],
    );
    let url = url(&project);
    let line = format!("add {url} limited --tool claude-code,codex,cursor");
    let failed = project.run(&line);
    assert_eq!(failed.code, Some(6), "{failed}");
    assert_eq!(failed.stderr.matches("error[").count(), 1, "{failed}");
    let shown = failed.stderr.replace("[SANDBOX]", "");
    assert!(
        shown.contains("codex and cursor cannot restrict tools"),
        "{failed}"
    );
    let approve = "limited --tool claude-code,codex,cursor --approve agents/limited`";
    assert!(failed.stderr.contains(approve), "{failed}");
    project.refused(&line, 6, &["run `agpm add file://"]);
    let approved = project.good(&format!("{line} --approve agents/limited"));
    assert!(
        approved.stdout.contains("Added agents/limited"),
        "{approved}"
    );
    let manifest = project.read("agpm.toml");
    let widening = "allow-widening = [\"codex\", \"cursor\"]";
    assert!(manifest.contains(widening), "{manifest}");
    project.good("install --locked");
    // The same decision where the entry gets another tool.
    let other = library(&[("agents/limited.md", LIMITED)], &[]);
    let url = self::url(&other);
    other.good(&format!("add {url} limited"));
    other.good(&format!("add {url} limited --tool codex --approve all"));
    let manifest = other.read("agpm.toml");
    assert!(
        manifest.contains("allow-widening = [\"codex\"]"),
        "{manifest}"
    );
}

#[test]
fn everything_is_added_but_what_cannot_be_had() {
    let marketplace = "{\"name\": \"corp\", \"owner\": {\"name\": \"o\"}, \"plugins\": [\
        {\"name\": \"one\", \"source\": \"./plugins/one\"}, \
        {\"name\": \"two\", \"source\": \"./plugins/two\"}, \
        {\"name\": \"empty\", \"source\": \"./plugins/empty\"}, \
        {\"name\": \"gone\", \"source\": {\"source\": \"url\", \"url\": \"file:///nowhere/gone\"}}]}";
    let project = library(
        &[
            (".claude-plugin/marketplace.json", marketplace),
            (
                "plugins/one/.claude-plugin/plugin.json",
                "{\"name\": \"one\"}",
            ),
            ("plugins/one/agents/shared.md", AGENT),
            ("plugins/one/agents/limited.md", LIMITED),
            (
                "plugins/two/.claude-plugin/plugin.json",
                "{\"name\": \"two\"}",
            ),
            ("plugins/two/agents/shared.md", LIMITED),
            ("plugins/two/skills/pdf/SKILL.md", PDF),
            (
                "plugins/empty/.claude-plugin/plugin.json",
                "{\"name\": \"empty\"}",
            ),
            ("plugins/empty/README.md", "Nothing.\n"),
            ("skills/art/SKILL.md", ART),
            ("agents/alone.md", LIMITED),
            (
                "hooks/guard/hooks.json",
                "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \
                 \"hooks/guard/check.sh\"}]}]}}",
            ),
            ("hooks/guard/check.sh", "true\n"),
        ],
        &[],
    );
    let url = url(&project);
    for (preview, tools) in [
        (" --dry-run", "claude-code"),
        ("", "claude-code"),
        (" --dry-run", "claude-code,codex"),
        ("", "claude-code,codex"),
    ] {
        let output = project.good(&format!("add {url} --all --tool {tools}{preview}"));
        for line in [
            "Left out plugins/empty: plugin `empty` has nothing to install",
            "Left out plugins/gone: ",
            "Left out hooks/guard: ",
            "Left out agents/shared of plugins/two: agents/shared is defined twice",
        ] {
            assert!(output.stdout.contains(line), "no {line} in\n{output}");
        }
        let is_wider = output
            .stdout
            .contains("Left out agents/limited of plugins/one: codex");
        assert_eq!(is_wider, tools.contains("codex"), "{output}");
        // An entry of its own is left out only of the tool that would permit more.
        let is_alone = output
            .stdout
            .contains("Left out agents/alone for codex: codex cannot restrict tools");
        assert_eq!(is_alone, tools.contains("codex"), "{output}");
        if preview.is_empty() {
            let manifest = project.read("agpm.toml");
            assert!(
                manifest.contains("exclude = [\"agents/shared\"]"),
                "{manifest}"
            );
            assert!(!manifest.contains("gone"), "{manifest}");
            assert!(project.exists(".claude/skills/pdf/SKILL.md"));
            assert!(project.exists(".claude/skills/art/SKILL.md"));
            assert!(project.exists(".claude/agents/alone.md"));
            project.good("install --locked");
            project.good("undo");
        }
    }
    // What is named must be had.
    project.refused(&format!("add {url} one gone"), 4, &["nowhere/gone"]);
    project.refused(
        &format!("add {url} one two"),
        1,
        &["one two --prefix`", "one two --exclude agents/shared`"],
    );
    project.good(&format!("add {url} one two --prefix"));
    assert!(project.exists(".claude/agents/two-shared.md"));
}

#[test]
fn a_name_is_that_of_the_installed_file() {
    let project = three();
    let url = url(&project);
    let mut other = Repository::init(&project.sandbox, "other");
    other.commit(&[("skills/pdf/SKILL.md", PDF), ("agents/reviewer.md", AGENT)]);
    let second = format!("file://{}", project.sandbox.work().join("other").display());
    project.good(&format!("add {url} pdf reviewer"));
    project.refused(
        &format!("add {second} pdf"),
        6,
        &["called skills/pdf", "--name other-pdf"],
    );
    project.good(&format!("add {second} pdf --name other-pdf"));
    project.good(&format!("add {second} reviewer --name second"));
    for file in [
        ".claude/skills/pdf/SKILL.md",
        ".claude/skills/other-pdf/SKILL.md",
        ".claude/agents/reviewer.md",
        ".claude/agents/second.md",
    ] {
        assert!(project.exists(file), "{file}");
    }
    project.good("install --locked");
}

#[test]
fn options_for_the_entry_are_written_into_it() {
    let project = three();
    let url = url(&project);
    project.good(&format!(
        "add {url} reviewer --target team --filename lead.md"
    ));
    assert!(project.exists(".claude/agents/team/lead.md"));
    project.refused(
        &format!("add {url} art --prefix"),
        2,
        &["`--prefix` has no meaning"],
    );
    project.refused(&format!("add {url} art --exclude x"), 2, &["`--exclude`"]);
    project.refused(
        &format!("add {url} art pdf --filename x"),
        2,
        &["`--filename`"],
    );
    project.good(&format!("add {url}//skills/* --exclude pdf"));
    assert!(!project.exists(".claude/skills/pdf") && project.exists(".claude/skills/art"));
}

#[test]
fn a_local_path_names_the_type() {
    let project = three();
    project.write("agents/x.md", "# X\n");
    project.write("rules/sub/r.md", "# R\n");
    project.write("notes/n.md", "# N\n");
    project.good("add ./agents/x.md");
    project.good("add ./rules --no-install");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("[agents]\nx = \"./agents/x.md\""),
        "{manifest}"
    );
    assert!(
        manifest.contains("[instructions]\nr = \"./rules/sub/r.md\""),
        "{manifest}"
    );
    project.refused("add ./notes/n.md", 2, &["--type"]);
}

#[test]
fn suggested_commands_act_on_the_same_project() {
    let project = three();
    let url = url(&project);
    project.write("sub/agpm.toml", "");
    let several = project.run(&format!("-C sub add {url} --tool codex --dry-run"));
    let command = format!("agpm -C sub add {url} art --tool codex --dry-run  # Draws");
    let shown = several.stderr.replace(
        "[SANDBOX]",
        &project
            .sandbox
            .work()
            .display()
            .to_string()
            .replace("/work", ""),
    );
    assert!(shown.contains(&command), "{several}\n{command}");
    let added = project.good(&format!("-C sub add {url} art"));
    assert!(
        added.stdout.contains("Undo it with `agpm -C sub undo`"),
        "{added}"
    );
    project.write("sub/deep/.keep", "");
    let below = project.good(&format!("-C sub/deep add {url} pdf"));
    assert!(below.stdout.starts_with("Using ../agpm.toml\n"), "{below}");
}

#[test]
fn paths_files_and_the_root_are_reached_by_url() {
    let project = three();
    let url = url(&project);
    project.good(&format!("add {url}//skills/pdf/SKILL.md"));
    assert!(project.read("agpm.toml").contains("path = \"skills/pdf\""));
    project.good(&format!("add {url}//agents/reviewer.md@v1.0.0"));
    assert!(project.read("agpm.toml").contains("version = \"v1.0.0\""));
    project.refused(
        &format!("add {url}//skills/pdg"),
        3,
        &["did you mean `skills/pdf`?"],
    );
    project.refused(
        &format!("add {url}@v7.0.0 pdf"),
        3,
        &["has no version `v7.0.0`"],
    );
    project.refused(&format!("add {url} pdg"), 3, &["did you mean `pdf`?"]);

    let root = library(&[("SKILL.md", PDF), ("scripts/run.sh", "true\n")], &[]);
    root.good(&format!("add {}", self::url(&root)));
    assert!(
        root.read("agpm.toml")
            .contains("pdf = { source = \"skills\", path = \".\", version = \"main\" }"),
        "{}",
        root.read("agpm.toml")
    );
    assert!(root.exists(".claude/skills/pdf/SKILL.md"));
    assert!(root.exists(".claude/skills/pdf/scripts/run.sh"));
    root.good("install --frozen");
    root.good("verify");
}

#[test]
fn patterns_are_one_entry() {
    let project = three();
    let url = url(&project);
    project.good(&format!("add {url}//agents/*.md"));
    assert!(
        project
            .read("agpm.toml")
            .contains("agents = { source = \"skills\", path = \"agents/*.md\"")
    );
    assert!(project.exists(".claude/agents/reviewer.md"));
}

#[test]
fn prefixed_tags_count_for_their_own_resource_only() {
    for (tags, expected) in [
        (&["pdf-v1.2.0", "art-v9.0.0"][..], "pdf-^1.2.0"),
        (&["pdf--v1.2.0"], "pdf--^1.2.0"),
        (&["skills/pdf/v1.2.0", "v0.1.0"], "skills/pdf/^1.2.0"),
        (&["art-v9.0.0"], "main"),
        (&["v2.0.0-rc.1"], "main"),
        (&[], "main"),
    ] {
        let project = library(
            &[("skills/pdf/SKILL.md", PDF), ("skills/art/SKILL.md", ART)],
            tags,
        );
        project.good(&format!("add {} pdf", url(&project)));
        let expected = format!("version = \"{expected}\"");
        assert!(
            project.read("agpm.toml").contains(&expected),
            "{tags:?}\n{}",
            project.read("agpm.toml")
        );
    }
}

#[test]
fn the_default_branch_is_the_one_that_the_server_names() {
    let project = library(&[("skills/pdf/SKILL.md", PDF)], &[]);
    Repository::open(&project.sandbox, "skills").git(&["branch", "-m", "trunk"]);
    project.good(&format!("add {}", url(&project)));
    assert!(project.read("agpm.toml").contains("version = \"trunk\""));
}

#[test]
fn parts_of_a_plugin_are_candidates_only_by_name_or_path() {
    let project = library(
        &[
            ("kit/.claude-plugin/plugin.json", "{\"name\": \"kit\"}"),
            ("kit/skills/pdf/SKILL.md", PDF),
            ("skills/art/SKILL.md", ART),
        ],
        &[],
    );
    let url = url(&project);
    let output = project.run(&format!("add {url}"));
    assert!(output.stderr.contains("has 2 resources"), "{output}");
    assert!(!output.stderr.contains(" pdf"), "{output}");
    project.good(&format!("add {url} pdf"));
    assert!(
        project
            .read("agpm.toml")
            .contains("path = \"kit/skills/pdf\"")
    );
    project.refused(&format!("add {url}//kit/skills/nope"), 3, &["kit/skills"]);
}

#[test]
fn the_type_is_required_where_nothing_reports_it() {
    let project = library(&[("misc/notes.md", "# Notes\n")], &[]);
    let url = url(&project);
    project.refused(&format!("add {url}//misc/notes.md"), 2, &["--type"]);
    project.refused(
        &format!("add {url}"),
        1,
        &["nothing to install", "SKILL.md"],
    );
    project.refused(
        &format!("add {url} --type nope"),
        2,
        &["no such resource type"],
    );
    project.good(&format!(
        "add {url}//misc/notes.md --type snippet --name read-me"
    ));
    assert!(project.read("agpm.toml").contains("read-me = "));
}

#[test]
fn content_reports_the_type_of_a_file() {
    let project = library(
        &[
            (
                "x/a.md",
                "---\nname: a\ndescription: d\ntools: Read\n---\nText.\n",
            ),
            ("x/c.md", "---\nallowed-tools: Read\n---\nText.\n"),
            ("x/s.json", "{\"command\": \"npx\"}"),
        ],
        &[],
    );
    let url = url(&project);
    project.good(&format!("add {url}//x/a.md"));
    project.good(&format!("add {url}//x/c.md"));
    project.good(&format!("add {url}//x/s.json"));
    let manifest = project.read("agpm.toml");
    for section in ["[agents]", "[commands]", "[mcp-servers]"] {
        assert!(manifest.contains(section), "{manifest}");
    }
}

#[test]
fn options_name_the_entry_its_tools_and_what_is_done() {
    let project = three();
    let url = url(&project);
    let before = project.tree();
    let preview = project.good(&format!("add {url} pdf --dry-run"));
    assert!(preview.stdout.contains("Would add skills/pdf"), "{preview}");
    assert_eq!(project.tree(), before);
    project.good(&format!(
        "add {url} pdf --name reader --tool opencode --no-install"
    ));
    let manifest = project.read("agpm.toml");
    // The tools of the command that creates the manifest are those of the project.
    assert!(
        manifest.contains("reader = {") && manifest.contains("tools = [\"opencode\"]"),
        "{manifest}"
    );
    assert!(!project.exists("agpm.lock") && !project.exists(".opencode"));
    project.refused(&format!("add {url} art reviewer --name x"), 2, &["--name"]);
    project.refused(&format!("add {url} art --tool nope"), 1, &["nope"]);
    project.refused(&format!("add {url} art --name reader"), 6, &["--name"]);
}

#[test]
fn urls_that_are_none_show_the_forms() {
    let project = three();
    project.refused("add github:skills", 2, &["OWNER/skills", "./skills"]);
    project.refused("add github.com/o/r", 2, &["https://github.com/o/r"]);
    project.refused("add o/r#main", 2, &["o/r@main"]);
    project.refused("add nope", 3, &["unknown source `nope`"]);
    project.refused("add mysource", 3, &["unknown source `mysource`"]);
    project.refused("add sorce", 2, &["did you mean `source`"]);
    project.refused("add hookify@nope", 3, &["nope"]);
    project.refused("add ./nope", 3, &["nope"]);
    project.refused(
        "add oci://ghcr.io/o/r:1.0",
        2,
        &["a version follows after `@`"],
    );
    project.refused("add skill", 2, &["resource type"]);
}

#[test]
fn a_source_is_named_after_its_repository_and_stays_one() {
    let project = three();
    let url = url(&project);
    project.good(&format!(
        "add source skills https://example.com/o/other.git -C {}",
        {
            project.sandbox.write("project/agpm.toml", "");
            "."
        }
    ));
    project.good(&format!("add {url} pdf --no-install"));
    let manifest = project.read("agpm.toml");
    assert!(manifest.contains("work-skills = \"file://"), "{manifest}");
    project.good(&format!("add {url}/ art --no-install"));
    assert_eq!(project.read("agpm.toml").matches("file://").count(), 1);
}

#[test]
fn later_words_are_sources_if_one_has_that_name() {
    let project = three();
    let url = url(&project);
    project.sandbox.write(
        "project/agpm.toml",
        format!("[sources]\none = \"{url}\"\npdf = \"../local\"\n"),
    );
    project.sandbox.write("local/agents/own.md", AGENT);
    project.good("add one art pdf own --no-install");
    let manifest = project.read("agpm.toml");
    assert!(manifest.contains("art = { source = \"one\""), "{manifest}");
    assert!(
        manifest.contains("own = { source = \"pdf\", path = \"agents/own.md\" }"),
        "{manifest}"
    );
}

#[test]
fn local_paths_are_written_as_paths() {
    let project = three();
    project.sandbox.write("project/own/agents/mine.md", AGENT);
    project.sandbox.write("shared/skills/pdf/SKILL.md", PDF);
    project.good("add ./own");
    project.good("add ../shared pdf");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("mine = \"./own/agents/mine.md\""),
        "{manifest}"
    );
    assert!(
        manifest.contains("pdf = \"../shared/skills/pdf\""),
        "{manifest}"
    );
    assert!(project.exists(".claude/agents/mine.md"));
    // Without `./` it is a repository.
    project.refused("--offline add own/agents", 4, &["github.com/own/agents"]);
}

#[test]
fn a_page_of_a_host_means_its_file_at_its_branch() {
    let project = three();
    let mut source = Repository::open(&project.sandbox, "skills");
    source.git(&["checkout", "-q", "-b", "feature/x"]);
    source.commit(&[("skills/new/SKILL.md", &PDF.replace("pdf", "new"))]);
    source.git(&["checkout", "-q", "main"]);
    source.git(&["clone", "-q", "--bare", ".", "../o/skills"]);
    let server = HttpServer::start(&project.sandbox);
    let base = server.url("x");
    let base = base.strip_suffix("/x/.git").unwrap();
    project.good(&format!("add {base}/o/skills/tree/feature/x/skills/new"));
    project.good(&format!(
        "add {base}/o/skills/blob/v1.0.0/skills/pdf/SKILL.md?plain=1"
    ));
    let manifest = project.read("agpm.toml");
    for line in [
        &*format!("skills = \"{base}/o/skills\""),
        "new = { source = \"skills\", path = \"skills/new\", version = \"feature/x\" }",
        "pdf = { source = \"skills\", path = \"skills/pdf\", version = \"v1.0.0\" }",
    ] {
        assert!(manifest.contains(line), "no {line} in\n{manifest}");
    }
    project.refused(
        &format!("add {base}/o/skills/tree/featur/skills/new"),
        3,
        &["unknown branch, tag or commit `featur`"],
    );
    // The same host as the default one.
    project
        .sandbox
        .write("config.toml", format!("default-host = \"{base}\"\n"));
    project.good("--config ../config.toml add o/skills/skills/art@^1");
    assert_eq!(project.read("agpm.toml").matches(base).count(), 1);
    project.refused(
        "--config ../config.toml add o/nope",
        4,
        &["no git repository"],
    );
}

#[test]
fn a_skill_of_a_large_repository_takes_few_requests_and_no_other_files() {
    let project = three();
    let mut source = Repository::open(&project.sandbox, "skills");
    let names: Vec<String> = (0..200).map(|at| format!("skills/s{at}/big.bin")).collect();
    let content = "x".repeat(20_000);
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), &*content))
        .collect();
    source.commit(&files);
    source.git(&["config", "uploadpack.allowFilter", "true"]);
    source.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let server = HttpServer::start(&project.sandbox);
    project.good(&format!("add {} reviewer", server.url("skills")));
    assert!(project.exists(".claude/agents/reviewer.md"));
    // References, then trees, then the one file, each with its negotiation.
    assert!(server.requests() <= 6, "{} requests", server.requests());
}

#[test]
fn json_has_what_was_added() {
    let project = three();
    let url = url(&project);
    let output = project.good(&format!("--json add {url} pdf"));
    for part in [
        "\"ok\":true",
        "\"created\":\"agpm.toml\"",
        "\"id\":\"skills/pdf\"",
        "\"type\":\"skill\"",
        "\"version\":\"^1.2.0\"",
        "\"undo\":\"agpm undo\"",
    ] {
        let plain = output.stdout.replace(": ", ":").replace('\n', "");
        assert!(plain.contains(part), "no {part} in {output}");
    }
    let failed = project.run(&format!("--json add {url}"));
    assert_eq!(failed.code, Some(3));
    assert!(failed.stdout.contains("add/several"), "{failed}");
    // No key is duplicated.
    let text = output.stdout;
    for key in ["\n  \"dry_run\":", "\n  \"unchanged\":", "\n  \"present\":"] {
        assert!(text.matches(key).count() <= 1, "{key} in {text}");
    }
}

#[test]
fn a_source_of_the_configuration_becomes_the_projects() {
    let project = three();
    let url = url(&project);
    project
        .sandbox
        .write("config.toml", format!("[sources]\nmine = \"{url}\"\n"));
    project.good("--config ../config.toml add mine pdf");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains(&format!("mine = \"{url}\"")),
        "{manifest}"
    );
    project.good("install --locked");
    // A private source stays private.
    project.sandbox.write("project/agpm.toml", "");
    project.sandbox.write(
        "project/agpm.private.toml",
        format!("[sources]\nmine = \"{url}\"\n"),
    );
    project.good("add mine art");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("source = \"mine\"") && !manifest.contains(&url),
        "{manifest}"
    );
}

#[test]
fn unreleased_resources_are_found_on_the_default_branch() {
    let project = three();
    let mut source = Repository::open(&project.sandbox, "skills");
    source.commit(&[("skills/new/SKILL.md", &PDF.replace("pdf", "new"))]);
    let url = url(&project);
    project.refused(&format!("add {url} new"), 3, &["`@main` after the URL"]);
    project.good(&format!("add {url}@main new"));
    assert!(project.read("agpm.toml").contains("version = \"main\""));
}

#[test]
fn plugins_are_added_whole_or_by_their_marketplace() {
    let marketplace = "{\"name\": \"corp\", \"owner\": {\"name\": \"o\"}, \"plugins\": [\
        {\"name\": \"kit\", \"source\": \"./plugins/kit\"}, \
        {\"name\": \"bag\", \"source\": \"./plugins/bag\", \"strict\": false}]}";
    let project = library(
        &[
            (".claude-plugin/marketplace.json", marketplace),
            (
                "plugins/kit/.claude-plugin/plugin.json",
                "{\"name\": \"kit\"}",
            ),
            ("plugins/kit/skills/pdf/SKILL.md", PDF),
            ("plugins/bag/agents/reviewer.md", AGENT),
        ],
        &[],
    );
    let url = url(&project);
    project.good(&format!("add {url} kit"));
    let manifest = project.read("agpm.toml");
    let line = "kit = { source = \"skills\", path = \"plugins/kit\", version = \"main\" }";
    assert!(
        manifest.contains("[plugins]") && manifest.contains(line),
        "{manifest}"
    );
    assert!(project.exists(".claude/skills/pdf/SKILL.md"));
    // By the name that the marketplace gives itself.
    project.good("add bag@corp");
    let manifest = project.read("agpm.toml");
    let line = "bag = { marketplace = \"skills\", name = \"bag\" }";
    assert!(manifest.contains(line), "{manifest}");
    assert!(project.exists(".claude/agents/reviewer.md"));
    let again = project.good("add kit@skills bag@skills");
    assert_eq!(again.stdout.matches("already").count(), 2, "{again}");
    project.refused("add kot@corp", 3, &["did you mean `kit`?"]);
    project.refused("add kit@nope", 3, &["marketplace `nope`"]);
    project.good("remove kit bag");
    assert!(!project.exists(".claude/skills/pdf/SKILL.md"));
}

#[test]
fn a_private_repository_without_credentials_is_said_to_be_one() {
    let project = three();
    let server = HttpServer::start(&project.sandbox);
    for behaviour in [Behaviour::AskPassword, Behaviour::RefuseAccess] {
        server.behave(behaviour);
        let url = server.url("skills");
        for command in ["add", "browse"] {
            project.refused(
                &format!("{command} {url}"),
                4,
                &["source/auth", "credentials"],
            );
        }
        assert!(!project.exists("agpm.toml"));
    }
}

#[test]
fn a_hook_that_names_a_missing_file_is_not_added() {
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/stop.sh"}]}]}}"#;
    let project = library(
        &[
            ("kit/.claude-plugin/plugin.json", "{\"name\": \"kit\"}"),
            ("kit/hooks/hooks.json", hooks),
            ("kit/skills/pdf/SKILL.md", PDF),
        ],
        &[],
    );
    let url = url(&project);
    let words = [
        "plugin/missing-file",
        "`stop.sh`",
        "kit --exclude hooks/kit`",
    ];
    project.refused(&format!("add {url} kit"), 1, &words);
    assert!(!project.exists("agpm.toml"));
}
