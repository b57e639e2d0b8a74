//! The result of rendering a resource.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_model::{
    Checksum, EntryNode, FileMode, InstallMode, InstructionScope, RelativePath, ResourceExtent,
    ResourceType, SKILL_FILE,
};
use agpm_plan::ReadLimit;
use agpm_render::FieldOutcome;
use agpm_resolve::{ResolvedEntry, ResourceFiles, SourceFile, format_of};
use agpm_text::{Format, markdown_body};
use agpm_trust::{Capability, CapabilityIncrease, CapabilitySet};

use crate::patching::AppliedField;

/// The output of one entry.
#[derive(Clone, Debug, Default)]
pub struct ResourceOutput {
    /// Whole files.
    pub files: Vec<OutputFile>,
    /// Entries of a file that users write too.
    pub entries: Option<OutputEntries>,
    /// A block of a file that users write too.
    pub block: Option<OutputBlock>,
    /// The patched fields.
    pub patched: Vec<AppliedField>,
    /// The patched fields that the tool does not have.
    pub dropped: Vec<AppliedField>,
    /// The conversions of its fields for its tool.
    pub outcomes: Vec<FieldOutcome>,
    /// Its capabilities, in document order.
    pub capabilities: Vec<OutputCapability>,
    /// The capability set, with the tools that it may use.
    pub capability_set: CapabilitySet,
    /// Whether it is a hook that is disabled; nothing of it is written.
    pub is_disabled: bool,
    /// The name by which its tool knows an agent.
    pub agent_name: Option<String>,
    /// The set without private patches, if there are any.
    pub(crate) shared_capability_set: Option<CapabilitySet>,
    /// The set of the text without what the project's own manifest says, if it says anything.
    pub(crate) foreign_capability_set: Option<CapabilitySet>,
}

impl ResourceOutput {
    /// The capabilities that the project's own manifest adds to those of the content.
    pub(crate) fn own_capabilities(&self) -> Vec<CapabilityIncrease> {
        let foreign = self.foreign_capability_set.as_ref();
        foreign.map_or_else(Vec::new, |foreign| {
            self.locked_capabilities().increases_over(foreign)
        })
    }

    /// The capabilities that are locked for everyone.
    pub fn locked_capabilities(&self) -> &CapabilitySet {
        let shared = self.shared_capability_set.as_ref();
        shared.unwrap_or(&self.capability_set)
    }
}

/// Something that a tool would do.
#[derive(Clone, Debug)]
pub struct OutputCapability {
    /// The capability.
    pub capability: Capability,
    /// The file; `None` for entries of a shared file.
    pub file: Option<RelativePath>,
}

/// A file as it is written.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// The target path.
    pub path: RelativePath,
    /// The written bytes.
    pub bytes: RenderedBytes,
    /// Whether it is executable.
    pub mode: FileMode,
    /// The checksum of the bytes in the source.
    pub source: Checksum,
    made_by: MadeBy,
}

/// How the bytes of a file were produced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MadeBy {
    /// Without a template.
    Plain,
    /// By rendering a template.
    Filling,
}

/// Entries as they are written.
#[derive(Clone, Debug)]
pub struct OutputEntries {
    /// The path of the shared file.
    pub file: RelativePath,
    /// The entries in it.
    pub nodes: Vec<EntryNode>,
}

/// A block as it is written.
#[derive(Clone, Debug)]
pub struct OutputBlock {
    /// The path of the shared file; `None` if the tool has none.
    pub file: Option<RelativePath>,
    /// The text between the markers.
    pub text: String,
    /// The files that it applies to.
    pub scope: InstructionScope,
    /// How much of the file a tool reads.
    pub limit: Option<ReadLimit>,
}

/// The bytes of a file.
#[derive(Clone, Debug)]
pub enum RenderedBytes {
    /// The bytes of a source file: the main one, or another one by index.
    Copied(Arc<ResourceFiles>, Option<usize>),
    /// New bytes.
    New(Arc<Vec<u8>>, Checksum),
}

impl RenderedBytes {
    fn new(text: String) -> Self {
        let checksum = Checksum::of(text.as_bytes());
        RenderedBytes::New(Arc::new(text.into_bytes()), checksum)
    }

    /// The bytes themselves.
    pub fn get(&self) -> &[u8] {
        match self {
            RenderedBytes::Copied(resource, which) => &part(resource, *which).bytes,
            RenderedBytes::New(bytes, _) => bytes,
        }
    }

