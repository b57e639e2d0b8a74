//! Walks the keys of a file along the rows of its table.

use agpm_diag::{looks_secret, mask_words};
use agpm_model::Checksum;
use agpm_text::{Pointer, Value};
use agpm_tools::{ConfigKey, KeyEffect};

use super::CapabilityReader;

/// The treatment of keys without a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnknownKeys {
    /// They are text for a model or a person.
    Free,
    /// They may do anything.
    NeedApproval,
}

/// Where a key is.
#[derive(Clone, Copy)]
pub(super) struct KeyPlace<'a> {
    /// The entries of its object.
    pub(super) siblings: &'a [(String, Value)],
    /// Its pointer in the file.
    pub(super) at: &'a Pointer,
    /// The event of the hook that it belongs to.
    pub(super) event: Option<&'a str>,
    /// The MCP server that it belongs to.
    pub(super) server: Option<&'a str>,
}

impl<'a> KeyPlace<'a> {
    /// The top of a file, or of a part of one.
    pub(super) fn top(at: &'a Pointer) -> Self {
        KeyPlace {
            siblings: &[],
            at,
            event: None,
            server: None,
        }
    }
}

/// A row, with the steps that are left of its path.
#[derive(Clone, Copy)]
struct OpenRow {
    path: &'static str,
    effect: KeyEffect,
}

impl OpenRow {
    fn first_step(self) -> &'static str {
        self.path.split('/').next().unwrap_or_default()
    }

    fn rest(self) -> Option<OpenRow> {
        let (_, path) = self.path.split_once('/')?;
        Some(OpenRow { path, ..self })
    }
}

impl CapabilityReader {
    /// Reads an object by the rows of its keys.
    pub(super) fn read_keys(
        &mut self,
        value: &Value,
        rows: &[ConfigKey],
        unknown: UnknownKeys,
        place: &KeyPlace<'_>,
    ) {
        let open = rows.iter().map(|row| OpenRow {
            path: row.path,
            effect: row.effect,
        });
        self.read_open(value, &open.collect::<Vec<_>>(), unknown, place);
    }

    fn read_open(
        &mut self,
        value: &Value,
        rows: &[OpenRow],
        unknown: UnknownKeys,
        place: &KeyPlace<'_>,
    ) {
        match value {
            Value::Map(entries) => {
                for (key, inner) in entries {
                    let place = KeyPlace {
                        siblings: entries,
                        at: &place.at.child(key),
                        ..*place
                    };
                    self.read_key(key, inner, rows, unknown, &place);
                }
            }
            Value::List(items) => {
                for (number, inner) in items.iter().enumerate() {
                    let number = number.to_string();
                    let place = KeyPlace {
                        siblings: &[],
                        at: &place.at.child(&number),
                        ..*place
                    };
                    self.read_key(&number, inner, rows, unknown, &place);
                }
            }
            Value::Null => {}
            other if unknown == UnknownKeys::NeedApproval => self.unknown(other, place.at),
            _ => {}
        }
    }

    fn read_key(
        &mut self,
        key: &str,
        inner: &Value,
        rows: &[OpenRow],
        unknown: UnknownKeys,
        place: &KeyPlace<'_>,
    ) {
        let matching = matching_rows(key, rows);
        let deeper: Vec<OpenRow> = matching.iter().filter_map(|row| row.rest()).collect();
        let is_container = matches!(inner, Value::Map(_) | Value::List(_));
        // In a layer, no value replaces that of a lower layer.
        if unknown == UnknownKeys::NeedApproval
            && is_empty(inner)
            && matching.iter().any(|row| row.effect.holds_back())
        {
            return self.unknown(inner, place.at);
        }
        let whole = matching.iter().find(|row| row.rest().is_none());
        if is_container && !deeper.is_empty() {
            return self.read_open(inner, &deeper, unknown, place);
        }
        match whole {
            Some(row) => self.apply(row.effect, inner, place),
            None if unknown == UnknownKeys::NeedApproval && !matches!(inner, Value::Null) => {
                self.unknown(inner, place.at);
            }
            None => {}
        }
    }

    /// A key that no row knows.
    pub(super) fn unknown(&mut self, value: &Value, at: &Pointer) {
        let key = at.steps().join(".");
        let name = at.steps().last().map(String::as_str);
        self.sets(&key, &shown_value(name, value), at);
    }
}

/// The rows for a key: those that name it, otherwise those with a pattern.
fn matching_rows(key: &str, rows: &[OpenRow]) -> Vec<OpenRow> {
    let named = rows.iter().filter(|row| row.first_step() == key);
    let named: Vec<OpenRow> = named.copied().collect();
    if !named.is_empty() {
        return named;
    }
    let is_pattern = |row: &&OpenRow| {
        let prefix = row.first_step().strip_suffix('*');
        prefix.is_some_and(|prefix| key.starts_with(prefix))
    };
    rows.iter().filter(is_pattern).copied().collect()
}

/// Characters of a value that are shown; the digest distinguishes longer ones.
const LONGEST_VALUE: usize = 160;

/// Nobody can guess a token of this length.
const SHORTEST_TOKEN: usize = 20;

/// A value on one line, without secrets.
pub(super) fn shown_value(key: Option<&str>, value: &Value) -> String {
    let json = value.to_json();
    let line = json.split_whitespace().collect::<Vec<_>>().join(" ");
    let digest = || Checksum::of(json.as_bytes());
    if let Some(secret) = value.as_str().filter(|text| is_secret(key, text)) {
        // Another token is another value, perhaps of another account. A password could be guessed from its digest.
        return match secret.len() {
            SHORTEST_TOKEN.. => format!("******** ({})", digest()),
            _ => "********".to_owned(),
        };
    }
    let line = mask_words(&line);
    match line.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}… ({})", &line[..end], digest()),
        None => line,
    }
}

/// Whether a string is a secret. A string with spaces is a command rather than a secret, whatever its key is called.
fn is_secret(key: Option<&str>, text: &str) -> bool {
    let key = key.filter(|_| !text.contains(char::is_whitespace));
    looks_secret(key, text)
}

pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}
