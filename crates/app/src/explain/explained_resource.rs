//! Explains an installed resource from manifest, lockfile, sources and disk.

use std::collections::BTreeSet;

use crate::explain::{ResourceExplanation, ResourceTarget, disk_path, is_copy_of};
use crate::project::graph::{family_of, needs_of};
use agpm_compose::RenderedResource;
use agpm_diag::{Failure, Notes, Severity};
use agpm_model::{LockEntry, Lockfile, Manifest, ResourceType};
use agpm_text::Pointer;

use crate::explain::project::{ExplainedProject, LockedResources};
use crate::project::packages::{ProjectSources, frozen, render_these};
use crate::project::reading::limit;

/// Explains a resource, with the values of its installed file.
pub(super) fn explain_resource(
    project: &ExplainedProject<'_>,
    kind: ResourceType,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<ResourceExplanation, Failure> {
    let LockedResources {
        manifest,
        lock,
        view,
    } = project.resources(notes)?;
    let store = &project.require()?.store;
    let target = ResourceTarget::find(manifest, view, kind, name)?;
    notes.diagnostics.extend(target.requirement_changed());
    let renderer = LockRenderer {
        manifest,
        sources: ProjectSources::open_all(project.world, manifest, store.path()),
        lock,
    };
    // Resources that require this one may set its template variables, so they are rendered with it. If they cannot be
    // read, the resource is explained without them.
    let family = renderer.copies(target.locked, family_of(view, target.number));
    let copies = family
        .or_else(|_| renderer.copies(target.locked, needs_of(view, target.number)))
        .unwrap_or_else(|why| {
            notes.diagnostics.push(target.content_unknown(&why));
            Vec::new()
        });
    let path = copies.first().and_then(disk_path);
    let disk = path.and_then(|path| store.read(path, limit()).ok());
    target.explain(&copies, disk, pointer, notes)
}

/// Renders entries of a lockfile.
struct LockRenderer<'a> {
    manifest: &'a Manifest,
    sources: ProjectSources,
    lock: &'a Lockfile,
}

impl LockRenderer<'_> {
    /// Renders a resource for all its tools as an install would, together with `entries`. The error is the reason in
    /// words.
    fn copies(
        &self,
        locked: &LockEntry,
        entries: BTreeSet<usize>,
    ) -> Result<Vec<RenderedResource>, String> {
        // The parts of a plugin are not entries: they come from the plugin, which is one of the parents here.
        let entries = entries.into_iter();
        let entries = entries.filter_map(|at| self.lock.entries.get(at).cloned());
        let lock = Lockfile {
            entries: entries.collect(),
            sources: self.lock.sources.clone(),
            ..Lockfile::default()
        };
        let mut notes = Notes::default();
        let mut copies = self
            .render(&lock, &mut notes)
            .map_err(|failure| reason(failure, notes))?;
        copies.retain(|copy| is_copy_of(copy, locked));
        if copies.is_empty() {
            let why = "the manifest does not say any more what it is, or for which tool";
            return Err(why.to_owned());
        }
        Ok(copies)
    }

    fn render(&self, lock: &Lockfile, notes: &mut Notes) -> Result<Vec<RenderedResource>, Failure> {
        let entries = frozen::as_locked(self.manifest, &self.sources, lock, notes)?;
        Ok(render_these(self.manifest, &self.sources, entries, notes)?.resources)
    }
}

/// Returns the message of the failure, or of the first error in the notes.
fn reason(failure: Failure, notes: Notes) -> String {
    let mut found = notes.diagnostics.into_iter();
    let found = failure
        .diagnostic
        .or_else(|| found.find(|found| found.severity == Severity::Error));
    found.map_or_else(|| "see `agpm validate`".to_owned(), |found| found.message)
}
