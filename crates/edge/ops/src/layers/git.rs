//! A layer that is a version of a git source.

use agpm_diag::{Diagnostic, codes};
use agpm_git::{EntryKind, GitError, Remote, TreeEntry};
use agpm_model::{FileMode, Layer, LayerPin, ObjectId, RelativePath, SourceName};

use crate::failure::{Failure, Notes};
use crate::layers::skipping::{Skipped, Why, enters, judge};
use crate::layers::snapshot::{Contents, SnapshotFile};
use crate::packages::{git_failure, moved_tag};

/// Folders that are looked into. A tree of git can hold itself many times.
const MOST_FOLDERS: usize = 20_000;
/// All files of a layer together.
const MOST_BYTES: u64 = 1 << 30;

pub(super) fn read(
    (source, remote): (&SourceName, &Remote),
    layer: &Layer,
    pin: &LayerPin,
    notes: &mut Notes,
) -> Result<Contents, Failure> {
    let fail = |error: GitError| git_failure(source, error);
    if !remote.has_commit(&pin.commit) {
        // The source is asked anyway, so it can say whether its tags are still where they were.
        let refs = remote.refs().ok();
        remote
            .fetch_commits(std::slice::from_ref(&pin.commit))
            .map_err(fail)?;
        let moved = refs.and_then(|refs| moved_tag(source, &refs, &pin.version, Some(&pin.commit)));
        notes.diagnostics.extend(moved);
    }
    let Some(top) = top(remote, layer, pin).map_err(fail)? else {
        return Err(no_root(layer, pin));
    };
    let tree = Tree::walk(remote, layer, top)
        .map_err(fail)?
        .ok_or_else(|| too_much(layer))?;
    let ids: Vec<ObjectId> = tree.files.iter().map(|file| file.id.clone()).collect();
    if remote.measure_blobs(&ids).map_err(fail)? > MOST_BYTES {
        return Err(too_much(layer));
    }
    let bytes = if ids.is_empty() {
        Vec::new()
    } else {
        remote.read_blobs(&ids, &|_| {}).map_err(fail)?
    };
    let root = layer
        .root
        .as_ref()
        .map(|root| format!("{root}/"))
        .unwrap_or_default();
    let file = |(file, bytes): (Found, Vec<u8>)| {
        let shown = format!("{source}@{}:{root}{}", pin.version, file.path);
        SnapshotFile {
            path: file.path,
            shown,
            bytes,
            mode: file.mode,
        }
    };
    let files = tree.files.into_iter().zip(bytes).map(file).collect();
    Ok(Contents {
        files,
        skipped: tree.skipped,
        watched: None,
    })
}

/// The folder that counts.
fn top(remote: &Remote, layer: &Layer, pin: &LayerPin) -> Result<Option<ObjectId>, GitError> {
    let Some(root) = &layer.root else {
        return Ok(Some(pin.commit.clone()));
    };
    let found = remote.entry(&pin.commit, root.as_str())?;
    Ok(found
        .filter(|entry| entry.kind == EntryKind::Folder)
        .map(|entry| entry.id))
}

struct Found {
    path: RelativePath,
    id: ObjectId,
    mode: FileMode,
}

/// What is below a folder of a commit.
#[derive(Default)]
struct Tree {
    files: Vec<Found>,
    skipped: Vec<Skipped>,
    folders: Vec<(String, ObjectId)>,
}

impl Tree {
    /// Looks into every folder that may hold files that count; nothing if there are too many.
    fn walk(remote: &Remote, layer: &Layer, top: ObjectId) -> Result<Option<Self>, GitError> {
        let mut tree = Tree {
            folders: vec![(String::new(), top)],
            ..Tree::default()
        };
        let mut searched = 0;
        while let Some((prefix, id)) = tree.folders.pop() {
            searched += 1;
            if searched > MOST_FOLDERS {
                return Ok(None);
            }
            for entry in remote.tree(&id)?.iter() {
                let path = format!("{prefix}{}", entry.name);
                if let Err(why) = tree.take(layer, entry, &path) {
                    let end = if entry.kind == EntryKind::Folder {
                        "/"
                    } else {
                        ""
                    };
                    tree.skipped.push(Skipped {
                        path: format!("{path}{end}"),
                        why,
                    });
                }
            }
        }
        tree.files.sort_by(|left, right| left.path.cmp(&right.path));
        tree.skipped
            .sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Some(tree))
    }

    fn take(&mut self, layer: &Layer, entry: &TreeEntry, path: &str) -> Result<(), Why> {
        let mode = match entry.kind {
            EntryKind::Folder => {
                enters(layer, path)?;
                self.folders.push((format!("{path}/"), entry.id.clone()));
                return Ok(());
            }
            EntryKind::Submodule => return enters(layer, path).and(Err(Why::Repository)),
            EntryKind::Symlink => return judge(layer, path).and(Err(Why::Link)),
            EntryKind::File => FileMode::Plain,
            EntryKind::Executable => FileMode::Executable,
        };
        self.files.push(Found {
            path: judge(layer, path)?,
            id: entry.id.clone(),
            mode,
        });
        Ok(())
    }
}

fn no_root(layer: &Layer, pin: &LayerPin) -> Failure {
    let root = layer
        .root
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let message = format!(
        "layer `{}`: there is no folder `{root}` in {}@{}",
        layer.name, pin.source, pin.version
    );
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message).in_layer(layer.name.as_str());
    diagnostic
        .at_spot(layer.spot)
        .help("`root` is a folder of the source; check its name, or ask for another version")
        .into()
}

fn too_much(layer: &Layer) -> Failure {
    let message = format!(
        "layer `{}` has more than {MOST_FOLDERS} folders or {} MiB",
        layer.name,
        MOST_BYTES >> 20
    );
    let diagnostic = Diagnostic::new(&codes::TEXT_TOO_LARGE, message).in_layer(layer.name.as_str());
    diagnostic
        .at_spot(layer.spot)
        .help("name the files that count with `include`")
        .into()
}
