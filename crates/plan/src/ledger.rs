//! The ledger: the managed files, nodes and blocks, with the checksums of what agpm wrote.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Checksum, FileMode, Owner, RelativePath};
use agpm_text::{OwnFileError, from_json, to_json};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::base_pack::BaseNumber;
use crate::blocks::OwnedBlocks;
use crate::change::{Author, adopted};
use crate::nodes::{NodesRecord, OwnedNodes};

/// The newest version that agpm reads.
// A ledger of a newer version is refused and not ignored: ignoring it would make every managed file look like the
// user's.
const VERSION: u32 = 3;

/// The version of a ledger. Programs before version 3 would lose blocks, so version 3 is used only for ledgers with
/// blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LedgerVersion {
    /// Files and nodes.
    #[default]
    Two,
    /// Blocks too.
    Three,
}

impl Serialize for LedgerVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(match self {
            LedgerVersion::Two => 2,
            LedgerVersion::Three => VERSION,
        })
    }
}

impl<'d> Deserialize<'d> for LedgerVersion {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            2 => Ok(LedgerVersion::Two),
            VERSION => Ok(LedgerVersion::Three),
            other => Err(serde::de::Error::custom(format!("its version is {other}"))),
        }
    }
}

/// Everything that agpm manages on disk. The nodes of each shared file are stored as one string: most runs only check
/// whether anything changed, and need not parse thousands of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger<N = OwnedNodes> {
    /// The version of the file format.
    pub version: LedgerVersion,
    /// The inputs of the last install; `None` if it did not finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Checksum>,
    /// Files outside the project that were read for it, with their checksums.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reads: BTreeMap<String, Checksum>,
    /// Directories outside the project that provided layers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<WatchedDirectory>,
    /// How much is installed, for a run that finds nothing to do. Ledgers of older programs lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed: Option<InstalledNumbers>,
    /// The versions that edited resources are based on, where newer ones are locked and not installed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub based: BTreeMap<Owner, String>,
    /// Resources that correctly write nothing, such as a disabled hook.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub nothing: BTreeSet<Owner>,
    /// User files that equal a desired file, with their checksums.
    #[serde(rename = "theirs", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub equal_user_files: BTreeMap<RelativePath, Checksum>,
    /// Files by path.
    #[serde(default = "BTreeMap::new", deserialize_with = "sorted_map")]
    pub files: BTreeMap<RelativePath, OwnedFile>,
    /// The managed nodes in files that users write too, by path.
    #[serde(default = "BTreeMap::new", skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<RelativePath, N>,
    /// The managed blocks in files that users write too, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub blocks: BTreeMap<RelativePath, OwnedBlocks>,
}

/// Deserializes an object with sorted keys. Inserting thousands of keys one by one would slow down every run with
/// nothing to do.
fn sorted_map<'d, D: Deserializer<'d>>(
    deserializer: D,
) -> Result<BTreeMap<RelativePath, OwnedFile>, D::Error> {
    struct NodeStrings;

    impl<'d> Visitor<'d> for NodeStrings {
        type Value = Vec<(RelativePath, OwnedFile)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("files by path")
        }

        fn visit_map<A: MapAccess<'d>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }
    Ok(deserializer
        .deserialize_map(NodeStrings)?
        .into_iter()
        .collect())
}

/// The ledger as it is stored.
pub type LedgerFile = Ledger<NodesRecord>;

impl<N> Default for Ledger<N> {
    fn default() -> Self {
        Ledger {
            version: LedgerVersion::default(),
            inputs: None,
            reads: BTreeMap::new(),
            watched: Vec::new(),
            installed: None,
            based: BTreeMap::new(),
            nothing: BTreeSet::new(),
            equal_user_files: BTreeMap::new(),
            files: BTreeMap::new(),
            shared: BTreeMap::new(),
            blocks: BTreeMap::new(),
        }
    }
}

/// The number of resources, and of files of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledNumbers {
    /// The number of resources.
    pub resources: usize,
    /// The number of files of layers.
    pub layer_files: usize,
}

