//! One file of a transaction: the expected content and the new one.

use std::borrow::Cow;

use agpm_model::{Checksum, FileMode as Mode, RelativePath};

use crate::platform::PermissionBits;

/// The content that a path must have before it is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedFile {
    /// The path must be free.
    Missing,
    /// A file with this content.
    Checksum(Checksum),
    /// A file or nothing; symlinks and directories are refused.
    Anything,
}

/// The change of one file, for a plan as well as for an undo.
pub(crate) struct FileStep<'a> {
    pub(crate) path: RelativePath,
    /// The new content; `None` removes the file.
    pub(crate) content: Option<(Cow<'a, [u8]>, RequestedMode)>,
    pub(crate) expected: ExpectedFile,
}

/// The permission bits of the new file.
#[derive(Clone, Copy)]
pub(crate) enum RequestedMode {
    Mode(Mode),
    Exact(PermissionBits),
}

impl From<PermissionBits> for Mode {
    fn from(bits: PermissionBits) -> Self {
        if bits.is_executable() {
            Mode::Executable
        } else {
            Mode::Plain
        }
    }
}

impl RequestedMode {
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, RequestedMode::Exact(_))
    }

    /// A private file stays private when agpm writes it again.
    pub(crate) fn bits(self, before: Option<PermissionBits>) -> PermissionBits {
        match (self, before) {
            (RequestedMode::Exact(bits), _) => bits,
            (RequestedMode::Mode(Mode::Plain), None) => PermissionBits::PLAIN,
            (RequestedMode::Mode(Mode::Executable), None) => PermissionBits::EXECUTABLE,
            (RequestedMode::Mode(Mode::Plain), Some(PermissionBits(old))) => {
                PermissionBits(old & 0o666)
            }
            (RequestedMode::Mode(Mode::Executable), Some(PermissionBits(old))) => {
                PermissionBits(old & 0o666 | (old & 0o444) >> 2)
            }
        }
    }
}
