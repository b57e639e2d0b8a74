//! The layers of a catalog, highest first, and the manifests in them.

use std::path::{Path, PathBuf};

use agpm_catalog::{CONFIG_FOLDERS, EntryKind, Home, ROOTS, Standing};
use agpm_diag::{Diagnostic, Severity, codes};
use agpm_store::{self as store, Marks};

use crate::failure::Notes;
use crate::gather::shown;
use crate::world::Environment;

/// Which layers count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatalogMode {
    /// All of them.
    #[default]
    Auto,
    /// The project.
    Local,
    /// Home.
    User,
    /// Git remotes.
    Strict,
}

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct CatalogPlaces {
    /// Which layers count.
    pub mode: CatalogMode,
    /// Remotes besides those of the manifest, highest first, as they were typed.
    pub remotes: Vec<String>,
}

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// The nearest folder upward that holds a catalog.
    Project,
    /// Home.
    User,
    /// A git remote.
    Git,
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogLayer {
    /// What it is.
    pub kind: LayerKind,
    /// The remote, as users know it.
    pub remote: Option<String>,
    /// The folder that holds the catalog.
    pub folder: PathBuf,
    /// Where that really is, over links.
    pub(crate) real: PathBuf,
}

/// A manifest that is there.
#[derive(Clone, Debug)]
pub(crate) struct ManifestFile {
    /// Which layer it is in.
    pub(crate) layer: usize,
    pub(crate) kind: EntryKind,
    pub(crate) standing: Standing,
    /// From the layer's folder, with `/`.
    pub(crate) path: String,
    /// As users see it.
    pub(crate) shown: String,
}

impl CatalogMode {
    pub(super) fn has(self, kind: LayerKind) -> bool {
        match self {
            CatalogMode::Auto => true,
            CatalogMode::Local => kind == LayerKind::Project,
            CatalogMode::User => kind == LayerKind::User,
            CatalogMode::Strict => kind == LayerKind::Git,
        }
    }
}

impl LayerKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            LayerKind::Project => "project",
            LayerKind::User => "user",
            LayerKind::Git => "git",
        }
    }
}

impl CatalogLayer {
    /// What users know it by.
    pub fn label(&self) -> String {
        match &self.remote {
            Some(remote) => format!("{} {remote}", self.kind.word()),
            None => self.kind.word().to_owned(),
        }
    }

    /// A path in it as users see it.
    pub(crate) fn shown(&self, environment: &Environment, path: &str) -> String {
        match &self.remote {
            Some(remote) => format!("{remote}:{path}"),
            None => shown(environment, &self.folder.join(path)),
        }
    }

    /// Its manifests, highest first: those of whole catalogs, then those of modules.
    pub(super) fn manifests(
        &self,
        layer: usize,
        environment: &Environment,
        marks: &mut Marks,
        notes: &mut Notes,
    ) -> Vec<ManifestFile> {
        let mut files = Vec::new();
        for found in config_folders(&self.folder, marks) {
            match store::folder_names(&self.folder.join(&found.path)) {
                Ok(names) => files.extend(self.manifests_in(layer, environment, &found, &names)),
                Err(error) => {
                    notes.diagnostics.push(self.closed(environment, &found.path, &error.problem));
                    notes.log.push(format!(
                        "skipped {}: it {}",
                        self.shown(environment, &found.path),
                        error.problem
                    ));
                }
            }
        }
        files.iter().for_each(|file: &ManifestFile| marks.add(&self.folder.join(&file.path)));
        files
    }

    fn manifests_in(
        &self,
        layer: usize,
        environment: &Environment,
        found: &ConfigFolder,
        names: &[String],
    ) -> Vec<ManifestFile> {
        let home = if self.kind == LayerKind::User { Home::Own } else { Home::Elsewhere };
        let mut kinds: Vec<EntryKind> =
            names.iter().filter_map(|name| EntryKind::of_manifest(name)).collect();
        kinds.sort_unstable();
        let file = |kind: EntryKind| {
            let path = format!("{}/{}", found.path, kind.manifest_name());
            let standing = Standing { root: found.root, module: found.module.clone(), home };
            let shown = self.shown(environment, &path);
            ManifestFile { layer, kind, standing, path, shown }
        };
        kinds.into_iter().map(file).collect()
    }

    /// What is said of a folder whose manifests nobody can see.
    fn closed(&self, environment: &Environment, path: &str, problem: &store::Problem) -> Diagnostic {
        let message = format!("the manifests in this folder are left out: it {problem}");
        let told = Diagnostic::new(&codes::CATALOG_MALFORMED, message).in_file(self.shown(environment, path));
        let told = Diagnostic { severity: Severity::Warning, ..told };
        told.in_layer(self.label()).help("check its permissions")
    }
}

/// A folder for manifests that is there.
struct ConfigFolder {
    root: &'static str,
    module: Option<String>,
    path: String,
}

/// The folders for manifests in a layer's folder, highest first.
fn config_folders(folder: &Path, marks: &mut Marks) -> Vec<ConfigFolder> {
    let mut found = Vec::new();
    let mut roots: Vec<&'static str> = Vec::new();
    for root in ROOTS {
        let path = format!("{}/{}", root.folder, root.config);
        marks.add(&folder.join(&path));
        if store::is_folder(&folder.join(&path)) {
            found.push(ConfigFolder { root: root.folder, module: None, path });
        }
        if !roots.contains(&root.folder) {
            roots.push(root.folder);
        }
    }
    for root in roots {
        marks.add(&folder.join(root));
        for module in store::names_in(&folder.join(root)) {
            let is_config = CONFIG_FOLDERS.contains(&module.as_str());
            let configs = CONFIG_FOLDERS
                .iter()
                .filter(|_| !is_config)
                .map(|config| format!("{root}/{module}/{config}"));
            for path in configs.filter(|path| store::is_folder(&folder.join(path))) {
                marks.add(&folder.join(&path));
                found.push(ConfigFolder { root, module: Some(module.clone()), path });
            }
        }
    }
    found
}

/// The nearest folder upward that holds a catalog and is not home.
pub(super) fn project_folder(environment: &Environment, marks: &mut Marks) -> Option<PathBuf> {
    let home = environment.home.as_ref().map(|home| store::real_path(home));
    let mut above = environment.folder.ancestors().filter(|folder| Some(store::real_path(folder)) != home);
    above.find(|folder| !config_folders(folder, marks).is_empty()).map(Path::to_owned)
}
