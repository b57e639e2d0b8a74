//! The user's configuration, `config.toml`, as a document that is shown and edited.

use agpm_diag::{Diagnostic, Failure, codes, mask_line_after};
use agpm_text::{Document, Edit, EditError, Format, NodeKind, NodeRef, Pointer, parse_alone};

use crate::address::{DefaultHost, Encryption, SourceAddress};

const SOURCES: &str = "sources";
const DEFAULT_HOST: &str = "default-host";

/// The user's configuration; a file that does not exist is an empty one.
#[derive(Clone, Copy, Debug)]
pub struct UserConfig<'d>(Option<&'d Document>);

/// A source of the configuration.
#[derive(Clone, Debug)]
pub struct ConfiguredSource {
    /// The name, as written.
    pub name: String,
    /// Its URL.
    pub address: SourceAddress,
}

impl<'d> UserConfig<'d> {
    /// The configuration of a document.
    pub fn of(document: Option<&'d Document>) -> Self {
        UserConfig(document)
    }

    fn entries(self) -> impl Iterator<Item = (NodeRef<'d>, NodeRef<'d>)> {
        let root = self.0.and_then(Document::root);
        let sources = root.and_then(|root| root.get(SOURCES));
        let table = sources.filter(|node| node.kind() == NodeKind::Map);
        table.into_iter().flat_map(NodeRef::entries)
    }

    /// The sources with valid URLs.
    pub fn sources(self) -> Vec<ConfiguredSource> {
        let source = |(name, value): (NodeRef<'_>, NodeRef<'_>)| {
            Some(ConfiguredSource {
                name: name.content().to_owned(),
                address: read_address(value)?,
            })
        };
        self.entries().filter_map(source).collect()
    }

    /// The names of all sources.
    pub fn source_names(self) -> Vec<String> {
        let names = self.entries();
        names.map(|(name, _)| name.content().to_owned()).collect()
    }

    /// Whether it has a source with a name.
    pub fn has_source(self, name: &str) -> bool {
        self.0
            .is_some_and(|document| document.at(&source_pointer(name)).is_some())
    }

    /// The text without the secrets of its URLs, and with lines that look like secrets masked.
    pub fn masked_text(self) -> String {
        let text = self.0.map(|document| document.text().to_string());
        let scrubbed = self.sources().iter().fold(
            text.unwrap_or_default(),
            |text, ConfiguredSource { address, .. }| {
                address.scrub(&text.replace(address.reveal(), address.redacted()))
            },
        );
        let mut out = String::with_capacity(scrubbed.len());
        let mut at = 0;
        for line in scrubbed.split_inclusive('\n') {
            let (body, end) = line.split_at(line.trim_end_matches(['\n', '\r']).len());
            out.push_str(&mask_line_after(&scrubbed[..at], body));
            out.push_str(end);
            at += line.len();
        }
        out
    }

    /// The host of `OWNER/REPO`.
    pub fn default_host(self) -> Result<DefaultHost, Failure> {
        let root = self.0.and_then(Document::root);
        let Some(node) = root.and_then(|root| root.get(DEFAULT_HOST)) else {
            return Ok(DefaultHost::default());
        };
        DefaultHost::parse(node.as_str().unwrap_or_default()).map_err(|error| {
            Diagnostic::new(&codes::MANIFEST_VALUE, error.to_string())
                .help("run `agpm config default-host github.com`")
                .into()
        })
    }

    /// The text with a source added.
    pub fn with_source(self, name: &str, address: &SourceAddress) -> Result<String, Failure> {
        self.edited(&Edit::Set {
            at: source_pointer(name),
            value: address.reveal().into(),
        })
    }

    /// The text without a source.
    pub fn without_source(self, name: &str) -> Result<String, Failure> {
        self.edited(&Edit::Remove {
            at: source_pointer(name),
        })
    }

    /// The text with another default host.
    pub fn with_default_host(self, host: &DefaultHost) -> Result<String, Failure> {
        self.edited(&Edit::Set {
            at: Pointer::root().child(DEFAULT_HOST),
            value: host.to_string().as_str().into(),
        })
    }

    fn edited(self, edit: &Edit) -> Result<String, Failure> {
        let text = match self.0 {
            Some(document) => document.edit(edit),
            None => parse_alone(String::new(), Format::Toml).document.edit(edit),
        };
        text.map_err(|error| uneditable(&error))
    }
}

/// The URL of a source, which may be a table with settings.
fn read_address(value: NodeRef<'_>) -> Option<SourceAddress> {
    let (text, insecure) = match value.kind() {
        NodeKind::Map => (value.get("url")?.as_str()?, value.get("insecure")),
        _ => (value.as_str()?, None),
    };
    let address = SourceAddress::parse(text).ok()?;
    Some(match insecure.and_then(NodeRef::as_bool) {
        Some(true) => address.with_encryption(Encryption::Optional),
        _ => address,
    })
}

fn source_pointer(name: &str) -> Pointer {
    Pointer::root().child(SOURCES).child(name)
}

fn uneditable(error: &EditError) -> Failure {
    let message = format!("the configuration cannot be changed: {error}");
    Diagnostic::new(&codes::MANIFEST_VALUE, message)
        .help("change it by hand")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# mine\n[sources]\nteam = \"https://user:hunter2@host/org/team\"\n";

    fn document(text: &str) -> Document {
        parse_alone(text.to_owned(), Format::Toml).document
    }

    #[test]
    fn no_secret_of_an_url_is_shown() {
        let document = document(TEXT);
        let masked = UserConfig::of(Some(&document)).masked_text();
        assert!(!masked.contains("hunter2"), "{masked}");
        assert!(masked.starts_with("# mine\n[sources]\nteam = "), "{masked}");
    }

    #[test]
    fn a_source_comes_and_goes_without_a_trace() {
        let before = document(TEXT);
        let address = SourceAddress::parse("https://host/org/more").expect("an address");
        let added = UserConfig::of(Some(&before)).with_source("more", &address);
        let added = document(&added.expect("editable"));
        let config = UserConfig::of(Some(&added));
        assert_eq!(config.source_names(), ["team", "more"]);
        assert_eq!(config.without_source("more").expect("editable"), TEXT);
    }

    #[test]
    fn a_file_that_does_not_exist_can_get_a_source() {
        let address = SourceAddress::parse("https://host/org/team").expect("an address");
        let text = UserConfig::of(None).with_source("team", &address);
        let text = text.expect("editable");
        let document = document(&text);
        assert!(UserConfig::of(Some(&document)).has_source("team"));
    }
}
