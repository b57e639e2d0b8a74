//! Install, update, add, remove and undo on a source in memory: no process is started.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

mod memory;

use agpm_app::add::{AddRequest, AddSubject, add};
use agpm_app::change::{ManifestChange, change_manifest};
use agpm_app::install::{
    InstallReport, InstallRequest, LockChange, TransitiveExecutables, install,
};
use agpm_app::manifest::{DependencyId, PatternUse};
use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;
use agpm_app::undo::{UndoAction, UndoRequest, undo};
use agpm_app::update::{UpdateRequest, UpdateTarget, update};
use agpm_diag::{FailureKind, Outcome};
use agpm_model::LockUse;
use agpm_plan::ChangeAction;
use agpm_plan::OverwriteRule;

use memory::{MemoryProject, good};

const ONE: &str = "[sources]\nkit = \"https://host.invalid/kit\"\n\n[agents]\nreviewer = { source = \"kit\", path = \"agents/reviewer.md\", version = \"^1.0\" }\n";
const FILE: &str = ".claude/agents/reviewer.md";

fn files(version: &str) -> Vec<(&'static str, String)> {
    vec![
        ("agents/reviewer.md", format!("Review {version}.\n")),
        ("agents/writer.md", format!("Write {version}.\n")),
        (
            "agents/runner.md",
            "---\ndependencies:\n  scripts:\n    - path: ../scripts/run.sh\n---\nRun.\n".to_owned(),
        ),
        ("scripts/run.sh", "#!/bin/sh\ntrue\n".to_owned()),
    ]
}

fn project(manifest: &str) -> MemoryProject {
    let project = MemoryProject::new(manifest);
    project.publish(&[("v1.0.0", files("1.0")), ("v2.0.0", files("2.0"))]);
    project
}

fn installed(world: &World, request: InstallRequest) -> InstallReport {
    good(install(world, &request))
}

fn kind<T>(outcome: Outcome<T>) -> Option<FailureKind> {
    outcome.result.err()
}

fn update_of(names: &[&str]) -> UpdateRequest {
    UpdateRequest {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        target: UpdateTarget::Allowed,
        install: InstallRequest::PLAIN,
    }
}

fn with_lock(lock: LockUse) -> InstallRequest {
    InstallRequest {
        lock,
        ..InstallRequest::PLAIN
    }
}

fn removal_of(name: &str) -> ManifestChange {
    ManifestChange::RemoveDependencies {
        ids: vec![DependencyId::Word(name.to_owned())],
        pattern_use: PatternUse::Kept,
        writing: WriteMode::Apply,
    }
}

#[test]
fn a_second_install_has_nothing_to_do() {
    let project = project(ONE);
    let first = installed(&project.world(), InstallRequest::PLAIN);
    assert_eq!(first.lock, LockChange::Written);
    assert_eq!(project.sandbox.read(FILE), "Review 1.0.\n");
    let lock = project.sandbox.read("agpm.lock");
    let second = installed(&project.world(), InstallRequest::PLAIN);
    assert_eq!((second.changes.len(), second.unchanged), (0, 1));
    assert_eq!(project.sandbox.read("agpm.lock"), lock);
}

#[test]
fn a_run_that_only_shows_writes_nothing_and_reports_the_same() {
    let project = project(ONE);
    let show = InstallRequest {
        writing: WriteMode::Show,
        ..InstallRequest::PLAIN
    };
    let preview = installed(&project.world(), show);
    assert_eq!(preview.lock, LockChange::WouldBeWritten);
    assert!(!project.exists(FILE) && !project.exists("agpm.lock"));
    let done = installed(&project.world(), InstallRequest::PLAIN);
    let paths = |report: &InstallReport| -> Vec<String> {
        let changes = report.changes.iter();
        changes.map(|change| change.path.to_string()).collect()
    };
    assert_eq!(paths(&preview), paths(&done));
}

#[test]
fn a_frozen_install_needs_a_lockfile_that_fits() {
    let project = project(ONE);
    let frozen = with_lock(LockUse::Frozen);
    let without = install(&project.world(), &frozen);
    assert_eq!(kind(without), Some(FailureKind::Lock));
    installed(&project.world(), InstallRequest::PLAIN);
    installed(&project.world(), frozen);
    project
        .sandbox
        .write("agpm.toml", ONE.replace("^1.0", "^2.0"));
    for lock in [LockUse::Frozen, LockUse::Locked] {
        let other = install(&project.world(), &with_lock(lock));
        assert_eq!(kind(other), Some(FailureKind::Lock), "{lock:?}");
    }
    assert_eq!(project.sandbox.read(FILE), "Review 1.0.\n");
    installed(&project.world(), InstallRequest::PLAIN);
    assert_eq!(project.sandbox.read(FILE), "Review 2.0.\n");
}

#[test]
fn a_frozen_install_refuses_other_bytes_than_the_locked_ones() {
    let project = project(ONE);
    installed(&project.world(), InstallRequest::PLAIN);
    let lock = project.sandbox.read("agpm.lock");
    let sum = lock
        .lines()
        .find(|line| line.starts_with("checksum"))
        .unwrap();
    let other = format!("checksum = \"sha256:{}\"", "0".repeat(64));
    project
        .sandbox
        .write("agpm.lock", lock.replace(sum, &other));
    let frozen = install(&project.world(), &with_lock(LockUse::Frozen));
    let codes: Vec<&str> = frozen
        .diagnostics
        .iter()
        .map(|finding| finding.code.name)
        .collect();
    assert_eq!(codes, ["lock/checksum"]);
    assert!(frozen.result.is_err());
}

