//! Renders resources: patched, with filled templates, in the format of their tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Notes, codes};
use agpm_model::{Checksum, InstallMode, Manifest, Patch, RelativePath, Variant};
use agpm_plan::levels;
use agpm_resolve::ResolvedEntry;

use crate::markdown_facts::MarkdownCache;
use crate::patching::patches_of;
use crate::rendered::{RenderedResource, RenderedSet, RenderedTexts, ResourceOutput};
use crate::templates::{CompositionLog, ProjectFiles, TemplateFiller};

/// Renders the entries of a run, level by level: what others embed comes before them. The entries of one level do not
/// depend on each other, so the caller may render them side by side.
pub struct Composer<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) entries: Vec<ResolvedEntry>,
    pub(crate) templates: TemplateFiller<'a>,
    /// The bodies of entries that others may embed, by variant.
    pub(crate) bodies: BTreeMap<(usize, Variant), Arc<str>>,
    outputs: Vec<ResourceOutput>,
    reads: BTreeMap<String, Checksum>,
    /// The findings of each resource, and the entry that had them first.
    findings: BTreeMap<(String, &'static str, String), usize>,
}

/// The rendered entry, and its findings.
#[derive(Default)]
pub struct ComposedEntry {
    made: ResourceOutput,
    bodies: Vec<(Variant, Arc<str>)>,
    reads: BTreeMap<String, Checksum>,
    notes: Notes,
}

impl<'a> Composer<'a> {
    /// Nothing is rendered yet.
    pub fn new(
        manifest: &'a Manifest,
        entries: Vec<ResolvedEntry>,
        project: &'a dyn ProjectFiles,
    ) -> Self {
        Composer {
            manifest,
            templates: TemplateFiller::new(manifest, project),
            bodies: BTreeMap::new(),
            outputs: vec![ResourceOutput::default(); entries.len()],
            reads: BTreeMap::new(),
            findings: BTreeMap::new(),
            entries,
        }
    }

    /// The numbers of the entries, those that others embed first.
    pub fn levels(&self) -> Vec<Vec<usize>> {
        // Entries of one level depend only on earlier levels, so each level can be rendered in parallel.
        let needs: Vec<&[usize]> = self
            .entries
            .iter()
            .map(|resolved| resolved.entry.needs.as_slice())
            .collect();
        levels(&needs)
    }

    /// Renders one entry; what is found goes to these notes, which come back with it. Entries that are rendered one
    /// after the other share a cache.
    pub fn compose(&self, number: usize, notes: Notes, cache: &mut MarkdownCache) -> ComposedEntry {
        let mut log = CompositionLog {
            notes,
            ..CompositionLog::default()
        };
        let mut bodies = Vec::new();
        let made = self
            .compose_entry(number, &mut bodies, &mut log, cache)
            .unwrap_or_default();
        ComposedEntry {
            made,
            bodies,
            reads: log.reads.used,
            notes: log.notes,
        }
    }

    /// Takes in what came of an entry.
    pub fn accept(&mut self, number: usize, mut composed: ComposedEntry, notes: &mut Notes) {
        // A problem of a resource is reported once, however many tools it is for.
        let label = self.entries[number].label();
        composed.notes.diagnostics.retain(|found| {
            let key = (label.clone(), found.code.name, found.message.clone());
            *self.findings.entry(key).or_insert(number) == number
        });
        let bodies = composed.bodies.into_iter();
        self.bodies
            .extend(bodies.map(|(variant, body)| ((number, variant), body)));
        self.reads.extend(composed.reads);
        self.outputs[number] = composed.made;
        notes.absorb(composed.notes);
    }

    /// Everything that was rendered.
    pub fn finish(self) -> RenderedSet {
        let rendered = self.entries.into_iter().zip(self.outputs);
        let resource = |(resolved, output)| RenderedResource { resolved, output };
        RenderedSet {
            resources: rendered.map(resource).collect(),
            reads: self.reads,
        }
    }
}

impl Composer<'_> {
    fn compose_entry(
        &self,
        number: usize,
        bodies: &mut Vec<(Variant, Arc<str>)>,
        log: &mut CompositionLog,
        cache: &mut MarkdownCache,
    ) -> Option<ResourceOutput> {
        let resolved = &self.entries[number];
        if resolved.entry.install == InstallMode::InPlace {
            log.notes
                .diagnostics
                .extend(patches_in_place(self.manifest, resolved));
            return Some(ResourceOutput::default());
        }
        let mut first: Option<RenderedTexts> = None;
        for variant in &resolved.entry.variants {
            let texts = self.texts(number, *variant, log)?;
            bodies.extend(texts.body(resolved).map(|body| (*variant, body)));
            match &first {
                None => first = Some(texts),
                Some(first) if *first != texts && resolved.entry.install == InstallMode::Write => {
                    log.notes.diagnostics.push(differs(resolved));
                    return None;
                }
                Some(_) => {}
            }
        }
        self.in_form(resolved, &first?, cache, &mut log.notes)
    }
}

/// Patches of a file that agpm never writes.
fn patches_in_place(manifest: &Manifest, resolved: &ResolvedEntry) -> Vec<Diagnostic> {
    let patches = patches_of(manifest, resolved).into_iter();
    let refuse = |patch: &Patch| {
        let message = format!("{} is in place, so it cannot be patched", resolved.label());
        Diagnostic::new(&codes::PATCH_FAILED, message)
            .at_spot(patch.spot)
            .help("edit the file itself, and remove the patch")
    };
    patches.map(refuse).collect()
}

/// A file that would have to be two at once.
fn differs(resolved: &ResolvedEntry) -> Diagnostic {
    let entry = &resolved.entry;
    let place = entry
        .target
        .as_ref()
        .map_or("its path", RelativePath::as_str);
    let message = format!(
        "different `template_vars` for {}, which is one file at `{place}`",
        resolved.label()
    );
    Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
        .help("declare it with `install: false` if it is only embedded, or give the dependencies the same variables")
}
