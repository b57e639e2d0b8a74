//! The desired state: whole files, and nodes in files that users write too.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_model::{
    Checksum, EntryNode, FileMode, LOCK_NAME, Owner, PRIVATE_LOCK_NAME, RelativePath, SharedBytes,
};
use agpm_text::{BlockName, LazyDocument, Value};

use crate::ledger::Ledger;
use crate::observation::Observation;

use crate::blocks::DesiredBlock;
use crate::change::{NewContent, OverwriteRule};
use crate::merges::EditMerges;
use crate::nodes::{DesiredNode, NodeSum, OnEqualUserValue};

/// Paths of agpm's own files, where nothing may be installed.
const RESERVED: [&str; 8] = [
    "agpm.toml",
    "agpm.private.toml",
    LOCK_NAME,
    PRIVATE_LOCK_NAME,
    ".agpm/ledger.json",
    ".agpm/.gitignore",
    ".local/state/agpm/ledger.json",
    ".local/state/agpm/.gitignore",
];

/// Directories of agpm's own files.
const RESERVED_DIRECTORIES: [&str; 2] = [".agpm/bases/", ".local/state/agpm/bases/"];

/// Whether a lower-case path is one of agpm's own files.
pub fn is_reserved(path: &str) -> bool {
    RESERVED.contains(&path) || RESERVED_DIRECTORIES.iter().any(|one| path.starts_with(one))
}

/// A desired file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredFile {
    /// The path, from the project.
    pub path: RelativePath,
    /// The bytes.
    pub bytes: SharedBytes,
    /// The checksum of the bytes.
    pub checksum: Checksum,
    /// The checksum of the bytes in the source.
    pub source: Checksum,
    /// The desired mode.
    pub mode: FileMode,
    /// The owner.
    pub owner: Owner,
    /// The treatment of a user's file with the same bytes.
    pub on_equal: OnEqualUserValue,
    /// Whether it is a layer document without keys, which adds nothing to a user's file.
    pub is_empty_document: bool,
}

impl DesiredFile {
    /// What is written where the file is missing or differs.
    pub(crate) fn new_content(&self) -> NewContent {
        NewContent {
            bytes: self.bytes.clone(),
            mode: self.mode,
        }
    }
}

/// A structured file of the layers that users may write too.
#[derive(Clone, Copy, Debug)]
pub struct LayerDocument<'a> {
    /// The path, from the project.
    pub path: &'a RelativePath,
    /// The mode of a new file.
    pub mode: FileMode,
    /// The layers that define the file.
    pub owner: &'a Owner,
    /// The merged text of the layers.
    pub text: &'a LazyDocument,
    /// The keys and items of the layer document.
    pub nodes: &'a [DesiredNode],
}

/// A desired file that users write too.
#[derive(Clone, Debug)]
pub struct DesiredShared<'a> {
    /// The merged text of the layers, used to create a file that does not exist or is wholly managed.
    pub(crate) base: Option<&'a LazyDocument>,
    /// The layers that define the file.
    pub(crate) layers: Option<&'a Owner>,
    /// The mode of a new file.
    pub(crate) mode: FileMode,
    pub(crate) nodes: Cow<'a, [DesiredNode]>,
}

impl Default for DesiredShared<'_> {
    fn default() -> Self {
        DesiredShared {
            base: None,
            layers: None,
            mode: FileMode::Plain,
            nodes: Cow::default(),
        }
    }
}

/// The desired state of the disk.
#[derive(Clone, Debug, Default)]
pub struct DesiredState<'a> {
    pub(crate) files: Vec<DesiredFile>,
    pub(crate) shared: BTreeMap<RelativePath, DesiredShared<'a>>,
    /// Blocks in files that users write too, in the order in which new ones are appended.
    pub(crate) blocks: BTreeMap<RelativePath, Vec<DesiredBlock>>,
    /// Blocks that replace a whole file of the layers where the user has a file at that path.
    pub(crate) blocks_beside_user: BTreeMap<RelativePath, Vec<DesiredBlock>>,
    /// The index of each file by its lower-case path, because some file systems ignore case.
    by_path: BTreeMap<String, usize>,
    /// Files and directories that the manifest describes in place.
    in_place: BTreeSet<RelativePath>,
    /// Values to write in place of edited ones.
    pub(crate) merges: EditMerges,
}

impl<'a> DesiredState<'a> {
    /// Leaves a file, or a directory and its contents, to the user.
    pub fn leave_in_place(&mut self, path: RelativePath) {
        self.in_place.insert(path);
    }

