//! One row of the tables.

use agpm_model::ValueForm;

/// What a command prints with `--json`.
#[derive(Debug)]
pub struct OutputSchema {
    /// The command without `agpm`, as in `cache info`.
    pub command: &'static str,
    /// What the document is, in one line.
    pub about: &'static str,
    /// What it may look like, besides the document of a failure.
    pub forms: &'static [ValueForm],
}
