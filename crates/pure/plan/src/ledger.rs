//! The ledger: which files on disk, and which nodes inside others' files, are ours, and what we wrote.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Checksum, FileMode, RelativePath};
use agpm_text::{Document, NodeRef, Value};

use crate::change::Author;
use crate::nodes::OwnedNodes;

const VERSION: usize = 2;

/// What we own on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// What the last install was made from; nothing if it did not come to its end.
    pub inputs: Option<Checksum>,
    /// Files on this machine that were read for it, and what they held.
    pub reads: BTreeMap<String, Checksum>,
    /// Folders on this machine that layers were taken from.
    pub watched: Vec<Watched>,
    /// Resources that rightly write nothing, as `TYPE/NAME`: a hook that is switched off, say.
    pub nothing: BTreeSet<String>,
    /// Files of the user's that are just what is wanted, as they were.
    pub theirs: BTreeMap<RelativePath, Checksum>,
    /// Files by path.
    pub files: BTreeMap<RelativePath, Owned>,
    /// What is ours inside files that others write too, by path.
    pub shared: BTreeMap<RelativePath, OwnedNodes>,
}

/// A folder that files were taken from, and how it looked then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Where it is.
    pub folder: String,
    /// The folders in it that were looked into.
    pub folders: Vec<String>,
    /// Changes when anything in them does.
    pub stamp: Checksum,
}

impl Watched {
    fn value(&self) -> Value {
        Value::map([
            ("folder", Value::from(self.folder.as_str())),
            (
                "folders",
                Value::list(self.folders.iter().map(String::as_str)),
            ),
            ("stamp", self.stamp.to_string().into()),
        ])
    }

    fn read(node: NodeRef<'_>) -> Option<Self> {
        let folders = node
            .get("folders")?
            .items()
            .map(|folder| folder.as_str().map(str::to_owned));
        Some(Watched {
            folder: node.get("folder")?.as_str()?.to_owned(),
            folders: folders.collect::<Option<_>>()?,
            stamp: read_checksum(node.get("stamp")?)?,
        })
    }
}

/// A file of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// Of the bytes we wrote.
    pub checksum: Checksum,
    /// Of the bytes in the source, if they are others.
    pub source: Option<Checksum>,
    /// The mode we gave it.
    pub mode: FileMode,
    /// The resource it belongs to, as `TYPE/NAME`.
    pub owner: String,
    /// Who wrote its content.
    pub author: Author,
}

impl Ledger {
    /// The resources that it knows, as `TYPE/NAME`.
    pub fn owners(&self) -> BTreeSet<&str> {
        let files = self.files.values().map(|owned| owned.owner.as_str());
        let nodes = self
            .shared
            .values()
            .flat_map(|owned| &owned.nodes)
            .map(|node| node.owner.as_str());
        files
            .chain(nodes)
            .chain(self.nothing.iter().map(String::as_str))
            .collect()
    }

    /// What owners of one sort own, and what all others do.
    pub fn split(self, is_meant: impl Fn(&str) -> bool) -> (Ledger, Ledger) {
        let (mut meant, mut rest) = (Ledger::default(), self);
        let files = std::mem::take(&mut rest.files).into_iter();
        (meant.files, rest.files) = files.partition(|(_, owned)| is_meant(&owned.owner));
        for (path, owned) in &mut rest.shared {
            let nodes = std::mem::take(&mut owned.nodes).into_iter();
            let (chosen, others): (Vec<_>, Vec<_>) = nodes.partition(|node| is_meant(&node.owner));
            owned.nodes = others;
            if !chosen.is_empty() {
                meant.shared.insert(
                    path.clone(),
                    OwnedNodes {
                        nodes: chosen,
                        ..owned.clone()
                    },
                );
            }
        }
        (meant, rest)
    }

    /// How many files and nodes inside shared files are ours.
    pub fn count(&self) -> usize {
        self.files.len()
            + self.theirs.len()
            + self.shared.values().map(OwnedNodes::count).sum::<usize>()
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let files = self
            .files
            .iter()
            .map(|(path, owned)| (path.as_str(), owned.value()));
        let mut root = vec![("version", VERSION.into())];
        root.extend(
            self.inputs
                .map(|inputs| ("inputs", inputs.to_string().into())),
        );
        if !self.reads.is_empty() {
            let reads = self
                .reads
                .iter()
                .map(|(path, checksum)| (path, checksum.to_string().into()));
            root.push(("reads", Value::map(reads)));
        }
        if !self.watched.is_empty() {
            root.push((
                "watched",
                Value::List(self.watched.iter().map(Watched::value).collect()),
            ));
        }
        if !self.nothing.is_empty() {
            root.push((
                "nothing",
                Value::list(self.nothing.iter().map(String::as_str)),
            ));
        }
        if !self.theirs.is_empty() {
            let theirs = self
                .theirs
                .iter()
                .map(|(path, checksum)| (path.as_str(), checksum.to_string().into()));
            root.push(("theirs", Value::map(theirs)));
        }
        root.push(("files", Value::map(files)));
        if !self.shared.is_empty() {
            let shared = self
                .shared
                .iter()
                .map(|(path, owned)| (path.as_str(), owned.value()));
            root.push(("shared", Value::map(shared)));
        }
        Value::map(root).to_json()
    }

