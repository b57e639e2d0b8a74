//! One file out of the same file in several layers: its bytes, and what is managed in it.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, FailureKind, SourceMap, codes, has_errors};
use agpm_merge::{LayerFile, MergedFile, MergedPart, RawFile, UnparsedFile, merge_files};
use agpm_model::{
    Checksum, FileMode, LayerName, LayerSet, Manifest, MergeDriver, MergeOutput, Owner,
    RelativePath, SharedBytes, Strategy,
};
use agpm_plan::{DesiredBlock, DesiredNode, OnEqualUserValue, ReadLimit};
use agpm_text::{BlockName, Format, LazyDocument, block_text, first_marker, markdown_body};

use crate::snapshot::{LayerSnapshot, SnapshotFile};

/// A file as the layers give it.
#[derive(Debug)]
pub struct LayeredFile {
    /// The path in the project.
    pub path: RelativePath,
    /// The whole content, if no user writes the file.
    pub bytes: SharedBytes,
    /// The mode of the highest layer that has it.
    pub mode: FileMode,
    /// The layers that it comes from.
    pub owner: Owner,
    /// The managed keys; `None` for a file that is managed as a whole.
    pub keys: Option<SharedKeys>,
    /// Whether a program made it.
    pub driven: bool,
    /// How it is combined with the project's file at its path.
    pub form: LayeredForm,
}

/// How a file of the layers is combined with the project's file at its path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LayeredForm {
    /// It is managed whole, or key by key.
    #[default]
    Own,
    /// It is blocks in the project's file.
    Blocks(Vec<LayerBlock>),
    /// It is blocks where the project has another file, and a file elsewhere.
    BlocksBesideUser(Vec<LayerBlock>),
}

/// One layer's block in a file with blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerBlock {
    /// The layer.
    pub layer: LayerName,
    /// Its text, as it is between markers.
    pub text: String,
}

/// Files that tools read whole and that projects write themselves.
const SHARED_TEXTS: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// A structured file that others may write too.
#[derive(Debug)]
pub struct SharedKeys {
    /// The text that the layers give.
    pub text: LazyDocument,
    /// The keys and items of the file.
    pub nodes: Vec<DesiredNode>,
}

/// The program of a strategy.
pub trait MergeProgram: Sync {
    /// Merges files of one path, lowest first.
    fn merge(
        &self,
        driver: &MergeDriver,
        strategy: &str,
        files: Vec<RawFile>,
    ) -> Result<RawFile, Failure>;
}

impl LayerBlock {
    /// The block as it is to be in the file at a path; fails if its text has marker lines.
    pub fn desired(&self, path: &RelativePath) -> Result<DesiredBlock, Failure> {
        let label = self.layer.label();
        let name = BlockName::new(&label).map_err(|error| {
            let message = format!("the layer `{}` cannot provide a block: {error}", self.layer);
            Diagnostic::new(&codes::MANIFEST_VALUE, message).help("rename the layer")
        })?;
        // A marker in the content would end the block early, and the next install would treat the rest as the
        // user's.
        if first_marker(&self.text).is_some() {
            let message = format!("`{path}` of {label} contains a block marker line");
            let diagnostic = Diagnostic::new(&codes::RESOURCE_MARKERS, message)
                .help("remove the line, or put it into a code fence");
            return Err(Failure::new(FailureKind::Refused, diagnostic));
        }
        Ok(DesiredBlock {
            name,
            text: self.text.clone(),
            owner: Owner::layer(&self.layer),
            limit: ReadLimit::of_file(path.file_name()),
        })
    }
}

impl LayeredFile {
    /// The checksum of its bytes.
    pub fn checksum(&self) -> Checksum {
        Checksum::of(&self.bytes)
    }
}

/// The files that a path has in the layers, lowest first.
pub fn contributions(snapshots: Vec<LayerSnapshot<'_>>, path: &RelativePath) -> Vec<RawFile> {
    let of_layer = |snapshot: LayerSnapshot<'_>| {
        let file = snapshot.files.into_iter().find(|file| file.path == *path);
        file.map(|file| raw(&snapshot.layer.name, file))
    };
    snapshots.into_iter().filter_map(of_layer).collect()
}

fn raw(layer: &LayerName, file: SnapshotFile) -> RawFile {
    RawFile {
        layer: layer.clone(),
        display_name: file.shown,
        bytes: file.bytes,
    }
}

/// One path in every layer that has it.
pub struct FileStack<'m> {
    path: RelativePath,
    strategy: &'m Strategy,
    mode: FileMode,
    /// Lowest first.
    files: Vec<RawFile>,
    /// The origin of the strategy.
    choice: StrategyChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StrategyChoice {
    Manifest,
    Default,
}

