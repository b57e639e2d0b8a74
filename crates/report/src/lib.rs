//! The one renderer over the reports of `agpm-app`: text for people, JSON documents, and what the MCP server answers.
//!
//! A file for each command's report. Nothing here prints: the streams, their widths and colors are the caller's.

pub mod add;
pub mod approve;
pub mod audit;
pub mod blame;
pub mod bottle;
pub mod browse;
pub mod cache;
pub mod can;
pub mod capabilities;
pub mod catalog;
pub mod change;
pub mod ci;
mod command_scope;
pub mod config;
pub mod cost;
pub mod demo;
mod diagnostic_fields;
mod diagnostics;
pub mod diff;
pub mod doctor;
mod envelope;
pub mod explain;
pub mod fleet;
pub mod import;
pub mod init;
pub mod install;
pub mod layers;
pub mod list;
pub mod lock_merge;
pub mod merge;
pub mod outdated;
pub mod outputs;
pub mod patch;
pub mod policy;
pub mod printed;
pub mod profile;
pub mod publish;
mod rendering;
pub mod resolve;
mod sarif;
pub mod sbom;
pub mod status;
pub mod strategies;
mod styled;
mod table;
pub mod tree;
pub mod undo;
pub mod update;
pub mod validate;
pub mod verify;
pub mod why;

pub use command_scope::CommandScope;
pub use diagnostic_fields::{DiagnosticReport, report_all};
pub use diagnostics::{
    ColorMode, DetailLevel, DiagnosticStyle, diagnostic_lines, draw_diagnostics, one_line,
    printable,
};
pub use envelope::{FailureDocument, ReportDocument};
pub use rendering::{PieceWriter, RenderContext, RenderedReport, Screen, Verdict};
pub use styled::{LineStyle, StyledLine, StyledPiece, draw_lines};
