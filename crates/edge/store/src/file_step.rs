//! One file of a transaction: what must be there, and what it becomes.

use std::borrow::Cow;

use agpm_model::{Checksum, FileMode as Mode, RelativePath};

use crate::steps::PermissionBits;

/// The content that a path must have for a change to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedFile {
    /// The path must be free.
    Missing,
    /// A file of this content.
    Checksum(Checksum),
    /// A file, or nothing; links and directories are refused all the same.
    Anything,
}

/// One file's change, as both a plan and an undo require it.
pub(crate) struct FileStep<'a> {
    pub(crate) path: RelativePath,
    /// The new content; nothing to remove the file.
    pub(crate) content: Option<(Cow<'a, [u8]>, RequestedMode)>,
    pub(crate) expected: ExpectedFile,
}

/// The permission bits that a file shall get.
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
