//! What is said of a resource: by its source, by the manifest, and by patches, which are ranked above it.

use std::sync::Arc;

use agpm_compose::{RenderedResource, patched_file};
use agpm_diag::{Notes, SourceMap, SourceSpan, has_errors};
use agpm_merge::{Contribution, MergePolicy, Resolution, fold};
use agpm_model::{LayerName, Patch, PatchScope, ResourceOrigin, ResourceType, Strategy};
use agpm_resolve::format_of;
use agpm_text::{Document, Format, Limits, NodeKind, Pointer, Value, decode, parse};

use crate::documents::parsed;
use crate::explain::resource::Target;
use agpm_merge::Provenance;

/// What the values are said to come from that stand in the manifest's own entry.
const MANIFEST: &str = "manifest";
const LOCAL: &str = "local";

/// What is said, folded: the highest wins.
pub(super) struct Said {
    pub(super) resolution: Resolution,
    /// The keys of the manifest's own entry that are of the resource.
    own_keys: Vec<String>,
}

impl Said {
    pub(super) fn of(
        target: &Target<'_>,
        content: Option<&RenderedResource>,
        notes: &mut Notes,
    ) -> Self {
        let source = content.and_then(|content| of_source(content, notes));
        let own = source.into_iter().chain(of_entry(target, &notes.sources));
        let patches = of_patches(target, &notes.sources);
        let contribution = |(layer, document): (String, Document)| Contribution {
            layer: LayerName::new(&layer).expect("a good name"),
            document: Arc::new(unwrapped(target.locked.kind, document)),
        };
        let contributions = own.chain(patches).map(contribution);
        let server = target
            .dependency
            .and_then(|dependency| dependency.server.as_ref());
        let own_keys = match server {
            Some(Value::Map(fields)) => fields.iter().map(|(key, _)| key.clone()).collect(),
            _ => Vec::new(),
        };
        let policy = MergePolicy::merge(Strategy::default());
        Said {
            resolution: fold(contributions.collect(), &policy, None),
            own_keys,
        }
    }

    /// Every value that is said.
    pub(super) fn provenance(&self, sources: &SourceMap) -> Provenance {
        let mut provenance = Provenance::default();
        provenance.add_values(&self.resolution, &Pointer::root(), sources);
        // The other keys of the manifest's entry say where the resource is.
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

/// Whose word the bytes of a resource are.
pub(super) fn layer_of(origin: &ResourceOrigin) -> &str {
    match origin {
        ResourceOrigin::Source(name) => name.as_str(),
        ResourceOrigin::Local => LOCAL,
        ResourceOrigin::Manifest => MANIFEST,
    }
}

/// What its file in the source says; nothing if it has no fields, or none that read.
fn of_source(content: &RenderedResource, notes: &mut Notes) -> Option<(String, Document)> {
    let resolved = &content.resolved;
    let unit = &resolved.entry.unit;
    let format = format_of(unit).filter(|_| unit.origin != ResourceOrigin::Manifest)?;
    let file = patched_file(resolved);
    let name = match resolved.version.commit {
        Some(_) => format!("{file}@{}", resolved.version.label),
        None => file,
    };
    let parsed = parsed(name, resolved.resource.main.bytes.clone(), format, notes).ok()?;
    let readable = !has_errors(&parsed.diagnostics);
    readable.then(|| (layer_of(&unit.origin).to_owned(), parsed.document))
}

/// What the manifest's own entry says of a server.
fn of_entry(target: &Target<'_>, sources: &SourceMap) -> Option<(String, Document)> {
    let dependency = target
        .dependency
        .filter(|dependency| dependency.server.is_some())?;
    let place = [dependency.kind.plural(), dependency.name.as_str()];
    Some((
        MANIFEST.to_owned(),
        of_manifest(dependency.spot, &place, sources)?,
    ))
}

/// What patches say, the project's first.
fn of_patches(target: &Target<'_>, sources: &SourceMap) -> Vec<(String, Document)> {
    let locked = target.locked;
    let concerns = |patch: &&Patch| {
        target.dependency.is_some()
            && patch.kind == locked.kind
            && patch.name == locked.name.as_str()
    };
    let said = |patch: &Patch| {
        let layer = match patch.scope {
            PatchScope::Project => "patch",
            PatchScope::Private => "private patch",
        };
        let place = ["patch", patch.kind.plural(), patch.name.as_str()];
        Some((layer.to_owned(), of_manifest(patch.spot, &place, sources)?))
    };
    target
        .manifest
        .patches
        .iter()
        .filter(concerns)
        .filter_map(said)
        .collect()
}

/// A part of the manifest that this place is in.
fn of_manifest(spot: SourceSpan, place: &[&str], sources: &SourceMap) -> Option<Document> {
    let bytes = sources.get(spot.source).text.as_bytes().to_vec();
    let text = decode(spot.source, bytes).ok()?;
    let document = parse(spot.source, text, Format::Toml, Limits::default()).document;
    let place = place
        .iter()
        .fold(Pointer::root(), |place, key| place.child(*key));
    Some(document.seen_from(document.at(&place)?))
}

/// A server that stands alone in `mcpServers`, without it: a patch means the server either way.
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
