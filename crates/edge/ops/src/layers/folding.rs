//! One file out of every layer that has it, and what is ours in it.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, codes};
use agpm_merge::{LayerFile, MergedFile, Part, UnparsedFile, merge_files};
use agpm_model::{Checksum, FileMode, LayerName, Manifest, RelativePath, Strategy};
use agpm_plan::{DesiredNode, Twin};
use agpm_text::{Format, Unread};

use crate::failure::{Failure, Notes};
use crate::layers::snapshot::{Snapshot, SnapshotFile};
use crate::merge::{RawFile, drive};
use crate::parallel;

/// Files that one thread folds before it takes the next ones.
const CHUNK: usize = 32;

/// A file as the layers give it.
#[derive(Debug)]
pub(crate) struct LayeredFile {
    pub(crate) path: RelativePath,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: FileMode,
    /// The layers that it comes from, as `layers/NAME+NAME`.
    pub(crate) owner: String,
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
    manifest: &Manifest,
    snapshots: Vec<Snapshot<'_>>,
    notes: &mut Notes,
) -> Result<Vec<LayeredFile>, Failure> {
    let default = Strategy::default();
    let unfolded: Vec<Unfolded<'_>> =
        stacks(manifest, &default, snapshots).into_iter().map(|stack| Unfolded::new(stack, notes)).collect();
    let mut chunks: Vec<Vec<Unfolded<'_>>> = Vec::new();
    for one in unfolded {
        match chunks.last_mut().filter(|chunk| chunk.len() < CHUNK) {
            Some(chunk) => chunk.push(one),
            None => chunks.push(vec![one]),
        }
    }
    let folded = parallel::map(chunks, |chunk| chunk.into_iter().map(Unfolded::fold).collect::<Vec<_>>());
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

fn stacks<'m>(manifest: &'m Manifest, default: &'m Strategy, snapshots: Vec<Snapshot<'_>>) -> Vec<Stack<'m>> {
    let mut stacks: BTreeMap<RelativePath, Vec<(LayerName, SnapshotFile)>> = BTreeMap::new();
    for snapshot in snapshots {
        for file in snapshot.files {
            stacks.entry(file.path.clone()).or_default().push((snapshot.layer.name.clone(), file));
        }
    }
    let stack = |(path, files): (RelativePath, _)| {
        let strategy = manifest.strategy_for(path.as_str()).unwrap_or(default);
        Stack { path, strategy, files }
    };
    stacks.into_iter().map(stack).collect()
}

/// A stack whose texts are known and whose structure is not yet.
struct Unfolded<'m> {
    path: RelativePath,
    strategy: &'m Strategy,
    mode: FileMode,
    owner: String,
    content: Content,
}

enum Content {
    /// Bytes of one layer that nobody needs to understand.
    Plain(Vec<u8>),
    /// Files that are parsed and merged.
    Files(Vec<UnparsedFile>),
    /// Files that a program merges.
    Driven(Vec<RawFile>),
}

type Folded = (Result<Option<LayeredFile>, Failure>, Vec<Diagnostic>);

impl<'m> Unfolded<'m> {
    fn new(stack: Stack<'m>, notes: &mut Notes) -> Self {
        let Stack { path, strategy, mut files } = stack;
        let names: Vec<&str> = files.iter().map(|(layer, _)| layer.as_str()).collect();
        let owner = format!("layers/{}", names.join("+"));
        let mode = files.last().map_or(FileMode::Plain, |(_, file)| file.mode);
        let mut unparsed = |(layer, file): (LayerName, SnapshotFile)| {
            UnparsedFile::new(layer, &file.shown, file.bytes, &mut notes.sources)
        };
        let content = match files.len() {
            1 if !is_structured(&path) => {
                Content::Plain(files.pop().map(|(_, file)| file.bytes).unwrap_or_default())
            }
            2.. if strategy.driver.is_some() => {
                Content::Driven(files.into_iter().map(|(layer, file)| raw(layer, file)).collect())
            }
            _ => Content::Files(files.into_iter().map(&mut unparsed).collect()),
        };
        Unfolded { path, strategy, mode, owner, content }
    }

