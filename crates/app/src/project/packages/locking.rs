//! Reads the lockfile.

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_model::{Lockfile, RESTORE_LOCK};
use agpm_store::{ProjectStore, StoreError, StoreProblem};
use agpm_text::Format;

use crate::project::path_of;
use crate::project::reading::limit;
use crate::project::world::{Environment, InstallScope};
use agpm_text::{has_conflict_markers, parse_bytes};

use agpm_model::LOCK_NAME;

/// Reads the lockfile, with its bytes; `None` if it does not exist.
pub(crate) fn read_lock(
    environment: &Environment,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<Option<(Lockfile, Vec<u8>)>, Failure> {
    let read = match environment.scope {
        InstallScope::Project => store.read(&path_of(LOCK_NAME), limit()),
        InstallScope::User => agpm_store::read_regular(
            &environment.manifest_directory(store.path()).join(LOCK_NAME),
            limit(),
        ),
    };
    let bytes = match read {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Ok(None),
        read => read.map_err(|error| error.seen_from(store.path()))?,
    };
    let parsed = parse_bytes(LOCK_NAME.to_owned(), bytes.clone(), Format::Toml, notes)?;
    if let Some(first) = parsed
        .diagnostics
        .into_iter()
        .find(|found| found.severity == Severity::Error)
    {
        return Err(not_toml(first, &bytes).into());
    }
    let document = parsed.document;
    let (lock, diagnostics) = Lockfile::read(&document);
    notes.diagnostics.extend(diagnostics);
    notes.check()?;
    Ok(Some((lock, bytes)))
}

/// Returns one finding for a lockfile with syntax errors, because users should restore it and not edit it.
fn not_toml(first: Diagnostic, bytes: &[u8]) -> Diagnostic {
    let (message, help) = if has_conflict_markers(bytes) {
        (
            "contains git merge conflict markers",
            "take one side, as with `git checkout --ours agpm.lock`, and run `agpm install`",
        )
    } else {
        ("is not valid TOML", RESTORE_LOCK)
    };
    let diagnostic =
        Diagnostic::new(&codes::LOCK_BROKEN, format!("`{LOCK_NAME}` {message}")).help(help);
    Diagnostic {
        labels: first.labels,
        ..diagnostic
    }
}
