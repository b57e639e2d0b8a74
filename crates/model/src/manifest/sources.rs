//! `[sources]`, and the resources that may pull in executables.

use agpm_diag::{Diagnostic, Severity, SourceSpan, codes};
use agpm_text::{Document, NodeKind, NodeRef};

use crate::address::{DefaultHost, Encryption, SourceAddress, repository_url};
use crate::check::{Check, spot};
use crate::glob::Glob;
use crate::manifest::tables::SOURCE;
use crate::name::{ResourceName, SourceName};
use crate::repository_pattern::RepositoryPattern;
use crate::resource::ResourceType;
use crate::unit::{ResourceOrigin, Unit};

/// The file that defines a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceScope {
    /// The project's manifest, for everyone.
    Project,
    /// The private manifest or the user's configuration.
    User,
}

/// A location that packages come from.
#[derive(Clone, Debug)]
pub struct SourceDeclaration {
    /// The name in dependencies.
    pub name: SourceName,
    /// The URL or directory.
    pub address: SourceAddress,
    /// The file that defines it.
    pub scope: SourceScope,
    /// The entry.
    pub spot: SourceSpan,
}

impl SourceDeclaration {
    /// Whether a dependency with a URL implies it, and `[sources]` does not have it.
    pub fn is_implicit(&self) -> bool {
        self.name.as_str() == repository_url(&self.address)
    }
}

/// Permission for resources to pull in executables: a pattern over `TYPE/NAME`, or a whole source.
#[derive(Clone, Debug)]
pub enum ExecutableAllowance {
    /// Everything from this source.
    Source(String),
    /// Resources whose `TYPE/NAME` this matches.
    Pattern(Glob),
}

impl ExecutableAllowance {
    /// Whether the permission covers a resource.
    pub fn allows(&self, kind: ResourceType, name: &ResourceName, unit: &Unit) -> bool {
        match self {
            ExecutableAllowance::Source(source) => {
                matches!(&unit.origin, ResourceOrigin::Source(name) if name.as_str() == source)
            }
            ExecutableAllowance::Pattern(pattern) => pattern.is_match(&format!("{kind}/{name}")),
        }
    }
}

pub(super) fn read_source(
    check: &mut Check,
    name: NodeRef<'_>,
    node: NodeRef<'_>,
    scope: SourceScope,
) -> Option<SourceDeclaration> {
    let (node, encryption) = match node.kind() {
        NodeKind::Map => read_settings(check, node)?,
        _ => (node, Encryption::Required),
    };
    let text = check.string(node, "a source")?;
    let address = SourceAddress::parse(text);
    let address = address.map(|address| address.with_encryption(encryption));
    let address = address.map_err(|error| {
        let help = "write a URL such as `https://host/org/repo.git`, or a directory";
        if error.may_show_password() {
            // A finding of this code does not quote the value.
            let mut found = Diagnostic::new(&codes::MANIFEST_SECRET, error.to_string());
            found.severity = Severity::Error;
            check.report(found.at_spot(spot(name)).help(help));
        } else {
            check.bad_value(node, error.to_string(), help);
        }
    });
    let parsed = SourceName::new(name.content());
    let parsed = parsed
        .map_err(|error| check.bad_value(name, error.to_string(), "give the source a short name"));
    let address = address.ok()?;
    if scope == SourceScope::Project && address.redacted() != address.reveal() {
        let message = format!(
            "the URL of source `{}` contains a secret, and this file is shared",
            name.content()
        );
        let help = "keep it in git's credentials, or name the source in `agpm.private.toml` or your configuration";
        check.report(
            Diagnostic::new(&codes::MANIFEST_SECRET, message)
                .at_spot(spot(name))
                .help(help),
        );
    }
    Some(SourceDeclaration {
        name: parsed.ok()?,
        address,
        scope,
        spot: spot(name),
    })
}

/// The URL of a source with settings, and whether its server may be contacted without encryption.
fn read_settings<'n>(check: &mut Check, table: NodeRef<'n>) -> Option<(NodeRef<'n>, Encryption)> {
    check.keys(table, &SOURCE);
    let insecure = table.get("insecure");
    let insecure = insecure.and_then(|node| check.flag(node, "`insecure`"));
    let encryption = if insecure == Some(true) {
        Encryption::Optional
    } else {
        Encryption::Required
    };
    let url = check.required(table, "url", "source")?;
    Some((url, encryption))
}

impl DefaultHost {
    /// The host in a configuration; mistakes in it are reported with the manifest.
    pub fn of_config(config: &Document) -> Self {
        let node = config.root().and_then(|root| root.get("default-host"));
        let mut quiet = Check::default();
        node.map(|node| read_default_host(&mut quiet, node))
            .unwrap_or_default()
    }
}

pub(super) fn read_default_host(check: &mut Check, node: NodeRef<'_>) -> DefaultHost {
    let text = check.string(node, "`default-host`");
    let host = text
        .map(DefaultHost::parse)
        .unwrap_or_else(|| Ok(DefaultHost::default()));
    host.unwrap_or_else(|error| {
        check.bad_value(
            node,
            error.to_string(),
            "write `default-host = \"github.com\"`",
        );
        DefaultHost::default()
    })
}

/// `allow-sources = ["github:corp/*", …]`.
pub(super) fn read_allowed_sources(check: &mut Check, node: NodeRef<'_>) -> Vec<RepositoryPattern> {
    let mut allowed = Vec::new();
    for (item, text) in check.strings(node, "`allow-sources`") {
        match RepositoryPattern::parse(text) {
            Ok(pattern) => allowed.push(pattern),
            Err(error) => check.bad_value(
                item,
                error.to_string(),
                "write `github:OWNER/*`, or a URL with `*`",
            ),
        }
    }
    allowed
}

pub(crate) fn read_allowed(check: &mut Check, node: NodeRef<'_>) -> Vec<ExecutableAllowance> {
    let mut allowed = Vec::new();
    for (item, text) in check.strings(node, "`allow-executables`") {
        match text.strip_prefix("source:") {
            Some(source) => allowed.push(ExecutableAllowance::Source(source.to_owned())),
            None => match Glob::new(text) {
                Ok(glob) => allowed.push(ExecutableAllowance::Pattern(glob)),
                Err(error) => {
                    let message = format!("invalid pattern: {error}");
                    check.bad_value(
                        item,
                        message,
                        "write `TYPE/NAME` with `*`, or `source:NAME`",
                    );
                }
            },
        }
    }
    allowed
}