/// A directory that provided files, and its state at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedDirectory {
    /// The path of the directory.
    pub folder: String,
    /// The inspected directories in it.
    pub folders: Vec<String>,
    /// A checksum that changes when any of them changes.
    pub stamp: Checksum,
}

/// A managed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedFile {
    /// The checksum of the written bytes.
    pub checksum: Checksum,
    /// The checksum of the bytes in the source, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Checksum>,
    /// The mode that agpm set.
    #[serde(
        rename = "executable",
        default,
        with = "executable",
        skip_serializing_if = "executable::is_plain"
    )]
    pub mode: FileMode,
    /// The author of the content.
    #[serde(
        rename = "adopted",
        default,
        with = "adopted",
        skip_serializing_if = "adopted::is_own"
    )]
    pub author: Author,
    /// The owner.
    #[serde(default)]
    pub owner: Owner,
    /// The file of kept bytes that has the written ones; only text has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseNumber>,
    /// The new version that could not be merged into the user's edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<OpenConflict>,
}

/// A new version that could not be merged into the user's edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConflict {
    /// The checksum of the user's file when the conflict arose.
    pub mine: Checksum,
    /// Where those bytes are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mine_base: Option<BaseNumber>,
    /// The record of the file once the conflict is resolved: the new version.
    pub next: Box<OwnedFile>,
}

/// Serializes a mode as the field `executable`, which plain files omit.
mod executable {
    use super::*;

    pub(super) fn is_plain(mode: &FileMode) -> bool {
        *mode == FileMode::Plain
    }

    pub(super) fn serialize<S: Serializer>(mode: &FileMode, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bool(*mode == FileMode::Executable)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<FileMode, D::Error> {
        Ok(if bool::deserialize(d)? {
            FileMode::Executable
        } else {
            FileMode::Plain
        })
    }
}

impl<N> Ledger<N> {
    /// The number of managed blocks in shared files.
    pub fn block_count(&self) -> usize {
        let blocks = self.blocks.values().map(|owned| owned.blocks.len());
        blocks.sum()
    }
}

impl Ledger {
    /// The owners of anything on disk, and those that correctly write nothing.
    pub fn owners(&self) -> HashSet<&Owner> {
        let files = self.files.values().map(|owned| &owned.owner);
        let nodes = self
            .shared
            .values()
            .flat_map(|owned| &owned.nodes)
            .map(|node| &node.owner);
        let blocks = self.blocks.values().flat_map(|owned| &owned.blocks);
        let blocks = blocks.map(|block| &block.owner);
        files
            .chain(nodes)
            .chain(blocks)
            .chain(&self.nothing)
            .collect()
    }

    /// The owners of the file at a path, or of anything in it.
    pub fn owners_at(&self, path: &RelativePath) -> BTreeSet<&Owner> {
        let file = self.files.get(path).map(|owned| &owned.owner);
        let nodes = self.shared.get(path).into_iter();
        let nodes = nodes.flat_map(|owned| &owned.nodes).map(|node| &node.owner);
        let blocks = self.blocks.get(path).into_iter();
        let blocks = blocks.flat_map(|owned| &owned.blocks);
        let blocks = blocks.map(|block| &block.owner);
        file.into_iter().chain(nodes).chain(blocks).collect()
    }

    /// The labels of the owners at a path.
    pub fn owner_labels_at(&self, path: &RelativePath) -> Vec<String> {
        let owners = self.owners_at(path);
        owners.into_iter().map(ToString::to_string).collect()
    }

    /// Whether a path is a managed file, or a shared file with managed entries.
    pub fn records(&self, path: &RelativePath) -> bool {
        self.files.contains_key(path) || self.shared.contains_key(path)
    }

