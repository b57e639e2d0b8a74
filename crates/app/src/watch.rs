//! Detects changes of a project's files without reading them.

use agpm_store::{self as store, PathMarks};

use crate::manifest::MANIFEST_NAME;
use crate::project::reading::PRIVATE_NAME;
use crate::project::scope::ManifestLocation;
use crate::project::world::{Environment, InstallScope, ManifestUse, World};
use agpm_model::{LOCK_NAME, PRIVATE_LOCK_NAME};

/// The recorded state of a project's manifests, configuration and lockfile.
#[derive(Clone, Debug)]
pub struct ProjectWatch(PathMarks);

/// Records the state of the files without reading them.
pub fn watch_project(world: &World) -> ProjectWatch {
    ProjectWatch(project_marks(&world.environment))
}

/// Returns the recorded state of the files.
pub fn project_marks(environment: &Environment) -> PathMarks {
    let mut marks = PathMarks::default();
    if environment.scope == InstallScope::Project && environment.manifest.is_none() {
        nearer(environment, &mut marks);
    }
    if let Ok(Some(location)) = ManifestLocation::find(environment, ManifestUse::Nearest) {
        marks.add(&location.manifest);
        [PRIVATE_NAME, LOCK_NAME, PRIVATE_LOCK_NAME]
            .iter()
            .for_each(|name| marks.add(&location.manifest.with_file_name(name)));
    }
    environment
        .config_file()
        .iter()
        .for_each(|path| marks.add(path));
    marks
}

/// Marks the paths where a nearer manifest could be created.
fn nearer(environment: &Environment, marks: &mut PathMarks) {
    let candidates = environment
        .working_directory
        .ancestors()
        .map(|above| above.join(MANIFEST_NAME));
    candidates
        .take_while(|path| !store::is_file(path))
        .for_each(|path| marks.add(&path));
}

impl ProjectWatch {
    /// Returns whether a file changed since then.
    pub fn has_changed(&self) -> bool {
        self.0.differ()
    }

    /// Returns whether files that were read after the recording are still current.
    pub fn is_current(&self) -> bool {
        self.0.are_settled() && !self.0.differ()
    }
}
