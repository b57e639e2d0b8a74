use clap::{Args, Subcommand};

/// The subcommands of `policy`.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show every rule with its file and line
    Show(PolicyArgs),
    /// Check what would be installed
    Check(PolicyArgs),
}

/// Arguments of commands that policies decide.
#[derive(Debug, Default, Args)]
pub(crate) struct PolicyArgs {
    /// Apply this policy too
    #[arg(long, value_name = "FILE|URL", global = true)]
    pub(crate) policy: Option<String>,
}

impl PolicyCommand {
    pub(crate) fn args(&self) -> &PolicyArgs {
        match self {
            PolicyCommand::Show(args) | PolicyCommand::Check(args) => args,
        }
    }
}
