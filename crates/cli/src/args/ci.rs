use clap::{Args, ValueEnum};

use super::{ApprovalArgs, PolicyArgs};

/// Arguments of `ci`.
#[derive(Debug, Args)]
pub(crate) struct CiArgs {
    /// Install the locked versions first
    #[arg(long)]
    pub(crate) install: bool,
    /// Check every manifest in this directory
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Output format
    #[arg(long, value_enum)]
    pub(crate) format: Option<CiFormat>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// Formats of `ci`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiFormat {
    /// Lines for people
    Text,
    /// A JSON document
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit XML
    Junit,
}
