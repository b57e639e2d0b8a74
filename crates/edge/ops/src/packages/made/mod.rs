//! What is made of resources on their way to the disk: patched, filled, and in the form that their tool wants.

mod form;
mod texts;

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::{
    Checksum, EntryNode, FileMode, Install, Manifest, RelativePath, ResourceType, SKILL_FILE,
    Variant,
};
use agpm_plan::levels;
use agpm_render::{Capability, Fate};
use agpm_resolve::{ResolvedEntry, ResourceFiles, SourceFile};

use crate::packages::patching::{self, AppliedField};
use crate::packages::sources::Sources;
use crate::packages::templates::{Reads, Templates};
use agpm_store::parallel;
use texts::Texts;

/// Entries that one thread makes before it takes the next ones.
const CHUNK: usize = 16;

/// What is made of one entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// Whole files.
    pub(crate) files: Vec<MadeFile>,
    /// Entries of a file that others write too.
    pub(crate) entries: Option<MadeEntries>,
    /// Fields that patches set.
    pub(crate) patched: Vec<AppliedField>,
    /// What became of fields that its tool wants in another form.
    pub(crate) fates: Vec<Fate>,
    /// What it lets a tool do.
    pub(crate) capabilities: Vec<MadeCapability>,
}

/// Something that a tool would do.
#[derive(Clone, Debug)]
pub(crate) struct MadeCapability {
    pub(crate) capability: Capability,
    /// The file that it is in; nothing for entries of a shared file.
    pub(crate) file: Option<RelativePath>,
}

/// A file as it is written.
#[derive(Clone, Debug)]
pub(crate) struct MadeFile {
    pub(crate) path: RelativePath,
    pub(crate) bytes: Bytes,
    pub(crate) mode: FileMode,
    /// Of the bytes in the source.
    pub(crate) source: Checksum,
    made_by: MadeBy,
}

/// How the bytes of a file came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MadeBy {
    /// Without a template.
    Plain,
    /// A template was filled.
    Filling,
}

/// Entries as they are written.
#[derive(Clone, Debug)]
pub(crate) struct MadeEntries {
    pub(crate) file: RelativePath,
    pub(crate) nodes: Vec<EntryNode>,
}

/// The bytes of a file.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
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

    pub(crate) fn get(&self) -> &[u8] {
        match self {
            Bytes::Copied(resource, which) => &part(resource, *which).bytes,
            Bytes::New(bytes, _) => bytes,
        }
    }

    pub(crate) fn checksum(&self) -> Checksum {
        match self {
            Bytes::Copied(resource, which) => part(resource, *which).checksum,
            Bytes::New(_, checksum) => *checksum,
        }
    }
}

impl MadeFile {
    /// Whether a template was filled to make it.
    pub(crate) fn is_filled(&self) -> bool {
        self.made_by == MadeBy::Filling
    }
}

fn part(resource: &ResourceFiles, which: Option<usize>) -> &SourceFile {
    which.map_or(&resource.main, |at| &resource.others[at].1)
}

/// Everything that is made, entry by entry, and what was read for it.
#[derive(Default)]
pub(crate) struct Making {
    pub(crate) made: Vec<Made>,
    /// Files of the project that templates read.
    pub(crate) reads: BTreeMap<String, Checksum>,
}

/// Makes all entries; what is wrong with them is told together.
pub(crate) fn make_all(
    manifest: &Manifest,
    sources: &Sources,
    entries: &[ResolvedEntry],
    notes: &mut Notes,
) -> Result<Making, Failure> {
    patching::check_names(manifest, entries, notes)?;
    make_these(manifest, sources, entries, notes)
}

/// The same for entries that patches of the manifest need not mean.
pub(crate) fn make_these(
    manifest: &Manifest,
    sources: &Sources,
    entries: &[ResolvedEntry],
    notes: &mut Notes,
) -> Result<Making, Failure> {
    let mut maker = Maker {
        manifest,
        entries,
        templates: Templates::new(manifest, sources),
        bodies: BTreeMap::new(),
    };
    let mut making = Making {
        made: vec![Made::default(); entries.len()],
        ..Making::default()
    };
    let needs: Vec<&[usize]> = entries
        .iter()
        .map(|resolved| resolved.entry.needs.as_slice())
        .collect();
    for level in levels(&needs) {
        let chunks = level.chunks(CHUNK).collect();
        let done = parallel::map(chunks, |chunk: &[usize]| {
            chunk
                .iter()
                .map(|number| maker.make(*number, &mut Notes::default()))
                .collect::<Vec<_>>()
        });
        for (number, mut one) in level.iter().copied().zip(done.into_iter().flatten()) {
            if one.is_worth_telling {
                one = maker.make(number, notes);
            }
            maker.bodies.extend(
                one.bodies
                    .into_iter()
                    .map(|(variant, body)| ((number, variant), body)),
            );
            making.reads.extend(one.reads);
            making.made[number] = one.made;
        }
    }
    notes.check()?;
    Ok(making)
}

struct Maker<'a> {
    manifest: &'a Manifest,
    entries: &'a [ResolvedEntry],
    templates: Templates<'a>,
    /// What others may embed of an entry under a variant.
    bodies: BTreeMap<(usize, Variant), Arc<str>>,
}

/// What came of one entry.
#[derive(Default)]
struct One {
    made: Made,
    bodies: Vec<(Variant, Arc<str>)>,
    reads: BTreeMap<String, Checksum>,
    /// Whether it has to be made again by whoever tells what is found.
    is_worth_telling: bool,
}

impl Maker<'_> {
    /// Makes one entry; what is found goes to the notes.
    fn make(&self, number: usize, notes: &mut Notes) -> One {
        let before = notes.diagnostics.len();
        let mut reads = Reads::default();
        let mut bodies = Vec::new();
        let made = self
            .made(number, &mut bodies, &mut reads, notes)
            .unwrap_or_default();
        let is_worth_telling = notes.diagnostics.len() > before;
        One {
            made,
            bodies,
            reads: reads.used,
            is_worth_telling,
        }
    }

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
fn files(resolved: &ResolvedEntry, main: Option<String>, texts: &Texts) -> Vec<MadeFile> {
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
