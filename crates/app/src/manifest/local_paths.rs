//! The paths on this machine that a manifest reads.

use agpm_model::{AddressKind, CatalogRemote, LayerLocation, Manifest, ResourceOrigin};

/// Every path on this machine that a manifest names.
pub fn written_paths(manifest: &Manifest) -> Vec<String> {
    let local = manifest
        .dependencies
        .iter()
        .filter(|one| one.unit.origin == ResourceOrigin::Local);
    let local = local.map(|one| {
        if one.unit.path.is_pattern() {
            one.unit.path.literal_directory().to_owned()
        } else {
            one.unit.path.to_string()
        }
    });
    let used = manifest.named_sources();
    let sources = manifest
        .sources
        .iter()
        .filter(|source| used.contains(&source.name));
    let remotes = manifest.catalog.all().filter_map(CatalogRemote::address);
    let sources = sources.map(|source| &source.address).chain(remotes);
    let sources = sources.filter_map(|address| match address.kind() {
        AddressKind::Directory(path) | AddressKind::FileUrl(path) => Some(path.to_owned()),
        AddressKind::Remote => None,
    });
    let layers = manifest
        .layers
        .iter()
        .filter_map(|layer| match &layer.location {
            LayerLocation::Directory(path) => Some(path.clone()),
            LayerLocation::Source(..) => None,
        });
    local.chain(sources).chain(layers).collect()
}
