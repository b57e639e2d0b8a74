//! Arguments of `publish`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `publish`.
#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// The repository, as in oci://HOST/REPOSITORY, or the directory of a site
    #[arg(value_name = "URL|DIR")]
    pub(crate) target: Option<String>,
    /// Publish only the resources at these paths
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// The version [default: the tag of the current commit without `v`]
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: Option<String>,
    /// The form
    #[arg(long, value_enum, default_value_t = PublishFormatArg::Library)]
    pub(crate) format: PublishFormatArg,
    /// Write an OCI image layout instead of sending
    #[arg(long, value_name = "DIR|FILE.tar")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a pre-release that exists with other content
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be published
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// The form in which a library is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PublishFormatArg {
    /// An artifact with a layer for each resource
    Library,
    /// One skill as an artifact that other tools read
    Skill,
    /// Skills as files of a web server
    Site,
}
