//! What is made of resources on their way to the disk: patched, filled, and in the form that their tool wants.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Notes, codes};
use agpm_model::{
    Checksum, EntryNode, FileMode, Install, Manifest, RelativePath, ResourceType, SKILL_FILE,
    Variant,
};
use agpm_plan::levels;
use agpm_render::{Capability, Fate};
use agpm_resolve::{ResolvedEntry, ResourceFiles, SourceFile};

use crate::patching::AppliedField;
use crate::templates::{ProjectFiles, Reads, Templates};
use crate::texts::Texts;

/// What is made of one entry.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// Whole files.
    pub files: Vec<MadeFile>,
    /// Entries of a file that others write too.
    pub entries: Option<MadeEntries>,
    /// Fields that patches set.
    pub patched: Vec<AppliedField>,
    /// What became of fields that its tool wants in another form.
    pub fates: Vec<Fate>,
    /// What it lets a tool do.
    pub capabilities: Vec<MadeCapability>,
}

/// Something that a tool would do.
#[derive(Clone, Debug)]
pub struct MadeCapability {
    /// What the tool would do.
    pub capability: Capability,
    /// The file that it is in; nothing for entries of a shared file.
    pub file: Option<RelativePath>,
}

/// A file as it is written.
#[derive(Clone, Debug)]
pub struct MadeFile {
    /// Where it is written.
    pub path: RelativePath,
    /// What is written.
    pub bytes: Bytes,
    /// Whether it may be run.
    pub mode: FileMode,
    /// Of the bytes in the source.
    pub source: Checksum,
    made_by: MadeBy,
}

/// How the bytes of a file came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MadeBy {
    /// Without a template.
    Plain,
    /// A template was filled.
    Filling,
}

/// Entries as they are written.
#[derive(Clone, Debug)]
pub struct MadeEntries {
    /// The shared file.
    pub file: RelativePath,
    /// The entries in it.
    pub nodes: Vec<EntryNode>,
}

/// The bytes of a file.
#[derive(Clone, Debug)]
pub enum Bytes {
    /// Those of a file of the source: the main one, or the other one of this number.
    Copied(Arc<ResourceFiles>, Option<usize>),
    /// Others.
    New(Arc<Vec<u8>>, Checksum),
}

impl Bytes {
    fn new(text: String) -> Self {
        let checksum = Checksum::of(text.as_bytes());
        Bytes::New(Arc::new(text.into_bytes()), checksum)
    }

    /// The bytes themselves.
    pub fn get(&self) -> &[u8] {
        match self {
            Bytes::Copied(resource, which) => &part(resource, *which).bytes,
            Bytes::New(bytes, _) => bytes,
        }
    }

    /// Of the bytes.
    pub fn checksum(&self) -> Checksum {
        match self {
            Bytes::Copied(resource, which) => part(resource, *which).checksum,
            Bytes::New(_, checksum) => *checksum,
        }
    }
}

impl MadeFile {
    /// Whether a template was filled to make it.
    pub fn is_filled(&self) -> bool {
        self.made_by == MadeBy::Filling
    }
}

fn part(resource: &ResourceFiles, which: Option<usize>) -> &SourceFile {
    which.map_or(&resource.main, |at| &resource.others[at].1)
}

/// Everything that is made, entry by entry, and what was read for it.
#[derive(Default)]
pub struct Making {
    /// By the number of the entry.
    pub made: Vec<Made>,
    /// Files of the project that templates read.
    pub reads: BTreeMap<String, Checksum>,
}

/// Renders the entries of a run, level by level: what others embed comes before them. The entries of one level do not
/// depend on each other, so the caller may render them side by side.
pub struct Composer<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) entries: &'a [ResolvedEntry],
    pub(crate) templates: Templates<'a>,
    /// What others may embed of an entry under a variant.
    pub(crate) bodies: BTreeMap<(usize, Variant), Arc<str>>,
    making: Making,
}

/// What came of one entry, and what was found on the way.
#[derive(Default)]
pub struct ComposedEntry {
    made: Made,
    bodies: Vec<(Variant, Arc<str>)>,
    reads: BTreeMap<String, Checksum>,
    notes: Notes,
}

