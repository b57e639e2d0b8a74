use agpm_app::install::BASE_APPROVAL;
use agpm_app::project::world::BaseApproval;
use clap::Args;

/// Arguments of `approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Approve without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// The capabilities that this run may use without an earlier approval.
#[derive(Debug, Default, Args)]
pub(crate) struct ApprovalArgs {
    /// Approve capabilities of ID, all, base, or programs
    #[arg(long, value_name = "ID", global = true)]
    approve: Vec<String>,
}

/// The word for the merge programs of the manifest.
const PROGRAMS: &str = "programs";
/// The words that are not ids of resources and layers.
const OTHER_WORDS: [&str; 2] = [PROGRAMS, BASE_APPROVAL];

impl ApprovalArgs {
    /// Whether the programs of the manifest may run.
    pub(crate) fn has_programs(&self) -> bool {
        self.approve.iter().any(|word| word == PROGRAMS)
    }

    /// Whether bases may loosen their policies.
    pub(crate) fn bases(&self) -> BaseApproval {
        if self.approve.iter().any(|word| word == BASE_APPROVAL) {
            BaseApproval::Given
        } else {
            BaseApproval::Needed
        }
    }

    /// The resources and layers that may do more than before.
    pub(crate) fn ids(&self) -> Vec<String> {
        let words = self.approve.iter();
        words
            .filter(|word| !OTHER_WORDS.contains(&word.as_str()))
            .cloned()
            .collect()
    }
}
