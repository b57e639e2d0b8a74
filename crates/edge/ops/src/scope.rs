//! Where a manifest is and where its things are installed: for a project that is one folder, for a user two.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, codes};
use agpm_model::RelativePath;
use agpm_store::{self as store, StateFolder};

use crate::failure::Failure;
use crate::gather::MANIFEST_NAME;
use crate::world::{Environment, ManifestUse, Scope};

/// Where a manifest is, and the folder that its things go to.
pub(crate) struct Places {
    pub(crate) manifest: PathBuf,
    pub(crate) root: PathBuf,
}

/// A file beside the manifest, as transactions see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// One that they can write, by its path from where things are installed.
    Within(RelativePath),
    /// One that they cannot reach: a user's configuration may be anywhere.
    Outside(PathBuf),
}

impl Places {
    /// The places of the manifest that is meant; nothing if a project has none.
    pub(crate) fn find(environment: &Environment, wanted: ManifestUse) -> Result<Option<Self>, Failure> {
        let manifest = match (wanted, environment.scope, &environment.manifest) {
            (ManifestUse::Ignored, _, _) => None,
            (ManifestUse::Nearest, Scope::User, _) => return Places::of_user(environment).map(Some),
            (ManifestUse::Nearest, Scope::Project, Some(named)) => Some(environment.resolve(named)),
            (ManifestUse::Nearest, Scope::Project, None) => {
                store::nearest(&environment.folder, MANIFEST_NAME)
            }
        };
        let root = |manifest: &Path| manifest.parent().unwrap_or(Path::new(".")).to_owned();
        Ok(manifest.map(|manifest| Places { root: root(&manifest), manifest }))
    }

    /// The user's own manifest, be it there or not, and home.
    pub(crate) fn of_user(environment: &Environment) -> Result<Self, Failure> {
        match (&environment.config_folder, &environment.home) {
            (Some(config), Some(home)) => {
                Ok(Places { manifest: config.join(MANIFEST_NAME), root: home.clone() })
            }
            _ => {
                let message = "it is not known where your home is, so that there is no manifest of your own";
                Err(Diagnostic::new(&codes::MANIFEST_MISSING, message)
                    .help("set `HOME` to the absolute path of your home")
                    .into())
            }
        }
    }
}

/// The state of a scope.
pub(crate) fn state_of(scope: Scope) -> StateFolder {
    match scope {
        Scope::Project => StateFolder::Project,
        Scope::User => StateFolder::Home,
    }
}

/// How a transaction below `root` reaches a file; links on the way to it are followed, since people keep their
/// configuration in a folder of its own and link to it.
pub(crate) fn beside(root: &Path, file: &Path) -> Beside {
    let real = real_place(file);
    let inner = real.strip_prefix(store::real_path(root)).ok();
    let inner = inner.and_then(|inner| RelativePath::new(&inner.to_string_lossy().replace('\\', "/")).ok());
    inner.map_or(Beside::Outside(real), Beside::Within)
}

/// Where a file really is, or would be.
fn real_place(file: &Path) -> PathBuf {
    match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) if !store::exists(file) => store::real_path(folder).join(name),
        _ => store::real_path(file),
    }
}