impl<'a> Composer<'a> {
    /// Nothing is rendered yet.
    pub fn new(
        manifest: &'a Manifest,
        entries: &'a [ResolvedEntry],
        project: &'a dyn ProjectFiles,
    ) -> Self {
        Composer {
            manifest,
            entries,
            templates: Templates::new(manifest, project),
            bodies: BTreeMap::new(),
            making: Making {
                made: vec![Made::default(); entries.len()],
                ..Making::default()
            },
        }
    }

    /// The numbers of the entries, those that others embed first.
    pub fn levels(&self) -> Vec<Vec<usize>> {
        let needs: Vec<&[usize]> = self
            .entries
            .iter()
            .map(|resolved| resolved.entry.needs.as_slice())
            .collect();
        levels(&needs)
    }

    /// Renders one entry; what is found goes to these notes, which come back with it.
    pub fn compose(&self, number: usize, notes: Notes) -> ComposedEntry {
        let mut reads = Reads::default();
        let mut composed = ComposedEntry {
            notes,
            ..ComposedEntry::default()
        };
        let notes = &mut composed.notes;
        let made = self.made(number, &mut composed.bodies, &mut reads, notes);
        composed.made = made.unwrap_or_default();
        composed.reads = reads.used;
        composed
    }

    /// Takes in what came of an entry.
    pub fn accept(&mut self, number: usize, composed: ComposedEntry, notes: &mut Notes) {
        let bodies = composed.bodies.into_iter();
        self.bodies
            .extend(bodies.map(|(variant, body)| ((number, variant), body)));
        self.making.reads.extend(composed.reads);
        self.making.made[number] = composed.made;
        notes.absorb(composed.notes);
    }

    /// Everything that was rendered.
    pub fn finish(self) -> Making {
        self.making
    }
}

impl Composer<'_> {
    fn made(
        &self,
        number: usize,
        bodies: &mut Vec<(Variant, Arc<str>)>,
        reads: &mut Reads,
        notes: &mut Notes,
    ) -> Option<Made> {
        let resolved = &self.entries[number];
        let mut first: Option<Texts> = None;
        for variant in &resolved.entry.variants {
            let texts = self.texts(number, *variant, reads, notes)?;
            bodies.extend(texts.body(resolved).map(|body| (*variant, body)));
            match &first {
                None => first = Some(texts),
                Some(first) if *first != texts && resolved.entry.install == Install::Write => {
                    notes.diagnostics.push(differs(resolved));
                    return None;
                }
                Some(_) => {}
            }
        }
        self.in_form(resolved, &first?, notes)
    }
}

/// The whole files of an entry; `main` is there if it has other bytes than the source.
pub(crate) fn files(
    resolved: &ResolvedEntry,
    main: Option<String>,
    texts: &Texts,
) -> Vec<MadeFile> {
    let entry = &resolved.entry;
    let Some(target) = entry
        .target
        .as_ref()
        .filter(|_| entry.install == Install::Write)
    else {
        return Vec::new();
    };
    let resource = &resolved.resource;
    let file = |path: RelativePath, which: Option<usize>, text: Option<String>| MadeFile {
        path,
        made_by: texts.made_by(which),
        bytes: text.map_or_else(|| Bytes::Copied(Arc::clone(resource), which), Bytes::new),
        mode: part(resource, which).mode,
        source: part(resource, which).checksum,
    };
    if entry.kind != ResourceType::Skills {
        return vec![file(target.clone(), None, main)];
    }
    let inside = |path: &str| RelativePath::new(&format!("{target}/{path}")).ok();
    let main = inside(SKILL_FILE).map(|path| file(path, None, main));
    let others = resource
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
    main.into_iter().chain(others).collect()
}

/// A file that would have to be two at once.
fn differs(resolved: &ResolvedEntry) -> Diagnostic {
    let entry = &resolved.entry;
    let place = entry
        .target
        .as_ref()
        .map_or("its place", RelativePath::as_str);
    let message = format!(
        "{} would have to be different things at `{place}`: others need it with different `template_vars`",
        resolved.label()
    );
    Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
        .help("declare it with `install: false` if it is only embedded, or give the dependencies the same variables")
}
