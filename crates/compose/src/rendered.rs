//! The result of rendering a resource.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_model::{
    Checksum, EntryNode, FileMode, InstallMode, InstructionScope, PatchScope, RelativePath,
    ResourceExtent, ResourceType, SKILL_FILE, SharedBytes,
};
use agpm_plan::ReadLimit;
use agpm_render::FieldOutcome;
use agpm_resolve::{ResolvedEntry, ResourceFiles, SourceFile, format_of};
use agpm_text::{Format, markdown_body};
use agpm_trust::{Capability, CapabilityIncrease, CapabilitySet};

use crate::patching::AppliedField;
use crate::text_patch::{PatchedFile, PatchedText};

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
    /// The authors of the diffs that changed its text.
    pub text_patches: Vec<PatchScope>,
    /// Its content before and after those diffs, if they were requested.
    pub kept_texts: Option<KeptTexts>,
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
    // Few resources have these, and a set is large.
    pub(crate) shared_capability_set: Option<Box<CapabilitySet>>,
    /// The set of the text without what the project's own manifest says, if it says anything.
    pub(crate) foreign_capability_set: Option<Box<CapabilitySet>>,
}

impl ResourceOutput {
    /// The capabilities that the project's own manifest adds to those of the content.
    pub(crate) fn own_capabilities(&self) -> Vec<CapabilityIncrease> {
        let foreign = self.foreign_capability_set.as_deref();
        foreign.map_or_else(Vec::new, |foreign| {
            self.locked_capabilities().increases_over(foreign)
        })
    }

    /// The capabilities that are locked for everyone.
    pub fn locked_capabilities(&self) -> &CapabilitySet {
        let shared = self.shared_capability_set.as_deref();
        shared.unwrap_or(&self.capability_set)
    }
}

/// The content of a resource, before and after the diffs of patches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptTexts {
    /// The content of its files.
    pub files: BTreeMap<PatchedFile, PatchedText>,
    /// The main text without private patches and without diffs, if there are private patches.
    pub shared_main: Option<String>,
}

/// A file that a diff adds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AddedFile {
    pub(crate) path: RelativePath,
    pub(crate) text: String,
    pub(crate) mode: FileMode,
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
    pub bytes: SharedBytes,
    /// Their checksum.
    pub checksum: Checksum,
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

/// A file of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResourcePart {
    /// The file itself, or the `SKILL.md` of a skill.
    Main,
    /// Another file of a skill or a plugin, by index.
    Other(usize),
}

impl ResourcePart {
    fn in_resource(self, resource: &ResourceFiles) -> &SourceFile {
        match self {
            ResourcePart::Main => &resource.main,
            ResourcePart::Other(index) => &resource.others[index].1,
        }
    }
}

impl OutputFile {
    /// Whether a template was rendered for it.
    pub fn is_filled(&self) -> bool {
        self.made_by == MadeBy::Filling
    }
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
    /// Other files that a diff removes, by index.
    pub(crate) removed: BTreeSet<usize>,
    /// Other files that a diff adds.
    pub(crate) added: Vec<AddedFile>,
    pub(crate) text_patches: Vec<PatchScope>,
    pub(crate) kept: Option<KeptTexts>,
    /// The main text without private patches, if there are any.
    pub(crate) shared_main: Option<String>,
    /// The main text without what the project's own manifest says, if it says anything.
    pub(crate) foreign_main: Option<String>,
}

impl RenderedTexts {
    pub(crate) fn origin_of(&self, part: ResourcePart) -> MadeBy {
        let is_filled = match part {
            ResourcePart::Main => self.main_is_filled,
            ResourcePart::Other(index) => self.others.contains_key(&index),
        };
        if is_filled {
            MadeBy::Filling
        } else {
            MadeBy::Plain
        }
    }

    /// The main text before the diffs of patches, if it is kept.
    pub(crate) fn before_diffs(&self) -> Option<String> {
        let main = self.kept.as_ref()?.files.get(&PatchedFile::Main)?;
        main.before.clone()
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
    let mut files = Vec::new();
    match entry.kind.extent() {
        ResourceExtent::File => {
            return vec![output_file(
                resolved,
                target.clone(),
                ResourcePart::Main,
                main,
                texts,
            )];
        }
        ResourceExtent::Directory => {
            if let Ok(path) = RelativePath::new(&format!("{target}/{SKILL_FILE}")) {
                files.push(output_file(resolved, path, ResourcePart::Main, main, texts));
            }
        }
        // The main file of a plugin is an empty placeholder, which would be written as an empty file.
        ResourceExtent::Plugin => {}
    }
    for (index, (inner, _)) in resolved.resource.others.iter().enumerate() {
        if texts.removed.contains(&index) {
            continue;
        }
        let Ok(path) = RelativePath::new(&format!("{target}/{}", inner.as_str())) else {
            continue;
        };
        let text = texts.others.get(&index).cloned();
        files.push(output_file(
            resolved,
            path,
            ResourcePart::Other(index),
            text,
            texts,
        ));
    }
    for added in &texts.added {
        let Ok(path) = RelativePath::new(&format!("{target}/{}", added.path)) else {
            continue;
        };
        let checksum = Checksum::of(added.text.as_bytes());
        files.push(OutputFile {
            path,
            bytes: added.text.clone().into_bytes().into(),
            checksum,
            mode: added.mode,
            source: checksum,
            made_by: MadeBy::Plain,
        });
    }
    files
}

fn output_file(
    resolved: &ResolvedEntry,
    path: RelativePath,
    part: ResourcePart,
    text: Option<String>,
    texts: &RenderedTexts,
) -> OutputFile {
    let original = part.in_resource(&resolved.resource);
    let (bytes, checksum) = match text {
        Some(text) => {
            let checksum = Checksum::of(text.as_bytes());
            (text.into_bytes().into(), checksum)
        }
        // Most files are written as their source has them: neither copied nor hashed again.
        None => (original.bytes.clone(), original.checksum),
    };
    OutputFile {
        path,
        made_by: texts.origin_of(part),
        bytes,
        checksum,
        mode: original.mode,
        source: original.checksum,
    }
}

pub(crate) fn is_markdown(resolved: &ResolvedEntry) -> bool {
    format_of(&resolved.entry.unit) == Some(Format::Markdown)
        || resolved.entry.kind == ResourceType::Instructions
}
