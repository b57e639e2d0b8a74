//! Strategies are data: the treatment of maps, lists and values, and rules for some pointers.

use std::fmt;
use std::str::FromStr;

use agpm_diag::did_you_mean;
use agpm_text::Pointer;

use crate::pattern::PointerPattern;

/// The operation on a value that several layers have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeOperation {
    /// Maps merge recursively; lists and values are taken from the highest layer.
    Deep,
    /// The value of the highest layer.
    Replace,
    /// New items are added to the end of a list.
    Extend,
    /// All items are added to the end of a list.
    Append,
    /// All items are added to the beginning of a list.
    Prepend,
    /// Lists become sets: every item once.
    Union,
    /// Items of lists are identified by a key.
    ByKey {
        /// The key that every item has.
        key: String,
        /// The rule for two items with the same key.
        items: ItemRule,
    },
    /// Lists become sets even in a single layer, without their blank items. Only policies use it.
    Unite {
        /// The identity of items.
        identity: ListIdentity,
        /// The rule for two items with the same identity.
        items: ItemRule,
    },
    /// Maps merge field by field, one level deep.
    Overlay,
    /// The highest value that is not blank.
    NonEmpty,
    /// The value of the lowest layer.
    KeepLower,
    /// Two layers with different values are an error.
    Forbid,
}

/// The identity of list items if some items have no key: those are compared as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListIdentity {
    /// Fields that form the identity together.
    pub fields: &'static [IdentityField],
    /// How an item reads as plain text; an item that is that text is equal.
    pub projection: Option<TextProjection>,
}

/// Alternative fields: the first that an item has identifies it.
pub type IdentityField = &'static [&'static [&'static str]];

impl ListIdentity {
    /// The whole item is its identity.
    pub const WHOLE: ListIdentity = ListIdentity {
        fields: &[],
        projection: None,
    };
}

/// How an object reads as plain text: a line `Title: item` for each of its items, or its title alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextProjection {
    /// The keys of the title; the first that exists is used.
    pub title: &'static [&'static str],
    /// The keys of the items; the first that exists is used.
    pub items: &'static [&'static str],
    /// The keys that identify an item that is an object; the first that exists is used.
    pub item: &'static [&'static str],
}

/// The rule for two list items with the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItemRule {
    /// The item of the higher layer wins.
    #[default]
    Replace,
    /// The items are merged.
    Deep,
}

/// All operations with their descriptions, for messages and for `agpm strategies`.
pub const OPERATIONS: &[(&str, &str)] = &[
    (
        "deep",
        "objects merge recursively; lists and values come from the highest layer",
    ),
    ("replace", "the entire value of the highest layer"),
    ("extend", "append items that the list does not contain yet"),
    ("append", "append all items"),
    ("prepend", "prepend all items"),
    (
        "union",
        "lists become sets: each item once, in order of first appearance",
    ),
    (
        "by-key",
        "a key identifies list items: the higher item wins, or both merge",
    ),
    ("overlay", "objects merge field by field, one level deep"),
    ("non-empty", "the highest value that is not blank"),
    ("keep-lower", "the entire value of the lowest layer"),
    ("forbid", "different values in two layers are an error"),
];

/// The reason why text is not an operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperationError {
    /// No operation has that name.
    #[error("unknown operation `{name}`{}", .help.as_ref().map(|h| format!("; {h}")).unwrap_or_default())]
    Unknown {
        /// The name as written.
        name: String,
        /// Similar names, or all.
        help: Option<String>,
    },
    /// `by-key` without a key.
    #[error("`by-key` needs the key that identifies an item, as in `by-key:id`")]
    NoKey,
    /// An argument too many.
    #[error("unexpected argument `{0}`: write `by-key:KEY` or `by-key:KEY:deep`")]
    TooMuch(String),
}

impl MergeOperation {
    /// Whether it takes the whole value of one layer.
    pub fn selects(&self) -> bool {
        matches!(
            self,
            MergeOperation::Replace | MergeOperation::NonEmpty | MergeOperation::KeepLower
        )
    }

    /// Whether it affects lists.
    pub fn is_for_lists(&self) -> bool {
        matches!(
            self,
            MergeOperation::Replace
                | MergeOperation::Extend
                | MergeOperation::Append
                | MergeOperation::Prepend
                | MergeOperation::Union
                | MergeOperation::ByKey { .. }
        )
    }

    /// The operation as users write it.
    pub fn word(&self) -> &'static str {
        match self {
            MergeOperation::Deep => "deep",
            MergeOperation::Replace => "replace",
            MergeOperation::Extend => "extend",
            MergeOperation::Append => "append",
            MergeOperation::Prepend => "prepend",
            MergeOperation::Union => "union",
            MergeOperation::ByKey { .. } => "by-key",
            MergeOperation::Unite { .. } => "unite",
            MergeOperation::Overlay => "overlay",
            MergeOperation::NonEmpty => "non-empty",
            MergeOperation::KeepLower => "keep-lower",
            MergeOperation::Forbid => "forbid",
        }
    }
}

