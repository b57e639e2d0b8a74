//! Explains the origin of values: of an installed file, of a resource, of a catalog entry.
//!
//! The caller provides everything: documents, lockfile, ledger, rendered resources. The crate reads nothing itself.

mod blocks;
mod catalog_entry;
mod managed_file;
mod paths;
mod report;
mod resource;
mod subject;
mod values;
mod word;

pub use blocks::explain_blocks;
pub use catalog_entry::explain_entry;
pub use managed_file::{ManagedFile, edited_layered_file};
pub use paths::{file_paths, outside_project, unknown_file};
pub use report::{CodePage, ExplainReport, ExplainedValues};
pub use resource::{
    ExplainedResource, RequiredAt, ResourceExplanation, ResourceTarget, ToolConversion, disk_path,
    is_copy_of, trace_to_sources,
};
pub use subject::{ExplainSubject, NamedSubject, SubjectFlag, parse_pointer, refuse_flags};
pub use values::require_values;
pub use word::{file_owner, subject_of_word, unknown_subject};
