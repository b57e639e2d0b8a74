//! URIs of resources. Names in them are compared with known names, and never turned into paths.

use std::borrow::Cow;

use agpm_catalog::EntryKind;
use agpm_model::ResourceType;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;

use crate::kind::{INSTALLED, ItemKind};
use crate::protocol::error::URI;

const SCHEME: &str = "agpm://";
const CATALOG: &str = "catalog";
const CSV: &str = ".csv";
const LONGEST: usize = 2048;
/// The placeholder for the module of an entry that has none.
const NO_MODULE: &str = "-";

/// All but the characters that RFC 3986 never reserves.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A parsed URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResourceUri {
    /// `agpm://catalog/KIND.csv`
    Csv(EntryKind),
    /// `agpm://KIND/MODULE/NAME`
    Entry(EntryKind, String, String),
    /// `agpm://installed/TYPE/NAME`
    Installed(ResourceType, String),
    /// `agpm://persona/NAME`, and the same for bottles and their agents.
    Named(ItemKind, String),
}

impl ResourceUri {
    /// Reads a URI. Unusual forms are refused instead of interpreted.
    pub(crate) fn parse(uri: &str) -> Result<Self, ErrorData> {
        let refuse = |why: &str| {
            // The URI comes from the client and goes back in a message; control characters could steer the terminal
            // that shows it.
            let shown: String = uri.chars().take(100).filter(|c| !c.is_control()).collect();
            URI.with_help(
                format!("`{shown}` {why}"),
                "`resources/templates/list` lists the readable URIs",
            )
        };
        let rest = uri
            .strip_prefix(SCHEME)
            .ok_or_else(|| refuse("does not start with `agpm://`"))?;
        if uri.len() > LONGEST {
            return Err(refuse("is too long"));
        }
        let parts: Vec<String> = rest
            .split('/')
            .map(segment)
            .collect::<Result<_, _>>()
            .map_err(refuse)?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        ResourceUri::of(&parts).ok_or_else(|| refuse("does not match any resource of this server"))
    }

    // Parts are compared with known names and never joined to a path, so nothing in a URI can lead out of the project.
    fn of(parts: &[&str]) -> Option<Self> {
        match parts {
            [CATALOG, file] => EntryKind::read(file.strip_suffix(CSV)?).map(ResourceUri::Csv),
            [INSTALLED, kind, name @ ..] if !name.is_empty() => Some(ResourceUri::Installed(
                ResourceType::named(kind)?,
                name.join("/"),
            )),
            [kind, name] => match ItemKind::named(kind)? {
                ItemKind::Catalog(_) | ItemKind::Installed(_) => None,
                other => Some(ResourceUri::Named(other, (*name).to_owned())),
            },
            [kind, module, name] => {
                let module = if *module == NO_MODULE { "" } else { module };
                Some(ResourceUri::Entry(
                    EntryKind::read(kind)?,
                    module.to_owned(),
                    (*name).to_owned(),
                ))
            }
            _ => None,
        }
    }

    /// The URI, if it can be read back.
    pub(crate) fn uri(&self) -> Option<String> {
        let path = match self {
            ResourceUri::Csv(kind) => format!("{CATALOG}/{}{CSV}", kind.singular()),
            ResourceUri::Entry(kind, module, name) => {
                let module = if module.is_empty() { NO_MODULE } else { module };
                format!("{}/{}/{}", kind.singular(), encode(module), encode(name))
            }
            ResourceUri::Installed(kind, name) => {
                let name: Vec<String> = name.split('/').map(encode).collect();
                format!("{INSTALLED}/{kind}/{}", name.join("/"))
            }
            ResourceUri::Named(kind, name) => format!("{}/{}", kind.word(), encode(name)),
        };
        let uri = format!("{SCHEME}{path}");
        // Names that the parser refuses have no URI. The tool finds them.
        ResourceUri::parse(&uri)
            .is_ok_and(|read| read == *self)
            .then_some(uri)
    }
}

/// One part of a URI, decoded once.
fn segment(part: &str) -> Result<String, &'static str> {
    if part
        .bytes()
        .any(|byte| matches!(byte, b'?' | b'#' | b'\\' | b'@' | b':'))
    {
        return Err("contains a query, a fragment, a host or a backslash");
    }
    let text = decode(part)?;
    match text.as_str() {
        "" => Err("has an empty part"),
        text if text
            .chars()
            // A separator that appears only after decoding would make two parts of one, and `%` would invite a
            // second decoding.
            .any(|c| c.is_control() || matches!(c, '/' | '\\' | '%')) =>
        {
            Err("contains an encoded character that is not allowed")
        }
        // `..` and names that Windows shortens are refused here, although no part of a URI is ever used as a path.
        text if text.ends_with(['.', ' ']) || text.starts_with(' ') => {
            Err("has a part that ends in `.` or a space")
        }
        _ => Ok(text),
    }
}

