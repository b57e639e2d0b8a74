//! Decisions of commands, each on a source in memory: no process is started.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

mod memory;

use agpm_app::change::{ManifestChange, change_manifest};
use agpm_app::explain::{ExplainReport, ExplainRequest, explain};
use agpm_app::install::{
    FidelityPolicy, InstallReport, InstallRequest, LockChange, ResourceOutcome, install,
};
use agpm_app::list::{DiskCheck, ListRequest, list};
use agpm_app::manifest::{DependencyId, PatternUse};
use agpm_app::outdated::{OutdatedRequest, OutdatedRows, outdated};
use agpm_app::project::merge_inputs::MergeInputs;
use agpm_app::project::write_mode::WriteMode;
use agpm_app::verify::verify;
use agpm_app::why::{WhyRequest, why};
use agpm_diag::{FailureKind, Outcome, Severity, WarningPolicy};
use agpm_merge::SecretDisplay;
use agpm_model::LockUse;
use agpm_plan::{ChangeAction, ChangeReason};

use memory::{MemoryProject, good};

const ONE: &str = "[sources]\nkit = \"https://host.invalid/kit\"\n\n[agents]\nreviewer = { source = \"kit\", path = \"agents/reviewer.md\", version = \"^1.0\" }\n";
const FILE: &str = ".claude/agents/reviewer.md";

fn files(version: &str) -> Vec<(&'static str, String)> {
    vec![
        (
            "agents/reviewer.md",
            format!(
                "---\nname: reviewer\ndescription: Reviews {version}\n---\nReview {version}.\n\nBe kind.\n\nBe brief.\n"
            ),
        ),
        (
            "agents/lead.md",
            "---\ndependencies:\n  agents:\n    - path: reviewer.md\n---\nLead.\n".to_owned(),
        ),
    ]
}

fn project(manifest: &str) -> MemoryProject {
    let project = MemoryProject::new(manifest);
    let releases = ["1.0", "1.1", "2.0"].map(|version| (format!("v{version}.0"), files(version)));
    let releases: Vec<_> = releases
        .iter()
        .map(|(tag, files)| (tag.as_str(), files.clone()))
        .collect();
    project.publish(&releases);
    project
}

fn installed(project: &MemoryProject) -> InstallReport {
    good(install(&project.world(), &InstallRequest::PLAIN))
}

fn codes<T>(outcome: &Outcome<T>) -> Vec<&'static str> {
    let found = outcome.diagnostics.iter();
    found.map(|finding| finding.code.name).collect()
}

fn explained(project: &MemoryProject, what: &str, pointer: Option<&str>) -> Outcome<ExplainReport> {
    let request = ExplainRequest {
        what: what.to_owned(),
        pointer: pointer.map(str::to_owned),
        inputs: MergeInputs::of_files(Vec::new()),
        json_file: None,
        secrets: SecretDisplay::Masked,
    };
    explain(&project.world(), &request)
}

/// The subject that was explained, and the layers that its values are from.
fn subject(outcome: Outcome<ExplainReport>) -> (&'static str, String, Vec<String>) {
    match good(outcome) {
        ExplainReport::Page(page) => ("code", page.code.to_owned(), Vec::new()),
        ExplainReport::Values(values) => {
            let mut layers: Vec<String> = values
                .provenance
                .leaves
                .iter()
                .map(|leaf| leaf.layer.clone())
                .collect();
            layers.sort();
            layers.dedup();
            (values.name.subject.word(), values.name.name, layers)
        }
    }
}

#[test]
fn a_manifest_that_requires_nothing_keeps_a_lockfile_that_somebody_committed() {
    let project = project(ONE);
    installed(&project);
    project.sandbox.write(
        "agpm.toml",
        "[sources]\nkit = \"https://host.invalid/kit\"\n",
    );
    let report = installed(&project);
    assert_eq!(report.lock, LockChange::Written);
    assert!(project.exists("agpm.lock") && !project.exists(FILE));
    // Without a lockfile, none is written.
    let empty = MemoryProject::new("");
    let report = good(install(&empty.world(), &InstallRequest::PLAIN));
    assert_eq!(report.lock, LockChange::Unchanged);
    assert!(!empty.exists("agpm.lock"));
}

#[test]
fn a_command_that_removes_the_last_entry_removes_the_lockfile() {
    let project = project(ONE);
    installed(&project);
    let removal = |writing| ManifestChange::RemoveDependencies {
        ids: vec![DependencyId::Word("reviewer".to_owned())],
        pattern_use: PatternUse::Kept,
        writing,
    };
    good(change_manifest(&project.world(), &removal(WriteMode::Show)));
    assert!(project.exists("agpm.lock") && project.exists(FILE));
    good(change_manifest(
        &project.world(),
        &removal(WriteMode::Apply),
    ));
    assert!(!project.exists("agpm.lock"));
}

