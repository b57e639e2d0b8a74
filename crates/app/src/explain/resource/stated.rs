//! The stated values of a resource: by its source, by the manifest, and by patches, which are ranked above it.

use std::sync::Arc;

use crate::list::LOCAL;
use agpm_compose::{RenderedResource, patched_file};
use agpm_diag::{Notes, SourceMap, SourceSpan, has_errors};
use agpm_merge::{Contribution, MergePolicy, Provenance, Resolution, fold};
use agpm_model::{
    Dependency, LayerName, LockEntry, Manifest, Patch, PatchScope, ResourceOrigin, ResourceType,
    Strategy,
};
use agpm_resolve::format_of;
use agpm_text::{Document, Format, Limits, NodeKind, Pointer, Value, decode, parse, parse_bytes};

/// The layer that is shown for values of the manifest's own entry.
const MANIFEST: &str = "manifest";

/// The sources of statements about a resource.
pub(super) struct StatementSources<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) locked: &'a LockEntry,
    pub(super) dependency: Option<&'a Dependency>,
}

/// The stated values, merged: the highest wins.
pub(super) struct StatedValues {
    pub(super) resolution: Resolution,
    /// The keys of the manifest's own entry that are of the resource.
    own_keys: Vec<String>,
}

/// The values of one layer.
struct LayerStatement {
    layer: String,
    document: Document,
}

impl StatedValues {
    pub(super) fn of(
        statements: &StatementSources<'_>,
        content: Option<&RenderedResource>,
        notes: &mut Notes,
    ) -> Self {
        let source = content.and_then(|content| of_source(content, notes));
        let entry = statements.of_entry(&notes.sources);
        let patches = statements.of_patches(&notes.sources);
        let kind = statements.locked.kind;
        let contribution = |one: LayerStatement| Contribution {
            layer: LayerName::new(&one.layer).expect("the name of a source is one of a layer"),
            document: Arc::new(unwrapped(kind, one.document)),
        };
        let all = source.into_iter().chain(entry).chain(patches);
        let contributions = all.map(contribution);
        let dependency = statements.dependency;
        let server = dependency.and_then(|dependency| dependency.server.as_ref());
        let own_keys = match server {
            Some(Value::Map(fields)) => fields.iter().map(|(key, _)| key.clone()).collect(),
            _ => Vec::new(),
        };
        let policy = MergePolicy::merge(Strategy::default());
        StatedValues {
            resolution: fold(contributions.collect(), &policy, None),
            own_keys,
        }
    }

    /// Every value that is stated.
    pub(super) fn provenance(&self, sources: &SourceMap) -> Provenance {
        let mut provenance = Provenance::default();
        provenance.add_values(&self.resolution, &Pointer::root(), sources);
        // The other keys of the manifest's entry locate the resource.
        let is_own = |pointer: &Pointer| {
            pointer
                .steps()
                .first()
                .is_some_and(|key| self.own_keys.contains(key))
        };
        provenance
            .leaves
            .retain(|leaf| leaf.layer != MANIFEST || is_own(&leaf.pointer));
        provenance
    }
}

/// The layer that is shown for the bytes of a resource.
pub(super) fn layer_of(origin: &ResourceOrigin) -> &str {
    match origin {
        ResourceOrigin::Source(name) => name.as_str(),
        ResourceOrigin::Local => LOCAL,
        ResourceOrigin::Manifest => MANIFEST,
    }
}

/// The values of its file in the source; `None` if it has no fields, or none that can be parsed.
fn of_source(content: &RenderedResource, notes: &mut Notes) -> Option<LayerStatement> {
    let resolved = &content.resolved;
    let unit = &resolved.entry.unit;
    let format = format_of(unit).filter(|_| unit.origin != ResourceOrigin::Manifest)?;
    let file = patched_file(resolved);
    let name = match resolved.version.commit {
        Some(_) => format!("{file}@{}", resolved.version.label),
        None => file,
    };
    let parsed = parse_bytes(name, resolved.resource.main.bytes.to_vec(), format, notes).ok()?;
    let readable = !has_errors(&parsed.diagnostics);
    readable.then(|| LayerStatement {
        layer: layer_of(&unit.origin).to_owned(),
        document: parsed.document,
    })
}

impl StatementSources<'_> {
    /// The values of a server in the manifest's own entry.
    fn of_entry(&self, sources: &SourceMap) -> Option<LayerStatement> {
        let is_server = |dependency: &&Dependency| dependency.server.is_some();
        let dependency = self.dependency.filter(is_server)?;
        let keys = [dependency.kind.plural(), dependency.name.as_str()];
        Some(LayerStatement {
            layer: MANIFEST.to_owned(),
            document: of_manifest(dependency.spot, &keys, sources)?,
        })
    }

    /// The values of patches, the project's first.
    fn of_patches(&self, sources: &SourceMap) -> Vec<LayerStatement> {
        let locked = self.locked;
        let concerns = |patch: &&Patch| {
            self.dependency.is_some()
                && patch.kind == locked.kind
                && patch.name == locked.name.as_str()
        };
        let patches = self.manifest.patches.iter().filter(concerns);
        patches
            .filter_map(|patch| of_patch(patch, sources))
            .collect()
    }
}

fn of_patch(patch: &Patch, sources: &SourceMap) -> Option<LayerStatement> {
    let layer = match patch.scope {
        PatchScope::Project => "patch",
        PatchScope::Private => "private patch",
    };
    let keys = ["patch", patch.kind.plural(), patch.name.as_str()];
    Some(LayerStatement {
        layer: layer.to_owned(),
        document: of_manifest(patch.spot, &keys, sources)?,
    })
}

/// A part of the manifest that this location is in.
fn of_manifest(spot: SourceSpan, keys: &[&str], sources: &SourceMap) -> Option<Document> {
    let bytes = sources.get(spot.source).text.as_bytes().to_vec();
    let text = decode(spot.source, bytes).ok()?;
    let document = parse(spot.source, text, Format::Toml, Limits::default()).document;
    let keys = keys
        .iter()
        .fold(Pointer::root(), |keys, key| keys.child(*key));
    Some(document.seen_from(document.at(&keys)?))
}

/// A server that is alone in `mcpServers`, without it: a patch means the server either way.
fn unwrapped(kind: ResourceType, document: Document) -> Document {
    let servers = document.root().and_then(|root| root.get("mcpServers"));
    let alone = servers.filter(|servers| servers.kind() == NodeKind::Map && servers.len() == 1);
    let server = alone
        .and_then(|servers| servers.entries().next())
        .map(|(_, server)| server);
    match server.filter(|_| kind == ResourceType::McpServers) {
        Some(server) => document.seen_from(server),
        None => document,
    }
}
