//! Instructions as files and as blocks, and the files that blocks go into.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Span, codes};
use agpm_model::{
    Destination, InstallMode, InstructionForm, InstructionScope, Manifest, RelativePath,
    ResourceType, Tool,
};
use agpm_plan::{DesiredBlock, ReadLimit};
use agpm_render::{
    ConvertError, ConvertedFile, convert_instruction, instruction_block, is_native_instruction,
};
use agpm_resolve::ResolvedEntry;
use agpm_resolve::path_in_type_directory;
use agpm_text::{BlockName, first_marker};
use agpm_tools::{FileFormat, find};

use crate::rendered::{OutputBlock, RenderedResource};

/// The files that the path of a block depends on.
pub trait ProjectTree {
    /// Whether a directory of the project itself is at a path.
    fn is_directory(&self, path: &RelativePath) -> bool;
    /// Whether a file is at a path.
    fn is_file(&self, path: &RelativePath) -> bool;
}

/// The rendered form of an instruction.
pub(crate) enum InstructionOutput {
    File(ConvertedFile),
    Block(OutputBlock, Vec<agpm_render::FieldOutcome>),
}

/// The manifest's settings of an instruction.
#[derive(Clone, Copy)]
pub(crate) struct InstructionEntry<'a> {
    scope: Option<&'a InstructionScope>,
    form: InstructionForm,
}

impl<'a> InstructionEntry<'a> {
    pub(crate) fn of(manifest: &'a Manifest, resolved: &ResolvedEntry) -> Self {
        let root = resolved.entry.root;
        let dependency = root.and_then(|root| manifest.dependencies.get(root));
        InstructionEntry {
            scope: dependency.and_then(|left| left.scope.as_ref()),
            form: dependency.map(|left| left.form).unwrap_or_default(),
        }
    }

    /// Writes an instruction for a tool.
    pub(crate) fn write(
        self,
        tool: &Tool,
        resolved: &ResolvedEntry,
        text: &str,
    ) -> Result<InstructionOutput, ConvertError> {
        let destination = tool.destination(ResourceType::Instructions);
        if self.is_block(tool, resolved) {
            let name = BlockName::new(&resolved.id().to_string());
            return match name {
                Ok(_) => Ok(self.block(tool, resolved, text)),
                Err(error) => Err(ConvertError {
                    message: error.to_string(),
                    help: "rename the entry",
                    at: None,
                }),
            };
        }
        let file_name = resolved.entry.unit.path.file_name();
        let converted = match destination {
            Some(Destination::Files(_, FileFormat::Instruction(format))) => {
                if self.scope.is_none() && is_native_instruction(format, file_name, text) {
                    ConvertedFile::unchanged(text)
                } else {
                    convert_instruction(format, self.scope, text)?
                }
            }
            _ => ConvertedFile::unchanged(text),
        };
        Ok(InstructionOutput::File(converted))
    }

    /// A locked entry may be missing from the manifest: then its path decides.
    fn is_block(self, tool: &Tool, resolved: &ResolvedEntry) -> bool {
        match tool.destination(ResourceType::Instructions) {
            Some(Destination::Blocks(_)) => true,
            Some(Destination::Files(directory, _)) => {
                let is_outside = |target: &RelativePath| {
                    path_in_type_directory(tool, directory, target).is_none()
                        && tool.may_hold_blocks(target)
                };
                self.form == InstructionForm::Block
                    || resolved.entry.target.as_ref().is_some_and(is_outside)
            }
            _ => false,
        }
    }

    fn block(self, tool: &Tool, resolved: &ResolvedEntry, text: &str) -> InstructionOutput {
        let entry = &resolved.entry;
        let block = instruction_block(self.scope, text);
        let readers = entry.readers.iter().filter_map(|tool| find(tool.as_str()));
        let mut limits = readers.filter_map(ReadLimit::of_tool);
        let target = entry.target.clone();
        let written = target.filter(|_| entry.install == InstallMode::Write);
        let output = OutputBlock {
            file: written.or_else(|| tool.block_files.last().cloned()),
            text: block.text,
            scope: block.scope,
            limit: limits.next(),
        };
        InstructionOutput::Block(output, block.outcomes)
    }
}

