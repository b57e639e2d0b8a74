//! `[catalog]`: the repositories that contribute to the catalog.

use agpm_diag::{Diagnostic, SourceSpan, codes, did_you_mean};
use agpm_text::{Document, NodeRef};

use crate::catalog_remote::{CatalogRemote, RemoteError};
use crate::check::{Check, define_source, spot};
use crate::manifest::tables::CATALOG;
use crate::manifest::{ManifestTexts, SourceDeclaration, SourceScope};
use crate::name::SourceName;

/// The contributors to the catalog.
#[derive(Clone, Debug, Default)]
pub struct CatalogSettings {
    /// The remotes in use, highest first: those of the highest file that names any.
    pub remotes: Vec<AskedRemote>,
    /// The remotes of the project's own manifest, which its lockfile pins for everyone, whatever one user prefers.
    pub shared: Vec<AskedRemote>,
}

/// A remote in the manifest.
#[derive(Clone, Debug)]
pub struct AskedRemote {
    /// The remote.
    pub remote: CatalogRemote,
    /// The position in the manifest.
    pub spot: SourceSpan,
}

impl CatalogSettings {
    /// All remotes of all files.
    pub fn all(&self) -> impl Iterator<Item = &CatalogRemote> {
        self.remotes
            .iter()
            .chain(&self.shared)
            .map(|requested| &requested.remote)
    }

    /// The sources that remotes name.
    pub fn sources(&self) -> impl Iterator<Item = &SourceName> {
        self.all().filter_map(CatalogRemote::source)
    }

    /// Whether a remote in use is one that the lockfile pins.
    pub fn is_shared(&self, remote: &CatalogRemote) -> bool {
        self.shared
            .iter()
            .any(|requested| requested.remote == *remote)
    }
}

pub(super) fn read(
    check: &mut Check,
    texts: &ManifestTexts<'_>,
    sources: &[SourceDeclaration],
) -> CatalogSettings {
    let mut of = |text: Option<&Document>, scope| {
        let section = text
            .and_then(Document::root)
            .and_then(|root| root.get("catalog"))?;
        read_remotes(check, section, sources, scope)
    };
    let private = of(texts.private, SourceScope::User);
    let shared = of(Some(texts.project), SourceScope::Project);
    let config = of(texts.config, SourceScope::User);
    let remotes = private
        .or_else(|| shared.clone())
        .or(config)
        .unwrap_or_default();
    CatalogSettings {
        remotes,
        shared: shared.unwrap_or_default(),
    }
}

/// The remotes of one file; `None` if it does not set them.
fn read_remotes(
    check: &mut Check,
    section: NodeRef<'_>,
    sources: &[SourceDeclaration],
    scope: SourceScope,
) -> Option<Vec<AskedRemote>> {
    if !check.map(section, "`[catalog]`") {
        return None;
    }
    check.keys(section, &CATALOG);
    let mut remotes: Vec<AskedRemote> = Vec::new();
    for (node, text) in check.strings(section.get("remotes")?, "`remotes`") {
        let Some(remote) = read_remote(check, node, text, sources, scope) else {
            continue;
        };
        match remotes.iter().find(|earlier| earlier.remote == remote) {
            Some(earlier) => report_twice(check, earlier, node),
            None => remotes.push(AskedRemote {
                remote,
                spot: spot(node),
            }),
        }
    }
    Some(remotes)
}

fn read_remote(
    check: &mut Check,
    node: NodeRef<'_>,
    text: &str,
    sources: &[SourceDeclaration],
    scope: SourceScope,
) -> Option<CatalogRemote> {
    let remote = match CatalogRemote::parse(text) {
        Ok(remote) => remote,
        Err(RemoteError::Directory(error)) => {
            let found = RemoteError::Directory(error);
            check.bad_path(node, error, found.to_string(), found.help());
            return None;
        }
        Err(error) => {
            check.bad_value(node, error.to_string(), error.help());
            return None;
        }
    };
    if scope == SourceScope::Project && remote.has_secrets() {
        let message = "the URL of this remote contains a secret, and this file is shared";
        let help = "keep it in git's credentials, or name the remote in `agpm.private.toml` or your configuration";
        check.report(
            Diagnostic::new(&codes::MANIFEST_SECRET, message)
                .at_spot(spot(node))
                .help(help),
        );
    }
    let unknown = remote
        .source()
        .filter(|name| sources.iter().all(|source| source.name != **name));
    if let Some(name) = unknown {
        let names = sources.iter().map(|source| source.name.as_str());
        let message = format!("unknown source `{name}`");
        let mut found =
            Diagnostic::new(&codes::MANIFEST_UNKNOWN_SOURCE, message).at_spot(spot(node));
        found.help = did_you_mean(name.as_str(), "available sources", names)
            .or_else(|| Some(define_source(name.as_str())));
        check.report_missing(found);
        return None;
    }
    Some(remote)
}

fn report_twice(check: &mut Check, earlier: &AskedRemote, node: NodeRef<'_>) {
    let message = format!("duplicate remote `{}`", earlier.remote);
    let found = Diagnostic::new(&codes::CATALOG_DUPLICATE_REMOTE, message);
    check.report(
        found
            .at(node.source(), node.span(), "again here")
            .at(earlier.spot.source, earlier.spot.span, "first here")
            .help("remove one of them; the higher one applies"),
    );
}
