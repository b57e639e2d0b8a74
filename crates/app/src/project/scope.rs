//! Finds the manifest and the directory to install into. For a project they are the same directory; the user manifest
//! installs into home.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::RelativePath;
use agpm_store::{self as store, StateDirectory, SystemUser};

use crate::manifest::MANIFEST_NAME;
use crate::project::world::{Environment, InstallScope, ManifestUse};

/// The paths of a manifest and of its installed files.
pub(crate) struct ManifestLocation {
    /// The manifest file.
    pub manifest: PathBuf,
    /// The directory that resources are installed into.
    pub root: PathBuf,
}

/// The manifest or a file next to it, as a transaction writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SiblingFile {
    /// A file inside the directory to install into, relative to it.
    Within(RelativePath),
    /// A file elsewhere, which a transaction cannot write: the user's configuration directory may be anywhere.
    Outside(PathBuf),
}

/// The nearest manifest in the working directory and its parents.
pub(crate) struct NearestManifest {
    /// The manifest that applies.
    pub used: Option<PathBuf>,
    /// Nearer manifests of other users.
    pub ignored: Vec<PathBuf>,
}

impl NearestManifest {
    /// Searches the working directory and its parents. A manifest in the working directory is always used; one in a
    /// parent must belong to a trusted user, because anyone can create one in a directory such as `/tmp`.
    pub(crate) fn find(environment: &Environment) -> Self {
        let here = &environment.working_directory;
        let mut ignored = Vec::new();
        for above in here.ancestors() {
            let manifest = above.join(MANIFEST_NAME);
            if !store::is_file(&manifest) {
                continue;
            }
            let is_trusted = |owner: SystemUser| owner.is_trusted_in(here);
            if above == here || SystemUser::of(&manifest).is_some_and(is_trusted) {
                return NearestManifest {
                    used: Some(manifest),
                    ignored,
                };
            }
            ignored.push(manifest);
        }
        NearestManifest {
            used: None,
            ignored,
        }
    }

    /// Returns a warning for each manifest that was ignored.
    pub(crate) fn warnings(environment: &Environment) -> Vec<Diagnostic> {
        let is_searched =
            environment.scope == InstallScope::Project && environment.manifest.is_none();
        let nearest = is_searched.then(|| NearestManifest::find(environment));
        let ignored = nearest.map(|nearest| nearest.ignored).unwrap_or_default();
        let warning = |path: PathBuf| {
            let path = path.display();
            let message = format!("`{path}` belongs to another user and is ignored");
            let help = format!("if you trust it, run the command with `--manifest-path {path}`");
            Diagnostic::new(&codes::TRUST_OWNER, message).help(help)
        };
        ignored.into_iter().map(warning).collect()
    }
}

/// Returns a warning if the state of a project belongs to another user.
pub(crate) fn foreign_state(store: &store::ProjectStore) -> Option<Diagnostic> {
    let state = store.state_directory();
    let name = state
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let message = format!("`{name}` belongs to another user than the project and is ignored");
    let help = format!("remove `{name}`, then run `agpm install`");
    store
        .has_foreign_state()
        .then(|| Diagnostic::new(&codes::TRUST_OWNER, message).help(help))
}

impl ManifestLocation {
    /// Finds the manifest for a command; `None` if a project has none.
    pub(crate) fn find(
        environment: &Environment,
        wanted: ManifestUse,
    ) -> Result<Option<Self>, Failure> {
        let manifest = match (wanted, environment.scope, &environment.manifest) {
            (ManifestUse::Ignored, _, _) => None,
            (ManifestUse::Nearest, InstallScope::User, _) => {
                return ManifestLocation::of_user(environment).map(Some);
            }
            (ManifestUse::Nearest, InstallScope::Project, Some(named)) => {
                Some(environment.resolve(named))
            }
            (ManifestUse::Nearest, InstallScope::Project, None) => {
                NearestManifest::find(environment).used
            }
        };
        let root = |manifest: &Path| manifest.parent().unwrap_or(Path::new(".")).to_owned();
        Ok(manifest.map(|manifest| ManifestLocation {
            root: root(&manifest),
            manifest,
        }))
    }

    /// Returns the paths of the user manifest, whether or not it exists.
    pub(crate) fn of_user(environment: &Environment) -> Result<Self, Failure> {
        match (&environment.config_directory, &environment.home) {
            (Some(config), Some(home)) => Ok(ManifestLocation {
                manifest: config.join(MANIFEST_NAME),
                root: home.clone(),
            }),
            _ => {
                let message = "cannot locate the home directory: `HOME` is not set";
                Err(Diagnostic::new(&codes::MANIFEST_MISSING, message)
                    .help("set `HOME` to the absolute path of your home directory")
                    .into())
            }
        }
    }
}

/// Returns the state directory of a scope.
pub(crate) fn state_of(scope: InstallScope) -> StateDirectory {
    match scope {
        InstallScope::Project => StateDirectory::Project,
        InstallScope::User => StateDirectory::Home,
    }
}

/// Returns how a transaction in `root` writes a file. Symlinks are followed, because many users link their
/// configuration from another directory.
pub(crate) fn beside(root: &Path, file: &Path) -> SiblingFile {
    let real = real_path(file);
    let inner = real.strip_prefix(store::real_path(root)).ok();
    let inner =
        inner.and_then(|inner| RelativePath::new(&inner.to_string_lossy().replace('\\', "/")).ok());
    inner.map_or(SiblingFile::Outside(real), SiblingFile::Within)
}

/// Returns the path of a file with symlinks resolved, even if the file does not exist.
fn real_path(file: &Path) -> PathBuf {
    match (file.parent(), file.file_name()) {
        (Some(directory), Some(name)) if !store::exists(file) => {
            store::real_path(directory).join(name)
        }
        _ => store::real_path(file),
    }
}
