//! One id for each resource, accepted by every command.

use crate::support::Project;

const SKILL: &str = "---\nname: pdf\ndescription: Reads.\n---\nText.\n";

fn installed() -> Project {
    let files = [
        ("agents/reviewer.md", "---\nname: reviewer\n---\nR\n"),
        ("skills/pdf/SKILL.md", SKILL),
        ("skills/pdf/more.md", "More\n"),
        ("mcp/files.json", "{\"command\": \"npx\"}"),
    ];
    let project = Project::with(
        &files,
        "[agents]\nreviewer = { source = \"community\", path = \"agents/reviewer.md\", version = \"^1.0\" }\n\
         [skills]\npdf = { source = \"community\", path = \"skills/pdf\", version = \"^1.0\" }\n\
         [mcp-servers]\nfiles = { source = \"community\", path = \"mcp/files.json\", version = \"^1.0\" }\n",
    );
    project.good("install");
    project
}

#[test]
fn every_command_takes_every_form() {
    let project = installed();
    let forms = [
        "agents/reviewer",
        "agent/reviewer",
        "agents:reviewer",
        "agent:reviewer",
        "reviewer",
    ];
    for form in forms
        .into_iter()
        .chain([".claude/agents/reviewer.md", "./.claude/agents/reviewer.md"])
    {
        for command in ["explain", "why", "update", "outdated", "tree"] {
            let output = project.good(&format!("{command} {form}"));
            if command != "update" && command != "outdated" {
                assert!(
                    output.stdout.contains("reviewer"),
                    "{command} {form}\n{output}"
                );
            }
        }
    }
    let output = project.good("why .claude/skills/pdf/more.md");
    assert!(output.stdout.contains("skills/pdf"), "{output}");
    let output = project.good("explain .claude/skills/pdf/SKILL.md");
    assert!(output.stdout.contains("pdf"), "{output}");
    // A code is still a code.
    assert!(
        project
            .good("explain json/syntax")
            .stdout
            .contains("json/syntax")
    );
    assert!(
        project
            .good("explain skill/name")
            .stdout
            .contains("skill/name")
    );
}

#[test]
fn why_knows_the_files_of_layers() {
    let project = Project::new();
    project
        .sandbox
        .write("team/.claude/settings.json", "{\"a\": 1}\n");
    project.sandbox.write("team/.claude/agents/t.md", "Text.\n");
    project.write(
        "agpm.toml",
        "[[layers]]\nname = \"team\"\npath = \"../team\"\n",
    );
    project.good("install");
    for file in [".claude/settings.json", ".claude/agents/t.md"] {
        let output = project.good(&format!("why {file}"));
        assert!(output.stdout.contains("layers/team"), "{output}");
    }
}

#[test]
fn explain_names_the_resource_that_wrote_an_entry_or_a_file() {
    let project = installed();
    let mine = project.read(".mcp.json").replacen("{", "{\"mine\": 1,", 1);
    project.write(".mcp.json", &mine);
    let output = project.good("explain file:.mcp.json");
    assert!(output.stdout.contains("mcp-servers/files"), "{output}");
    assert!(output.stdout.contains("yours"), "{output}");
    let output = project.good("explain file:.mcp.json /mcpServers/files/command");
    assert!(
        output.stdout.contains("from mcp-servers/files (community:"),
        "{output}"
    );
    let output = project.good("explain file:.claude/agents/reviewer.md");
    assert!(output.stdout.contains("agents/reviewer"), "{output}");
    assert!(output.stdout.contains("community"), "{output}");
}

#[test]
fn an_unknown_name_is_answered_with_ids() {
    let project = installed();
    for command in ["update", "outdated", "why"] {
        project.refused(
            &format!("{command} reviwer"),
            3,
            &["did you mean `agents/reviewer`?"],
        );
        let output = project.run(&format!("{command} zzzzzzzzzz"));
        assert_eq!(
            output.stderr.matches("agents/reviewer").count(),
            1,
            "{output}"
        );
    }
}

#[test]
fn explain_asks_back_where_a_name_has_two_meanings_and_helps_where_it_has_none() {
    let files = [("agents/x.md", "A\n"), ("commands/x.md", "C\n")];
    let entry = |path: &str| {
        format!("x = {{ source = \"community\", path = \"{path}\", version = \"v1.0.0\" }}\n")
    };
    let (agent, command) = (entry("agents/x.md"), entry("commands/x.md"));
    let project = Project::with(&files, &format!("[agents]\n{agent}[commands]\n{command}"));
    project.good("install");
    project.refused("explain x", 3, &["`agents/x` or `commands/x`"]);
    assert!(
        project
            .good("explain commands/x")
            .stdout
            .contains("commands/x")
    );
    let project = installed();
    project.refused(
        "explain agents/reviwer",
        3,
        &["unknown resource `agents/reviwer`", "`agents/reviewer`"],
    );
}

