//! Resource ids as users type them.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean};
use agpm_model::ResourceType;

/// A typed resource id: `TYPE/NAME` or `TYPE:NAME`, with the type in singular or plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenId<'w> {
    /// The type of the written id.
    pub kind: ResourceType,
    /// The name of the written id.
    pub name: &'w str,
}

impl<'w> WrittenId<'w> {
    /// `None` if the word has no type.
    pub fn parse(word: &'w str) -> Option<Self> {
        let (kind, name) = word.split_once(['/', ':'])?;
        Some(WrittenId {
            kind: ResourceType::named(kind)?,
            name,
        })
        .filter(|id| !id.name.is_empty())
    }
}

/// Whether an argument names a resource, by name or id.
pub fn means(word: &str, kind: ResourceType, name: &str) -> bool {
    word == name || WrittenId::parse(word) == Some(WrittenId { kind, name })
}

/// The failure of a name that several resources have.
pub fn ambiguous(name: &str, meanings: &[String]) -> Failure {
    let message = format!("`{name}` could be {}", meanings.join(" or "));
    let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message).help("name it with its type");
    Failure::new(FailureKind::NotFound, diagnostic)
}

/// The most similar ids, or some of all. Only names are compared: the type is often the mistake.
pub fn near_ids(word: &str, candidates: BTreeSet<(ResourceType, &str)>) -> Option<String> {
    let name = WrittenId::parse(word).map_or(word, |id| id.name);
    let near = agpm_diag::nearest(name, candidates.iter().map(|(_, name)| *name));
    let nearest = near.and_then(|near| candidates.iter().find(|(_, name)| *name == near));
    if let Some((kind, name)) = nearest {
        return Some(format!("did you mean `{kind}/{name}`?"));
    }
    let ids: Vec<String> = candidates
        .iter()
        .map(|(kind, name)| format!("{kind}/{name}"))
        .collect();
    did_you_mean(word, "resources are", ids.iter().map(String::as_str))
}
