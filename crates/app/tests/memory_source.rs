//! A new kind of source serves packages, layers and the catalog by implementing the trait.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

mod memory;

use agpm_app::add::{AddRequest, AddSubject, add};
use agpm_app::catalog::{CatalogRequest, catalog};
use agpm_app::install::{InstallRequest, install};
use agpm_app::outdated::{OutdatedRequest, outdated};
use agpm_app::update::{UpdateRequest, UpdateTarget, update};
use agpm_model::LockUse;

use memory::{MemoryProject, good};

const MANIFEST: &str = r#"
[sources]
registry = "https://registry.invalid/team"

[agents]
all = { source = "registry", path = "agents/*.md", version = "^1.0" }

[skills]
testing = { source = "registry", path = "skills/testing", version = "^1.0" }

[[layers]]
name = "org"
source = "registry"
version = "^1.0"
root = "layer"

[catalog]
remotes = ["registry#v1.0.0"]
"#;

const ROWS: &str = "name,title,module,path\npm,Plans,bmm,bmad/bmm/agents/pm.md\n";

fn release(version: &str) -> Vec<(&'static str, String)> {
    vec![
        ("agents/reviewer.md", format!("Review {version}.\n")),
        ("agents/writer.md", "Write.\n".to_owned()),
        (
            "skills/testing/SKILL.md",
            "---\nname: testing\ndescription: Tests.\n---\nTest.\n".to_owned(),
        ),
        ("skills/testing/notes/more.md", format!("More {version}.\n")),
        (
            "layer/.claude/settings.json",
            "{\"model\": \"opus\"}\n".to_owned(),
        ),
        ("bmad/_cfg/agent-manifest.csv", ROWS.to_owned()),
        ("bmad/bmm/agents/pm.md", "You plan.\n".to_owned()),
    ]
}

/// A project that uses these versions.
fn project(versions: &[&str]) -> MemoryProject {
    let project = MemoryProject::new(MANIFEST);
    publish(&project, versions);
    project
}

fn publish(project: &MemoryProject, versions: &[&str]) {
    let releases = versions.iter().map(|version| (*version, release(version)));
    project.publish(&releases.collect::<Vec<_>>());
}

#[test]
fn packages_and_layers_install_from_it_and_are_locked() {
    let project = project(&["v1.0.0"]);
    good(install(&project.world(), &InstallRequest::PLAIN));
    assert_eq!(
        project.sandbox.read(".claude/agents/reviewer.md"),
        "Review v1.0.0.\n"
    );
    assert_eq!(project.sandbox.read(".claude/agents/writer.md"), "Write.\n");
    assert_eq!(
        project.sandbox.read(".claude/skills/testing/notes/more.md"),
        "More v1.0.0.\n"
    );
    assert!(
        project
            .sandbox
            .read(".claude/settings.json")
            .contains("opus")
    );
    let lock = project.sandbox.read("agpm.lock");
    assert_eq!(lock.matches("version = \"v1.0.0\"").count(), 5, "{lock}");

    // A new release changes nothing until somebody asks for it.
    publish(&project, &["v1.0.0", "v1.1.0"]);
    for lock in [LockUse::Update, LockUse::Locked, LockUse::Frozen] {
        let request = InstallRequest {
            lock,
            ..InstallRequest::PLAIN
        };
        good(install(&project.world(), &request));
        assert_eq!(
            project.sandbox.read(".claude/agents/reviewer.md"),
            "Review v1.0.0.\n"
        );
    }
    let report = good(outdated(&project.world(), &OutdatedRequest::default()));
    let rows: Vec<(&str, &str)> = report
        .outdated
        .iter()
        .map(|row| (row.name.as_str(), row.newest.as_str()))
        .collect();
    assert!(
        rows.contains(&("reviewer", "v1.1.0")) && rows.contains(&("org", "v1.1.0")),
        "{rows:?}"
    );
    let request = UpdateRequest {
        names: Vec::new(),
        target: UpdateTarget::Allowed,
        install: InstallRequest::PLAIN,
    };
    let report = good(update(&project.world(), &request));
    assert!(
        report
            .installed
            .moved
            .iter()
            .any(|moved| moved.id.to_string() == "agents/reviewer")
    );
    assert_eq!(
        project.sandbox.read(".claude/agents/reviewer.md"),
        "Review v1.1.0.\n"
    );
}

