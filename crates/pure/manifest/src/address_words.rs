//! Separates the arguments of `add` into URLs and names of resources.

use agpm_diag::{Failure, nearest};
use agpm_discover::CandidateType;
use agpm_model::{Address, AddressContext, Manifest};

use crate::usage::{not_an_address, usage};

/// A URL and the names that follow it.
pub struct AddressWords {
    /// The URL as it is typed.
    pub typed: String,
    /// The parsed argument.
    pub address: Address,
    /// Names of resources in it.
    pub names: Vec<String>,
}

impl AddressWords {
    /// The URL with a path; `None` if its form cannot have one.
    pub fn with_path(&self, path: &str) -> Option<String> {
        let inner = match &self.address {
            Address::Repository(found) => &found.inner,
            Address::Source(found) => &found.inner,
            Address::Local(_) => {
                return Some(format!("{}/{path}", self.typed.trim_end_matches('/')));
            }
            _ => return None,
        };
        let version = inner
            .requirement
            .as_ref()
            .map(|one| format!("@{}", one.as_str()));
        let version = version.unwrap_or_default();
        Some(match &self.address {
            Address::Source(found) => format!("{}:{path}{version}", found.name),
            Address::Repository(found) => {
                format!(
                    "{}//{path}{version}",
                    found.url.redacted().trim_end_matches('/')
                )
            }
            _ => return None,
        })
    }
}

/// Reads a URL as this manifest understands it.
pub fn read_address(word: &str, manifest: &Manifest) -> Result<Address, Failure> {
    let is_source = |name: &str| manifest.sources.iter().any(|one| one.name.as_str() == name);
    let context = AddressContext {
        default_host: &manifest.default_host,
        is_source: &is_source,
    };
    Address::parse(word, &context).map_err(|error| not_an_address(&error))
}

/// A bare word that is first is a source; a later one is a source if one has that name, else a resource.
pub fn group_words(words: &[String], manifest: &Manifest) -> Result<Vec<AddressWords>, Failure> {
    let is_source = |name: &str| manifest.sources.iter().any(|one| one.name.as_str() == name);
    let mut groups: Vec<AddressWords> = Vec::new();
    for word in words {
        if let Some(group) = groups.last_mut()
            && is_name(word, &is_source)
        {
            group.names.push(word.clone());
            continue;
        }
        if let (true, Some(kind)) = (groups.is_empty(), CandidateType::named(word))
            && !is_source(word)
        {
            let message = format!("`{word}` is a resource type");
            let help = format!(
                "`agpm add ADDRESS --type {kind}` or `agpm add dep {kind} SOURCE:PATH` adds one"
            );
            return Err(usage(message, help));
        }
        if let (true, Some(near)) = (groups.is_empty(), nearest(word, ["source", "dependency"]))
            && !is_source(word)
            // A longer word, such as `mysource`, is the name of a source that does not exist.
            && near.len().abs_diff(word.len()) <= 1
        {
            let message = format!("unrecognized subcommand `{word}`");
            return Err(usage(message, format!("did you mean `{near}`?")));
        }
        groups.push(AddressWords {
            typed: word.clone(),
            address: read_address(word, manifest)?,
            names: Vec::new(),
        });
    }
    Ok(groups)
}

/// Whether an argument after a URL names a resource in it: a bare name, or `TYPE/NAME`.
fn is_name(word: &str, is_source: &dyn Fn(&str) -> bool) -> bool {
    let is_type = |kind: &str| CandidateType::named(kind).is_some();
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['/', ':', '@']);
    match (word.split_once('/'), word.split_once(':')) {
        (Some((kind, name)), _) => is_type(kind) && is_plain(name),
        // A source may be called like a type.
        (None, Some((kind, name))) => is_type(kind) && is_plain(name) && !is_source(kind),
        (None, None) => !is_source(word) && !word.contains('@') && !word.starts_with(['.', '~']),
    }
}