/// Every path of the layers, with the strategy that the manifest has for it, or else the default.
pub fn stacks<'m>(
    manifest: &'m Manifest,
    default: &'m Strategy,
    snapshots: Vec<LayerSnapshot<'_>>,
) -> Vec<FileStack<'m>> {
    let mut stacks: BTreeMap<RelativePath, FileStack<'m>> = BTreeMap::new();
    for snapshot in snapshots {
        for file in snapshot.files {
            let path = &file.path;
            let stack = stacks.entry(path.clone()).or_insert_with(|| {
                let named = manifest.strategy_for(path.as_str());
                FileStack {
                    path: path.clone(),
                    strategy: named.unwrap_or(default),
                    mode: file.mode,
                    files: Vec::new(),
                    choice: named.map_or(StrategyChoice::Default, |_| StrategyChoice::Manifest),
                }
            });
            // The highest layer decides the mode, like the content: a merged script that lost its bit would fail
            // when a tool runs it.
            stack.mode = file.mode;
            stack.files.push(raw(&snapshot.layer.name, file));
        }
    }
    stacks.into_values().collect()
}

impl<'m> FileStack<'m> {
    /// The program that merges it; one layer alone needs none.
    pub fn driver(&self) -> Option<&'m MergeDriver> {
        let driver = self.strategy.driver.as_ref();
        // A file of one layer is not merged, so its program has nothing to do and needs no approval.
        driver.filter(|_| self.files.len() > 1)
    }

    /// How the file is combined with the project's; only Markdown can be blocks.
    fn form(&self) -> LayeredForm {
        let is_markdown = Format::of_file(self.path.file_name()) == Some(Format::Markdown);
        let block = |file: &RawFile| {
            let text = std::str::from_utf8(&file.bytes).ok()?;
            let text = block_text(markdown_body(text));
            let layer = file.layer.clone();
            (!text.is_empty()).then_some(LayerBlock { layer, text })
        };
        let blocks = || self.files.iter().filter_map(block).collect();
        match (self.strategy.output, self.choice) {
            (MergeOutput::Blocks, _) if is_markdown => LayeredForm::Blocks(blocks()),
            // Projects write these files themselves. A layer that replaced them would delete instructions that
            // exist nowhere else.
            (_, StrategyChoice::Default) if SHARED_TEXTS.contains(&self.path.file_name()) => {
                LayeredForm::BlocksBesideUser(blocks())
            }
            _ => LayeredForm::Own,
        }
    }

    /// The same with its strings known to the source map, so many can be folded side by side.
    pub fn unfolded(self, sources: &mut SourceMap) -> UnfoldedFile<'m> {
        let owner = Owner::Layers(LayerSet::of(self.files.iter().map(|file| &file.layer)));
        let driver = self.driver();
        let form = self.form();
        let mut files = self.files;
        let content = match driver {
            Some(driver) => LayeredContent::Driven(files, driver),
            // Not parsed at all: binaries and scripts of a single layer are copied byte for byte.
            None if files.len() == 1 && !is_structured(&self.path) => {
                LayeredContent::Plain(files.pop().map(|file| file.bytes).unwrap_or_default())
            }
            None => {
                let files = files.into_iter().map(|file| file.unparsed(sources));
                LayeredContent::Files(files.collect())
            }
        };
        UnfoldedFile {
            recipe: FileRecipe {
                path: self.path,
                strategy: self.strategy,
                owner,
            },
            mode: self.mode,
            content,
            form,
        }
    }
}

/// A stack whose strings are known and whose structure is not yet.
pub struct UnfoldedFile<'m> {
    recipe: FileRecipe<'m>,
    mode: FileMode,
    content: LayeredContent<'m>,
    form: LayeredForm,
}

/// The result of merging a stack.
pub struct FoldedFile {
    /// The file; `None` if a finding prevents it.
    pub file: Result<Option<LayeredFile>, Failure>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
}

impl UnfoldedFile<'_> {
    /// Folds it.
    pub fn fold(self, program: &dyn MergeProgram) -> FoldedFile {
        let UnfoldedFile {
            recipe,
            mode,
            content,
            form,
        } = self;
        let driven = matches!(content, LayeredContent::Driven(..));
        let mut diagnostics = Vec::new();
        if recipe.strategy.output == MergeOutput::Blocks && form == LayeredForm::Own {
            diagnostics.push(no_blocks(&recipe.path));
        }
        let merged = match content {
            LayeredContent::Plain(bytes) => Ok(Some(MergedBytes { bytes, keys: None })),
            LayeredContent::Driven(files, driver) => recipe.drive(files, driver, program).map(Some),
            LayeredContent::Files(unparsed) => Ok(recipe.merge(unparsed, &mut diagnostics)),
        };
        let FileRecipe { path, owner, .. } = recipe;
        let file = |merged: MergedBytes| LayeredFile {
            path,
            bytes: merged.bytes.into(),
            mode,
            owner,
            keys: merged.keys,
            driven,
            form,
        };
        FoldedFile {
            file: merged.map(|merged| merged.map(file)),
            diagnostics,
        }
    }
}

fn no_blocks(path: &RelativePath) -> Diagnostic {
    let message = format!("`[merge]`: `{path}` is not Markdown, and only Markdown has blocks");
    Diagnostic::new(&codes::MANIFEST_VALUE, message)
        .help("choose a strategy other than `block` for it")
}