    /// Whether the manifest describes a file in place.
    pub(crate) fn is_in_place(&self, path: &RelativePath) -> bool {
        let is_within = |in_place: &RelativePath| {
            let rest = path.as_str().strip_prefix(in_place.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.in_place.iter().any(is_within)
    }

    /// The whole file at a path.
    pub fn file_at(&self, path: &RelativePath) -> Option<&DesiredFile> {
        let at = self.by_path.get(&path.folded())?;
        self.files.get(*at).filter(|file| file.path == *path)
    }

    /// Adds a whole file. Two resources may share a file only if its bytes are equal.
    pub fn add_file(&mut self, file: DesiredFile) -> Result<(), Failure> {
        let path = file.path.folded();
        match self.by_path.get(&path).map(|at| &self.files[*at]) {
            None => {
                self.by_path.insert(path, self.files.len());
                self.files.push(file);
                Ok(())
            }
            Some(existing) if existing.path == file.path && existing.checksum == file.checksum => {
                Ok(())
            }
            Some(existing) => Err(two_at_once(existing, &file)),
        }
    }

    /// Adds the entries of a resource to a shared file.
    pub fn add_entries(&mut self, path: &RelativePath, owner: &Owner, nodes: &[EntryNode]) {
        let node = |node: &EntryNode| DesiredNode {
            node: node.clone(),
            owner: owner.clone(),
            on_equal: OnEqualUserValue::Adopt,
        };
        let shared = self.shared.entry(path.clone()).or_default();
        shared.nodes.to_mut().extend(nodes.iter().map(node));
    }

    /// Adds a block to a file. Tools that read one file share the block.
    pub fn add_block(&mut self, path: &RelativePath, block: DesiredBlock) {
        let blocks = self.blocks.entry(path.clone()).or_default();
        match blocks
            .iter_mut()
            .find(|existing| existing.name == block.name)
        {
            Some(existing) => existing.limit = existing.limit.or(block.limit),
            None => blocks.push(block),
        }
    }

    /// Adds blocks of the layers to a file, after those of the project.
    pub fn add_layer_blocks(&mut self, path: &RelativePath, blocks: Vec<DesiredBlock>) {
        let all = self.blocks.entry(path.clone()).or_default();
        all.splice(0..0, blocks);
    }

    /// Adds the blocks that replace a whole file where the user has another file at its path.
    pub fn add_blocks_beside_user(&mut self, path: &RelativePath, blocks: Vec<DesiredBlock>) {
        self.blocks_beside_user.insert(path.clone(), blocks);
    }

    /// The paths of files that may have blocks.
    pub fn block_paths(&self) -> impl Iterator<Item = &RelativePath> {
        self.blocks.keys().chain(self.blocks_beside_user.keys())
    }

    /// Whether a path has only blocks.
    pub fn has_blocks(&self, path: &RelativePath) -> bool {
        self.blocks.contains_key(path)
    }

    /// Replaces whole files with blocks where the user has a file, or where the path has other blocks, so the user's
    /// text and the layers' text coexist.
    pub(crate) fn with_blocks_beside_user(
        &self,
        observation: &Observation,
        ledger: &Ledger,
        overwrite: OverwriteRule,
    ) -> Cow<'_, Self> {
        let mut desired = Cow::Borrowed(self);
        for (path, blocks) in &self.blocks_beside_user {
            let file = self.files.iter().find(|file| file.path == *path);
            let is_users = |now: Checksum| {
                let is_managed = ledger.files.contains_key(path);
                let is_twin = file.is_some_and(|file| file.checksum == now);
                // With `--adopt` the file of the layers replaces the user's.
                let is_kept = overwrite == OverwriteRule::Nothing;
                ledger.blocks.contains_key(path) || is_kept && !is_managed && !is_twin
            };
            if self.has_blocks(path) || observation.checksum(path).is_some_and(is_users) {
                let desired = desired.to_mut();
                desired.files.retain(|file| file.path != *path);
                desired.index_files();
                desired.add_layer_blocks(path, blocks.clone());
            }
        }
        desired
    }

    fn index_files(&mut self) {
        let numbered = |(at, file): (usize, &DesiredFile)| (file.path.folded(), at);
        self.by_path = self.files.iter().enumerate().map(numbered).collect();
    }

    /// Whether a layer document is written to a shared file. A document without keys is a plain file unless resources
    /// have entries in it, so entries must be added first.
    pub fn shares(&self, document: &LayerDocument<'_>) -> bool {
        !document.nodes.is_empty() || self.shared.contains_key(document.path)
    }

    /// Adds the keys of the layers to a shared file.
    pub fn add_layer_document(&mut self, document: &LayerDocument<'a>) {
        let shared = self.shared.entry(document.path.clone()).or_default();
        shared.base = Some(document.text);
        shared.layers = Some(document.owner);
        shared.mode = document.mode;
        if shared.nodes.is_empty() {
            shared.nodes = Cow::Borrowed(document.nodes);
        } else {
            shared.nodes.to_mut().extend_from_slice(document.nodes);
        }
    }

    /// The paths of whole files.
    pub fn file_paths(&self) -> impl Iterator<Item = &RelativePath> {
        self.files.iter().map(|file| &file.path)
    }

    /// The paths of shared files.
    pub fn shared_paths(&self) -> impl Iterator<Item = &RelativePath> {
        self.shared.keys()
    }

    /// Whether a path is a shared file in the desired state.
    pub fn is_shared(&self, path: &RelativePath) -> bool {
        self.shared.contains_key(path)
    }

    /// Whether a path is a whole file in the desired state, whatever exists now.
    pub fn is_surely_whole(&self, path: &RelativePath) -> bool {
        let at = self.by_path.get(&path.folded());
        at.map(|at| &self.files[*at])
            .is_some_and(|file| file.path == *path && !file.is_empty_document)
    }

    /// Drops everything that belongs into files that cannot be read.
    pub fn leave_out(&mut self, paths: &BTreeSet<RelativePath>) {
        self.shared.retain(|path, _| !paths.contains(path));
        self.blocks.retain(|path, _| !paths.contains(path));
        self.blocks_beside_user
            .retain(|path, _| !paths.contains(path));
        self.files
            .retain(|file| file.on_equal == OnEqualUserValue::Adopt || !paths.contains(&file.path));
        self.index_files();
    }

    /// Refuses whole files at paths of agpm's own files and of shared files.
    pub fn refuse_reserved(&self) -> Result<(), Failure> {
        let shared: BTreeMap<String, &DesiredShared<'_>> = self
            .shared
            .iter()
            .map(|(path, shared)| (path.folded(), shared))
            .collect();
        let with_blocks: BTreeSet<String> = self.blocks.keys().map(|path| path.folded()).collect();
        for file in &self.files {
            if self.blocks_beside_user.contains_key(&file.path) {
                continue;
            }
            let path = file.path.folded();
            let why = match shared.get(&path) {
                None if with_blocks.contains(&path) => "which contains blocks of instructions",
                Some(shared) if shared.base.is_some() => "which the layers write",
                Some(_) => "which contains entries of hooks or MCP servers",
                None if is_reserved(&path) => "which is a file of agpm",
                None => continue,
            };
            return Err(reserved_target(&file.owner, &file.path, why));
        }
        Ok(())
    }
}

impl<'a> DesiredState<'a> {
    /// The state with values to write in place of edited ones.
    #[must_use]
    pub fn with_merges(&self, merges: EditMerges) -> DesiredState<'a> {
        let mut desired = self.clone();
        desired.merges = merges;
        desired
    }

