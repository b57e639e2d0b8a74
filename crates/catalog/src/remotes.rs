//! Remotes of a catalog: those that are layers, and their pins in the lockfile.

use std::collections::BTreeSet;

use agpm_diag::{
    Diagnostic, Failure, FailureKind, Severity, SourceSpan, codes, did_you_mean, unknown_name,
};
use agpm_model::outdated_lock;
use agpm_model::{CatalogRemote, LockedRemote, Lockfile, Manifest, RelativePath, SourceName};

/// The remotes that were typed.
pub fn typed_remotes(manifest: &Manifest, texts: &[String]) -> Result<Vec<CatalogRemote>, Failure> {
    texts
        .iter()
        .map(|text| typed_remote(manifest, text))
        .collect()
}

fn typed_remote(manifest: &Manifest, text: &str) -> Result<CatalogRemote, Failure> {
    let remote = CatalogRemote::parse(text).map_err(|error| {
        let found = Diagnostic::new(&codes::USAGE, format!("`--remote`: {error}"));
        let kind = if error.escapes() {
            FailureKind::Refused
        } else {
            FailureKind::Usage
        };
        Failure::new(kind, found.help(error.help()))
    })?;
    match remote
        .source()
        .filter(|name| manifest.source(name).is_none())
    {
        None => Ok(remote),
        Some(name) => {
            let names = manifest.sources.iter().map(|source| source.name.as_str());
            let near = did_you_mean(name.as_str(), "sources are", names);
            let help = || "write the name of a source, or a URL such as `git+https://…`".to_owned();
            Err(unknown_name(
                "source",
                name.as_str(),
                near.or_else(|| Some(help())),
            ))
        }
    }
}

/// A remote that is to be a layer.
pub struct WantedRemote<'a> {
    /// The remote.
    pub remote: &'a CatalogRemote,
    /// The author of the reference.
    pub named_by: NamedBy,
    /// The pin in the lockfile.
    pub pin: Option<&'a LockedRemote>,
}

/// The author of a reference to a remote.
#[derive(Clone, Copy)]
pub enum NamedBy {
    /// The command line: somebody waits for it.
    CommandLine,
    /// The manifest, here.
    Manifest(SourceSpan),
}

impl WantedRemote<'_> {
    /// The finding where nothing may be fetched.
    pub fn not_cached(&self) -> Diagnostic {
        let message = format!(
            "remote `{}` is not in the cache and is skipped",
            self.remote
        );
        let mut finding = Diagnostic::new(&codes::CATALOG_REMOTE, message);
        finding.severity = Severity::Note;
        let finding = finding.help("run `agpm catalog` to fetch it");
        match self.named_by {
            NamedBy::Manifest(spot) => finding.at_spot(spot),
            NamedBy::CommandLine => finding,
        }
    }
}

/// Each remote once, at its highest rank; a source by its name and by its URL is one.
pub fn wanted_remotes<'a>(
    manifest: &'a Manifest,
    command_line: &'a [CatalogRemote],
    lock: &'a Lockfile,
) -> Vec<WantedRemote<'a>> {
    let named = command_line.iter().map(|remote| WantedRemote {
        remote,
        named_by: NamedBy::CommandLine,
        pin: None,
    });
    let requested = manifest.catalog.remotes.iter().map(|requested| {
        let pin = pin_of(manifest, lock, &requested.remote)
            .filter(|_| manifest.catalog.is_shared(&requested.remote));
        WantedRemote {
            remote: &requested.remote,
            named_by: NamedBy::Manifest(requested.spot),
            pin,
        }
    });
    let mut identities = BTreeSet::new();
    named
        .chain(requested)
        .filter(|requested_remote| identities.insert(identity(manifest, requested_remote.remote)))
        .collect()
}

fn identity(
    manifest: &Manifest,
    remote: &CatalogRemote,
) -> (String, Option<String>, Option<RelativePath>) {
    let source = remote.source().and_then(|name| manifest.source(name));
    let address = source.map(|source| &source.address).or(remote.address());
    let address = address.map(ToString::to_string).unwrap_or_default();
    (address, remote.reference.clone(), remote.directory.clone())
}

/// The pin of a remote, unless its source has moved: a commit of one repository means nothing in another.
pub fn pin_of<'l>(
    manifest: &Manifest,
    lock: &'l Lockfile,
    remote: &CatalogRemote,
) -> Option<&'l LockedRemote> {
    let has_moved = |name: &SourceName| {
        let was = lock
            .sources
            .iter()
            .find(|source| source.name == *name)?
            .url
            .as_deref()?;
        Some(manifest.source(name)?.address.to_string() != was)
    };
    let moved = remote.source().and_then(has_moved).unwrap_or_default();
    lock.catalog.iter().find(|pin| !moved && pin.pins(remote))
}

/// Fails where the remotes of the manifest that have versions are not those of the lockfile.
pub fn refuse_other_remotes(required: &[CatalogRemote], lock: &Lockfile) -> Result<(), Failure> {
    let locked: Vec<&CatalogRemote> = lock.catalog.iter().map(LockedRemote::remote).collect();
    if let Some(gone) = locked.iter().find(|locked| !required.contains(locked)) {
        let message = format!("{} is no longer in the manifest", gone.label());
        return Err(outdated_lock(message));
    }
    if let Some(new) = required.iter().find(|required| !locked.contains(required)) {
        let message = format!("{} is not in the lockfile", new.label());
        return Err(outdated_lock(message));
    }
    if !required.iter().eq(locked) {
        let message = "the order of the catalog remotes differs";
        return Err(outdated_lock(message.to_owned()));
    }
    Ok(())
}
