//! Managed nodes as the ledger stores them.
//!
//! A ledger may have thousands of nodes, and most runs only check whether anything changed. So all nodes of a file are
//! one string: records are separated by a space, their fields by `:`.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use agpm_model::{Checksum, NodeLocation, Owner};
use agpm_text::Pointer;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize, Serializer};

use crate::change::Author;
use crate::merges::{KeptValues, SharedConflict};

use super::owned::{FileOrigin, OwnedNode, OwnedNodes};
use super::removal_whitespace::RemovalWhitespace;
use super::sum::NodeSum;

/// Separators of fields and records, and characters that JSON strings escape.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b':')
    .add(b'%')
    .add(b',')
    .add(b'"')
    .add(b'\\');

/// Prefix of the letter of a node that the user wrote.
const ADOPTED: char = 'a';

/// The managed nodes of one file, as the ledger stores them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodesRecord {
    /// The checksum of the whole file as agpm left it.
    pub seen: Checksum,
    #[serde(default, skip_serializing_if = "FileOrigin::is_users")]
    file: FileOrigin,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    containers: Vec<Pointer>,
    /// The number of managed nodes.
    pub count: usize,
    nodes: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    others: BTreeMap<Pointer, Vec<NodeSum>>,
    #[serde(rename = "theirs", default, skip_serializing_if = "String::is_empty")]
    equal_user_nodes: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seams: Option<RemovalWhitespace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<KeptValues>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conflict: Option<SharedConflict>,
}

impl NodesRecord {
    fn of(owned: &OwnedNodes) -> Self {
        NodesRecord {
            seen: owned.seen,
            file: owned.file,
            containers: owned.containers.clone(),
            count: owned.count(),
            nodes: records(owned.nodes.iter(), OwnedNode::record),
            others: owned.others.clone(),
            equal_user_nodes: records(owned.equal_user_nodes.iter(), write_place),
            seams: owned.seams.clone(),
            values: owned.values,
            conflict: owned.conflict.clone(),
        }
    }

    /// Parses the nodes; `None` if a record is invalid.
    pub(crate) fn into_nodes(self) -> Option<OwnedNodes> {
        Some(OwnedNodes {
            seen: self.seen,
            file: self.file,
            containers: self.containers,
            nodes: read_records(&self.nodes, OwnedNode::read)?,
            others: self.others,
            equal_user_nodes: read_records(&self.equal_user_nodes, |fields| {
                read_place(&mut fields.into_iter())
            })?,
            seams: self.seams,
            values: self.values,
            conflict: self.conflict,
        })
    }
}

impl Serialize for OwnedNodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        NodesRecord::of(self).serialize(serializer)
    }
}

impl FileOrigin {
    fn is_users(&self) -> bool {
        *self == FileOrigin::Users
    }
}

fn records<T>(all: impl Iterator<Item = T>, write: impl Fn(T, &mut String)) -> String {
    let mut out = String::new();
    for one in all {
        if !out.is_empty() {
            out.push(' ');
        }
        write(one, &mut out);
    }
    out
}

fn write_field(field: impl fmt::Display, out: &mut String) {
    out.push(':');
    // Writing to a string cannot fail.
    let _ = write!(RecordEncoder(out), "{field}");
}

/// Percent-encodes everything written to it.
struct RecordEncoder<'o>(&'o mut String);

impl fmt::Write for RecordEncoder<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend(utf8_percent_encode(text, RESERVED));
        Ok(())
    }
}

fn read_records<T>(text: &str, read: impl Fn(Vec<String>) -> Option<T>) -> Option<Vec<T>> {
    text.split(' ')
        .filter(|record| !record.is_empty())
        .map(|record| read(read_fields(record)?))
        .collect()
}

fn read_fields(record: &str) -> Option<Vec<String>> {
    let decoded = |field| percent_decode_str(field).decode_utf8().ok();
    record
        .split(':')
        .map(|field| Some(decoded(field)?.into_owned()))
        .collect()
}

/// Writes a letter for the kind, then its fields.
fn write_place(location: &NodeLocation, out: &mut String) {
    out.push_str(match location {
        NodeLocation::Key(_) => "k",
        NodeLocation::Item(_) => "i",
        NodeLocation::Default(_) => "d",
        NodeLocation::Keyed { .. } => "n",
    });
    write_field(location.pointer(), out);
    if let NodeLocation::Keyed { key, id, .. } = location {
        write_field(key, out);
        write_field(id, out);
    }
}

/// A location as a conflict records it.
pub fn location_record(location: &NodeLocation) -> String {
    let mut out = String::new();
    write_place(location, &mut out);
    out
}

/// The location that a conflict records.
pub fn location_of_record(record: &str) -> Option<NodeLocation> {
    read_place(&mut read_fields(record)?.into_iter())
}

fn read_place(fields: &mut impl Iterator<Item = String>) -> Option<NodeLocation> {
    let letter = fields.next()?;
    let at: Pointer = fields.next()?.parse().ok()?;
    match letter.as_str() {
        "k" => Some(NodeLocation::Key(at)),
        "i" => Some(NodeLocation::Item(at)),
        "d" => Some(NodeLocation::Default(at)),
        "n" => Some(NodeLocation::Keyed {
            list: at,
            key: fields.next()?,
            id: fields.next()?,
        }),
        _ => None,
    }
}

impl OwnedNode {
    fn record(&self, out: &mut String) {
        if self.author == Author::User {
            out.push(ADOPTED);
        }
        write_place(&self.location, out);
        write_field(self.checksum, out);
        write_field(&self.owner, out);
        if !self.marks.is_empty() || self.matcher.is_some() {
            write_field(self.marks.len(), out);
            self.marks.iter().for_each(|mark| write_field(mark, out));
        }
        self.matcher
            .iter()
            .for_each(|matcher| write_field(matcher, out));
    }

    fn read(fields: Vec<String>) -> Option<Self> {
        let adopted = fields
            .first()
            .and_then(|letter| letter.strip_prefix(ADOPTED))
            .map(str::to_owned);
        let author = if adopted.is_some() {
            Author::User
        } else {
            Author::Agpm
        };
        let mut fields = adopted
            .or(fields.first().cloned())
            .into_iter()
            .chain(fields.into_iter().skip(1));
        let location = read_place(&mut fields)?;
        let checksum = fields.next()?.parse().ok()?;
        let owner = Owner::from(fields.next()?.as_str());
        let count = fields
            .next()
            .map_or(Some(0), |count| count.parse::<usize>().ok())?;
        let marks: Vec<String> = fields.by_ref().take(count).collect();
        let matcher = fields.next();
        (marks.len() == count && fields.next().is_none()).then_some(OwnedNode {
            location,
            checksum,
            marks,
            matcher,
            owner,
            author,
        })
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written() {
        for text in ["a b:c", "\"\\\n,\u{7f}", "100%20", "é~/", ""] {
            let mut out = String::new();
            write_field(text, &mut out);
            let encoded = &out[1..];
            assert!(!encoded.contains([' ', ':', ',', '"', '\\', '\n']), "{out}");
            let fields = read_fields(&out).expect("it was just written");
            assert_eq!(fields, ["", text], "{out}");
        }
    }

    /// Earlier versions wrote lower-case digits, and did not encode non-ASCII characters.
    #[test]
    fn fields_of_earlier_versions_are_read() {
        let fields = read_fields("k:/a%20b%3ac/é").expect("it is UTF-8");
        assert_eq!(fields, ["k", "/a b:c/é"]);
        assert_eq!(read_fields("k:%ff"), None);
    }
}
