//! The findings of the audit in rendered content: what an install refuses and what it shows.

mod content;
mod issue;
mod verdict;

pub use content::{AuditedContent, audit_content, rendered_contents};
pub use issue::AuditIssue;
pub use verdict::{AuditVerdict, refused_issues};

pub(crate) use content::is_of_changed_files;