    /// The files that agpm wrote and another ledger does not record.
    pub fn written_files_missing_in(&self, recorded: &Ledger) -> Vec<RelativePath> {
        let files = self.files.iter();
        let files = files.filter(|(_, owned)| owned.author == Author::Agpm);
        let files = files.map(|(path, _)| path);
        let files = files.filter(|path| !recorded.files.contains_key(*path));
        let shared = self.shared.keys();
        let shared = shared.filter(|path| !recorded.shared.contains_key(*path));
        let blocks = self.blocks.keys();
        let blocks = blocks.filter(|path| !recorded.blocks.contains_key(*path));
        files.chain(shared).chain(blocks).cloned().collect()
    }

    /// Splits the ledger into the entries of the selected owners and all others.
    pub fn split(self, is_selected: impl Fn(&Owner) -> bool) -> (Ledger, Ledger) {
        let (mut selected, mut remaining) = (Ledger::default(), self);
        let files = std::mem::take(&mut remaining.files).into_iter();
        (selected.files, remaining.files) = files.partition(|(_, owned)| is_selected(&owned.owner));
        for (path, owned) in &mut remaining.shared {
            let nodes = std::mem::take(&mut owned.nodes).into_iter();
            let (chosen, others): (Vec<_>, Vec<_>) =
                nodes.partition(|node| is_selected(&node.owner));
            owned.nodes = others;
            if !chosen.is_empty() {
                selected.shared.insert(
                    path.clone(),
                    OwnedNodes {
                        nodes: chosen,
                        ..owned.clone()
                    },
                );
            }
        }
        for (path, owned) in &mut remaining.blocks {
            let blocks = std::mem::take(&mut owned.blocks).into_iter();
            let (chosen, others): (Vec<_>, Vec<_>) =
                blocks.partition(|block| is_selected(&block.owner));
            owned.blocks = others;
            if !chosen.is_empty() {
                let chosen = OwnedBlocks {
                    blocks: chosen,
                    ..owned.clone()
                };
                selected.blocks.insert(path.clone(), chosen);
            }
        }
        (selected, remaining)
    }

    /// Takes the record of a shared file from another ledger.
    pub fn keep_shared(&mut self, path: &RelativePath, from: &Ledger) {
        if let Some(nodes) = from.shared.get(path) {
            self.shared.insert(path.clone(), nodes.clone());
        }
        if let Some(blocks) = from.blocks.get(path) {
            self.blocks.insert(path.clone(), blocks.clone());
            self.version = from.version;
        }
    }

    /// The number of managed files and of managed nodes in shared files.
    pub fn count(&self) -> usize {
        self.files.len()
            + self.equal_user_files.len()
            + self.shared.values().map(OwnedNodes::count).sum::<usize>()
            + self.block_count()
    }

    /// The serialized ledger.
    pub fn to_text(&self) -> String {
        to_json(self)
    }

    /// Parses a ledger. An invalid one is an error: without it, managed files would be treated as the user's.
    pub fn read(bytes: &[u8]) -> Result<Self, Diagnostic> {
        let file = LedgerFile::read_file(bytes)?;
        let nodes =
            |(path, record): (RelativePath, NodesRecord)| Some((path, record.into_nodes()?));
        let shared = file.shared.into_iter().map(nodes).collect::<Option<_>>();
        Ok(Ledger {
            version: file.version,
            inputs: file.inputs,
            reads: file.reads,
            installed: file.installed,
            based: file.based,
            watched: file.watched,
            nothing: file.nothing,
            equal_user_files: file.equal_user_files,
            files: file.files,
            shared: shared.ok_or_else(broken)?,
            blocks: file.blocks,
        })
    }
}

impl LedgerFile {
    /// Parses a ledger without the nodes of shared files, of which it reads only the number.
    pub fn read_file(bytes: &[u8]) -> Result<Self, Diagnostic> {
        from_json::<_, VERSION>(bytes).map_err(|error| match error {
            OwnFileError::Newer => newer(),
            OwnFileError::Broken(_) => broken(),
        })
    }

    /// The number of managed files and of managed nodes in shared files.
    pub fn count(&self) -> usize {
        let shared = self.shared.values().map(|record| record.count);
        self.files.len() + self.equal_user_files.len() + shared.sum::<usize>() + self.block_count()
    }

