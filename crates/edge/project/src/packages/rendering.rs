//! Renders all resources of a run on all cores.

use agpm_compose::{
    Composer, LARGEST_READ, MarkdownCache, ProjectFileError, ProjectFiles, RenderedSet,
    check_patched_names,
};
use agpm_diag::{Failure, Notes};
use agpm_model::{InstallScope, Manifest, RelativePath};
use agpm_resolve::ResolvedEntry;
use agpm_store::{StoreProblem, parallel};

use crate::packages::sources::ProjectSources;

/// Entries that one thread renders before it takes the next ones.
const CHUNK: usize = 16;

/// Renders all entries; what is wrong with them is reported together.
pub fn render_all(
    manifest: &Manifest,
    sources: &ProjectSources,
    entries: Vec<ResolvedEntry>,
    notes: &mut Notes,
) -> Result<RenderedSet, Failure> {
    check_patched_names(manifest, &entries, notes)?;
    render_these(manifest, sources, entries, notes)
}

/// The same for entries that patches of the manifest need not mean.
pub fn render_these(
    manifest: &Manifest,
    sources: &ProjectSources,
    entries: Vec<ResolvedEntry>,
    notes: &mut Notes,
) -> Result<RenderedSet, Failure> {
    let mut composer = Composer::new(manifest, entries, sources);
    for level in composer.levels() {
        let chunks = level.chunks(CHUNK).collect();
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
    notes.check()?;
    Ok(composer.finish())
}

/// For a user's own manifest these are the files next to it: home is full of things that no resource has to know.
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
