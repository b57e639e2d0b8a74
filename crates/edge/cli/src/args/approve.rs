use clap::{Args, ValueEnum};

/// Arguments of `approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Approve without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// What may happen in this run without having been approved before.
#[derive(Debug, Default, Args)]
pub(crate) struct ApprovalArgs {
    /// Approve for this run only
    #[arg(long, value_name = "WHAT", global = true)]
    approve: Vec<RunApproval>,
}

/// Things that can be approved for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RunApproval {
    /// The merge programs of the manifest
    Programs,
}

impl ApprovalArgs {
    /// Whether the programs of the manifest may run.
    pub(crate) fn has_programs(&self) -> bool {
        self.approve.contains(&RunApproval::Programs)
    }
}
