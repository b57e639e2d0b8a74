//! Renders all resources of a run on all cores.

use agpm_compose::{
    Composer, LARGEST_READ, MarkdownCache, ProjectFileError, ProjectFiles, RenderedSet,
    check_patched_names, server_clashes,
};
use agpm_diag::{Failure, Notes, has_errors};
use agpm_model::{InstallScope, Manifest, RelativePath, ResourceId};
use agpm_resolve::{ResolvedEntries, ResolvedEntry};
use agpm_store::{StoreProblem, parallel};

use crate::project::packages::sources::ProjectSources;

/// The number of entries that a thread renders at a time.
const CHUNK: usize = 16;

/// Renders all entries, and reports all errors in them together.
pub(crate) fn render_all(
    manifest: &Manifest,
    sources: &ProjectSources,
    resolved: ResolvedEntries,
    notes: &mut Notes,
) -> Result<RenderedSet, Failure> {
    let named = check_patched_names(manifest, &resolved.entries, notes);
    // Clashes of files do not stop rendering, so other findings are reported in the same run.
    notes.diagnostics.extend(resolved.clashes);
    named?;
    render_these(manifest, sources, resolved.entries, notes)
}

/// Renders entries without checking that every patch of the manifest applies to one of them.
pub(crate) fn render_these(
    manifest: &Manifest,
    sources: &ProjectSources,
    entries: Vec<ResolvedEntry>,
    notes: &mut Notes,
) -> Result<RenderedSet, Failure> {
    render_keeping(manifest, sources, entries, None, notes)
}

/// The same, keeping the content of one resource before the diffs of its patches.
pub(crate) fn render_keeping(
    manifest: &Manifest,
    sources: &ProjectSources,
    entries: Vec<ResolvedEntry>,
    kept: Option<ResourceId>,
    notes: &mut Notes,
) -> Result<RenderedSet, Failure> {
    let mut composer = Composer::new(manifest, entries, sources).keeping_texts_of(kept);
    for level in composer.levels() {
        let chunks = level.chunks(CHUNK).collect();
        // Threads cannot share the notes. Each resource gets a fork, and the forks are absorbed in order: positions
        // stay valid, and the output does not depend on timing.
        let found = &*notes;
        let done = parallel::map(chunks, |chunk: &[usize]| {
            let mut cache = MarkdownCache::default();
            let numbers = chunk.iter();
            numbers
                .map(|number| composer.compose(*number, found.fork(), &mut cache))
                .collect::<Vec<_>>()
        });
        for (number, composed) in level.iter().zip(done.into_iter().flatten()) {
            composer.accept(*number, composed, notes);
        }
    }
    let rendered = composer.finish();
    // Clashes of files are known already; those of servers belong to the same report.
    if has_errors(&notes.diagnostics) {
        let clashes = server_clashes(manifest, &rendered.resources);
        notes.diagnostics.extend(clashes);
    }
    notes.check()?;
    Ok(rendered)
}

/// The files that templates can read. For the user manifest they are those next to it, because home contains files that
/// no resource should see.
impl ProjectFiles for ProjectSources {
    fn read(&self, path: &RelativePath) -> Result<Vec<u8>, ProjectFileError> {
        let read = agpm_store::read_below(&self.project, path.as_str(), LARGEST_READ);
        let (bytes, _) = read.map_err(|error| match error.problem {
            StoreProblem::TooLarge(_) => ProjectFileError::TooLarge,
            StoreProblem::NotFound => ProjectFileError::NotFound,
            StoreProblem::NotFile => ProjectFileError::NotFile,
            _ => ProjectFileError::Unreadable,
        })?;
        Ok(bytes)
    }

    fn scope(&self) -> InstallScope {
        self.scope
    }
}
