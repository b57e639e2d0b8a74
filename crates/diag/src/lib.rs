//! Diagnostics as data: a code, a severity, locations in sources, and a way out.
//!
//! This crate draws nothing and reads nothing. It knows strings by [`SourceId`] and locations by byte [`Span`].

mod code;
mod diagnostic;
mod fold;
mod limits;
mod mask;
mod near;
mod notes;
mod page;
mod remedy;
mod severity;
mod source;
mod text;
mod typed_command;
mod visible;
mod words;

pub use code::{CODES, Code, SERVER_CODES, all_codes, code_named, codes, server_codes};
pub use diagnostic::{Diagnostic, Label, SuggestedEdit, at_most, has_errors};
pub use fold::{FoldedDiagnostic, fold, fold_locations};
pub use mask::{
    is_secret_name, looks_secret, mask_line, mask_line_after, mask_message, mask_words,
};
pub use near::{did_you_mean, nearest};
pub use notes::{Failure, FailureKind, Notes, Outcome, WarningPolicy, distinct, unknown_name};
pub use page::{ErrorPage, PageExample};
pub use remedy::{EntryRemedy, PartNaming, Remedy};
pub use severity::Severity;
pub use source::{LineColumn, SourceId, SourceMap, SourceSpan, SourceText, Span};
pub use text::Text;
pub use typed_command::TypedCommand;
pub use visible::{command_line, is_invisible, visible};
pub use words::{counted, size};
