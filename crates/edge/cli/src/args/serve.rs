//! What was typed of `serve`.

use clap::{Args, Subcommand};

use super::PlacesArgs;

/// What can be served.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Serve the catalog, what is installed, personas and bottles to an MCP client over standard input and output
    Mcp(McpArgs),
}

/// Arguments of `serve mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Let the client install and update
    #[arg(long)]
    pub(crate) allow_write: bool,
    /// Serve HTTP on this port of 127.0.0.1 instead (0 for any that is free); clients send the token of `AGPM_MCP_TOKEN`, or the one that is told at the start, as bearer
    #[arg(long, value_name = "PORT")]
    pub(crate) http: Option<u16>,
    #[command(flatten)]
    pub(crate) places: PlacesArgs,
}
