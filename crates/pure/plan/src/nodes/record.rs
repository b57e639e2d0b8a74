//! Nodes of ours as the ledger writes them down.
//!
//! A ledger may have thousands of nodes, and most runs ask only whether there is anything to do. So all nodes of a file
//! are one string: records apart by a space, their fields by `:`.

use std::fmt::{self, Write as _};

use agpm_model::{Checksum, Place};
use agpm_text::{NodeRef, Pointer, Value};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::change::Author;

use super::{FileOrigin, Hunk, NodeSum, OwnedNode, OwnedNodes, Seams};

/// What sets fields and records apart, and what a JSON string would have to escape.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b':')
    .add(b'%')
    .add(b',')
    .add(b'"')
    .add(b'\\');

/// Stands before the letter of a node that the user wrote.
const ADOPTED: char = 'a';

/// The word for a file of which something is ours; users' files have none.
const ORIGINS: &[(&str, FileOrigin)] = &[("whole", FileOrigin::Whole), ("ours", FileOrigin::Ours)];

impl OwnedNodes {
    pub(crate) fn value(&self) -> Value {
        let mut map = vec![("seen", Value::from(self.seen.to_string()))];
        let origin = ORIGINS.iter().find(|(_, origin)| *origin == self.file);
        map.extend(origin.map(|(word, _)| ("file", Value::from(*word))));
        if !self.containers.is_empty() {
            map.push((
                "containers",
                Value::list(self.containers.iter().map(Pointer::to_string)),
            ));
        }
        map.push(("count", self.count().into()));
        map.push((
            "nodes",
            records(self.nodes.iter(), OwnedNode::record).into(),
        ));
        if !self.others.is_empty() {
            let sums = |sums: &Vec<NodeSum>| Value::list(sums.iter().map(NodeSum::to_string));
            map.push((
                "others",
                Value::map(
                    self.others
                        .iter()
                        .map(|(at, all)| (at.to_string(), sums(all))),
                ),
            ));
        }
        if !self.theirs.is_empty() {
            map.push(("theirs", records(self.theirs.iter(), write_place).into()));
        }
        map.extend(self.seams.as_ref().map(|seams| ("seams", seams.value())));
        Value::map(map)
    }

    pub(crate) fn read(node: NodeRef<'_>) -> Option<Self> {
        let containers = node
            .get("containers")
            .into_iter()
            .flat_map(NodeRef::items)
            .map(read_parsed);
        let others = node
            .get("others")
            .into_iter()
            .flat_map(NodeRef::entries)
            .map(read_others);
        Some(OwnedNodes {
            seen: read_parsed(node.get("seen")?)?,
            file: read_origin(node.get("file"))?,
            containers: containers.collect::<Option<_>>()?,
            nodes: read_records(node.get("nodes")?.as_str()?, OwnedNode::read)?,
            others: others.collect::<Option<_>>()?,
            theirs: match node.get("theirs") {
                Some(theirs) => read_records(theirs.as_str()?, |fields| {
                    read_place(&mut fields.into_iter())
                })?,
                None => Vec::new(),
            },
            seams: match node.get("seams") {
                Some(seams) => Some(Seams::read(seams)?),
                None => None,
            },
        })
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
    // Writing to a text does not fail.
    let _ = write!(Encoded(out), "{field}");
}

/// Encodes what is written to it.
struct Encoded<'o>(&'o mut String);

impl fmt::Write for Encoded<'_> {
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

/// A letter for the kind, then what it takes.
fn write_place(place: &Place, out: &mut String) {
    out.push_str(match place {
        Place::Key(_) => "k",
        Place::Item(_) => "i",
        Place::Default(_) => "d",
        Place::Keyed { .. } => "n",
    });
    write_field(place.pointer(), out);
    if let Place::Keyed { key, id, .. } = place {
        write_field(key, out);
        write_field(id, out);
    }
}

fn read_place(fields: &mut impl Iterator<Item = String>) -> Option<Place> {
    let letter = fields.next()?;
    let at: Pointer = fields.next()?.parse().ok()?;
    match letter.as_str() {
        "k" => Some(Place::Key(at)),
        "i" => Some(Place::Item(at)),
        "d" => Some(Place::Default(at)),
        "n" => Some(Place::Keyed {
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
        write_place(&self.place, out);
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
        let place = read_place(&mut fields)?;
        let checksum = fields.next()?.parse().ok()?;
        let owner = fields.next()?;
        let count = fields
            .next()
            .map_or(Some(0), |count| count.parse::<usize>().ok())?;
        let marks: Vec<String> = fields.by_ref().take(count).collect();
        let matcher = fields.next();
        (marks.len() == count && fields.next().is_none()).then_some(OwnedNode {
            place,
            checksum,
            marks,
            matcher,
            owner,
            author,
        })
    }
}

impl Seams {
    fn value(&self) -> Value {
        let hunk = |hunk: &Hunk| {
            Value::list([
                hunk.at.into(),
                hunk.length.into(),
                Value::from(hunk.text.as_str()),
            ])
        };
        let hunks = Value::List(self.hunks.iter().map(hunk).collect());
        Value::map([
            ("base", Value::from(self.base.to_string())),
            ("hunks", hunks),
        ])
    }

    fn read(node: NodeRef<'_>) -> Option<Self> {
        let hunks = node
            .get("hunks")?
            .items()
            .map(read_hunk)
            .collect::<Option<_>>()?;
        Some(Seams {
            base: read_parsed::<Checksum>(node.get("base")?)?,
            hunks,
        })
    }
}

fn read_origin(node: Option<NodeRef<'_>>) -> Option<FileOrigin> {
    let Some(node) = node else {
        return Some(FileOrigin::Users);
    };
    let word = node.as_str()?;
    ORIGINS
        .iter()
        .find(|(own, _)| *own == word)
        .map(|(_, origin)| *origin)
}

fn read_others((list, sums): (NodeRef<'_>, NodeRef<'_>)) -> Option<(Pointer, Vec<NodeSum>)> {
    Some((
        list.content().parse().ok()?,
        sums.items().map(read_parsed).collect::<Option<_>>()?,
    ))
}

fn read_hunk(node: NodeRef<'_>) -> Option<Hunk> {
    let number = |step| node.child(step)?.content().parse().ok();
    Some(Hunk {
        at: number("0")?,
        length: number("1")?,
        text: node.child("2")?.as_str()?.to_owned(),
    })
}

fn read_parsed<T: std::str::FromStr>(node: NodeRef<'_>) -> Option<T> {
    node.as_str()?.parse().ok()
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

    /// Earlier versions wrote small digits, and left what is not ASCII as it is.
    #[test]
    fn fields_of_earlier_versions_are_read() {
        let fields = read_fields("k:/a%20b%3ac/é").expect("it is UTF-8");
        assert_eq!(fields, ["k", "/a b:c/é"]);
        assert_eq!(read_fields("k:%ff"), None);
    }
}
