//! One row of the tables.

use agpm_model::ValueForm;

/// The `--json` document of a command.
#[derive(Debug)]
pub struct OutputSchema {
    /// The command without `agpm`, as in `cache info`.
    pub command: &'static str,
    /// The document in one line.
    pub about: &'static str,
    /// The possible forms, besides the document of a failure.
    pub forms: &'static [ValueForm],
}
