//! The requirement that each resource states for each of its dependencies.

use std::collections::BTreeMap;

use agpm_model::ResourceId;

use crate::entries::ResolvedEntry;

/// The requirements of declarations, by the resource that declares and the resource that it requires. The lockfile has
/// only all requirements on a resource together.
#[derive(Debug, Default)]
pub struct DeclaredRequirements(BTreeMap<(ResourceId, ResourceId), Option<String>>);

impl DeclaredRequirements {
    /// Those of entries whose content is known.
    pub fn of(entries: &[ResolvedEntry]) -> Self {
        let mut found = BTreeMap::new();
        for resolved in entries {
            for need in &resolved.entry.needs {
                let child = &entries[*need];
                let mut declared = resolved.needs.all();
                if let Some((declared, _)) = declared.find(|(_, unit)| *unit == child.entry.unit) {
                    let requirement = declared.requirement.as_ref().map(ToString::to_string);
                    found.insert((resolved.id(), child.id()), requirement);
                }
            }
        }
        DeclaredRequirements(found)
    }

    /// The stated requirement; `None` if the declaration is unknown, `Some(None)` if it states none, and the
    /// requirement of the declaring resource applies.
    pub fn get(&self, declaring: &ResourceId, required: &ResourceId) -> Option<Option<&str>> {
        let stated = self.0.get(&(declaring.clone(), required.clone()))?;
        Some(stated.as_deref())
    }
}
