//! What a transaction is going to do, in a form that a later process can finish or take back.

use agpm_model::{Checksum, RelativePath};
use agpm_text::{Format, Value, parse_alone, to_value};

use crate::chain::is_reserved;
use crate::state::is_folders;
use crate::steps::Bits;

const VERSION: usize = 1;

/// All of a transaction but the bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Journal {
    pub(crate) title: String,
    /// Its number in the history, or the entry that it takes back.
    pub(crate) purpose: Purpose,
    /// Folders to make, outer ones first.
    pub(crate) make: Vec<String>,
    /// Folders of ours that become empty, inner ones first.
    pub(crate) prune: Vec<String>,
    pub(crate) operations: Vec<Operation>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Purpose {
    Entry(u32),
    Undo(u32),
}

/// One file; its place in the list names its bytes, in `new/` and in `old/`.
#[derive(Debug, PartialEq)]
pub(crate) struct Operation {
    pub(crate) path: RelativePath,
    pub(crate) before: Option<Content>,
    pub(crate) after: Option<Content>,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) checksum: Checksum,
    pub(crate) bits: Bits,
}

impl Journal {
    pub(crate) fn encode(&self) -> String {
        let (purpose, number) = match self.purpose {
            Purpose::Entry(number) => ("entry", number),
            Purpose::Undo(number) => ("undoes", number),
        };
        let strings = |list: &[String]| Value::list(list.iter().map(String::as_str));
        Value::map([
            ("version", Value::from(VERSION)),
            ("title", Value::from(self.title.as_str())),
            (purpose, Value::from(i64::from(number))),
            ("make", strings(&self.make)),
            ("prune", strings(&self.prune)),
            (
                "files",
                Value::List(self.operations.iter().map(Operation::encode).collect()),
            ),
        ])
        .to_json()
    }

    /// The journal in these bytes, or what is wrong with them.
    pub(crate) fn decode(bytes: Vec<u8>) -> Result<Self, String> {
        let value = read_json(bytes)?;
        if number(&value, "version")? != VERSION as u32 {
            return Err("it was written by another version".to_owned());
        }
        let purpose = match number(&value, "entry") {
            Ok(entry) => Purpose::Entry(entry),
            Err(_) => Purpose::Undo(number(&value, "undoes")?),
        };
        Ok(Journal {
            title: text(&value, "title")?.to_owned(),
            purpose,
            make: folders(&value, "make")?,
            prune: folders(&value, "prune")?,
            operations: list(&value, "files")?
                .iter()
                .map(Operation::decode)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Journal {
    /// The files that were asked for, with their numbers: all but our own list.
    pub(crate) fn files(&self) -> impl Iterator<Item = (usize, &Operation)> {
        self.numbered()
            .filter(|(_, file)| !is_folders(file.path.as_str()) && file.done().is_some())
    }

    pub(crate) fn writes(&self) -> impl DoubleEndedIterator<Item = (usize, &Operation)> {
        self.numbered().filter(|(_, file)| file.after.is_some())
    }

    pub(crate) fn removals(&self) -> impl DoubleEndedIterator<Item = (usize, &Operation)> {
        self.numbered().filter(|(_, file)| file.after.is_none())
    }

    /// An undo always does something: an entry leaves the history.
    pub(crate) fn does_nothing(&self) -> bool {
        matches!(self.purpose, Purpose::Entry(_)) && self.files().next().is_none()
    }

    fn numbered(&self) -> impl DoubleEndedIterator<Item = (usize, &Operation)> {
        self.operations.iter().enumerate()
    }
}

impl Operation {
    fn encode(&self) -> Value {
        let content =
            |content: &Option<Content>| content.map(Content::encode).unwrap_or(Value::Null);
        Value::map([
            ("path", Value::from(self.path.as_str())),
            ("before", content(&self.before)),
            ("after", content(&self.after)),
        ])
    }

    fn decode(value: &Value) -> Result<Self, String> {
        let path = checked(text(value, "path")?)?;
        let content = |key| {
            value
                .get(key)
                .and_then(Value::as_str)
                .map(Content::decode)
                .transpose()
        };
        Ok(Operation {
            path,
            before: content("before")?,
            after: content("after")?,
        })
    }
}

impl Content {
    fn encode(self) -> Value {
        Value::from(format!("{:03o} {}", self.bits.0, self.checksum))
    }

    fn decode(text: &str) -> Result<Self, String> {
        let read = || {
            let (bits, checksum) = text.split_once(' ')?;
            let bits = u32::from_str_radix(bits, 8)
                .ok()
                .filter(|bits| *bits <= 0o777)?;
            Some(Content {
                checksum: checksum.parse().ok()?,
                bits: Bits(bits),
            })
        };
        read().ok_or_else(|| format!("`{text}` is not a mode and a checksum"))
    }
}

/// The value in a file of our own.
pub(crate) fn read_json(bytes: Vec<u8>) -> Result<Value, String> {
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let parsed = parse_alone(text, Format::Json);
    match (parsed.diagnostics.first(), parsed.document.root()) {
        (None, Some(root)) => Ok(to_value(root)),
        (Some(problem), _) => Err(problem.message.to_string()),
        (None, None) => Err("it is empty".to_owned()),
    }
}

/// Folders in a list of our own; what comes with a cloned project may name any.
pub(crate) fn folders(value: &Value, key: &str) -> Result<Vec<String>, String> {
    let paths = list(value, key)?
        .iter()
        .map(|item| item.as_str().ok_or("a path is not a string".to_owned()));
    paths
        .map(|path| checked(path?).map(|path| path.as_str().to_owned()))
        .collect()
}

fn checked(path: &str) -> Result<RelativePath, String> {
    let checked = RelativePath::new(path).map_err(|why| format!("`{path}`: {why}"))?;
    match is_reserved(&checked) && !is_folders(path) {
        true => Err(format!("`{path}` is a place where nothing is installed")),
        false => Ok(checked),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str, String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("`{key}` is missing"))
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v [Value], String> {
    match value.get(key) {
        Some(Value::List(items)) => Ok(items),
        _ => Err(format!("`{key}` is missing")),
    }
}

fn number(value: &Value, key: &str) -> Result<u32, String> {
    let number = match value.get(key) {
        Some(Value::Number(number)) => number.as_str().parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| format!("`{key}` is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(path: &str) -> Journal {
        let content = Content {
            checksum: Checksum::of(b"x"),
            bits: Bits(0o640),
        };
        Journal {
            title: "install \"a\"".to_owned(),
            purpose: Purpose::Undo(7),
            make: vec!["a".to_owned(), "a/b".to_owned()],
            prune: vec![],
            operations: vec![Operation {
                path: RelativePath::new(path).unwrap(),
                before: Some(content),
                after: None,
            }],
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let journal = journal("a/b/c");
        assert_eq!(Journal::decode(journal.encode().into_bytes()), Ok(journal));
    }

    #[test]
    fn a_journal_cut_short_or_with_a_path_of_git_is_refused() {
        let text = journal("a/b/c").encode();
        for end in 0..text.trim_end().len() {
            assert!(
                Journal::decode(text.as_bytes()[..end].to_vec()).is_err(),
                "{end}"
            );
        }
        for path in [
            ".git/hooks/pre-commit",
            "x/.GIT/config",
            ".agpm/history/1/old/0",
            ".agpm/Lock",
            ".local/state/agpm",
            ".local/State/agpm/history/1/old/0",
        ] {
            assert!(
                Journal::decode(journal(path).encode().into_bytes()).is_err(),
                "{path}"
            );
        }
    }
}
