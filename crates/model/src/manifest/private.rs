//! The private part of a manifest: what only one user has, beside what everyone has.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, codes};
use agpm_text::{Document, NodeRef};

use crate::address::SourceAddress;
use crate::check::Check;
use crate::manifest::{Manifest, ManifestTexts, PatchScope, Visibility, layers};
use crate::pin::ResourceId;
use crate::resource::RESOURCE_TYPES;

impl Manifest {
    /// Whether one user requires resources or layers that others do not.
    pub fn has_private_entries(&self) -> bool {
        let mut dependencies = self.dependencies.iter();
        let mut layers = self.layers.iter();
        dependencies.any(|one| one.visibility == Visibility::Private)
            || layers.any(|one| one.visibility == Visibility::Private)
    }

    /// The manifest without the private dependencies and layers. Private patches of shared resources stay: the lockfile
    /// names their fields.
    #[must_use]
    pub fn shared_part(&self) -> Manifest {
        let mut shared = self.clone();
        let is_shared = |visibility| visibility == Visibility::Shared;
        shared.dependencies.retain(|one| is_shared(one.visibility));
        shared.layers.retain(|one| is_shared(one.visibility));
        let required: BTreeSet<ResourceId> =
            shared.dependencies.iter().map(|one| one.id()).collect();
        let private = self.dependencies.iter().map(|one| one.id());
        let private: BTreeSet<ResourceId> = private.filter(|id| !required.contains(id)).collect();
        let is_of_private = |kind, name: &str| {
            let mut private = private.iter();
            private.any(|id| id.kind == kind && id.name.as_str() == name)
        };
        shared.patches.retain(|patch| {
            patch.scope == PatchScope::Project || !is_of_private(patch.kind, &patch.name)
        });
        shared
    }
}

/// Reads the private layers, which rank above all others.
pub(super) fn read_layers(check: &mut Check, texts: &ManifestTexts<'_>, manifest: &mut Manifest) {
    let Some(node) = section_of(texts.private, "layers") else {
        return;
    };
    let mut private = layers::read(check, node, &manifest.sources, &manifest.tools);
    for layer in &mut private {
        layer.visibility = Visibility::Private;
    }
    manifest.layers.append(&mut private);
}

/// Reports private entries that replace shared ones: what everyone has could not be locked without them.
pub(super) fn refuse_shadows(check: &mut Check, texts: &ManifestTexts<'_>) {
    for kind in RESOURCE_TYPES {
        let shared = entries_of(Some(texts.project), kind.plural());
        for private in entries_of(texts.private, kind.plural()) {
            let same = shared.iter().find(|one| one.name == private.name);
            // A shared `false` is not a dependency.
            let same = same.filter(|one| one.value.as_bool() != Some(false));
            if let Some(shared) = same {
                let id = format!("{kind}/{}", private.name);
                let help = format!(
                    "give the private entry another name, or change fields with `[patch.{kind}.{}]`",
                    private.name
                );
                report_shadow(check, &id, private, *shared, &help);
            }
        }
    }
    let shared = entries_of(Some(texts.project), "sources");
    for private in entries_of(texts.private, "sources") {
        let same = shared.iter().find(|one| one.name == private.name);
        if let Some(shared) = same.filter(|shared| !is_same_url(private.value, shared.value)) {
            let id = format!("source `{}`", private.name);
            let help = "give the private source another name";
            report_shadow(check, &id, private, *shared, help);
        }
    }
    let shared = names_of_layers(Some(texts.project));
    for private in names_of_layers(texts.private) {
        if let Some(shared) = shared.iter().find(|one| one.name == private.name) {
            let id = format!("layer `{}`", private.name);
            report_shadow(check, &id, private, *shared, "rename the private layer");
        }
    }
}

/// Whether two sources differ in their secrets only: those belong into the private manifest.
fn is_same_url(private: NodeRef<'_>, shared: NodeRef<'_>) -> bool {
    let url = |node: NodeRef<'_>| {
        let address = SourceAddress::parse(node.as_str()?).ok()?;
        Some(address.redacted().to_owned())
    };
    url(private).is_some() && url(private) == url(shared)
}

/// An entry with its name and where that is written.
#[derive(Clone, Copy)]
struct NamedEntry<'a> {
    name: &'a str,
    key: NodeRef<'a>,
    value: NodeRef<'a>,
}

fn section_of<'a>(document: Option<&'a Document>, section: &str) -> Option<NodeRef<'a>> {
    document.and_then(Document::root)?.get(section)
}

fn entries_of<'a>(document: Option<&'a Document>, section: &str) -> Vec<NamedEntry<'a>> {
    let section = section_of(document, section);
    let entries = section.into_iter().flat_map(NodeRef::entries);
    let named = entries.map(|(key, value)| NamedEntry {
        name: key.content(),
        key,
        value,
    });
    named.collect()
}

fn names_of_layers(document: Option<&Document>) -> Vec<NamedEntry<'_>> {
    let layers = section_of(document, "layers");
    let items = layers.into_iter().flat_map(NodeRef::items);
    let named = items.filter_map(|item| {
        let value = item.get("name")?;
        Some(NamedEntry {
            name: value.as_str()?,
            key: value,
            value,
        })
    });
    named.collect()
}

fn report_shadow(
    check: &mut Check,
    id: &str,
    private: NamedEntry<'_>,
    shared: NamedEntry<'_>,
    help: &str,
) {
    let message = format!("{id} of `agpm.private.toml` replaces a shared one");
    let diagnostic = Diagnostic::new(&codes::MANIFEST_SHADOW, message)
        .at(private.key.source(), private.key.span(), "private")
        .at(shared.key.source(), shared.key.span(), "shared");
    check.report(diagnostic.help(help));
}