fn decode(part: &str) -> Result<String, &'static str> {
    if !part.split('%').skip(1).all(is_escape) {
        return Err("has a `%` without two digits");
    }
    let decoded = percent_decode_str(part).decode_utf8();
    decoded.map(Cow::into_owned).map_err(|_| "is not UTF-8")
}

/// Whether what follows a `%` begins with two digits.
fn is_escape(rest: &str) -> bool {
    let digits = rest.as_bytes().first_chunk::<2>();
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// A name in the encoding of URIs.
fn encode(name: &str) -> String {
    utf8_percent_encode(name, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn created_files_are_read_back() {
        let entry = |module: &str, name: &str| {
            ResourceUri::Entry(EntryKind::Agent, module.to_owned(), name.to_owned())
        };
        let table = [
            (
                ResourceUri::Csv(EntryKind::Workflow),
                "agpm://catalog/workflow.csv",
            ),
            (entry("bmm", "analyst"), "agpm://agent/bmm/analyst"),
            (entry("", "analyst"), "agpm://agent/-/analyst"),
            (entry("a b", "ä"), "agpm://agent/a%20b/%C3%A4"),
            (
                ResourceUri::Installed(ResourceType::Snippets, "a/b.c".to_owned()),
                "agpm://installed/snippets/a/b.c",
            ),
            (
                ResourceUri::Named(ItemKind::Persona, "ada".to_owned()),
                "agpm://persona/ada",
            ),
            (
                ResourceUri::Named(ItemKind::BottleAgent, "x".to_owned()),
                "agpm://bottle-agent/x",
            ),
        ];
        for (address, uri) in table {
            assert_eq!(address.uri().as_deref(), Some(uri));
            assert_eq!(ResourceUri::parse(uri).unwrap(), address);
        }
        for name in [
            "..",
            "a/b",
            "a\\b",
            "a%b",
            "a\0",
            "",
            "a.",
            "../../etc/passwd",
        ] {
            assert_eq!(entry("m", name).uri(), None, "{name:?}");
        }
    }

    #[test]
    fn tricks_are_refused() {
        let long = format!("agpm://agent/m/{}", "a".repeat(LONGEST));
        let table = [
            "",
            "agpm:",
            "agpm://",
            "agpm:///",
            "AGPM://agent/m/a",
            "file:///etc/passwd",
            "http://agent/m/a",
            "agpm://agent/..",
            "agpm://agent/../a",
            "agpm://agent/m/..",
            "agpm://agent/m/.",
            "agpm://agent/m/%2e%2e",
            "agpm://agent/m/%2E%2e",
            "agpm://agent/m/%252e%252e",
            "agpm://agent/m/a%2fb",
            "agpm://agent/m/a%2Fb",
            "agpm://agent/m/a%5cb",
            "agpm://agent/m/a\\b",
            "agpm://agent/m/a%00",
            "agpm://agent/m/a\0",
            "agpm://agent/m/%c0%ae%c0%ae",
            "agpm://agent/m/%e0%80%ae",
            "agpm://agent/m/%ff",
            "agpm://agent/m/%",
            "agpm://agent/m/%2",
            "agpm://agent/m/%zz",
            "agpm://agent/m/a.",
            "agpm://agent/m/a%20",
            "agpm://agent/m/",
            "agpm://agent//a",
            "agpm://agent/m/a?b",
            "agpm://agent/m/a#b",
            "agpm://user@agent/m/a",
            "agpm://agent:80/m/a",
            "agpm://installed/agents",
            "agpm://installed/agents/../../../etc/passwd",
            "agpm://installed/agents/..%2f..%2fetc",
            "agpm://installed/agents//etc/passwd",
            "agpm://installed/tasks/a",
            "agpm://catalog/agent",
            "agpm://catalog/../agent.csv",
            "agpm://catalog/agent.csv/x",
            "agpm://agent/m/a/b",
            "agpm://agent/a",
            "agpm://persona/a/b",
            "agpm://unheard/of",
            &long,
        ];
        for uri in table {
            let error = ResourceUri::parse(uri).unwrap_err();
            assert_eq!(error.data.unwrap()["code"], "mcp/uri", "{uri}");
        }
    }
}
