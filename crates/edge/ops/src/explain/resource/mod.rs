//! Where an installed resource came from, and where the values of what is installed did.

mod content;
mod facts;
mod given;
mod named;
mod said;

use agpm_compose::RenderedResource;
use agpm_diag::{Diagnostic, Failure, Notes, SourceSpan};
use agpm_inspect::ChainFinder;
use agpm_model::{Dependency, LockEntry, Lockfile, Manifest, ResourceType};
use agpm_resolve::{add_locked_sources, lockfile_note, with_names_of};
use agpm_store::ProjectStore;
use agpm_text::{Pointer, Value, to_value};

use crate::explain::found;
pub use crate::explain::resource::facts::{ExplainedResource, RequiredAt, ToolConversion};
use crate::explain::resource::given::Given;
use crate::explain::resource::said::Said;
use crate::gather::{ManifestFiles, Project};
use crate::locked::LockView;
use crate::packages::{frozen, read_lock};
use crate::world::World;
use agpm_merge::Provenance;

/// A locked resource and everything that is known beside it.
struct Target<'a> {
    manifest: &'a Manifest,
    view: &'a LockView,
    number: usize,
    locked: &'a LockEntry,
    /// The manifest's own entry, if it has one.
    dependency: Option<&'a Dependency>,
}

pub(super) fn explain_resource(
    world: &World,
    kind: ResourceType,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<(ExplainedResource, Provenance), Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let folder = files.root().to_owned();
    let mut manifest = Project::of(world, files, notes)?.manifest;
    let lock = read_lock(&world.environment, &store, notes)?.map(|(lock, _)| lock);
    let lock = lock.unwrap_or_default();
    add_locked_sources(&mut manifest, &lock);
    let manifest = &manifest;
    let lock = with_names_of(manifest, &lock);
    let view = &LockView::of(lock.clone(), manifest, folder).with_parts();
    let number = named::find(view, manifest, kind, name)?;
    let locked = &view.entries[number];
    let asking = view
        .part_of
        .get(&number)
        .map_or(locked, |plugin| &view.entries[*plugin]);
    let of_manifest =
        |one: &&Dependency| one.kind == asking.kind && one.name == *asking.manifest_key();
    let dependency = manifest.dependencies.iter().find(of_manifest);
    let target = Target {
        manifest,
        view,
        number,
        locked,
        dependency,
    };
    notes.diagnostics.extend(target.moved_on());
    let copies = target.copies(world, &store, &lock, notes);
    let resource = facts::resource(
        &target,
        ChainFinder::of(view).required(number),
        &copies,
        &notes.sources,
    );
    // What the source and the patches say holds for every tool.
    let (provenance, values) = target.values(&store, copies.first(), pointer, notes);
    let name = format!("{}:{}", kind.singular(), locked.name);
    Ok((resource, found(provenance, &name, pointer, &values)?))
}

impl Target<'_> {
    /// The bytes and what is made of them for each tool; why there are none is a note.
    fn copies(
        &self,
        world: &World,
        store: &ProjectStore,
        lock: &Lockfile,
        notes: &mut Notes,
    ) -> Vec<RenderedResource> {
        match content::of(self, world, store, lock) {
            Ok(copies) => copies,
            Err(why) => {
                let mut told = lockfile_note(format!(
                    "the content of {} is not known: {why}",
                    self.locked.label()
                ));
                told.help = Some("what the manifest and the lockfile say is told; a run without `--offline` may fetch the rest".to_owned());
                notes.diagnostics.push(told);
                Vec::new()
            }
        }
    }

    /// Where the values at a place came from, and all values, for near names.
    fn values(
        &self,
        store: &ProjectStore,
        content: Option<&RenderedResource>,
        under: &Pointer,
        notes: &mut Notes,
    ) -> (Provenance, Vec<Option<Value>>) {
        // The files of a plugin are kept as they are; values are in its parts.
        let content = content.filter(|_| self.locked.kind != ResourceType::Plugins);
        let said = Said::of(self, content, notes);
        let given = content.and_then(|content| Given::of(content, store, notes));
        let mut provenance = said.provenance(&notes.sources);
        let mut values = vec![said.resolution.root().map(to_value)];
        if let Some(given) = given {
            provenance = given.explain(&said, provenance.leaves, &notes.sources);
            values.insert(0, given.value());
        }
        provenance
            .leaves
            .retain(|leaf| leaf.pointer.is_within(under));
        provenance
            .deletions
            .retain(|deletion| deletion.pointer.is_within(under));
        (provenance, values)
    }

    /// What is said where the manifest asks for something else than is locked.
    fn moved_on(&self) -> Option<Diagnostic> {
        let dependency = self.dependency?;
        let requirement = self.locked.requirement();
        let same_wish = requirement.is_none_or(|locked| locked == dependency.requirement.as_str());
        let message = format!(
            "the manifest asks for {} otherwise than it is locked",
            self.locked.label()
        );
        let locked = self.plugin().unwrap_or(self.locked);
        let moved_on = !same_wish || !frozen::same_unit(dependency, locked);
        moved_on.then(|| lockfile_note(message).at_spot(dependency.spot))
    }

    /// The plugin that it is a part of.
    fn plugin(&self) -> Option<&LockEntry> {
        let number = self.view.part_of.get(&self.number)?;
        self.view.entries.get(*number)
    }

    /// Where the manifest asks for it.
    fn asked_at(&self) -> Option<SourceSpan> {
        self.dependency.map(|dependency| dependency.spot)
    }
}