#[test]
fn all_resources_and_versions_are_requested_together() {
    let entries: String = (0..10)
        .map(|number| {
            let version = number % 3;
            format!(
                "s{number} = {{ source = \"registry\", path = \"skills/s{number}\", version = \"v1.{version}.0\" }}\n"
            )
        })
        .collect();
    let project = MemoryProject::new(&format!(
        "[sources]\nregistry = \"https://registry.invalid/team\"\n[skills]\n{entries}"
    ));
    let paths: Vec<&'static str> = (0..10)
        .map(|number| &*format!("skills/s{number}/SKILL.md").leak())
        .collect();
    let files = |version: &str| -> Vec<(&'static str, String)> {
        let text = |path: &str| {
            let name = path.split('/').nth(1).unwrap_or_default();
            format!("---\nname: {name}\ndescription: {version}.\n---\n{path}\n")
        };
        paths.iter().map(|path| (*path, text(path))).collect()
    };
    let releases = ["v1.0.0", "v1.1.0", "v1.2.0"].map(|version| (version, files(version)));
    project.publish(&releases);
    good(install(&project.world(), &InstallRequest::PLAIN));
    assert_eq!(project.requests(), ["versions", "revisions", "files"]);
}

#[test]
fn a_tag_that_moved_is_reported_and_followed_by_update() {
    let project = project(&["v1.0.0"]);
    good(install(&project.world(), &InstallRequest::PLAIN));
    project.publish(&[("v1.0.0", release("other"))]);
    let outcome = outdated(&project.world(), &OutdatedRequest::default());
    let moved = outcome
        .diagnostics
        .iter()
        .any(|found| found.message.starts_with("tag v1.0.0 of registry moved: "));
    assert!(moved, "{:?}", outcome.diagnostics);
    let request = UpdateRequest {
        names: Vec::new(),
        target: UpdateTarget::Allowed,
        install: InstallRequest::PLAIN,
    };
    good(update(&project.world(), &request));
    assert_eq!(
        project.sandbox.read(".claude/agents/reviewer.md"),
        "Review other.\n"
    );
}

#[test]
fn the_catalog_reads_it() {
    let project = project(&["v1.0.0"]);
    good(install(&project.world(), &InstallRequest::PLAIN));
    let report = good(catalog(&project.world(), &CatalogRequest::default()));
    let rows: Vec<String> = report.rows().map(|row| format!("{row:?}")).collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
}

/// Its revisions are digests, not commits.
#[test]
fn a_url_is_added_locked_and_restored() {
    let project = project(&["v1.0.0"]);
    project.sandbox.write("agpm.toml", "");
    let words = vec!["https://registry.invalid/team".into(), "testing".into()];
    let request = AddRequest::plain(AddSubject::Resources(words));
    good(add(&project.world(), &request));
    let installed = ".claude/skills/testing/notes/more.md";
    assert_eq!(project.sandbox.read(installed), "More v1.0.0.\n");
    let lock = project.sandbox.read("agpm.lock");
    assert!(lock.contains("resolved_commit = \"sha256:"), "{lock}");

    std::fs::remove_dir_all(project.sandbox.work().join(".claude")).unwrap();
    let request = InstallRequest {
        lock: LockUse::Frozen,
        ..InstallRequest::PLAIN
    };
    good(install(&project.world(), &request));
    assert_eq!(project.sandbox.read(installed), "More v1.0.0.\n");
}
