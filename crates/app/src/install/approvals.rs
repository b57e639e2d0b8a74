//! The approvals of a command by `--approve` and `--allow-executables`.

use agpm_compose::ProjectCapabilities;
use agpm_diag::{Failure, did_you_mean, unknown_name};
use agpm_model::Owner;
use agpm_resolve::means;

use crate::install::TransitiveExecutables;

/// The word that approves everything in one run.
const ALL: &str = "all";

/// The approvals of a command.
#[derive(Clone, Copy, Debug)]
pub struct CommandApprovals<'a> {
    /// Resources and layers, as they are typed.
    pub words: &'a [String],
    /// Whether everything that runs is approved.
    pub executables: TransitiveExecutables,
}

impl CommandApprovals<'_> {
    /// Whether a resource or a layer is named.
    pub fn approves(&self, id: &Owner) -> bool {
        let mut words = self.words.iter();
        words.any(|word| word == ALL || matches_id(word, id))
    }

    /// An approval of something that does not exist is a mistake in the command.
    pub fn check(&self, capabilities: &ProjectCapabilities) -> Result<(), Failure> {
        let is_known = |word: &str| capabilities.ids().any(|id| matches_id(word, id));
        let mut words = self.words.iter();
        let Some(word) = words.find(|word| *word != ALL && !is_known(word)) else {
            return Ok(());
        };
        let ids: Vec<String> = capabilities.ids().map(ToString::to_string).collect();
        let candidates = ids.iter().map(String::as_str);
        let help = did_you_mean(word, "resources and layers are", candidates);
        Err(unknown_name("resource", word, help))
    }
}

/// Whether a typed argument means a resource or a layer.
pub fn matches_id(word: &str, id: &Owner) -> bool {
    match id {
        Owner::Resource(id) => means(word, id.kind, id.name.as_str()),
        Owner::Layers(_) | Owner::Other(_) => word == id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_model::{LayerName, ResourceId, ResourceName, ResourceType};

    #[test]
    fn an_approval_names_one_resource_or_layer() {
        let agent = Owner::from(ResourceId {
            kind: ResourceType::Agents,
            name: ResourceName::new("reviewer").expect("a good name"),
        });
        let layer = Owner::layer(&LayerName::new("team").expect("a good name"));
        let approves = |word: &str, id: &Owner| {
            let words = [word.to_owned()];
            let executables = TransitiveExecutables::AsManifest;
            CommandApprovals {
                words: &words,
                executables,
            }
            .approves(id)
        };
        for word in ["reviewer", "agents/reviewer", "agent:reviewer", "all"] {
            assert!(approves(word, &agent), "{word}");
        }
        for word in ["skills/reviewer", "review", "layers/reviewer"] {
            assert!(!approves(word, &agent), "{word}");
        }
        assert!(approves("layers/team", &layer));
        // A resource may be called like the layer.
        assert!(!approves("team", &layer));
    }
}
