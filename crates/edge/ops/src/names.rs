//! The names that a project knows, for completion.

use agpm_diag::Notes;

use agpm_project::locked::lock_view;
use agpm_project::world::World;

/// Names to complete. All lists are empty where no project can be read.
#[derive(Clone, Debug, Default)]
pub struct KnownNames {
    /// Locked resources, as `TYPE/NAME`.
    pub resources: Vec<String>,
    /// Sources of manifest and lockfile.
    pub sources: Vec<String>,
    /// Locked layers, as `layers/NAME`.
    pub layers: Vec<String>,
    /// Tools of manifest and lockfile.
    pub tools: Vec<String>,
}

/// Reads manifest and lockfile; nothing is fetched and nothing is reported.
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