    /// The checksum of the bytes.
    pub fn checksum(&self) -> Checksum {
        match self {
            RenderedBytes::Copied(resource, which) => part(resource, *which).checksum,
            RenderedBytes::New(_, checksum) => *checksum,
        }
    }
}

impl OutputFile {
    /// Whether a template was rendered for it.
    pub fn is_filled(&self) -> bool {
        self.made_by == MadeBy::Filling
    }
}

fn part(resource: &ResourceFiles, which: Option<usize>) -> &SourceFile {
    which.map_or(&resource.main, |at| &resource.others[at].1)
}

/// A resource with its rendered output.
#[derive(Debug)]
pub struct RenderedResource {
    /// The resolved entry.
    pub resolved: ResolvedEntry,
    /// The rendered output.
    pub output: ResourceOutput,
}

/// All rendered resources, and the files that were read for them.
#[derive(Debug, Default)]
pub struct RenderedSet {
    /// The resources, in the order of the entries.
    pub resources: Vec<RenderedResource>,
    /// Files of the project that templates read.
    pub reads: BTreeMap<String, Checksum>,
}

/// The strings of an entry under one variant; `None` where the source bytes stay.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct RenderedTexts {
    pub(crate) main: Option<String>,
    pub(crate) main_is_filled: bool,
    /// Rendered other files of a skill, by index.
    pub(crate) others: BTreeMap<usize, String>,
    pub(crate) patched: Vec<AppliedField>,
    /// The main text without private patches, if there are any.
    pub(crate) shared_main: Option<String>,
    /// The main text without what the project's own manifest says, if it says anything.
    pub(crate) foreign_main: Option<String>,
}

impl RenderedTexts {
    pub(crate) fn origin_of(&self, which: Option<usize>) -> MadeBy {
        let filled = which.map_or(self.main_is_filled, |at| self.others.contains_key(&at));
        if filled {
            MadeBy::Filling
        } else {
            MadeBy::Plain
        }
    }

    /// The main text, unless it is binary.
    pub(crate) fn text<'t>(&'t self, resolved: &'t ResolvedEntry) -> Option<&'t str> {
        self.main
            .as_deref()
            .or_else(|| std::str::from_utf8(&resolved.resource.main.bytes).ok())
    }

    /// The part that others may embed: Markdown without its front matter, other files completely.
    pub(crate) fn body(&self, resolved: &ResolvedEntry) -> Option<Arc<str>> {
        let text = self.text(resolved)?;
        Some(Arc::from(if is_markdown(resolved) {
            markdown_body(text)
        } else {
            text
        }))
    }
}

/// The whole files of an entry; `main` is set if its bytes differ from the source.
pub(crate) fn output_files(
    resolved: &ResolvedEntry,
    main: Option<String>,
    texts: &RenderedTexts,
) -> Vec<OutputFile> {
    let entry = &resolved.entry;
    let Some(target) = entry
        .target
        .as_ref()
        .filter(|_| entry.install == InstallMode::Write)
    else {
        return Vec::new();
    };
    let resource = &resolved.resource;
    let file = |path: RelativePath, which: Option<usize>, text: Option<String>| OutputFile {
        path,
        made_by: texts.origin_of(which),
        bytes: text.map_or_else(
            || RenderedBytes::Copied(Arc::clone(resource), which),
            RenderedBytes::new,
        ),
        mode: part(resource, which).mode,
        source: part(resource, which).checksum,
    };
    let inside = |path: &str| RelativePath::new(&format!("{target}/{path}")).ok();
    let main = match entry.kind.extent() {
        ResourceExtent::File => return vec![file(target.clone(), None, main)],
        ResourceExtent::Directory => inside(SKILL_FILE).map(|path| file(path, None, main)),
        ResourceExtent::Plugin => None,
    };
    let other_files = resource
        .others
        .iter()
        .enumerate()
        .filter_map(|(at, (path, _))| {
            Some(file(
                inside(path.as_str())?,
                Some(at),
                texts.others.get(&at).cloned(),
            ))
        });
    main.into_iter().chain(other_files).collect()
}

pub(crate) fn is_markdown(resolved: &ResolvedEntry) -> bool {
    format_of(&resolved.entry.unit) == Some(Format::Markdown)
        || resolved.entry.kind == ResourceType::Instructions
}