#[test]
fn update_takes_the_name_of_a_source() {
    let project = installed();
    let mut source = agpm_testkit::Repository::init(&project.sandbox, "other");
    source.commit(&[("agents/o.md", "O\n")]);
    source.tag("v1.0.0");
    let text = project
        .read("agpm.toml")
        .replace("[sources]\n", "[sources]\nother = \"../other\"\n");
    let entry =
        "[agents]\no = { source = \"other\", path = \"agents/o.md\", version = \"^1.0\" }\n";
    project.write("agpm.toml", &text.replace("[agents]\n", entry));
    project.good("install");
    source.commit(&[("agents/o.md", "O2\n")]);
    source.tag("v1.1.0");
    project.good("update community");
    assert_eq!(project.read(".claude/agents/o.md"), "O\n");
    project.good("update other");
    assert_eq!(project.read(".claude/agents/o.md"), "O2\n");
}

#[test]
fn list_shows_what_was_modified_and_what_is_missing() {
    let project = installed();
    assert!(!project.good("list").stdout.contains("modified"));
    project.write(".claude/agents/reviewer.md", "Mine\n");
    std::fs::remove_dir_all(project.path(".claude/skills/pdf")).unwrap();
    let output = project.good("list");
    let line = |name: &str| {
        output
            .stdout
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(
        line("reviewer").ends_with("modified (based on 1.0.0)"),
        "{output}"
    );
    assert!(line("pdf").ends_with("missing"), "{output}");
    assert!(project.good("list --json").stdout.contains("\"modified\""));
}

#[test]
fn an_empty_list_and_a_missing_lockfile_are_reported_on_stderr() {
    let project = Project::new();
    project.write("agpm.toml", "[agents]\n");
    for command in ["list", "tree"] {
        let output = project.good(command);
        assert!(
            output.stdout.is_empty() && output.stderr.contains("No resources installed"),
            "{output}"
        );
        assert!(project.good(&format!("{command} -q")).stderr.is_empty());
    }
    let project = installed();
    assert!(
        project
            .good("list --search zzz")
            .stderr
            .contains("No installed resource fits")
    );
    project.remove("agpm.lock");
    for command in ["list", "tree", "outdated"] {
        let output = project.good(command);
        assert!(output.stdout.is_empty(), "{output}");
        assert!(
            output.stderr.contains("No lockfile; run `agpm install`"),
            "{output}"
        );
    }
    let output = project.good("why reviewer");
    assert!(output.stderr.contains("No lockfile"), "{output}");
    assert_eq!(project.run("outdated --check").code, Some(1));
}

#[test]
fn outdated_names_no_version_that_dropped_the_resource() {
    let project = Project::new();
    let mut source = project.source(&[
        ("v1.0.0", &[("agents/a.md", "1\n"), ("agents/b.md", "1\n")]),
        ("v2.0.0", &[("agents/a.md", "2\n")]),
    ]);
    source.remove("agents/a.md");
    source.commit(&[]);
    source.tag("v3.0.0");
    let asks = |version: &str| {
        format!(
            "[agents]\na = {{ source = \"community\", path = \"agents/a.md\", version = \"{version}\" }}\n"
        )
    };
    project.manifest(&asks("=1.0.0"));
    project.good("install");
    let output = project.good("outdated");
    let header = output.stdout.lines().next().unwrap();
    assert!(
        header.contains("Current") && header.contains("Wanted") && header.contains("Latest"),
        "{output}"
    );
    assert!(
        output.stdout.contains("v2.0.0") && !output.stdout.contains("v3.0.0"),
        "{output}"
    );
    project.manifest(&asks("=2.0.0"));
    project.good("install");
    project.good("outdated --check");
    let output = project.good("outdated --all");
    assert!(output.stdout.contains("v2.0.0"), "{output}");
    project.good("outdated --all --check");
}

#[test]
fn a_branch_that_moved_without_a_change_is_one_line() {
    let project = Project::new();
    let mut source = agpm_testkit::Repository::init(&project.sandbox, "community");
    source.commit(&[
        ("agents/a.md", "A\n"),
        ("agents/b.md", "B\n"),
        ("agents/c.md", "C\n"),
    ]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"main\" }\n",
    );
    project.good("install");
    source.commit(&[("README.md", "R\n"), ("agents/a.md", "A2\n")]);
    let output = project.good("outdated");
    assert_eq!(output.stdout.lines().count(), 3, "{output}");
    assert!(
        output.stdout.contains("2 resources without changes"),
        "{output}"
    );
}
