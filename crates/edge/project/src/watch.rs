//! Whether the files that a project is made of changed, without reading them.

use agpm_store::{self as store, PathMarks};

use crate::reading::{MANIFEST_NAME, PRIVATE_NAME};
use crate::scope::ManifestLocation;
use crate::world::{Environment, InstallScope, ManifestUse, World};
use agpm_model::LOCK_NAME;

/// A project's manifests, configuration and lockfile as they were.
#[derive(Clone, Debug)]
pub struct ProjectWatch(PathMarks);

/// Looks at them; nothing is read.
pub fn watch_project(world: &World) -> ProjectWatch {
    ProjectWatch(project_marks(&world.environment))
}

/// The marks of those files.
pub fn project_marks(environment: &Environment) -> PathMarks {
    let mut marks = PathMarks::default();
    if environment.scope == InstallScope::Project && environment.manifest.is_none() {
        nearer(environment, &mut marks);
    }
    if let Ok(Some(places)) = ManifestLocation::find(environment, ManifestUse::Nearest) {
        marks.add(&places.manifest);
        [PRIVATE_NAME, LOCK_NAME]
            .iter()
            .for_each(|name| marks.add(&places.manifest.with_file_name(name)));
    }
    environment
        .config_file()
        .iter()
        .for_each(|path| marks.add(path));
    marks
}

/// A manifest may come that is nearer than the one there is.
fn nearer(environment: &Environment, marks: &mut PathMarks) {
    let candidates = environment
        .folder
        .ancestors()
        .map(|folder| folder.join(MANIFEST_NAME));
    candidates
        .take_while(|path| !store::is_file(path))
        .for_each(|path| marks.add(&path));
}

impl ProjectWatch {
    /// Whether files on disk are no longer as they were.
    pub fn has_changed(&self) -> bool {
        self.0.differ()
    }

    /// Whether what was read after the look is what would be read now.
    pub fn is_current(&self) -> bool {
        self.0.are_settled() && !self.0.differ()
    }
}
