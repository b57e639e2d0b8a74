//! `diff --from`: the project in the working tree, compared with the project at a git ref.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes};
use agpm_model::{LOCK_NAME, Lockfile, Manifest, Owner, outdated_lock};
use agpm_resolve::locked_roots;

use crate::diff::comparison::compare;
use crate::diff::project_at_ref::{ExportedFiles, ProjectAtRef};
use crate::diff::project_state::{
    LockedProject, ProjectContent, ProjectState, read_content, read_project,
};
use crate::diff::report::DiffReport;
use crate::diff::request::{DiffContent, DiffRequest};
use crate::install::matches_id;
use crate::project::gather::ManifestFiles;
use crate::project::world::World;
use crate::update::scope_of;

/// Compares manifest and lockfile of a ref with those of the working tree. The installed files are not read.
pub(super) fn diff_from(
    world: &World,
    reference: &str,
    request: &DiffRequest,
    notes: &mut Notes,
) -> Result<DiffReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let mut at_ref = ProjectAtRef::open(world, &files, reference)?;
    let after = state_now(world, notes)?;
    let before = state_at(world, &mut at_ref, reference, notes)?;
    require_known_ids(world, &request.ids, &before.lock, &after.lock)?;
    let mut report = compare(reference, at_ref.commit.clone(), &before, &after);
    if !request.ids.is_empty() {
        report.keep_ids(&request.ids);
    }
    if request.content == DiffContent::Executables {
        report.keep_executables();
    }
    Ok(report)
}

/// The project in the working tree.
fn state_now(world: &World, notes: &mut Notes) -> Result<ProjectState, Failure> {
    let LockedProject { manifest, lock } = read_project(world, notes)?;
    let Some(lock) = lock else {
        if manifest.dependencies.is_empty() && manifest.layers.is_empty() {
            return Ok(ProjectState::empty(manifest));
        }
        return Err(outdated_lock(format!("`{LOCK_NAME}` not found")));
    };
    // A reviewer sees what is locked, and that it is not what the manifest requires.
    let mut found = Notes::default();
    if let Err(failure) = locked_roots(&manifest, &lock, &mut found) {
        let found = found.diagnostics.into_iter().chain(failure.diagnostic);
        notes.diagnostics.extend(found.map(outdated));
    }
    let mut content = read_content(world, &manifest, &lock)?;
    report_layers(&mut content, "the working tree", notes);
    Ok(ProjectState {
        manifest,
        lock,
        content: Some(content),
    })
}

fn outdated(mut found: Diagnostic) -> Diagnostic {
    found.severity = Severity::Warning;
    found.help("the comparison shows the lockfile as it is; run `agpm install` to update it")
}

/// The project at the ref; empty if the ref has none.
fn state_at(
    world: &World,
    at_ref: &mut ProjectAtRef,
    reference: &str,
    notes: &mut Notes,
) -> Result<ProjectState, Failure> {
    if !at_ref.has_manifest() || !at_ref.has_lockfile() {
        let missing = format!("`{reference}` has no `{LOCK_NAME}`; everything is new");
        notes.log.push(missing);
        return Ok(ProjectState::empty(Manifest::default()));
    }
    let past = at_ref.world(world);
    let mut quiet = Notes::default();
    let LockedProject { manifest, lock } = read_project(&past, &mut quiet)
        .map_err(|failure| invalid_at(reference, failure, &quiet))?;
    let lock = lock.unwrap_or_default();
    let mut content = read_content(&past, &manifest, &lock);
    if content
        .as_ref()
        .is_err_and(|error| error.kind != FailureKind::Network)
    {
        // A template may read a file that the manifest does not name.
        at_ref.export(ExportedFiles::All)?;
        content = read_content(&past, &manifest, &lock);
    }
    let content = match content {
        Ok(mut content) => {
            report_layers(&mut content, &format!("`{reference}`"), notes);
            Some(content)
        }
        Err(failure) => {
            notes.diagnostics.push(unavailable(reference, failure));
            None
        }
    };
    Ok(ProjectState {
        manifest,
        lock,
        content,
    })
}

/// The manifest or the lockfile of a ref cannot be read, and nothing in the working tree can fix that.
fn invalid_at(reference: &str, failure: Failure, notes: &Notes) -> Failure {
    let found = notes.diagnostics.iter().chain(&failure.diagnostic);
    let errors: Vec<&Diagnostic> = found
        .filter(|one| one.severity == Severity::Error)
        .collect();
    let code = errors.first().map_or(&codes::LOCK_BROKEN, |one| one.code);
    let mut reasons: Vec<String> = errors.iter().map(|one| one.shown_message()).collect();
    reasons.dedup();
    let message = format!("the project at `{reference}` cannot be read");
    let help = "compare with a ref whose manifest and lockfile are valid";
    let diagnostic = Diagnostic::new(code, message).details(reasons).help(help);
    Failure::new(failure.kind, diagnostic)
}

/// The lists of the lockfile have to do where the content of a ref is gone.
fn unavailable(reference: &str, failure: Failure) -> Diagnostic {
    let message = format!("the content at `{reference}` is not available");
    let why = failure.diagnostic.map(|why| why.shown_message());
    let mut found = Diagnostic::new(&codes::DIFF_UNAVAILABLE, message)
        .details(why)
        .help("capabilities are compared as locked; make the sources available to compare files");
    found.severity = Severity::Warning;
    found
}

fn report_layers(content: &mut ProjectContent, side: &str, notes: &mut Notes) {
    let Some(failure) = content.layer_failure.take() else {
        return;
    };
    let message = format!("the layers of {side} cannot be merged");
    let why = failure.diagnostic.map(|why| why.shown_message());
    let mut found = Diagnostic::new(&codes::DIFF_UNAVAILABLE, message)
        .details(why)
        .help("their capabilities are compared as locked");
    found.severity = Severity::Warning;
    notes.diagnostics.push(found);
}

/// An unknown name is an error even if nothing differs; a removed one is known.
fn require_known_ids(
    world: &World,
    words: &[String],
    before: &Lockfile,
    after: &Lockfile,
) -> Result<(), Failure> {
    let mut owners: Vec<Owner> = Vec::new();
    for lock in [before, after] {
        owners.extend(lock.entries.iter().map(|entry| Owner::from(entry.id())));
        owners.extend(lock.layers.iter().map(|layer| Owner::layer(&layer.name)));
    }
    for word in words {
        if !owners.iter().any(|owner| matches_id(word, owner)) {
            scope_of(world, std::slice::from_ref(word))?;
        }
    }
    Ok(())
}
