//! One file out of every layer that has it, and what is ours in it.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, Notes, SourceMap};
use agpm_merge::UnparsedFile;
use agpm_model::{
    Checksum, Driver, FileMode, LayerName, LayerSet, Manifest, Owner, RelativePath, Strategy,
};
use agpm_plan::DesiredNode;
use agpm_text::Unread;

use crate::approve::{ProgramPermit, permit};
use crate::layers::making::{Content, Recipe, is_structured};
use crate::layers::snapshot::{Snapshot, SnapshotFile};
use crate::merge::RawFile;
use crate::world::World;
use agpm_store::parallel;

/// Files that one thread folds before it takes the next ones.
const CHUNK: usize = 32;

/// A file as the layers give it.
#[derive(Debug)]
pub(crate) struct LayeredFile {
    pub(crate) path: RelativePath,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: FileMode,
    /// The layers that it comes from.
    pub(crate) owner: Owner,
    /// What is ours in it key by key; nothing for a file that is ours whole.
    pub(crate) keys: Option<Keys>,
    /// Whether a program made it.
    pub(crate) driven: bool,
}

/// A structured file that others may write too.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) text: Unread,
    pub(crate) nodes: Vec<DesiredNode>,
}

impl LayeredFile {
    pub(crate) fn checksum(&self) -> Checksum {
        Checksum::of(&self.bytes)
    }
}

/// One path in every layer that has it, lowest first.
struct Stack<'m> {
    path: RelativePath,
    strategy: &'m Strategy,
    files: Vec<(LayerName, SnapshotFile)>,
}

impl Stack<'_> {
    /// The program that merges it; one layer alone needs none.
    fn driver(&self) -> Option<&Driver> {
        self.strategy
            .driver
            .as_ref()
            .filter(|_| self.files.len() > 1)
    }
}

/// A stack whose texts are known and whose structure is not yet.
struct Unfolded<'m> {
    recipe: Recipe<'m>,
    mode: FileMode,
    content: Content,
}

/// The files that a path has in the layers, lowest first, unread.
pub(crate) fn contributions(snapshots: Vec<Snapshot<'_>>, path: &RelativePath) -> Vec<RawFile> {
    let of_layer = |snapshot: Snapshot<'_>| {
        let file = snapshot.files.into_iter().find(|file| file.path == *path);
        file.map(|file| raw(snapshot.layer.name.clone(), file))
    };
    snapshots.into_iter().filter_map(of_layer).collect()
}

/// Folds every file of every layer; all mistakes are reported.
pub(crate) fn fold_all(
    world: &World,
    manifest: &Manifest,
    snapshots: Vec<Snapshot<'_>>,
    notes: &mut Notes,
) -> Result<Vec<LayeredFile>, Failure> {
    let default = Strategy::default();
    let stacks = stacks(manifest, &default, snapshots);
    // Nothing is run before everything that would be is known to be approved.
    let mut drivers = stacks.iter().filter_map(Stack::driver).peekable();
    let permit = drivers
        .peek()
        .is_some()
        .then(|| permit(world, manifest, drivers))
        .transpose()?;
    let unfold = |stack| Unfolded::new(stack, permit.as_ref(), &mut notes.sources);
    let unfolded = stacks.into_iter().map(unfold).collect();
    let folded = parallel::map(chunks(unfolded), |chunk: Vec<Unfolded<'_>>| {
        chunk.into_iter().map(Unfolded::fold).collect::<Vec<_>>()
    });
    let mut files = Vec::new();
    let mut failed = None;
    for (file, diagnostics) in folded.into_iter().flatten() {
        notes.diagnostics.extend(diagnostics);
        match file {
            Ok(file) => files.extend(file),
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    failed.map_or(Ok(()), Err)?;
    notes.check()?;
    Ok(files)
}

fn chunks(unfolded: Vec<Unfolded<'_>>) -> Vec<Vec<Unfolded<'_>>> {
    let mut rest = unfolded.into_iter();
    std::iter::from_fn(|| {
        Some(rest.by_ref().take(CHUNK).collect()).filter(|chunk: &Vec<_>| !chunk.is_empty())
    })
    .collect()
}

fn stacks<'m>(
    manifest: &'m Manifest,
    default: &'m Strategy,
    snapshots: Vec<Snapshot<'_>>,
) -> Vec<Stack<'m>> {
    let mut stacks: BTreeMap<RelativePath, Vec<(LayerName, SnapshotFile)>> = BTreeMap::new();
    for snapshot in snapshots {
        for file in snapshot.files {
            stacks
                .entry(file.path.clone())
                .or_default()
                .push((snapshot.layer.name.clone(), file));
        }
    }
    let stack = |(path, files): (RelativePath, _)| {
        let strategy = manifest.strategy_for(path.as_str()).unwrap_or(default);
        Stack {
            path,
            strategy,
            files,
        }
    };
    stacks.into_iter().map(stack).collect()
}

impl<'m> Unfolded<'m> {
    fn new(stack: Stack<'m>, permit: Option<&ProgramPermit>, sources: &mut SourceMap) -> Self {
        let permit = permit.filter(|_| stack.driver().is_some()).cloned();
        let Stack {
            path,
            strategy,
            mut files,
        } = stack;
        let owner = Owner::Layers(LayerSet::of(files.iter().map(|(layer, _)| layer)));
        let mode = files.last().map_or(FileMode::Plain, |(_, file)| file.mode);
        let unparsed = |(layer, file): (LayerName, SnapshotFile)| {
            UnparsedFile::new(layer, &file.shown, file.bytes, sources)
        };
        let content = match (files.len(), permit) {
            (1, _) if !is_structured(&path) => {
                Content::Plain(files.pop().map(|(_, file)| file.bytes).unwrap_or_default())
            }
            (_, Some(permit)) => {
                let files = files
                    .into_iter()
                    .map(|(layer, file)| raw(layer, file))
                    .collect();
                Content::Driven(files, permit)
            }
            _ => Content::Files(files.into_iter().map(unparsed).collect()),
        };
        Unfolded {
            recipe: Recipe {
                path,
                strategy,
                owner,
            },
            mode,
            content,
        }
    }

    fn fold(self) -> (Result<Option<LayeredFile>, Failure>, Vec<Diagnostic>) {
        let Unfolded {
            recipe,
            mode,
            content,
        } = self;
        let driven = matches!(content, Content::Driven(..));
        let mut found = Vec::new();
        let made = recipe.make(content, &mut found);
        let Recipe { path, owner, .. } = recipe;
        let file = |(bytes, keys)| LayeredFile {
            path,
            bytes,
            mode,
            owner,
            keys,
            driven,
        };
        (made.map(|made| made.map(file)), found)
    }
}

fn raw(layer: LayerName, file: SnapshotFile) -> RawFile {
    RawFile {
        layer,
        shown: file.shown,
        bytes: file.bytes,
    }
}