/// The content that a file is merged from.
enum LayeredContent<'m> {
    /// Bytes of one layer that need not be parsed.
    Plain(Vec<u8>),
    /// Files that are parsed and merged.
    Files(Vec<UnparsedFile>),
    /// Files that a program merges.
    Driven(Vec<RawFile>, &'m MergeDriver),
}

/// The instructions for a file.
struct FileRecipe<'m> {
    path: RelativePath,
    strategy: &'m Strategy,
    owner: Owner,
}

struct MergedBytes {
    bytes: Vec<u8>,
    keys: Option<SharedKeys>,
}

/// Whether a file has keys that can be owned one by one.
fn is_structured(path: &RelativePath) -> bool {
    let format = Format::of_file(path.file_name());
    matches!(
        format,
        Some(Format::Json | Format::Jsonc | Format::Yaml | Format::Toml)
    )
}

impl FileRecipe<'_> {
    fn merge(
        &self,
        unparsed: Vec<UnparsedFile>,
        found: &mut Vec<Diagnostic>,
    ) -> Option<MergedBytes> {
        let (files, wrong): (Vec<LayerFile>, Vec<_>) =
            unparsed.into_iter().map(UnparsedFile::parse).unzip();
        let wrong: Vec<Diagnostic> = wrong.into_iter().flatten().collect();
        // Several documents or custom tags cannot be merged, but a single layer needs no merge.
        if let [only] = files.as_slice()
            && is_only_odd(&wrong)
        {
            let bytes = only.bytes().to_vec();
            return Some(MergedBytes { bytes, keys: None });
        }
        let is_broken = has_errors(&wrong);
        found.extend(wrong);
        // Merged even if a file is broken, for its diagnostics: the user sees all mistakes of all layers at once.
        let merged = merge_files(files, self.strategy, None).filter(|_| !is_broken)?;
        found.extend(merged.diagnostics.iter().cloned());
        match self.render(&merged) {
            Ok((made, warning)) => {
                found.extend(warning);
                Some(made)
            }
            Err(error) => {
                found.push(error);
                None
            }
        }
    }

    fn render(&self, merged: &MergedFile) -> Result<(MergedBytes, Option<Diagnostic>), Diagnostic> {
        let (text, warning) = merged.render()?;
        let bytes = text.to_bytes();
        let keys = merged
            .parts(self.strategy)
            .and_then(|parts| self.keys(&bytes, parts));
        Ok((MergedBytes { bytes, keys }, warning))
    }

    /// The result of a program is a separate layer, named after all of its inputs.
    fn drive(
        &self,
        files: Vec<RawFile>,
        driver: &MergeDriver,
        program: &dyn MergeProgram,
    ) -> Result<MergedBytes, Failure> {
        let result = program.merge(driver, &self.strategy.name, files);
        let result = result.map_err(|failure| Failure {
            kind: failure.kind,
            diagnostic: failure
                .diagnostic
                .map(|found| found.in_file(self.path.as_str())),
        })?;
        // The output of a program has no provenance by key, so all layers that went in own it together.
        let name = self
            .owner
            .layers()
            .and_then(|layers| LayerName::new(layers.as_str()).ok())
            .unwrap_or(result.layer);
        let mut sources = SourceMap::default();
        let (file, wrong) =
            LayerFile::read(name, self.path.as_str(), result.bytes.clone(), &mut sources);
        if let Some(first) = wrong.iter().find(|_| has_errors(&wrong)) {
            return Err(self.malformed_output(first));
        }
        let merged = merge_files(vec![file], self.strategy, None);
        let parts = merged.and_then(|merged| merged.parts(self.strategy));
        let keys = parts.and_then(|parts| self.keys(&result.bytes, parts));
        Ok(MergedBytes {
            bytes: result.bytes,
            keys,
        })
    }

    fn malformed_output(&self, wrong: &Diagnostic) -> Failure {
        let name = &self.strategy.name;
        let message = format!("the executable of strategy `{name}` printed an invalid file");
        let diagnostic = Diagnostic::new(&codes::MERGE_DRIVER, message).in_file(self.path.as_str());
        diagnostic
            .detail(&wrong.message)
            .help("run `agpm merge` with the files of the layers to see its output")
            .into()
    }

    fn keys(&self, bytes: &[u8], parts: Vec<MergedPart>) -> Option<SharedKeys> {
        let format = Format::of_file(self.path.file_name())?;
        let text = std::str::from_utf8(bytes).ok()?;
        let node = |part: MergedPart| DesiredNode {
            node: part.node,
            owner: Owner::layer(&part.layer),
            // Layers are often created from existing project files: a value that the user had before the layer must
            // remain after it.
            on_equal: OnEqualUserValue::Keep,
        };
        Some(SharedKeys {
            text: LazyDocument::new(text, format),
            nodes: parts.into_iter().map(node).collect(),
        })
    }
}

/// Whether text is well-formed but contains values without keys: it is used unchanged, without merging.
fn is_only_odd(diagnostics: &[Diagnostic]) -> bool {
    let odd = [&codes::YAML_DOCUMENTS, &codes::YAML_TAG, &codes::YAML_KEY];
    !diagnostics.is_empty() && diagnostics.iter().all(|found| odd.contains(&found.code))
}
