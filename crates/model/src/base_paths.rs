//! Resolves the relative paths of bases.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, SourceId, SourceSpan, codes};

use crate::address::{AddressKind, SourceAddress};
use crate::base::BaseRoot;
use crate::check::{Check, spot};
use crate::manifest::{
    AskedRemote, Dependency, Layer, LayerLocation, Manifest, ManifestTexts, SourceDeclaration,
    SourceScope, implicit_source,
};
use crate::name::SourceName;
use crate::path::{PathError, RelativePath};
use crate::unit::{ResourceExtent, ResourceOrigin, ResourcePath};
use crate::version::Requirement;

/// Resolves the relative paths of bases: in a directory on this machine, or in a repository at the commit of the base.
/// Entries of the latter become entries of that repository, so the lockfile pins them and is the same on every machine.
pub fn relocate_bases(texts: &ManifestTexts<'_>, manifest: &mut Manifest) -> Vec<Diagnostic> {
    let roots: BTreeMap<SourceId, &BaseRoot> = texts
        .bases
        .iter()
        .map(|base| (base.document.source(), base.root))
        .collect();
    if roots.is_empty() {
        return Vec::new();
    }
    let mut relocation = PathRelocation {
        check: Check::default(),
        roots,
        moved: BTreeMap::new(),
    };
    relocation.sources(manifest);
    relocation.dependencies(manifest);
    relocation.layers(manifest);
    relocation.root_directives(texts, manifest);
    relocation.catalog(manifest);
    relocation.check.into_diagnostics()
}

/// A directory of a repository at one commit.
#[derive(Clone)]
struct SnapshotDirectory {
    url: SourceAddress,
    directory: String,
    commit: String,
}

struct PathRelocation<'t> {
    check: Check,
    roots: BTreeMap<SourceId, &'t BaseRoot>,
    /// Sources that are directories of a base in a repository.
    moved: BTreeMap<SourceName, SnapshotDirectory>,
}

/// A relative path of a base, resolved.
enum RelocatedPath {
    Local(String),
    InSnapshot(SnapshotDirectory),
}

fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '~'])
}