impl RenderedResource {
    /// The block that is written, and the file that it goes into.
    pub fn desired_block(&self) -> Option<(&RelativePath, DesiredBlock)> {
        let block = self.output.block.as_ref()?;
        let id = self.resolved.id();
        let desired = DesiredBlock {
            name: BlockName::new(&id.to_string()).ok()?,
            text: block.text.clone(),
            owner: id.into(),
            limit: block.limit,
        };
        Some((block.file.as_ref()?, desired))
    }
}

/// Finds the file of each block: in the nearest existing directory that contains all files that it applies to, the
/// first of the tool's files that exists there. Directories that hold other resources exist after the install, and
/// count, so the next run finds the same file.
pub fn place_blocks(
    manifest: &Manifest,
    resources: &mut [RenderedResource],
    project: &dyn ProjectTree,
) {
    let created = directories_of(resources);
    let is_directory =
        |path: &RelativePath| created.contains(path.as_str()) || project.is_directory(path);
    for RenderedResource { resolved, output } in resources {
        let entry = &mut resolved.entry;
        let tool = manifest.tools.named(entry.tool.as_str());
        let (Some(block), Some(tool), Some(_)) = (&mut output.block, tool, &entry.target) else {
            continue;
        };
        let Some(usual) = tool.block_files.last() else {
            continue;
        };
        // The user's own file applies to all projects, whatever is in home.
        let is_in_project = !usual.as_str().contains('/');
        let paths = block.scope.paths().filter(|_| is_in_project);
        let directory = paths.and_then(|paths| nearest(&paths.directory(), &is_directory));
        let candidate = |file: &RelativePath| match &directory {
            Some(directory) => directory.join(file),
            None => file.clone(),
        };
        let mut candidates = tool.block_files.iter().map(candidate);
        let found = candidates.find(|file| project.is_file(file));
        let file = found.unwrap_or_else(|| candidate(usual));
        block.file = Some(file.clone());
        entry.target = Some(file);
    }
}

/// The directory itself, or its nearest existing parent; `None` for the project's own.
fn nearest(directory: &str, is_directory: &dyn Fn(&RelativePath) -> bool) -> Option<RelativePath> {
    let ends = directory.match_indices('/').map(|(at, _)| at);
    let ends: Vec<usize> = ends.chain([directory.len()]).collect();
    let directories = ends.into_iter().rev();
    directories
        .filter_map(|end| RelativePath::new(&directory[..end]).ok())
        .find(|path| is_directory(path))
}

/// The directories of the files that resources are written to, except those of blocks.
fn directories_of(resources: &[RenderedResource]) -> BTreeSet<String> {
    let mut directories = BTreeSet::new();
    for RenderedResource { resolved, output } in resources {
        if resolved.entry.install == InstallMode::ResolveOnly {
            continue;
        }
        let files = output.files.iter().map(|file| &file.path);
        let shared = output.entries.iter().map(|entries| &entries.file);
        for path in files.chain(shared) {
            let path = path.as_str();
            for (end, _) in path.match_indices('/').rev() {
                if !directories.insert(path[..end].to_owned()) {
                    break;
                }
            }
        }
    }
    directories
}

/// Refuses instructions whose text has marker lines, which would start or end a block.
pub fn refuse_markers(resources: &[RenderedResource], notes: &mut Notes) -> Result<(), Failure> {
    let mut found = Vec::new();
    for RenderedResource { resolved, output } in resources {
        if resolved.entry.kind != ResourceType::Instructions {
            continue;
        }
        let file = output.files.first();
        let file = file.and_then(|file| std::str::from_utf8(&file.bytes).ok());
        let block = output.block.as_ref().map(|block| block.text.as_str());
        let Some(text) = block.or(file) else {
            continue;
        };
        if let Some(marker) = first_marker(text) {
            let display_name = format!("{}@{}", resolved.entry.unit, resolved.version.label);
            let source = notes.sources.add(display_name, text.to_owned());
            let message = format!("{} contains a block marker line", resolved.label());
            let help = "remove the line, or put it into a code fence";
            found.push(
                Diagnostic::new(&codes::RESOURCE_MARKERS, message)
                    .at(source, Span::new(marker.start, marker.end), "")
                    .help(help),
            );
        }
    }
    found.dedup_by(|left, right| left.message == right.message);
    if found.is_empty() {
        return Ok(());
    }
    notes.diagnostics.extend(found);
    Err(Failure::reported_as(FailureKind::Refused))
}