#[test]
fn a_file_that_was_edited_stays_unless_it_may_be_overwritten() {
    let project = project(ONE);
    installed(&project.world(), InstallRequest::PLAIN);
    project.sandbox.write(FILE, "Mine.\n");
    let report = installed(&project.world(), InstallRequest::PLAIN);
    assert_eq!(report.changes[0].action, ChangeAction::Keep);
    assert_eq!(project.sandbox.read(FILE), "Mine.\n");
    let overwrite = InstallRequest {
        overwrite: OverwriteRule::Everything,
        ..InstallRequest::PLAIN
    };
    installed(&project.world(), overwrite);
    assert_eq!(project.sandbox.read(FILE), "Review 1.0.\n");
}

#[test]
fn a_transitive_executable_needs_one_approval() {
    let project = project(&ONE.replace("reviewer", "runner"));
    let refused = install(&project.world(), &InstallRequest::PLAIN);
    assert_eq!(kind(refused), Some(FailureKind::Refused));
    assert!(!project.exists("agpm.lock"));
    let allowed = InstallRequest {
        executables: TransitiveExecutables::Allowed,
        ..InstallRequest::PLAIN
    };
    let report = installed(&project.world(), allowed);
    assert!(
        report
            .programs
            .iter()
            .any(|program| program.resource == "scripts/run")
    );
    installed(&project.world(), InstallRequest::PLAIN);
}

#[test]
fn update_moves_what_is_named_within_its_requirement() {
    let manifest = format!(
        "{ONE}writer = {{ source = \"kit\", path = \"agents/writer.md\", version = \"^1.0\" }}\n"
    );
    let project = project(&manifest);
    installed(&project.world(), InstallRequest::PLAIN);
    project.publish(&[
        ("v1.0.0", files("1.0")),
        ("v1.1.0", files("1.1")),
        ("v2.0.0", files("2.0")),
    ]);
    let report = good(update(&project.world(), &update_of(&["writer"])));
    let moved: Vec<(String, String)> = report
        .installed
        .moved
        .iter()
        .map(|pin| (pin.id.to_string(), pin.to()))
        .collect();
    assert_eq!(moved, [("agents/writer".to_owned(), "v1.1.0".to_owned())]);
    assert_eq!(project.sandbox.read(FILE), "Review 1.0.\n");
    assert_eq!(
        project.sandbox.read(".claude/agents/writer.md"),
        "Write 1.1.\n"
    );
    let unknown = update(&project.world(), &update_of(&["nobody"]));
    assert_eq!(kind(unknown), Some(FailureKind::NotFound));
}

#[test]
fn removing_a_dependency_deletes_its_files_and_its_pin() {
    let project = project(ONE);
    installed(&project.world(), InstallRequest::PLAIN);
    let report = good(change_manifest(&project.world(), &removal_of("reviewer")));
    assert_eq!(report.done, "remove agents/reviewer");
    assert!(!project.exists(FILE));
    assert!(!project.sandbox.read("agpm.toml").contains("reviewer"));
    // Nothing is left to lock.
    assert!(!project.exists("agpm.lock"));
    let again = change_manifest(&project.world(), &removal_of("reviewer"));
    assert_eq!(kind(again), Some(FailureKind::NotFound));
}

#[test]
fn a_source_that_is_used_stays() {
    let project = project(ONE);
    let (name, writing) = ("kit".to_owned(), WriteMode::Apply);
    let refused = change_manifest(
        &project.world(),
        &ManifestChange::RemoveSource { name, writing },
    );
    assert_eq!(kind(refused), Some(FailureKind::Refused));
    assert_eq!(project.sandbox.read("agpm.toml"), ONE);
}

#[test]
fn add_writes_an_entry_with_a_range_once() {
    let project = project(ONE);
    let request = AddRequest::plain(AddSubject::Resources(vec![
        "kit".to_owned(),
        "writer".to_owned(),
    ]));
    let report = good(add(&project.world(), &request));
    assert_eq!(report.additions.added[0].id, "agents/writer");
    assert_eq!(report.additions.added[0].version.as_deref(), Some("^2.0.0"));
    assert_eq!(
        project.sandbox.read(".claude/agents/writer.md"),
        "Write 2.0.\n"
    );
    let manifest = project.sandbox.read("agpm.toml");
    let again = good(add(&project.world(), &request));
    assert_eq!(again.additions.present, ["agents/writer"]);
    assert_eq!(project.sandbox.read("agpm.toml"), manifest);
}

#[test]
fn undo_takes_back_one_change_and_keeps_the_one_before() {
    let project = project(ONE);
    installed(&project.world(), InstallRequest::PLAIN);
    let lock = project.sandbox.read("agpm.lock");
    good(change_manifest(&project.world(), &removal_of("reviewer")));
    let request = UndoRequest {
        action: UndoAction::Apply,
        first: None,
        overwrite: OverwriteRule::Nothing,
    };
    let report = good(undo(&project.world(), &request));
    assert_eq!(report.entries[0].title, "remove agents/reviewer");
    assert_eq!(project.sandbox.read(FILE), "Review 1.0.\n");
    assert_eq!(project.sandbox.read("agpm.toml"), ONE);
    assert_eq!(project.sandbox.read("agpm.lock"), lock);
}

#[test]
fn requirements_that_exclude_each_other_change_nothing() {
    let manifest = format!(
        "{ONE}other = {{ source = \"kit\", path = \"agents/reviewer.md\", version = \"^2.0\" }}\n"
    );
    let project = project(&manifest);
    assert!(
        install(&project.world(), &InstallRequest::PLAIN)
            .result
            .is_err()
    );
    assert!(!project.exists(FILE) && !project.exists("agpm.lock"));
}