#[test]
fn a_deleted_file_is_installed_again_and_an_edited_one_is_skipped() {
    let project = project(ONE);
    installed(&project);
    std::fs::remove_file(project.sandbox.work().join(FILE)).unwrap();
    let report = installed(&project);
    let outcomes: Vec<_> = report.counts.changed.keys().copied().collect();
    assert_eq!(outcomes, [ResourceOutcome::Installed]);
    assert_eq!(report.changes[0].reason, ChangeReason::WasMissing);
    project.sandbox.write(FILE, "Mine.\n");
    let report = installed(&project);
    let outcomes: Vec<_> = report.counts.changed.keys().copied().collect();
    assert_eq!(outcomes, [ResourceOutcome::Skipped]);
}

#[test]
fn an_edit_and_a_new_version_are_merged_line_by_line() {
    let project = project(ONE);
    installed(&project);
    let text = project.sandbox.read(FILE);
    project.sandbox.write(FILE, format!("{text}Mine.\n"));
    project
        .sandbox
        .write("agpm.toml", ONE.replace("^1.0", "^2.0"));
    let report = installed(&project);
    let change = &report.changes[0];
    assert_eq!(change.action, ChangeAction::Merge, "{report:?}");
    // The report does not hold the bytes.
    assert_eq!(change.content, None);
    assert_eq!(
        project.sandbox.read(FILE),
        "---\nname: reviewer\ndescription: Reviews 2.0\n---\nReview 2.0.\n\nBe kind.\n\nBe brief.\nMine.\n"
    );
}

#[test]
fn an_edit_of_the_same_line_is_a_conflict_with_the_new_version_beside_it() {
    let project = project(ONE);
    installed(&project);
    let text = project.sandbox.read(FILE);
    project
        .sandbox
        .write(FILE, text.replace("Review 1.1.", "Mine."));
    project
        .sandbox
        .write("agpm.toml", ONE.replace("^1.0", "^2.0"));
    let outcome = install(&project.world(), &InstallRequest::PLAIN);
    assert!(codes(&outcome).contains(&"install/conflict"), "{outcome:?}");
    assert!(project.sandbox.read(FILE).contains("Mine."));
    let beside = project.sandbox.read(&format!("{FILE}.agpm-new"));
    assert!(beside.contains("Review 2.0."));
}

#[test]
fn a_file_of_the_user_is_not_overwritten() {
    let project = project(ONE);
    project.sandbox.write(FILE, "Mine.\n");
    let refused = install(&project.world(), &InstallRequest::PLAIN);
    assert_eq!(codes(&refused), ["install/unmanaged"]);
    assert_eq!(refused.result.err(), Some(FailureKind::Refused));
    assert_eq!(project.sandbox.read(FILE), "Mine.\n");
    assert!(!project.exists("agpm.lock"));
    // A run that only shows goes on to show the rest.
    let show = InstallRequest {
        writing: WriteMode::Show,
        ..InstallRequest::PLAIN
    };
    let shown = install(&project.world(), &show);
    assert_eq!(shown.diagnostics[0].severity, Severity::Warning);
    assert_eq!(good(shown).refused, 1);
}

#[test]
fn a_policy_of_the_project_forbids_before_anything_is_written() {
    let denied = format!("{ONE}\n[policy.types]\ndeny = [\"agents\"]\n");
    let project = project(&denied);
    let refused = install(&project.world(), &InstallRequest::PLAIN);
    assert_eq!(
        refused.result.err(),
        Some(FailureKind::Refused),
        "{:?}",
        refused.diagnostics
    );
    assert!(!project.exists(FILE) && !project.exists("agpm.lock"));
}

#[test]
fn a_conversion_that_permits_more_needs_the_manifest_and_strict_fidelity_refuses_it_still() {
    let manifest = |more: &str| {
        ONE.replace(
            "version = \"^1.0\"",
            &format!("version = \"^1.0\", tool = \"codex\"{more}"),
        )
    };
    let project = MemoryProject::new(&manifest(""));
    let text = "---\nname: reviewer\ndescription: Reviews\ntools: Edit\n---\nReview.\n";
    project.publish(&[("v1.0.0", vec![("agents/reviewer.md", text.to_owned())])]);
    let refused = install(&project.world(), &InstallRequest::PLAIN);
    assert_eq!(refused.result.err(), Some(FailureKind::Refused));
    assert!(!project.exists("agpm.lock"));
    project
        .sandbox
        .write("agpm.toml", manifest(", allow-widening = [\"codex\"]"));
    let report = installed(&project);
    assert!(!report.conversions.is_empty());
    let strict = InstallRequest {
        fidelity: FidelityPolicy::Strict,
        ..InstallRequest::PLAIN
    };
    let refused = install(&project.world(), &strict);
    assert_eq!(refused.result.err(), Some(FailureKind::Errors));
}

#[test]
fn a_warning_stops_a_run_that_asks_for_it() {
    let project = project(ONE);
    installed(&project);
    project.sandbox.write(FILE, "Mine.\n");
    let stop = InstallRequest {
        warnings: WarningPolicy::Stop,
        ..InstallRequest::PLAIN
    };
    let stopped = install(&project.world(), &stop);
    assert_eq!(stopped.result.err(), Some(FailureKind::Errors));
    installed(&project);
}

