//! The names in a project, for shell completion.

use agpm_diag::Notes;

use crate::project::locked::lock_view;
use crate::project::world::World;

/// Names to complete. All lists are empty if no project can be read.
#[derive(Clone, Debug, Default)]
pub struct KnownNames {
    /// The ids of locked resources.
    pub resources: Vec<String>,
    /// The sources of manifest and lockfile.
    pub sources: Vec<String>,
    /// The locked layers, as `layers/NAME`.
    pub layers: Vec<String>,
    /// The tools of manifest and lockfile.
    pub tools: Vec<String>,
}

/// Reads manifest and lockfile. It fetches nothing and ignores errors, because it runs while the user types.
pub fn known_names(world: &World) -> KnownNames {
    let Ok(view) = lock_view(world, &mut Notes::default()) else {
        return KnownNames::default();
    };
    KnownNames {
        resources: view.entries.iter().map(|entry| entry.label()).collect(),
        sources: view.sources.iter().cloned().collect(),
        layers: view.layers.iter().map(|layer| layer.name.label()).collect(),
        tools: view.tools.iter().cloned().collect(),
    }
}
