//! `browse` and `search`.

use agpm_testkit::{HttpServer, Repository};

use crate::support::Project;

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nText.\n")
}

fn library() -> Project {
    let project = Project::new();
    project.named_source(
        "lib",
        &[(
            "v1.0.0",
            &[
                (
                    "kit/.claude-plugin/plugin.json",
                    "{\"name\": \"kit\", \"description\": \"A kit\"}",
                ),
                ("kit/skills/art/SKILL.md", &skill("art", "Draws")),
                ("skills/pdf/SKILL.md", &skill("pdf", "Reads \u{9b}31mfiles")),
                (
                    "agents/reviewer.md",
                    &skill("reviewer", "Reviews PDF files"),
                ),
            ],
        )],
    );
    project.sandbox.write("project/.keep", "");
    project
}

fn url(project: &Project) -> String {
    format!("file://{}", project.sandbox.work().join("lib").display())
}

#[test]
fn browse_works_without_a_manifest_and_groups_by_plugin() {
    let project = library();
    Repository::open(&project.sandbox, "lib").tag("pdf-v3.0.0");
    let before = project.tree();
    let output = project.good(&format!("browse {}", url(&project)));
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines[0].ends_with("/work/lib at v1.0.0"), "{output}");
    assert_eq!(
        lines[1..],
        [
            "plugins/kit      v1.0.0      kit                 A kit",
            "  skills/art     v1.0.0      kit/skills/art      Draws",
            "skills/pdf       pdf-v3.0.0  skills/pdf          Reads files",
            "agents/reviewer  v1.0.0      agents/reviewer.md  Reviews PDF files",
        ]
    );
    assert_eq!(project.tree(), before);
}

#[test]
fn browse_filters_limits_and_reports_an_empty_result() {
    let project = library();
    let url = url(&project);
    let found = project.good(&format!("browse {url} pdf"));
    assert!(
        found.stdout.contains("skills/pdf") && found.stdout.contains("agents/reviewer"),
        "{found}"
    );
    assert!(!found.stdout.contains("skills/art"), "{found}");
    let agents = project.good(&format!("browse {url} --type agents"));
    assert!(!agents.stdout.contains("skills/") && agents.stdout.contains("agents/reviewer"));
    let output = project.good(&format!("browse {url} --limit 1"));
    assert!(
        output.stdout.contains("3 more; show them with `--limit 4`"),
        "{output}"
    );
    let nothing = project.good(&format!("browse {url} zzzzzz"));
    assert!(nothing.stdout.contains("No resources found"), "{nothing}");
    project.good(&format!("browse {url} --type hook"));
    project.refused(&format!("browse {url} --type nope"), 2, &["resource type"]);
    project.refused("browse nope", 3, &["unknown source `nope`"]);
    let json = project.good(&format!("--json browse {url} art")).stdout;
    for part in [
        "\"type\": \"skill\"",
        "\"plugin\": \"kit\"",
        "\"path\": \"kit/skills/art\"",
        "\"version\": \"v1.0.0\"",
    ] {
        assert!(json.contains(part), "no {part} in {json}");
    }
}

#[test]
fn search_looks_in_all_sources_and_keeps_what_it_learned() {
    let project = library();
    let server = HttpServer::start(&project.sandbox);
    project.named_source(
        "other",
        &[(
            "v2.0.0",
            &[("agents/pdf-writer.md", &skill("pdf-writer", "Writes"))],
        )],
    );
    project.sandbox.write(
        "config.toml",
        format!("[sources]\nmine = \"{}\"\n", server.url("other")),
    );
    project.sandbox.write(
        "project/agpm.toml",
        format!("[sources]\nlib = \"{}\"\n", server.url("lib")),
    );
    let line = "--config ../config.toml search pdf";
    let never = project.good(&format!("--offline {line}"));
    assert!(never.stdout.contains("No resources found"), "{never}");
    assert!(never.stderr.contains("was not searched"), "{never}");
    let found = project.good(line);
    let lines: Vec<&str> = found.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "skills/pdf         lib   v1.0.0  skills/pdf            Reads files",
            "agents/pdf-writer  mine  v2.0.0  agents/pdf-writer.md  Writes",
            "agents/reviewer    lib   v1.0.0  agents/reviewer.md    Reviews PDF files",
            "To add the first, run `agpm add lib pdf`",
        ]
    );
    let requests = server.requests();
    project.good(line);
    assert_eq!(server.requests(), requests, "once a day");
    let mut source = Repository::open(&project.sandbox, "lib");
    source.commit(&[("agents/pdf-new.md", &skill("pdf-new", "New"))]);
    source.tag("v1.1.0");
    assert!(!project.good(line).stdout.contains("pdf-new"));
    assert!(
        project
            .good(&format!("{line} --refresh"))
            .stdout
            .contains("pdf-new")
    );
    drop(server);
    // Without its sources it uses what it has.
    let output = project.good(&format!("{line} --refresh"));
    assert!(output.stdout.contains("pdf-new"), "{output}");
    assert!(output.stderr.contains("an older index is used"), "{output}");
    assert!(
        project
            .good(&format!("--offline {line}"))
            .stdout
            .contains("pdf-new")
    );
    let json = project
        .good(&format!("--json --offline {line} --type agent --limit 1"))
        .stdout;
    assert!(
        json.contains("\"id\": \"agents/pdf-new\"") && json.contains("\"total\": 3"),
        "{json}"
    );
}

#[test]
fn search_without_sources_says_how_to_add_one() {
    let project = library();
    let output = project.good("search pdf");
    for part in [
        "agpm config add-source",
        "run `agpm browse anthropics/skills pdf`",
    ] {
        assert!(output.stdout.contains(part), "{output}");
    }
}
