//! Finds the manifests of a layer, and the directory of the project's layer.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Notes, Severity, codes};
use agpm_model::{FileProblem, MachineFiles, ResolvedPath};

use crate::kind::EntryKind;
use crate::layer::{CatalogLayer, LayerKind, ManifestFile};
use crate::location::{CONFIG_FOLDERS, LayerHome, ManifestLocation, ROOTS};

/// The search for catalogs on a machine.
pub struct CatalogDiscovery<'d> {
    /// The files of the catalog discovery.
    pub files: &'d dyn MachineFiles,
    /// The working directory, which users name paths from.
    pub here: &'d Path,
    /// Called with every path that the result depends on, before it is read.
    pub mark: &'d mut dyn FnMut(&Path),
}

impl CatalogDiscovery<'_> {
    /// The manifests of a layer, highest first: those of whole catalogs, then those of modules.
    pub fn manifests(
        &mut self,
        at: usize,
        layer: &CatalogLayer,
        notes: &mut Notes,
    ) -> Vec<ManifestFile> {
        let mut manifests = Vec::new();
        let mut found_directories = self.config_directories(&layer.directory);
        for found in &found_directories.open {
            match self.files.names(&layer.directory.join(&found.path)) {
                Ok(names) => manifests.extend(self.manifests_in(at, layer, found, &names)),
                Err(problem) => found_directories.closed.push((found.path.clone(), problem)),
            }
        }
        for (path, problem) in &found_directories.closed {
            let display_path = layer.shown(self.here, path);
            notes
                .log
                .push(format!("skipped {display_path}: it {problem}"));
            notes
                .diagnostics
                .push(unreadable_finding(layer, display_path, problem));
        }
        for file in &manifests {
            (self.mark)(&layer.directory.join(&file.path));
        }
        manifests
    }

    fn manifests_in(
        &self,
        at: usize,
        layer: &CatalogLayer,
        found: &ConfigFolder,
        names: &[String],
    ) -> Vec<ManifestFile> {
        let home = if layer.kind == LayerKind::User {
            LayerHome::Own
        } else {
            LayerHome::Elsewhere
        };
        let mut kinds: Vec<EntryKind> = names
            .iter()
            .filter_map(|name| EntryKind::of_manifest(name))
            .collect();
        kinds.sort_unstable();
        let file = |kind: EntryKind| {
            let path = format!("{}/{}", found.path, kind.manifest_name());
            let standing = ManifestLocation {
                root: found.root,
                module: found.module.clone(),
                home,
            };
            let display_path = layer.shown(self.here, &path);
            ManifestFile {
                layer: at,
                kind,
                standing,
                path,
                shown: display_path,
            }
        };
        kinds.into_iter().map(file).collect()
    }

    /// The nearest directory upward that holds a catalog and is not home.
    pub fn project_directory(&mut self, start: &Path, home: Option<&Path>) -> Option<PathBuf> {
        let files = self.files;
        let home = home.map(|home| files.real_path(home));
        // Anybody may put a catalog into a directory such as `/tmp`; those of strangers are not for what is below.
        let is_trusted = |directory: &Path| {
            let mut roots = ROOTS.iter();
            roots.all(|root| files.is_trusted(&directory.join(root.directory), start))
        };
        let mut above = start
            .ancestors()
            .filter(|directory| Some(files.real_path(directory)) != home)
            .filter(|directory| *directory == start || is_trusted(directory));
        let holds_catalog = |directory: &&Path| {
            let found_directories = self.config_directories(directory);
            !found_directories.open.is_empty() || !found_directories.closed.is_empty()
        };
        above.find(holds_catalog).map(Path::to_owned)
    }

    fn config_directories(&mut self, directory: &Path) -> ManifestDirectories {
        let mut found_directories = ManifestDirectories::default();
        let mut roots: Vec<&'static str> = Vec::new();
        for root in ROOTS {
            if !roots.contains(&root.directory) {
                roots.push(root.directory);
            }
        }
        // One that must not be read is reported once, not for everything that may be in it.
        let mut read: Vec<(&'static str, Vec<String>)> = Vec::new();
        for root in roots {
            (self.mark)(&directory.join(root));
            match self.files.names(&directory.join(root)) {
                Ok(names) => read.push((root, names)),
                Err(problem) => found_directories.closed.push((root.to_owned(), problem)),
            }
        }
        for root in ROOTS {
            if read.iter().any(|(name, _)| *name == root.directory) {
                let path = format!("{}/{}", root.directory, root.config);
                let found = ConfigFolder {
                    root: root.directory,
                    module: None,
                    path,
                };
                self.inspect_directory(directory, found, &mut found_directories);
            }
        }
        for (root, names) in read {
            for module in names
                .iter()
                .filter(|name| !CONFIG_FOLDERS.contains(&name.as_str()))
            {
                (self.mark)(&directory.join(root).join(module));
                for config in CONFIG_FOLDERS {
                    let path = format!("{root}/{module}/{config}");
                    let found = ConfigFolder {
                        root,
                        module: Some(module.clone()),
                        path,
                    };
                    self.inspect_directory(directory, found, &mut found_directories);
                }
            }
        }
        found_directories
    }

    fn inspect_directory(
        &mut self,
        directory: &Path,
        found: ConfigFolder,
        found_directories: &mut ManifestDirectories,
    ) {
        let config_path = directory.join(&found.path);
        match self.files.reach(&config_path) {
            Ok(Some(ResolvedPath::Directory(_))) => found_directories.open.push(found),
            // A symlink that leads nowhere, or a directory on the way that must not be read; the latter is reported once.
            Err(problem) => {
                let above = found
                    .path
                    .rsplit_once('/')
                    .map_or("", |(above, _)| above)
                    .to_owned();
                let is_reported =
                    |(path, _): &(String, FileProblem)| *path == found.path || *path == above;
                if !found_directories.closed.iter().any(is_reported) {
                    let readable = self.files.names(&directory.join(&above)).is_ok();
                    found_directories
                        .closed
                        .push((if readable { found.path } else { above }, problem));
                }
            }
            Ok(_) => return,
        }
        (self.mark)(&config_path);
    }
}

/// The finding about a directory whose manifests cannot be read.
fn unreadable_finding(
    layer: &CatalogLayer,
    display_path: String,
    problem: &FileProblem,
) -> Diagnostic {
    let message = format!("the catalog files in this directory are ignored: it {problem}");
    let mut finding = Diagnostic::new(&codes::CATALOG_MALFORMED, message).in_file(display_path);
    finding.severity = Severity::Warning;
    finding
        .in_layer(layer.label())
        .help("check its permissions")
}

/// A directory for manifests that exists.
struct ConfigFolder {
    root: &'static str,
    module: Option<String>,
    path: String,
}

/// The parts of a layer's directory that may hold manifests.
#[derive(Default)]
struct ManifestDirectories {
    /// Directories for manifests, highest first.
    open: Vec<ConfigFolder>,
    /// Unreadable directories.
    closed: Vec<(String, FileProblem)>,
}
