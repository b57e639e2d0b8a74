use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{PolicyArgs, ScopeArgs};

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Ids, files or directories [default: everything installed]
    pub(crate) what: Vec<String>,
    /// Add the findings of another scanner from a SARIF file
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum)]
    pub(crate) format: Option<AuditFormat>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Formats of `audit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// Lines for people
    Text,
    /// A JSON document
    Json,
    /// SARIF 2.1.0
    Sarif,
}
