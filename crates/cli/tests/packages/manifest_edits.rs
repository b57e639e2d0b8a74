//! `add` and `remove`: their edits, and their errors.

use agpm_testkit::Repository;

use crate::support::Project;

const SKILL: &str = "---\nname: pdf\ndescription: Reads.\n---\nText.\n";

fn released(files: &[(&str, &str)], tags: &[&str]) -> Project {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "community");
    source.commit(files);
    tags.iter().for_each(|tag| source.tag(tag));
    project.manifest("");
    project
}

#[test]
fn without_a_version_the_newest_tag_is_required_as_a_caret_range() {
    for (tags, expected) in [
        (
            &["v1.0.0", "v1.2.0", "v2.0.0-rc.1"][..],
            "version = \"^1.2.0\"",
        ),
        (
            &["v1.0.0", "pdf-v0.3.0", "other-v9.0.0"],
            "version = \"pdf-^0.3.0\"",
        ),
        (&["skills/pdf/v1.2.0"], "version = \"skills/pdf/^1.2.0\""),
        (&["other-v9.0.0", "v3.0.0-beta.1"], "version = \"main\""),
        (&[], "version = \"main\""),
    ] {
        let project = released(&[("skills/pdf/SKILL.md", SKILL)], tags);
        project.good("add dep skill community:skills/pdf");
        assert!(
            project.read("agpm.toml").contains(expected),
            "{tags:?}\n{}",
            project.read("agpm.toml")
        );
        assert!(project.exists(".claude/skills/pdf/SKILL.md"));
    }
}

#[test]
fn without_tags_the_default_branch_is_written_whatever_it_is_called() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "community");
    source.commit(&[("skills/pdf/SKILL.md", SKILL)]);
    source.git(&["branch", "-m", "trunk"]);
    project.manifest("");
    let output = project.good("add dep skill community:skills/pdf");
    assert!(
        project.read("agpm.toml").contains("\"trunk\""),
        "{}",
        project.read("agpm.toml")
    );
    assert!(!output.stderr.contains("default-branch"), "{output}");
}

#[test]
fn names_come_from_directories_where_file_names_say_nothing() {
    let server = "{\"mcpServers\": {\"NAME\": {\"command\": \"npx\"}}}";
    let hook =
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}";
    let (github, gitlab) = (
        server.replace("NAME", "github"),
        server.replace("NAME", "gitlab"),
    );
    let files = [
        ("skills/pdf/SKILL.md", SKILL),
        ("external/github/.mcp.json", github.as_str()),
        ("external/gitlab/.mcp.json", gitlab.as_str()),
        ("plugins/a/hooks/hooks.json", hook),
        ("plugins/b/hooks/hooks.json", hook),
        ("more/a/hooks/hooks.json", hook),
    ];
    let project = released(&files, &["v1.0.0"]);
    for (kind, path, name) in [
        ("skill", "skills/pdf/SKILL.md", "pdf"),
        ("mcp-server", "external/github/.mcp.json", "github"),
        ("mcp-server", "external/gitlab/.mcp.json", "gitlab"),
        ("hook", "plugins/a/hooks/hooks.json", "a"),
        ("hook", "plugins/b/hooks/hooks.json", "b"),
        ("hook", "more/a/hooks/hooks.json", "more-a"),
    ] {
        project.good(&format!("add dep {kind} community:{path} --no-install"));
        let manifest = project.read("agpm.toml");
        assert!(
            manifest.contains(&format!("\n{name} = {{")),
            "{path}\n{manifest}"
        );
    }
    assert!(project.read("agpm.toml").contains("path = \"skills/pdf\""));
}

#[test]
fn a_source_can_be_added_that_the_manifest_needs_already() {
    let project = Project::new();
    project.named_source("team", &[("v1.0.0", &[("settings.json", "{}\n")])]);
    project.write(
        "agpm.toml",
        "[[layers]]\nname = \"team\"\nsource = \"team\"\nversion = \"v1.0.0\"\n",
    );
    project.good("add source team ../team");
    assert!(project.read("agpm.toml").contains("team = \"../team\""));
    // Mistakes that stay are shown where they are.
    project.write(
        "agpm.toml",
        "[agents]\na = { source = \"team\", path = \"a.md\", flaten = true }\n",
    );
    project.refused(
        "add source team ../team",
        1,
        &["manifest/unknown-key", "agpm.toml:2:"],
    );
}

#[test]
fn a_broken_entry_can_be_removed() {
    let project = Project::new();
    project.write(
        "agpm.toml",
        "[agents]\na = { source = \"gone\", path = \"a.md\" }\n",
    );
    project.good("remove dep agent a");
    assert!(!project.read("agpm.toml").contains("gone"));
}

#[test]
fn errors_of_add_do_not_point_at_lines_that_are_in_no_file() {
    let project = released(&[("agents/a.md", "A\n")], &["v1.0.0"]);
    let output = project.run("add dep agent community:agents/b.md");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(!output.stderr.contains("agpm.toml:"), "{output}");
    assert!(output.stderr.contains("agpm.toml (proposed):"), "{output}");
}

#[test]
fn typos_get_a_command_to_paste() {
    let files = [
        ("skills/pdf/SKILL.md", SKILL),
        ("agents/reviewer.md", "R\n"),
    ];
    let project = released(&files, &["v1.0.0"]);
    for (line, code, word) in [
        (
            "add dep agent community:skills/pdf",
            1,
            "`agpm add dep skill community:skills/pdf`",
        ),
        (
            "add dep agent community/agents/reviewer.md",
            3,
            "did you mean `community:agents/reviewer.md`?",
        ),
        (
            "add dep skill https://github.com/o/r/tree/main/skills/x",
            2,
            "`agpm add source r https://github.com/o/r`, then `agpm add dep skill r:skills/x@main`",
        ),
        ("add skill pdf", 2, "agpm add dep skill"),
    ] {
        project.refused(line, code, &[word]);
    }
}

#[test]
fn the_url_of_a_file_in_a_browser_is_a_dependency_of_its_source() {
    let project = Project::new();
    project.write(
        "agpm.toml",
        "[sources]\nr = \"https://github.com/o/r.git\"\n",
    );
    project.good("add dep skill https://github.com/o/r/tree/main/skills/x --no-install");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("x = { source = \"r\", path = \"skills/x\", version = \"main\" }"),
        "{manifest}"
    );
}

#[test]
fn a_match_of_a_pattern_is_not_removed_alone() {
    let files = [("skills/a/SKILL.md", SKILL), ("skills/b/SKILL.md", SKILL)];
    let project = released(&files, &["v1.0.0"]);
    project.manifest(
        "[skills]\nall = { source = \"community\", path = \"skills/*\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    for line in [
        "remove dep skill a",
        "remove dep skills/a",
        "remove dep .claude/skills/a/SKILL.md",
    ] {
        project.refused(
            line,
            3,
            &[
                "comes from the pattern `skills/*` of skills/all",
                "exclude = [\"a\"]",
            ],
        );
    }
    project.good("remove dep skill:all");
    assert!(!project.exists(".claude/skills/a"));
}

#[test]
fn a_starter_manifest_has_every_section() {
    let project = Project::new();
    std::fs::create_dir_all(project.path("")).unwrap();
    project.good("init");
    let manifest = project.read("agpm.toml");
    for section in [
        "agents",
        "skills",
        "commands",
        "snippets",
        "scripts",
        "hooks",
        "mcp-servers",
    ] {
        assert!(manifest.contains(&format!("\n[{section}]\n")), "{section}");
    }
    project.good("validate");
}
