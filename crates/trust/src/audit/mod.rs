//! Rules for content: what no author of a harmless resource writes.
//!
//! A rule is a row of [`AUDIT_RULES`] with its examples, which are its tests. A scanner reads bytes in pieces, in time
//! linear in their number, and knows no files.

mod escapes;
mod exceptions;
mod hidden;
mod names;
mod patterns;
mod rule;
mod rules;
mod scanner;
mod servers;

pub use names::{NamedThing, confusable_names};
pub use rule::{AuditExample, AuditFinding, AuditRule};
pub use rules::{AUDIT_RULES, rule_named};
pub use scanner::{AuditScanner, scan};
pub use servers::plain_http_findings;
