//! Writes an edited manifest.

use crate::install::Executables;

pub(crate) use agpm_manifest::uneditable;

/// Whether the change is installed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEdit {
    /// It is; transitive executables may be allowed.
    Install(Executables),
    /// Only the manifest changes.
    Leave,
}
