//! A locked resource and everything that is known next to it.

use crate::why::ChainFinder;
use agpm_compose::RenderedResource;
use agpm_diag::{Diagnostic, Failure, Notes};
use agpm_merge::Provenance;
use agpm_model::{Dependency, LockEntry, Manifest, ResourceType};
use agpm_resolve::{DeclaredRequirements, LockView, is_locked_as, lockfile_note};
use agpm_text::{Pointer, Value, to_value};

use super::facts::{ExplainedResource, ResourceFacts};
use super::naming::find_entry;
use super::rendered::RenderedValues;
use super::stated::{StatedValues, StatementSources};
use crate::explain::require_values;

/// A locked resource and everything that is known next to it.
pub struct ResourceTarget<'a> {
    manifest: &'a Manifest,
    view: &'a LockView,
    /// Its number among the entries of the view.
    pub number: usize,
    /// The lockfile entry.
    pub locked: &'a LockEntry,
    /// The manifest's own entry, if it has one.
    dependency: Option<&'a Dependency>,
}

/// The facts about a resource, and the origin of its values.
pub struct ResourceExplanation {
    /// The facts.
    pub resource: ExplainedResource,
    /// The provenance of its values.
    pub provenance: Provenance,
}

impl<'a> ResourceTarget<'a> {
    /// The resource of a type that a name means.
    pub fn find(
        manifest: &'a Manifest,
        view: &'a LockView,
        kind: ResourceType,
        name: &str,
    ) -> Result<Self, Failure> {
        let number = find_entry(view, manifest, kind, name)?;
        let locked = &view.entries[number];
        let plugin = view.part_of.get(&number);
        let required = plugin.map_or(locked, |plugin| &view.entries[*plugin]);
        let mut dependencies = manifest.dependencies.iter();
        let dependency = dependencies
            .find(|one| one.kind == required.kind && one.name == *required.manifest_key());
        Ok(ResourceTarget {
            manifest,
            view,
            number,
            locked,
            dependency,
        })
    }

    /// The finding where the manifest requires something else than the lockfile has.
    pub fn requirement_changed(&self) -> Option<Diagnostic> {
        let dependency = self.dependency?;
        let requirement = self.locked.requirement();
        let is_same = requirement.is_none_or(|locked| locked == dependency.requirement.as_str());
        let locked = self.plugin().unwrap_or(self.locked);
        if is_same && is_locked_as(dependency, locked) {
            return None;
        }
        let message = format!(
            "the manifest requires another version of {} than the lockfile has",
            self.locked.label()
        );
        Some(lockfile_note(message).at_spot(dependency.spot))
    }

    /// The finding where the bytes of the resource are unavailable.
    pub fn content_unknown(&self, why: &str) -> Diagnostic {
        let label = self.locked.label();
        lockfile_note(format!("the content of {label} is not available"))
            .detail(why)
            .help("agpm shows what the manifest and the lockfile have; run it without `--offline` to fetch the rest")
    }

    /// Explains the values at a location. `copies` are what is rendered for each tool, and `disk` what is at the
    /// [`disk_path`](super::disk_path) of the first, if that can be read.
    pub fn explain(
        &self,
        copies: &[RenderedResource],
        disk: Option<Vec<u8>>,
        pointer: &Pointer,
        notes: &mut Notes,
    ) -> Result<ResourceExplanation, Failure> {
        let facts = ResourceFacts {
            locked: self.locked,
            dependency: self.dependency,
            plugin: self.plugin(),
            source: self.source_address(),
            copies,
            is_disabled: self.view.disabled.contains(&self.locked.id()),
        };
        let declared = DeclaredRequirements::default();
        let chains = ChainFinder::of(self.view, &declared).required(self.number);
        let resource = facts.explained(chains, &notes.sources);
        // The values of the source and the patches are the same for every tool.
        let (provenance, values) = self.values(copies.first(), disk, pointer, notes);
        let name = format!("{}:{}", self.locked.kind.singular(), self.locked.name);
        Ok(ResourceExplanation {
            resource,
            provenance: require_values(provenance, &name, pointer, &values)?,
        })
    }

    /// The provenance of the values at a pointer, and all values, for similar names.
    fn values(
        &self,
        content: Option<&RenderedResource>,
        disk: Option<Vec<u8>>,
        under: &Pointer,
        notes: &mut Notes,
    ) -> (Provenance, Vec<Option<Value>>) {
        // The files of a plugin are kept as they are; values are in its parts.
        let content = content.filter(|_| self.locked.kind != ResourceType::Plugins);
        let statements = StatementSources {
            manifest: self.manifest,
            locked: self.locked,
            dependency: self.dependency,
        };
        let stated = StatedValues::of(&statements, content, notes);
        let rendered = content.and_then(|content| RenderedValues::of(content, disk, notes));
        let mut provenance = stated.provenance(&notes.sources);
        let mut values = vec![stated.resolution.root().map(to_value)];
        if let Some(rendered) = rendered {
            provenance = rendered.explain(&stated.resolution, provenance.leaves, &notes.sources);
            values.insert(0, rendered.value());
        }
        provenance
            .leaves
            .retain(|leaf| leaf.pointer.is_within(under));
        provenance
            .deletions
            .retain(|deletion| deletion.pointer.is_within(under));
        (provenance, values)
    }

    fn source_address(&self) -> Option<String> {
        let name = self.locked.unit.origin.source()?;
        let source = self.manifest.source(name)?;
        Some(source.address.redacted().to_owned())
    }

    /// The plugin that it is a part of.
    fn plugin(&self) -> Option<&'a LockEntry> {
        let number = self.view.part_of.get(&self.number)?;
        self.view.entries.get(*number)
    }
}
