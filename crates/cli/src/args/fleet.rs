//! Commands about what projects have, for those who are responsible for many: `report`, `sbom`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::PolicyArgs;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Directories of projects, or directories that have them [default: the working directory]
    #[arg(value_name = "DIR")]
    pub(crate) directories: Vec<PathBuf>,
    /// Read these repositories instead: a file with one URL in each line
    #[arg(long, value_name = "FILE", conflicts_with = "directories")]
    pub(crate) repos: Option<PathBuf>,
    /// Show only resources with a newer version
    #[arg(long)]
    pub(crate) outdated: bool,
    /// Show only resources that a policy forbids
    #[arg(long)]
    pub(crate) denied: bool,
    /// Show only resources that this signer signed
    #[arg(long, value_name = "SIGNER")]
    pub(crate) signer: Option<String>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// Arguments of `sbom`.
#[derive(Debug, Args)]
pub(crate) struct SbomArgs {
    /// The format of the document
    #[arg(long, value_enum)]
    pub(crate) format: SbomFormat,
    /// The name of the project [default: its directory]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

/// Formats of `sbom`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SbomFormat {
    /// CycloneDX 1.6, as JSON
    Cyclonedx,
    /// SPDX 2.3, as JSON
    Spdx,
}
