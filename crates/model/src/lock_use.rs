use agpm_diag::{Diagnostic, Failure, FailureKind, codes};

use crate::lock::Lockfile;
use crate::manifest::Manifest;

/// The use of the lockfile in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockUse {
    /// Its pins stay, and it is brought up to date.
    Update,
    /// The lockfile must not change.
    Locked,
    /// Only it decides, and every byte is checked against it.
    Frozen,
    /// Its pins stay, and it is not written.
    Unwritten,
}

/// The failure of an outdated lockfile that must not change.
pub fn outdated_lock(message: String) -> Failure {
    let help = "run `agpm install` without `--locked` or `--frozen`, and commit `agpm.lock`";
    Failure::new(
        FailureKind::Lock,
        Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help),
    )
}

/// The lockfile with sources renamed as in the manifest, if only the name changed.
pub fn with_names_of(manifest: &Manifest, lock: &Lockfile) -> Lockfile {
    let mut renamed = lock.clone();
    for source in &lock.sources {
        if manifest.source(&source.name).is_some() {
            continue;
        }
        for declared in &manifest.sources {
            if source.url.as_deref() == Some(declared.address.redacted()) {
                renamed.rename_source(&source.name, &declared.name);
                break;
            }
        }
    }
    renamed
}
