//! Where a manifest is and where its things are installed: for a project that is one directory, for a user two.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::RelativePath;
use agpm_store::{self as store, StateFolder, SystemUser};

use crate::reading::MANIFEST_NAME;
use crate::world::{Environment, InstallScope, ManifestUse};

/// Where a manifest is, and the directory that its things go to.
pub struct ManifestLocation {
    /// The manifest file.
    pub manifest: PathBuf,
    /// The directory that resources are installed into.
    pub root: PathBuf,
}

/// A file next to the manifest, as transactions see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiblingFile {
    /// One that they can write, by its path from where things are installed.
    Within(RelativePath),
    /// One that they cannot reach: a user's configuration may be anywhere.
    Outside(PathBuf),
}

/// The nearest manifest upward, and nearer ones that belong to somebody else.
pub struct NearestManifest {
    /// The manifest that applies.
    pub used: Option<PathBuf>,
    /// Nearer manifests of other users.
    pub ignored: Vec<PathBuf>,
}

impl NearestManifest {
    /// Looks upward from the working directory. Its own manifest is used whoever wrote it; one further up may have been put
    /// there by anybody who may write into `/tmp`, say, to have a part in everything below.
    pub fn find(environment: &Environment) -> Self {
        let folder = &environment.folder;
        let mut ignored = Vec::new();
        for above in folder.ancestors() {
            let manifest = above.join(MANIFEST_NAME);
            if !store::is_file(&manifest) {
                continue;
            }
            let is_trusted = |owner: SystemUser| owner.is_trusted_in(folder);
            if above == folder || SystemUser::of(&manifest).is_some_and(is_trusted) {
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

    /// A warning for each manifest that was passed over.
    pub fn warnings(environment: &Environment) -> Vec<Diagnostic> {
        let is_looked_for =
            environment.scope == InstallScope::Project && environment.manifest.is_none();
        let nearest = is_looked_for.then(|| NearestManifest::find(environment));
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

/// A warning if the state of a project belongs to somebody who has no business in it.
pub fn foreign_state(store: &store::ProjectStore) -> Option<Diagnostic> {
    let state = store.state_folder();
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
    /// The locations of the manifest that is meant; nothing if a project has none.
    pub fn find(environment: &Environment, wanted: ManifestUse) -> Result<Option<Self>, Failure> {
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

    /// The user's own manifest, be it there or not, and home.
    pub fn of_user(environment: &Environment) -> Result<Self, Failure> {
        match (&environment.config_folder, &environment.home) {
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

/// The state of a scope.
pub fn state_of(scope: InstallScope) -> StateFolder {
    match scope {
        InstallScope::Project => StateFolder::Project,
        InstallScope::User => StateFolder::Home,
    }
}

/// How a transaction below `root` reaches a file; links on the way to it are followed, since people keep their
/// configuration in its own directory and link to it.
pub fn beside(root: &Path, file: &Path) -> SiblingFile {
    let real = real_place(file);
    let inner = real.strip_prefix(store::real_path(root)).ok();
    let inner =
        inner.and_then(|inner| RelativePath::new(&inner.to_string_lossy().replace('\\', "/")).ok());
    inner.map_or(SiblingFile::Outside(real), SiblingFile::Within)
}

/// Where a file really is, or would be.
fn real_place(file: &Path) -> PathBuf {
    match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) if !store::exists(file) => store::real_path(folder).join(name),
        _ => store::real_path(file),
    }
}