impl FromStr for MergeOperation {
    type Err = OperationError;

    /// `deep`, …, `by-key:id`, `by-key:id:deep`.
    fn from_str(text: &str) -> Result<Self, OperationError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let operation = match name {
            "deep" => MergeOperation::Deep,
            "replace" => MergeOperation::Replace,
            "extend" => MergeOperation::Extend,
            "append" => MergeOperation::Append,
            "prepend" => MergeOperation::Prepend,
            "union" => MergeOperation::Union,
            "overlay" => MergeOperation::Overlay,
            "non-empty" => MergeOperation::NonEmpty,
            "keep-lower" => MergeOperation::KeepLower,
            "forbid" => MergeOperation::Forbid,
            "by-key" => {
                let key = parts
                    .next()
                    .filter(|key| !key.is_empty())
                    .ok_or(OperationError::NoKey)?
                    .to_owned();
                let items = match parts.next() {
                    None | Some("replace") => ItemRule::Replace,
                    Some("deep") => ItemRule::Deep,
                    Some(other) => return Err(OperationError::TooMuch(other.to_owned())),
                };
                MergeOperation::ByKey { key, items }
            }
            _ => {
                let help = did_you_mean(
                    name,
                    "operations are",
                    OPERATIONS.iter().map(|(name, _)| *name),
                );
                return Err(OperationError::Unknown {
                    name: name.to_owned(),
                    help,
                });
            }
        };
        parts.next().map_or(Ok(operation), |rest| {
            Err(OperationError::TooMuch(rest.to_owned()))
        })
    }
}

impl fmt::Display for MergeOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeOperation::ByKey {
                key,
                items: ItemRule::Replace,
            } => write!(f, "by-key:{key}"),
            MergeOperation::ByKey {
                key,
                items: ItemRule::Deep,
            } => write!(f, "by-key:{key}:deep"),
            other => f.write_str(other.word()),
        }
    }
}

/// The effect of an empty map or list over a non-empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyRule {
    /// It is a value like any other.
    #[default]
    Value,
    /// It is ignored.
    Ignore,
    /// An empty value removes everything below.
    Clear,
    /// It is ignored, and so is everything that contains only blanks: null or blank strings. Only policies use it.
    Blank,
}

/// The rule for the pointers that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerRule {
    /// The pointers that it applies to.
    pub pattern: PointerPattern,
    /// The operation; without one, the strategy decides.
    pub operation: Option<MergeOperation>,
    /// The effect of empty maps and lists.
    pub empty: EmptyRule,
}

/// The default operation for maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapRule {
    /// Maps are merged recursively.
    Merge,
    /// The value of the highest layer.
    Replace,
}

/// The default operation for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListRule {
    /// One of `replace`, `extend`, `append`, `prepend`, `union`, `by-key`.
    By(MergeOperation),
    /// By `id` if every item is an object with one, else `extend`.
    Smart,
}

/// The separator between the bodies of Markdown files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodySeparator {
    /// A horizontal rule.
    #[default]
    Rule,
    /// A heading that names the layer.
    Heading,
    /// An HTML comment that names the layer.
    Comment,
    /// A blank line.
    None,
}

impl BodySeparator {
    /// All separators with their names.
    pub const ALL: &[(&str, BodySeparator)] = &[
        ("rule", BodySeparator::Rule),
        ("heading", BodySeparator::Heading),
        ("comment", BodySeparator::Comment),
        ("none", BodySeparator::None),
    ];
}

/// A program that merges two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeDriver {
    /// The program and its arguments, in which `%base` and `%new` are the lower and the higher file.
    pub command: Vec<String>,
    /// The author of the program.
    pub author: ProgramAuthor,
}

/// The author of the file that names a program. Only the user's own files are trusted: a project may have been cloned
/// just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramAuthor {
    /// The manifest of the project.
    #[default]
    Project,
    /// The user's configuration or manifest.
    User,
}

/// A complete definition of how to merge a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// The name of the strategy.
    pub name: String,
    /// The default operation for maps.
    pub maps: MapRule,
    /// The default operation for lists.
    pub lists: ListRule,
    /// The effect of empty maps and lists where no rule matches.
    pub empty: EmptyRule,
    /// The separator between Markdown bodies.
    pub separator: BodySeparator,
    /// Rules for some pointers.
    pub rules: Vec<PointerRule>,
    /// Pointers that are deleted from the result.
    pub unset: Vec<Pointer>,
    /// An external program that merges instead.
    pub driver: Option<MergeDriver>,
    /// The form of the result on disk.
    pub output: MergeOutput,
}

/// The form of the merged result on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergeOutput {
    /// A file, or keys of one.
    #[default]
    File,
    /// A block for each layer, in a file that the project writes too.
    Blocks,
}

