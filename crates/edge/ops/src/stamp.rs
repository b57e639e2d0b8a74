//! Whether the files that a project is made of changed, without reading them.

use std::path::PathBuf;

use agpm_store::{self as store, FileStamp};

use crate::gather::PRIVATE_NAME;
use crate::packages::LOCK_NAME;
use crate::scope::Places;
use crate::world::{ManifestUse, World};

/// What tells a project's manifest, private manifest, configuration and lockfile from their earlier selves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectStamp(Vec<(PathBuf, Option<FileStamp>)>);

/// The stamp as of now.
pub fn project_stamp(world: &World) -> ProjectStamp {
    let environment = &world.environment;
    let places = Places::find(environment, ManifestUse::Nearest).ok().flatten();
    let beside = |places: Places| {
        let lock = places.manifest.with_file_name(LOCK_NAME);
        [places.manifest.with_file_name(PRIVATE_NAME), lock, places.manifest]
    };
    let files = places.map(beside).into_iter().flatten().chain(environment.config_file());
    ProjectStamp(files.map(|path| (path.clone(), store::file_stamp(&path))).collect())
}

impl ProjectStamp {
    /// Whether no file changed so recently that a second change could hide behind the first.
    pub fn is_settled(&self) -> bool {
        self.0.iter().all(|(_, stamp)| stamp.as_ref().is_none_or(FileStamp::is_settled))
    }
}
