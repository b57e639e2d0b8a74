//! Renders resources: patched, with rendered templates, in the format of their tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Notes, codes};
use agpm_model::{Checksum, InstallMode, Manifest, Patch, RelativePath, ResourceId, Variant};
use agpm_resolve::ResolvedEntry;
use agpm_resolve::levels;

use crate::markdown_facts::MarkdownCache;
use crate::patching::patches_of;
use crate::rendered::{RenderedResource, RenderedSet, RenderedTexts, ResourceOutput};
use crate::templates::{CompositionLog, ProjectFiles, TemplateFiller};

/// Renders the entries of a run level by level: embedded ones come first. The entries of one level are independent, so
/// the caller may render them in parallel.
pub struct Composer<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) entries: Vec<ResolvedEntry>,
    pub(crate) templates: TemplateFiller<'a>,
    /// The bodies of entries that others may embed, by variant.
    pub(crate) bodies: BTreeMap<(usize, Variant), Arc<str>>,
    /// The resource whose content is kept.
    pub(crate) kept: Option<ResourceId>,
    outputs: Vec<ResourceOutput>,
    reads: BTreeMap<String, Checksum>,
    /// The findings of each resource, with the first entry that had them.
    findings: BTreeMap<(String, &'static str, String), usize>,
}

/// The rendered entry, and its findings.
#[derive(Default)]
pub struct ComposedEntry {
    output: ResourceOutput,
    bodies: Vec<(Variant, Arc<str>)>,
    reads: BTreeMap<String, Checksum>,
    notes: Notes,
}

impl<'a> Composer<'a> {
    /// A composer without any rendered entry.
    pub fn new(
        manifest: &'a Manifest,
        entries: Vec<ResolvedEntry>,
        project: &'a dyn ProjectFiles,
    ) -> Self {
        Composer {
            manifest,
            templates: TemplateFiller::new(manifest, project),
            bodies: BTreeMap::new(),
            kept: None,
            outputs: vec![ResourceOutput::default(); entries.len()],
            reads: BTreeMap::new(),
            findings: BTreeMap::new(),
            entries,
        }
    }

    /// Keeps the content of a resource before the diffs of patches, for a command that writes such a diff.
    #[must_use]
    pub fn keeping_texts_of(self, id: Option<ResourceId>) -> Self {
        Composer { kept: id, ..self }
    }

    /// The indices of the entries, embedded ones first.
    pub fn levels(&self) -> Vec<Vec<usize>> {
        // Entries of one level depend only on earlier levels, so each level can be rendered in parallel.
        let needs: Vec<&[usize]> = self
            .entries
            .iter()
            .map(|resolved| resolved.entry.needs.as_slice())
            .collect();
        levels(&needs)
    }

    /// Renders one entry; findings go to these notes, which are returned with it. Entries that are rendered one after
    /// the other share a cache.
    pub fn compose(&self, number: usize, notes: Notes, cache: &mut MarkdownCache) -> ComposedEntry {
        let mut log = CompositionLog {
            notes,
            ..CompositionLog::default()
        };
        let mut bodies = Vec::new();
        let output = self
            .compose_entry(number, &mut bodies, &mut log, cache)
            .unwrap_or_default();
        ComposedEntry {
            output,
            bodies,
            reads: log.reads.used,
            notes: log.notes,
        }
    }

    /// Adds a rendered entry.
    pub fn accept(&mut self, number: usize, mut composed: ComposedEntry, notes: &mut Notes) {
        // A problem of a resource is reported once, whatever the number of its tools.
        let label = self.entries[number].label();
        composed.notes.diagnostics.retain(|found| {
            let key = (label.clone(), found.code.name, found.message.clone());
            *self.findings.entry(key).or_insert(number) == number
        });
        let bodies = composed.bodies.into_iter();
        self.bodies
            .extend(bodies.map(|(variant, body)| ((number, variant), body)));
        self.reads.extend(composed.reads);
        self.outputs[number] = composed.output;
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

/// Findings about patches of files that agpm never writes.
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

/// The finding about a file with two different contents.
fn differs(resolved: &ResolvedEntry) -> Diagnostic {
    let entry = &resolved.entry;
    let path = entry
        .target
        .as_ref()
        .map_or("its path", RelativePath::as_str);
    let message = format!(
        "different `template_vars` for {}, which is one file at `{path}`",
        resolved.label()
    );
    Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
        .help("declare it with `install: false` if it is only embedded, or give the dependencies the same variables")
}