    fn fold(self) -> Folded {
        let Unfolded { path, strategy, mode, owner, content } = self;
        let driven = matches!(content, Content::Driven(_));
        let file =
            |bytes, keys| LayeredFile { path: path.clone(), bytes, mode, owner: owner.clone(), keys, driven };
        match content {
            Content::Plain(bytes) => (Ok(Some(file(bytes, None))), Vec::new()),
            Content::Driven(files) => match drive_all(strategy, &path, &owner, files) {
                Ok((bytes, keys)) => (Ok(Some(file(bytes, keys))), Vec::new()),
                Err(failure) => (Err(failure), Vec::new()),
            },
            Content::Files(unparsed) => {
                let (files, found): (Vec<LayerFile>, Vec<_>) =
                    unparsed.into_iter().map(UnparsedFile::parse).unzip();
                let mut diagnostics: Vec<Diagnostic> = found.into_iter().flatten().collect();
                if let ([only], true) = (files.as_slice(), is_only_odd(&diagnostics)) {
                    return (Ok(Some(file(only.bytes().to_vec(), None))), Vec::new());
                }
                if agpm_diag::has_errors(&diagnostics) {
                    return (Ok(None), diagnostics);
                }
                let Some(merged) = merge_files(files, strategy, None) else { return (Ok(None), diagnostics) };
                diagnostics.extend(merged.diagnostics.iter().cloned());
                match rendered(&merged, strategy, &path) {
                    Ok(((bytes, keys), warning)) => {
                        diagnostics.extend(warning);
                        (Ok(Some(file(bytes, keys))), diagnostics)
                    }
                    Err(diagnostic) => {
                        diagnostics.push(diagnostic);
                        (Ok(None), diagnostics)
                    }
                }
            }
        }
    }
}

fn raw(layer: LayerName, file: SnapshotFile) -> RawFile {
    RawFile { layer, shown: file.shown, bytes: file.bytes }
}

/// Whether a file has keys that can be owned one by one.
fn is_structured(path: &RelativePath) -> bool {
    let format = Format::of_file(path.file_name());
    matches!(format, Some(Format::Json | Format::Jsonc | Format::Yaml | Format::Toml))
}

/// Whether a text is well-formed, but says things that have no keys: nothing is to be merged, so it is taken as it is.
fn is_only_odd(diagnostics: &[Diagnostic]) -> bool {
    let odd = [&codes::YAML_DOCUMENTS, &codes::YAML_TAG, &codes::YAML_KEY];
    !diagnostics.is_empty() && diagnostics.iter().all(|found| odd.contains(&found.code))
}

/// The bytes of a merged file, and what is ours in it.
type Made = (Vec<u8>, Option<Keys>);

fn rendered(
    merged: &MergedFile,
    strategy: &Strategy,
    path: &RelativePath,
) -> Result<(Made, Option<Diagnostic>), Diagnostic> {
    let (text, warning) = merged.render()?;
    let bytes = text.to_bytes();
    let keys = merged.parts(strategy).and_then(|parts| keys(path, &bytes, parts));
    Ok(((bytes, keys), warning))
}

/// A program's result is a layer of its own, called as all that it was made of.
fn drive_all(
    strategy: &Strategy,
    path: &RelativePath,
    owner: &str,
    files: Vec<RawFile>,
) -> Result<Made, Failure> {
    let driver = strategy.driver.as_ref().expect("asked before");
    let result = drive(driver, &strategy.name, files).map_err(|mut failure| {
        failure.diagnostic = failure.diagnostic.map(|found| found.in_file(path.as_str()));
        failure
    })?;
    let name = LayerName::new(owner.trim_start_matches("layers/")).unwrap_or(result.layer);
    let mut sources = agpm_diag::SourceMap::default();
    let (file, diagnostics) = LayerFile::read(name, path.as_str(), result.bytes.clone(), &mut sources);
    if let Some(wrong) = diagnostics.iter().find(|_| agpm_diag::has_errors(&diagnostics)) {
        let message = format!(
            "the program of the strategy `{}` printed no good file: {}",
            strategy.name, wrong.message
        );
        let diagnostic = Diagnostic::new(&codes::MERGE_DRIVER, message).in_file(path.as_str());
        return Err(diagnostic.help("`agpm merge` with the files of the layers shows what it prints").into());
    }
    let merged = merge_files(vec![file], strategy, None);
    let parts = merged.and_then(|merged| merged.parts(strategy));
    let keys = parts.and_then(|parts| keys(path, &result.bytes, parts));
    Ok((result.bytes, keys))
}

fn keys(path: &RelativePath, bytes: &[u8], parts: Vec<Part>) -> Option<Keys> {
    let format = Format::of_file(path.file_name())?;
    let text = std::str::from_utf8(bytes).ok()?;
    let node = |part: Part| DesiredNode {
        node: part.node,
        owner: format!("layers/{}", part.layer),
        twin: Twin::Left,
    };
    let nodes = parts.into_iter().map(node).collect();
    Some(Keys { text: Unread::new(text, format), nodes })
}
