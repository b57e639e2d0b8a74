//! The layers of a catalog, highest first, and the manifests in them.

use std::path::{Path, PathBuf};

use agpm_catalog::{CONFIG_FOLDERS, EntryKind, Home, ROOTS, Standing};
use agpm_diag::{Diagnostic, Notes, Severity, codes};
use agpm_store::{self as store, Marks, Reached, SystemUser};

use crate::reading::shown;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
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
        let mut ground = config_folders(&self.folder, marks);
        for found in &ground.open {
            match store::folder_names(&self.folder.join(&found.path)) {
                Ok(names) => files.extend(self.manifests_in(layer, environment, found, &names)),
                Err(error) => ground.closed.push((found.path.clone(), error.problem)),
            }
        }
        for (path, problem) in &ground.closed {
            notes
                .diagnostics
                .push(self.closed(environment, path, problem));
            notes.log.push(format!(
                "skipped {}: it {problem}",
                self.shown(environment, path)
            ));
        }
        files
            .iter()
            .for_each(|file: &ManifestFile| marks.add(&self.folder.join(&file.path)));
        files
    }

    fn manifests_in(
        &self,
        layer: usize,
        environment: &Environment,
        found: &ConfigFolder,
        names: &[String],
    ) -> Vec<ManifestFile> {
        let home = if self.kind == LayerKind::User {
            Home::Own
        } else {
            Home::Elsewhere
        };
        let mut kinds: Vec<EntryKind> = names
            .iter()
            .filter_map(|name| EntryKind::of_manifest(name))
            .collect();
        kinds.sort_unstable();
        let file = |kind: EntryKind| {
            let path = format!("{}/{}", found.path, kind.manifest_name());
            let standing = Standing {
                root: found.root,
                module: found.module.clone(),
                home,
            };
            let shown = self.shown(environment, &path);
            ManifestFile {
                layer,
                kind,
                standing,
                path,
                shown,
            }
        };
        kinds.into_iter().map(file).collect()
    }

    /// What is said of a folder whose manifests nobody can see.
    fn closed(
        &self,
        environment: &Environment,
        path: &str,
        problem: &store::Problem,
    ) -> Diagnostic {
        let message = format!("the manifests in this folder are left out: it {problem}");
        let told = Diagnostic::new(&codes::CATALOG_MALFORMED, message)
            .in_file(self.shown(environment, path));
        let told = Diagnostic {
            severity: Severity::Warning,
            ..told
        };
        told.in_layer(self.label()).help("check its permissions")
    }
}

/// A folder for manifests that is there.
struct ConfigFolder {
    root: &'static str,
    module: Option<String>,
    path: String,
}

/// What of a layer's folder may hold manifests.
#[derive(Default)]
struct Ground {
    /// Folders for manifests, highest first.
    open: Vec<ConfigFolder>,
    /// Folders that nobody can look into.
    closed: Vec<(String, store::Problem)>,
}

impl Ground {
    fn look(&mut self, folder: &Path, found: ConfigFolder, marks: &mut Marks) {
        let place = folder.join(&found.path);
        match store::reach(&place) {
            Ok(Some(Reached::Folder(_))) => self.open.push(found),
            // A link that leads nowhere, or a folder on the way that must not be read; the latter is told once.
            Err(error) => {
                let above = found
                    .path
                    .rsplit_once('/')
                    .map_or("", |(above, _)| above)
                    .to_owned();
                let known =
                    |(path, _): &(String, store::Problem)| *path == found.path || *path == above;
                if !self.closed.iter().any(known) {
                    let readable = store::folder_names(&folder.join(&above)).is_ok();
                    self.closed
                        .push((if readable { found.path } else { above }, error.problem));
                }
            }
            Ok(_) => return,
        }
        marks.add(&place);
    }
}

fn config_folders(folder: &Path, marks: &mut Marks) -> Ground {
    let mut ground = Ground::default();
    let mut roots: Vec<&'static str> = Vec::new();
    for root in ROOTS {
        if !roots.contains(&root.folder) {
            roots.push(root.folder);
        }
    }
    // One that must not be read is told once, not for everything that may be in it.
    let names = |root: &str| store::folder_names(&folder.join(root));
    let read: Vec<(&'static str, Vec<String>)> = roots
        .into_iter()
        .filter_map(|root| {
            marks.add(&folder.join(root));
            match names(root) {
                Ok(names) => Some((root, names)),
                Err(error) => {
                    ground.closed.push((root.to_owned(), error.problem));
                    None
                }
            }
        })
        .collect();
    for root in ROOTS {
        if read.iter().any(|(name, _)| *name == root.folder) {
            let path = format!("{}/{}", root.folder, root.config);
            ground.look(
                folder,
                ConfigFolder {
                    root: root.folder,
                    module: None,
                    path,
                },
                marks,
            );
        }
    }
    for (root, names) in read {
        for module in names
            .iter()
            .filter(|name| !CONFIG_FOLDERS.contains(&name.as_str()))
        {
            marks.add(&folder.join(root).join(module));
            for config in CONFIG_FOLDERS {
                let path = format!("{root}/{module}/{config}");
                ground.look(
                    folder,
                    ConfigFolder {
                        root,
                        module: Some(module.clone()),
                        path,
                    },
                    marks,
                );
            }
        }
    }
    ground
}

/// The nearest folder upward that holds a catalog and is not home.
pub(super) fn project_folder(environment: &Environment, marks: &mut Marks) -> Option<PathBuf> {
    let home = environment.home.as_ref().map(|home| store::real_path(home));
    // Who names a manifest means the project that it is of.
    let named = environment
        .manifest
        .as_ref()
        .map(|path| environment.resolve(path));
    let start = named
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(&environment.folder);
    let above = start
        .ancestors()
        .filter(|folder| Some(store::real_path(folder)) != home);
    // Anybody may put a catalog into a folder such as `/tmp`; those of strangers are not for what is below.
    let mut above = above.filter(|folder| *folder == start || !is_foreign(folder, start));
    let holds = |folder: &&Path| {
        let ground = config_folders(folder, marks);
        !ground.open.is_empty() || !ground.closed.is_empty()
    };
    above.find(holds).map(Path::to_owned)
}

/// Whether a catalog of a folder above belongs to somebody who has no business in this one.
fn is_foreign(above: &Path, start: &Path) -> bool {
    let roots = ROOTS
        .iter()
        .filter_map(|root| SystemUser::of(&above.join(root.folder)));
    roots.into_iter().any(|owner| !owner.is_trusted_in(start))
}