    /// What is said of a ledger that cannot be understood.
    pub fn broken() -> Diagnostic {
        Diagnostic::new(
            &codes::LOCK_BROKEN,
            "the ledger of installed files cannot be understood",
        )
        .help("delete it and run `agpm install`; files that are as they should be are taken over")
    }

    /// Reads a ledger. One that cannot be understood is an error: without it, files of ours would be taken for the
    /// user's.
    pub fn read(document: &Document) -> Result<Self, Diagnostic> {
        read_ledger(document).ok_or_else(Ledger::broken)
    }
}

fn read_ledger(document: &Document) -> Option<Ledger> {
    let root = root_of(document)?;
    let nothing = root.get("nothing").into_iter().flat_map(NodeRef::items);
    let shared =
        entries(root, "shared").map(|(path, entry)| Some((path?, OwnedNodes::read(entry)?)));
    Some(Ledger {
        inputs: root.get("inputs").and_then(read_checksum),
        reads: read_reads(root)?,
        watched: read_watched(root)?,
        nothing: nothing
            .filter_map(NodeRef::as_str)
            .map(str::to_owned)
            .collect(),
        theirs: read_theirs(root)?,
        files: entries(root, "files")
            .map(|(path, file)| Some((path?, Owned::read(file)?)))
            .collect::<Option<_>>()?,
        shared: shared.collect::<Option<_>>()?,
    })
}

/// The whole, if it is of our version.
pub(crate) fn root_of(document: &Document) -> Option<NodeRef<'_>> {
    document.root().filter(|root| {
        root.get("version")
            .and_then(|version| version.content().parse().ok())
            == Some(VERSION)
    })
}

pub(crate) fn read_checksum(node: NodeRef<'_>) -> Option<Checksum> {
    node.as_str()?.parse().ok()
}

pub(crate) fn read_reads(root: NodeRef<'_>) -> Option<BTreeMap<String, Checksum>> {
    let reads = root.get("reads").into_iter().flat_map(NodeRef::entries);
    reads
        .map(|(path, read)| Some((path.content().to_owned(), read_checksum(read)?)))
        .collect()
}

pub(crate) fn read_theirs(root: NodeRef<'_>) -> Option<BTreeMap<RelativePath, Checksum>> {
    entries(root, "theirs")
        .map(|(path, checksum)| Some((path?, read_checksum(checksum)?)))
        .collect()
}

pub(crate) fn read_watched(root: NodeRef<'_>) -> Option<Vec<Watched>> {
    root.get("watched")
        .into_iter()
        .flat_map(NodeRef::items)
        .map(Watched::read)
        .collect()
}

/// What a map has by path; a path that makes no sense is none.
pub(crate) fn entries<'d>(
    root: NodeRef<'d>,
    key: &str,
) -> impl Iterator<Item = (Option<RelativePath>, NodeRef<'d>)> {
    let entries = root.get(key).into_iter().flat_map(NodeRef::entries);
    entries.map(|(path, entry)| (RelativePath::new(path.content()).ok(), entry))
}

pub(crate) fn read_mode(file: NodeRef<'_>) -> FileMode {
    match file.get("executable").and_then(NodeRef::as_bool) {
        Some(true) => FileMode::Executable,
        _ => FileMode::Plain,
    }
}

impl Owned {
    fn value(&self) -> Value {
        let mut map = vec![("checksum", Value::from(self.checksum.to_string()))];
        map.extend(
            self.source
                .map(|source| ("source", source.to_string().into())),
        );
        if self.mode == FileMode::Executable {
            map.push(("executable", true.into()));
        }
        if self.author == Author::User {
            map.push(("adopted", true.into()));
        }
        map.push(("owner", self.owner.as_str().into()));
        Value::map(map)
    }

    fn read(file: NodeRef<'_>) -> Option<Self> {
        Some(Owned {
            checksum: read_checksum(file.get("checksum")?)?,
            source: file.get("source").and_then(read_checksum),
            mode: read_mode(file),
            owner: file
                .get("owner")
                .and_then(NodeRef::as_str)
                .unwrap_or_default()
                .to_owned(),
            author: match file.get("adopted").and_then(NodeRef::as_bool) {
                Some(true) => Author::User,
                _ => Author::Agpm,
            },
        })
    }
}