    /// How much is installed. In ledgers of older programs, resources without separate files and blocks are not
    /// known.
    pub fn installed_numbers(&self) -> InstalledNumbers {
        let of_files = || {
            let files = self.files.values().map(|owned| &owned.owner);
            let blocks = self.blocks.values().flat_map(|owned| &owned.blocks);
            let owners = files.chain(blocks.map(|block| &block.owner));
            let (layered, own): (Vec<&Owner>, Vec<&Owner>) =
                owners.partition(|owner| owner.layers().is_some());
            InstalledNumbers {
                resources: own.into_iter().collect::<BTreeSet<_>>().len(),
                layer_files: layered.len(),
            }
        };
        self.installed.unwrap_or_else(of_files)
    }
}

fn broken() -> Diagnostic {
    let message = "the ledger of installed files is invalid";
    Diagnostic::new(&codes::LOCK_BROKEN, message)
        .help("delete it and run `agpm install`; agpm manages unchanged files again")
}

fn newer() -> Diagnostic {
    let message = "the ledger of installed files is from a newer version of agpm";
    Diagnostic::new(&codes::LOCK_BROKEN, message).help("update agpm; nothing was changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every feature of version 2, as programs before the use of serde wrote it.
    const VERSION_2: &str = r#"{
  "version": 2,
  "inputs": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853",
  "reads": {
    "../a \"b\".md": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853"
  },
  "watched": [
    {
      "folder": "/layers/org",
      "folders": [
        "",
        ".claude"
      ],
      "stamp": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853"
    }
  ],
  "nothing": [
    "hooks/off"
  ],
  "theirs": {
    "CLAUDE.md": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853"
  },
  "files": {
    "a/run.sh": {
      "checksum": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853",
      "source": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853",
      "executable": true,
      "adopted": true,
      "owner": "skills/a"
    },
    "b": {
      "checksum": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853",
      "owner": "agents/b"
    }
  },
  "shared": {
    ".claude/settings.json": {
      "seen": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853",
      "file": "ours",
      "containers": [
        "/hooks"
      ],
      "count": 3,
      "nodes": "i:/hooks/Stop:237bca45062f76f5e18faad0716ac509:hooks/lint:1:lint%20%25s:Bash ak:/model:de2a3e370113b37324a5393f4a505489:layers/org n:/list:id:x%3Ay:de2a3e370113b37324a5393f4a505489:layers/org",
      "others": {
        "/hooks/Stop": [
          "ca9d334f31fe662961accbf7325ca1ce"
        ]
      },
      "theirs": "k:/env/A d:/b",
      "seams": {
        "base": "sha256:14b04cac9bbf190fa9693638122c0eecc7c509bdef4b74dfb4b0e3fb6daa9853",
        "hunks": [
          [
            3,
            0,
            "\n "
          ]
        ]
      }
    }
  }
}
"#;

    #[test]
    fn the_form_of_version_2_stays() {
        let ledger = Ledger::read(VERSION_2.as_bytes()).unwrap();
        assert_eq!(ledger.to_text(), VERSION_2);
        assert_eq!(ledger.count(), 6);
        let file = LedgerFile::read_file(VERSION_2.as_bytes()).unwrap();
        assert_eq!((to_json(&file).as_str(), file.count()), (VERSION_2, 6));
    }

    #[test]
    fn only_a_newer_ledger_is_worth_an_update() {
        let message = |from: &str, to: &str| {
            let text = VERSION_2.replacen(from, to, 1);
            Ledger::read(text.as_bytes()).unwrap_err().message
        };
        assert!(message("\"version\": 2", "\"version\": 4").contains("newer"));
        for (from, to) in [
            ("\"version\": 2", "\"version\": 1"),
            ("sha256:", "md5:"),
            ("a/run.sh", "../run.sh"),
            ("ak:/model", "ax:/model"),
        ] {
            assert!(message(from, to).contains("is invalid"), "{from}");
        }
    }
}
