//! The projects of this user, as far as they installed something: what their lockfiles need stays in the cache.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agpm_model::Checksum;
use agpm_store as store;

use crate::reading::MANIFEST_NAME;
use crate::world::{Environment, InstallScope};
use agpm_model::LOCK_NAME;

const FOLDER: &str = "projects";
/// A project that was noted within this time is not noted again.
const SAME_USE: Duration = Duration::from_secs(24 * 60 * 60);
const LONGEST_PATH: u64 = 64 << 10;

/// A project that installed something.
pub struct KnownProject {
    /// Where its manifest is.
    pub root: PathBuf,
    /// The file that says so.
    record: PathBuf,
}

impl KnownProject {
    /// Whether it is gone, so it needs nothing any more.
    pub fn is_gone(&self) -> bool {
        ![MANIFEST_NAME, LOCK_NAME]
            .iter()
            .any(|name| store::exists(&self.root.join(name)))
    }

    /// Forgets it, as far as that works.
    pub fn forget(&self) {
        let _ = store::remove_whole(&self.record);
    }
}

/// Notes that a project installs things. It is one file for each, so projects do not get in each other's way; and it
/// never fails: an install is worth more than this note.
pub fn note(environment: &Environment, root: &Path) {
    let Some(state) = environment
        .state
        .as_deref()
        .filter(|_| environment.scope == InstallScope::Project)
    else {
        return;
    };
    let Some(text) = root.to_str() else { return };
    let record = state
        .join(FOLDER)
        .join(Checksum::of(text.as_bytes()).digits());
    match store::age(&record) {
        Some(age) if age < SAME_USE => {}
        Some(_) if store::touch(&record) => {}
        _ => {
            let _ = store::create_private_folder(state);
            let _ = store::write_whole(&record, text.as_bytes());
        }
    }
}

/// Every project that was noted.
pub fn known(environment: &Environment) -> Vec<KnownProject> {
    let Some(folder) = environment.state.as_ref().map(|state| state.join(FOLDER)) else {
        return Vec::new();
    };
    let records = store::names_in(&folder)
        .into_iter()
        .map(|name| folder.join(name));
    records
        .filter_map(|record| {
            let root = String::from_utf8(store::read(&record, LONGEST_PATH).ok()?).ok()?;
            Some(KnownProject {
                root: PathBuf::from(root),
                record,
            })
        })
        .collect()
}
