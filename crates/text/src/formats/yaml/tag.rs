//! Tags of the core schema, and their effect on values.

use saphyr_parser::Tag;

use crate::formats::yaml::scalar::{ScalarValue, resolve};
use crate::tree::NodeKind;

/// The reason why a tag is invalid.
pub(crate) enum TagError<'t> {
    /// A known tag for another kind of value.
    Mismatched(&'t str),
    Unknown,
}

/// The value of a scalar with a tag.
pub(crate) fn resolve_tagged<'t>(
    tag: &'t Tag,
    text: &'t str,
) -> Result<ScalarValue<'t>, TagError<'t>> {
    let name = known_name(tag)?;
    match (name, resolve(text)) {
        ("str", _) => Ok(ScalarValue::String),
        ("int", found @ ScalarValue::Integer(_))
        | ("float", found @ ScalarValue::Float(_))
        | ("bool", found @ ScalarValue::Bool(_))
        | ("null", found @ ScalarValue::Null) => Ok(found),
        ("float", ScalarValue::Integer(number)) => {
            Ok(ScalarValue::Float(format!("{number}.0").into()))
        }
        _ => Err(TagError::Mismatched(name)),
    }
}

/// Whether a list or an object may have the tag.
pub(crate) fn check_container(tag: &Tag, kind: NodeKind) -> Result<(), TagError<'_>> {
    match (kind, known_name(tag)?) {
        (NodeKind::List, "seq") | (NodeKind::Map, "map") => Ok(()),
        (_, name) => Err(TagError::Mismatched(name)),
    }
}

/// The name of a tag of the core schema.
pub(crate) fn known_name(tag: &Tag) -> Result<&str, TagError<'_>> {
    const KNOWN: &[&str] = &["str", "int", "float", "bool", "null", "map", "seq"];
    let name = tag.suffix.as_str();
    let is_known = tag.handle == "tag:yaml.org,2002:" && KNOWN.contains(&name);
    is_known.then_some(name).ok_or(TagError::Unknown)
}
