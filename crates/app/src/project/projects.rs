//! Records the projects of this user, whose sources stay in the cache.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agpm_model::Checksum;
use agpm_store as store;

use crate::manifest::MANIFEST_NAME;
use crate::project::world::{Environment, InstallScope};
use agpm_model::LOCK_NAME;

const PROJECTS_DIRECTORY: &str = "projects";
/// The interval in which a project is recorded only once.
const SAME_USE: Duration = Duration::from_secs(24 * 60 * 60);
const LONGEST_PATH: u64 = 64 << 10;

/// A project that installed something.
pub(crate) struct RecordedProject {
    /// The directory of the manifest.
    pub root: PathBuf,
    /// The file that contains this record.
    record: PathBuf,
}

impl RecordedProject {
    /// Returns whether the project no longer exists.
    pub(crate) fn is_gone(&self) -> bool {
        ![MANIFEST_NAME, LOCK_NAME]
            .iter()
            .any(|name| store::exists(&self.root.join(name)))
    }

    /// Deletes the record; errors are ignored.
    pub(crate) fn forget(&self) {
        let _ = store::remove_path(&self.record);
    }
}

/// Records that a project uses the cache. Each project has its own file, so no lock is needed; errors are ignored,
/// because they must not fail an install.
pub(crate) fn note(environment: &Environment, root: &Path) {
    let Some(state) = environment
        .state
        .as_deref()
        .filter(|_| environment.scope == InstallScope::Project)
    else {
        return;
    };
    let Some(text) = root.to_str() else { return };
    let record = state
        .join(PROJECTS_DIRECTORY)
        .join(Checksum::of(text.as_bytes()).digits());
    match store::age(&record) {
        Some(age) if age < SAME_USE => {}
        Some(_) if store::touch(&record) => {}
        _ => {
            let _ = store::create_private_directory(state);
            let _ = store::write_atomically(&record, text.as_bytes());
        }
    }
}

/// Returns every recorded project.
pub(crate) fn recorded(environment: &Environment) -> Vec<RecordedProject> {
    let Some(directory) = environment
        .state
        .as_ref()
        .map(|state| state.join(PROJECTS_DIRECTORY))
    else {
        return Vec::new();
    };
    let records = store::names_in(&directory)
        .into_iter()
        .map(|name| directory.join(name));
    records
        .filter_map(|record| {
            let root = String::from_utf8(store::read(&record, LONGEST_PATH).ok()?).ok()?;
            Some(RecordedProject {
                root: PathBuf::from(root),
                record,
            })
        })
        .collect()
}
