//! The arguments of `serve`.

use clap::{Args, Subcommand};

use super::CatalogLayerArgs;

/// The servers.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Serve catalog and project to an MCP client
    Mcp(McpArgs),
}

/// Arguments of `serve mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Allow the client to install and update
    #[arg(long)]
    pub(crate) allow_write: bool,
    /// Serve HTTP on this port of 127.0.0.1 (0: any free one)
    #[arg(long, value_name = "PORT")]
    pub(crate) http: Option<u16>,
    #[command(flatten)]
    pub(crate) layers: CatalogLayerArgs,
}