    /// The desired text of a block.
    pub fn block_text(&self, path: &RelativePath, name: &BlockName) -> Option<&str> {
        let blocks = self.blocks.get(path)?;
        let block = blocks.iter().find(|block| block.name == *name)?;
        Some(&block.text)
    }

    /// The desired values in a shared file, by their sums.
    pub fn node_values(&self, path: &RelativePath) -> HashMap<NodeSum, &Value> {
        let nodes = self.shared.get(path).into_iter();
        let nodes = nodes.flat_map(|shared| shared.nodes.iter());
        nodes
            .map(|node| (NodeSum::of(&node.node.value), &node.node.value))
            .collect()
    }
}

/// The refusal of a resource whose path is reserved.
pub fn reserved_target(owner: &Owner, path: &RelativePath, why: &str) -> Failure {
    let message = format!("{owner} would be installed at `{path}`, {why}");
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).help("set another `filename`");
    Failure::new(FailureKind::Refused, diagnostic)
}

fn two_at_once(first: &DesiredFile, second: &DesiredFile) -> Failure {
    let message = format!("two resources would be installed at `{}`", second.path);
    let help = "set another `filename` or `target` for one of them in the manifest";
    Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
        .detail(first.owner.to_string())
        .detail(second.owner.to_string())
        .help(help)
        .into()
}