/// A built-in strategy.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// The name of the strategy.
    pub name: &'static str,
    /// The treatment of maps, lists and values, in words.
    pub table: [&'static str; 3],
    /// The files that it is meant for.
    pub purpose: &'static str,
    /// The lower document, the higher document, and the result.
    pub example: [&'static str; 3],
}

/// The strategy that creates a block for every layer.
const BLOCK: &str = "block";

/// The built-in strategies.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "deep",
        table: ["merge recursively", "replace", "replace"],
        purpose: "most configuration files; the default for JSON, YAML and TOML",
        example: [
            r#"{"features": ["auth", "api"], "config": {"port": 8080}}"#,
            r#"{"features": ["ui"], "config": {"host": "localhost"}}"#,
            r#"{"features": ["ui"], "config": {"port": 8080, "host": "localhost"}}"#,
        ],
    },
    BuiltIn {
        name: "extend-lists",
        table: ["merge recursively", "append missing items", "replace"],
        purpose: "lists of plugins or permissions that every layer adds to",
        example: [
            r#"{"features": ["auth", "api"]}"#,
            r#"{"features": ["ui", "auth"]}"#,
            r#"{"features": ["auth", "api", "ui"]}"#,
        ],
    },
    BuiltIn {
        name: "replace",
        table: ["replace", "replace", "replace"],
        purpose: "files that one layer owns entirely",
        example: [
            r#"{"name": "App", "config": {"port": 8080}}"#,
            r#"{"config": {"host": "localhost"}}"#,
            r#"{"config": {"host": "localhost"}}"#,
        ],
    },
    BuiltIn {
        name: "smart-lists",
        table: [
            "merge recursively",
            "by `id` where all items have one, else append missing items",
            "replace",
        ],
        purpose: "lists of things with an `id` that higher layers change or add to",
        example: [
            r#"{"servers": [{"id": "a", "port": 1}, {"id": "b", "port": 2}]}"#,
            r#"{"servers": [{"id": "b", "port": 3}, {"id": "c", "port": 4}]}"#,
            r#"{"servers": [{"id": "a", "port": 1}, {"id": "b", "port": 3}, {"id": "c", "port": 4}]}"#,
        ],
    },
    BuiltIn {
        name: BLOCK,
        table: ["merge recursively", "replace", "replace"],
        purpose: "Markdown that the project also edits, such as `AGENTS.md`: each layer is a block",
        example: [
            "Use tabs.",
            "Write tests.",
            "Use tabs. <!-- agpm:begin layers/team --> Write tests. <!-- agpm:end layers/team -->",
        ],
    },
];

impl Strategy {
    /// The built-in strategy with a name.
    pub fn built_in(name: &str) -> Option<Strategy> {
        let (maps, lists) = match name {
            "deep" => (MapRule::Merge, ListRule::By(MergeOperation::Replace)),
            "extend-lists" => (MapRule::Merge, ListRule::By(MergeOperation::Extend)),
            "replace" => (MapRule::Replace, ListRule::By(MergeOperation::Replace)),
            "smart-lists" => (MapRule::Merge, ListRule::Smart),
            BLOCK => (MapRule::Merge, ListRule::By(MergeOperation::Replace)),
            _ => return None,
        };
        Some(Strategy {
            name: name.to_owned(),
            maps,
            lists,
            empty: EmptyRule::Value,
            separator: BodySeparator::default(),
            rules: Vec::new(),
            unset: Vec::new(),
            driver: None,
            output: if name == BLOCK {
                MergeOutput::Blocks
            } else {
                MergeOutput::File
            },
        })
    }
}

impl MapRule {
    /// The operation, as users read it.
    pub fn words(self) -> &'static str {
        match self {
            MapRule::Merge => "merge recursively",
            MapRule::Replace => "replace",
        }
    }
}

impl fmt::Display for ListRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListRule::By(operation) => operation.fmt(f),
            ListRule::Smart => f.write_str("by-key:id where all items have one, else extend"),
        }
    }
}

impl Default for Strategy {
    fn default() -> Self {
        Strategy::built_in("deep").expect("`deep` is built in")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_read_back_as_written() {
        for (name, _) in OPERATIONS {
            let text = if *name == "by-key" {
                "by-key:id:deep"
            } else {
                name
            };
            assert_eq!(
                text.parse::<MergeOperation>().map(|o| o.to_string()),
                Ok(text.to_owned())
            );
        }
        let error = "extnd".parse::<MergeOperation>().map_err(|e| e.to_string());
        assert_eq!(
            error,
            Err("unknown operation `extnd`; did you mean `extend`?".to_owned())
        );
        assert_eq!(
            "by-key".parse::<MergeOperation>(),
            Err(OperationError::NoKey)
        );
        assert_eq!(
            "deep:x".parse::<MergeOperation>(),
            Err(OperationError::TooMuch("x".to_owned()))
        );
    }

    #[test]
    fn every_built_in_strategy_can_be_had() {
        assert!(
            BUILT_IN
                .iter()
                .all(|built_in| Strategy::built_in(built_in.name).is_some())
        );
    }
}
