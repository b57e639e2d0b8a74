//! Commands about layers: `layers`, `merge`, `strategies`.

use std::path::PathBuf;

use agpm_app::project::merge_inputs::MergeInputs;
use agpm_app::project::world::ManifestUse;
use agpm_merge::RuleArgument;
use clap::{Args, ValueEnum};

use super::{ApprovalArgs, ScopeArgs};

/// Arguments of `layers`.
#[derive(Debug, Args)]
pub(crate) struct LayersArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// How files are merged; shared by `merge` and `explain`.
#[derive(Debug, Args)]
pub(crate) struct FoldArgs {
    /// The merge strategy; overrides the manifest
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<String>,
    /// An operation, as in /servers=by-key:id
    #[arg(long = "rule", value_name = "POINTER=OP")]
    pub(crate) rules: Vec<RuleArgument>,
    /// Layer names, lowest first [default: the paths]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) layer_names: Vec<String>,
    /// Ignore the project's manifest
    #[arg(long)]
    pub(crate) no_manifest: bool,
}

impl FoldArgs {
    /// The files to merge, with strategy and rules.
    pub(crate) fn inputs(self, files: Vec<PathBuf>) -> MergeInputs {
        MergeInputs {
            files,
            layer_names: self.layer_names,
            strategy: self.strategy,
            rules: self.rules,
            manifest: if self.no_manifest {
                ManifestUse::Ignored
            } else {
                ManifestUse::Nearest
            },
        }
    }
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The files, lowest first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) fold: FoldArgs,
    /// Output format [default: that of the lowest file]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<MergeFormat>,
    /// Print the origin of every value instead
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// Formats that a merge can be printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeFormat {
    /// Plain JSON, without comments
    Json,
    /// YAML
    Yaml,
    /// TOML
    Toml,
}

/// Arguments of `strategies`.
#[derive(Debug, Args)]
pub(crate) struct StrategiesArgs {
    /// Show only this one
    pub(crate) name: Option<String>,
}