impl PathRelocation<'_> {
    /// Resolves a path that is written at `spot`; `None` if it needs no change.
    fn path(&mut self, spot: SourceSpan, path: &str) -> Option<RelocatedPath> {
        let root = *self.roots.get(&spot.source)?;
        if !is_relative(path) {
            self.refuse_local(spot);
            return None;
        }
        match root {
            BaseRoot::Directory(directory) => {
                Some(RelocatedPath::Local(format!("{directory}/{path}")))
            }
            BaseRoot::Snapshot {
                url,
                directory,
                commit,
            } => {
                let Some(directory) = joined(directory, path) else {
                    self.report_escape(spot);
                    return None;
                };
                Some(RelocatedPath::InSnapshot(SnapshotDirectory {
                    url: url.clone(),
                    directory,
                    commit: commit.to_string(),
                }))
            }
        }
    }

    /// A base that somebody else publishes must not choose directories of this machine.
    fn refuse_local(&mut self, spot: SourceSpan) {
        let is_remote = |root: &&BaseRoot| root.is_remote();
        if self.roots.get(&spot.source).is_some_and(is_remote) {
            self.check.report(local_path_of_base(spot));
        }
    }

    fn report_escape(&mut self, spot: SourceSpan) {
        let message = "this path is outside the repository of its base";
        let help = "use a path in the repository, or the URL of a source";
        let diagnostic = Diagnostic::new(&codes::MANIFEST_ESCAPE, message).at_spot(spot);
        self.check.report(diagnostic.help(help));
    }

    fn sources(&mut self, manifest: &mut Manifest) {
        let mut remaining = Vec::new();
        for mut source in std::mem::take(&mut manifest.sources) {
            let path = match source.address.kind() {
                AddressKind::Directory(path) => path.to_owned(),
                AddressKind::FileUrl(_) => {
                    self.refuse_local(source.spot);
                    remaining.push(source);
                    continue;
                }
                AddressKind::Remote => {
                    remaining.push(source);
                    continue;
                }
            };
            match self.path(source.spot, &path) {
                None => remaining.push(source),
                Some(RelocatedPath::Local(path)) => {
                    source.address = SourceAddress::parse(&path).unwrap_or(source.address);
                    remaining.push(source);
                }
                Some(RelocatedPath::InSnapshot(location)) => {
                    drop(self.moved.insert(source.name, location))
                }
            }
        }
        manifest.sources = remaining;
    }

    fn dependencies(&mut self, manifest: &mut Manifest) {
        let Manifest {
            sources,
            dependencies,
            ..
        } = manifest;
        for dependency in dependencies {
            self.refuse_marketplace(dependency);
            let path = dependency.unit.path.clone();
            let location = match &dependency.unit.origin {
                ResourceOrigin::Manifest => None,
                ResourceOrigin::Local => match self.path(dependency.spot, path.as_str()) {
                    Some(RelocatedPath::Local(path)) => {
                        self.move_local(dependency, &path);
                        None
                    }
                    Some(RelocatedPath::InSnapshot(location)) => Some(location),
                    None => None,
                },
                ResourceOrigin::Source(name) => {
                    let within = |location: &SnapshotDirectory| location.within(path.in_tree());
                    self.moved.get(name).and_then(within)
                }
            };
            let Some(location) = location else {
                continue;
            };
            let written = match dependency.unit.extent {
                ResourceExtent::File => ResourcePath::in_source(&location.directory),
                ResourceExtent::Directory | ResourceExtent::Plugin => {
                    ResourcePath::directory_in_source(or_top(&location.directory))
                }
            };
            let source = implicit_source(
                sources,
                &location.url,
                dependency.spot,
                SourceScope::Project,
            );
            match (written, source) {
                (Ok(path), Some(source)) => {
                    dependency.unit.path = path;
                    dependency.unit.origin = ResourceOrigin::Source(source);
                    dependency.requirement = Requirement::Rev(location.commit);
                }
                (Err(error), _) => self.report_path(dependency.spot, error),
                (Ok(_), None) => {}
            }
        }
    }

    fn move_local(&mut self, dependency: &mut Dependency, path: &str) {
        match ResourcePath::local(path) {
            Ok(path) => dependency.unit.path = path,
            Err(error) => self.report_path(dependency.spot, error),
        }
    }

    fn report_path(&mut self, spot: SourceSpan, error: PathError) {
        let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, error.to_string());
        self.check.report(diagnostic.at_spot(spot));
    }

    fn refuse_marketplace(&mut self, dependency: &Dependency) {
        let marketplace = dependency.marketplace.as_ref();
        let name = marketplace.map(|one| &one.plugin.marketplace);
        if name.is_some_and(|name| self.moved.contains_key(name)) {
            let message = "a marketplace that is a directory of a base is not supported";
            let diagnostic =
                Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(dependency.spot);
            let help = "name the marketplace by the URL of its repository";
            self.check.report(diagnostic.help(help));
        }
    }

    fn layers(&mut self, manifest: &mut Manifest) {
        let Manifest {
            sources, layers, ..
        } = manifest;
        for layer in layers {
            let root = layer.root.as_ref().map_or("", RelativePath::as_str);
            let location = match &layer.location {
                LayerLocation::Directory(path) => match self.path(layer.spot, path) {
                    Some(RelocatedPath::Local(path)) => {
                        layer.location = LayerLocation::Directory(path);
                        continue;
                    }
                    Some(RelocatedPath::InSnapshot(location)) => location.within(root),
                    None => None,
                },
                LayerLocation::Source(name, _) => self
                    .moved
                    .get(name)
                    .and_then(|location| location.within(root)),
            };
            if let Some(location) = location {
                move_layer(layer, sources, location);
            }
        }
    }

    fn catalog(&mut self, manifest: &Manifest) {
        let remotes = manifest
            .catalog
            .remotes
            .iter()
            .chain(&manifest.catalog.shared);
        let is_local = |remote: &&AskedRemote| {
            let address = remote.remote.address();
            address.is_some_and(SourceAddress::is_local)
        };
        let local: Vec<SourceSpan> = remotes.filter(is_local).map(|one| one.spot).collect();
        for spot in local {
            self.refuse_local(spot);
        }
    }

    /// Personas read documents on this machine, so a document in a repository cannot be their root.
    fn root_directives(&mut self, texts: &ManifestTexts<'_>, manifest: &mut Manifest) {
        let lineage = texts.project.root().and_then(|root| root.get("lineage"));
        let Some(node) = lineage.and_then(|section| section.get("root")) else {
            return;
        };
        let path = manifest.root_directives.take();
        manifest.root_directives = match path
            .as_deref()
            .and_then(|path| self.path(spot(node), path))
        {
            Some(RelocatedPath::Local(path)) => Some(path),
            Some(RelocatedPath::InSnapshot(_)) => {
                let help = "set `root` in the project's own `agpm.toml`";
                self.check
                    .bad_value(node, "the root of personas cannot be in a repository", help);
                None
            }
            None => path,
        };
    }
}

/// The finding that a base names a directory of this machine.
pub fn local_path_of_base(spot: SourceSpan) -> Diagnostic {
    let message = "a base from elsewhere cannot refer to paths of this machine";
    let help = "use a path in its repository, or the URL of a source";
    Diagnostic::new(&codes::MANIFEST_ESCAPE, message)
        .at_spot(spot)
        .help(help)
}

fn move_layer(
    layer: &mut Layer,
    sources: &mut Vec<SourceDeclaration>,
    location: SnapshotDirectory,
) {
    if let Some(source) = implicit_source(sources, &location.url, layer.spot, SourceScope::Project)
    {
        layer.location = LayerLocation::Source(source, Requirement::Rev(location.commit));
        layer.root = RelativePath::new(&location.directory).ok();
    }
}

impl SnapshotDirectory {
    /// A path inside the directory; `None` if it leads out.
    fn within(&self, path: &str) -> Option<SnapshotDirectory> {
        Some(SnapshotDirectory {
            directory: joined(&self.directory, path)?,
            ..self.clone()
        })
    }
}

fn or_top(directory: &str) -> &str {
    if directory.is_empty() { "." } else { directory }
}

/// A path from a directory, without `.` and `..`; `None` if it leads out of the top.
pub fn joined(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
