//! Sources that join a manifest, or leave it.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean, unknown_name};
use agpm_model::{CatalogRemote, Layer, Manifest, SourceName};
use agpm_text::{Document, Edit, Pointer, Value};

use crate::manifest::{EditedManifest, edit};
use crate::manifest::{Replace, name_exists, new_source};

/// The manifest with one more source.
pub fn add_source(
    document: &Document,
    name: &str,
    address: &str,
    replace: Replace,
) -> Result<EditedManifest, Failure> {
    let address = new_source(name, address)?;
    let at = Pointer::root().child("sources").child(name);
    if document.at(&at).is_some() && replace == Replace::Refused {
        return Err(name_exists("manifest", "sources", name));
    }
    let value = Value::from(address.reveal());
    let done = format!("add source {name}");
    Ok(EditedManifest {
        private: None,
        text: edit(document, &Edit::Set { at, value })?,
        done,
    })
}

/// The manifest without a source that nothing in it uses.
pub fn remove_source(
    document: &Document,
    manifest: &Manifest,
    name: &str,
) -> Result<EditedManifest, Failure> {
    let at = Pointer::root().child("sources").child(name);
    if document.at(&at).is_none() {
        let section = document.at(&Pointer::root().child("sources"));
        let names: Vec<&str> = section
            .into_iter()
            .flat_map(|section| section.entries())
            .map(|(key, _)| key.content())
            .collect();
        return Err(unknown_name(
            "source",
            name,
            did_you_mean(name, "sources are", names.iter().copied()),
        ));
    }
    let users = users_of(manifest, name);
    if !users.is_empty() {
        let diagnostic = Diagnostic::new(&codes::MANIFEST_IN_USE, in_use(name, &users))
            .help(format!("first remove {}", users.join(", ")));
        return Err(Failure::new(FailureKind::Refused, diagnostic));
    }
    let text = edit(document, &Edit::Remove { at })?;
    Ok(EditedManifest {
        private: None,
        text,
        done: format!("remove source {name}"),
    })
}

/// A long list would hide the problem, so the help has it.
fn in_use(source: &str, users: &[String]) -> String {
    match users {
        [first] => format!("source `{source}` is used by {first}"),
        [first, rest @ ..] => {
            format!(
                "source `{source}` is used by {first} and {} more",
                rest.len()
            )
        }
        [] => format!("source `{source}` is in use"),
    }
}

/// The ids of everything in a manifest that uses a source.
fn users_of(manifest: &Manifest, source: &str) -> Vec<String> {
    let is_it = |name: Option<&SourceName>| name.is_some_and(|name| name.as_str() == source);
    let dependencies = manifest.dependencies.iter();
    let dependencies = dependencies.filter(|one| is_it(one.unit.origin.source()));
    let dependencies = dependencies.map(|one| one.id().to_string());
    let of_source = |layer: &&Layer| is_it(layer.location.source());
    let layers = manifest.layers.iter().filter(of_source);
    let layers = layers.map(|layer| layer.name.label());
    let remotes = manifest.catalog.all();
    let remotes: BTreeSet<&CatalogRemote> =
        remotes.filter(|remote| is_it(remote.source())).collect();
    let remotes = remotes.into_iter().map(CatalogRemote::label);
    dependencies.chain(layers).chain(remotes).collect()
}