#[test]
fn a_frozen_install_keeps_the_lockfile_and_a_lock_that_lags_is_not_used() {
    let project = project(ONE);
    installed(&project);
    let lock = project.sandbox.read("agpm.lock");
    let frozen = InstallRequest {
        lock: LockUse::Frozen,
        ..InstallRequest::PLAIN
    };
    std::fs::remove_file(project.sandbox.work().join(FILE)).unwrap();
    let report = good(install(&project.world(), &frozen));
    assert_eq!(report.lock, LockChange::Unchanged);
    assert!(project.exists(FILE));
    assert_eq!(project.sandbox.read("agpm.lock"), lock);
}

#[test]
fn outdated_compares_with_what_the_requirement_allows_and_with_everything() {
    let project = project(&ONE.replace("^1.0", "=1.0.0"));
    installed(&project);
    project.sandbox.write("agpm.toml", ONE);
    let request = OutdatedRequest {
        names: Vec::new(),
        rows: OutdatedRows::Outdated,
    };
    let report = good(outdated(&project.world(), &request));
    let row = &report.outdated[0];
    assert_eq!(
        (
            row.current.as_str(),
            row.allowed.as_str(),
            row.newest.as_str()
        ),
        ("v1.0.0", "v1.1.0", "v2.0.0")
    );
}

#[test]
fn verify_finds_modified_and_missing_files_and_list_marks_them() {
    let project = project(ONE);
    installed(&project);
    assert!(good(verify(&project.world())).findings.is_empty());
    project.sandbox.write(FILE, "Mine.\n");
    let report = good(verify(&project.world()));
    assert_eq!((report.modified(), report.missing()), (1, 0));
    let request = ListRequest {
        kind: None,
        source: None,
        tool: None,
        search: None,
        detail: agpm_app::list::ListDetail::default(),
        disk: DiskCheck::Compare,
    };
    let listed = good(list(&project.world(), &request));
    assert!(format!("{listed:?}").contains("Modified"), "{listed:?}");
    std::fs::remove_file(project.sandbox.work().join(FILE)).unwrap();
    let report = good(verify(&project.world()));
    assert_eq!((report.modified(), report.missing()), (0, 1));
}

#[test]
fn why_shows_the_chain_to_the_manifest() {
    let project = project(&ONE.replace("reviewer", "lead"));
    installed(&project);
    let request = |name: &str| WhyRequest {
        name: name.to_owned(),
    };
    let report = good(why(&project.world(), &request("agents/reviewer")));
    assert!(format!("{report:?}").contains("agents/lead"), "{report:?}");
    let unknown = why(&project.world(), &request("agents/nobody"));
    assert_eq!(unknown.result.err(), Some(FailureKind::NotFound));
}

#[test]
fn a_word_is_explained_as_a_file_a_resource_an_entry_or_a_code() {
    let project = project(ONE);
    // What is not installed yet is known from the manifest alone.
    let before = explained(&project, "reviewer", None);
    assert_eq!(before.diagnostics[0].severity, Severity::Note);
    assert_eq!(codes(&before), ["lock/outdated"]);
    assert_eq!(subject(before).0, "manifest");
    installed(&project);
    for word in ["reviewer", "agents/reviewer", "agent:reviewer", FILE] {
        let (kind, name, layers) = subject(explained(&project, word, None));
        assert_eq!((kind, name.as_str()), ("agent", "reviewer"), "{word}");
        assert_eq!(layers, ["kit"], "{word}");
    }
    assert_eq!(subject(explained(&project, "json/syntax", None)).0, "code");
    for word in ["nobody", "agents/nobody", "file:missing.json"] {
        let unknown = explained(&project, word, None);
        assert_eq!(unknown.result.err(), Some(FailureKind::NotFound), "{word}");
    }
}

#[test]
fn a_value_of_the_manifest_has_its_line_and_a_wrong_pointer_is_corrected() {
    let project = project(ONE);
    let found = explained(&project, "manifest:/agents/reviewer/version", None);
    let ExplainReport::Values(values) = good(found) else {
        panic!("values")
    };
    assert_eq!(values.provenance.leaves[0].line, 5);
    let wrong = explained(&project, "manifest:/agent", None);
    let help = wrong.diagnostics[0].help.clone().unwrap();
    assert_eq!(help, "did you mean `/agents`?");
}

#[test]
fn a_resource_is_found_although_the_manifest_has_an_error_and_the_error_is_reported_once() {
    let project = project(ONE);
    installed(&project);
    project.sandbox.write(
        "agpm.toml",
        format!("{ONE}writer = {{ sorce = \"kit\" }}\n"),
    );
    let outcome = explained(&project, "reviewer", None);
    let mut found = codes(&outcome);
    let all = found.len();
    found.dedup();
    assert_eq!(found.len(), all, "{:?}", outcome.diagnostics);
    assert_eq!(outcome.result.err(), Some(FailureKind::Errors));
}
