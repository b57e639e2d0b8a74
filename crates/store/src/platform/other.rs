//! Windows. Files have no owner, identity or permission bits here, so everything belongs to this user, and whatever
//! depends on an identity is decided by reading.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use cap_std::fs::Dir;

use super::{ChangeTrace, FileIdentity, PermissionBits};

pub(crate) fn identity_of(_: &Metadata) -> Option<FileIdentity> {
    None
}

pub(crate) fn confined_identity_of(_: &cap_std::fs::Metadata) -> Option<FileIdentity> {
    None
}

/// Returns what changes with every change of a file. A time of the change itself does not exist.
pub(crate) fn change_mark(metadata: &Metadata) -> (String, Option<SystemTime>) {
    (format!("{:?}", metadata.modified().ok()), None)
}

pub(crate) fn change_trace_of(_: &cap_std::fs::Metadata) -> Option<ChangeTrace> {
    None
}

/// The number of the administrator, whose files are trusted.
pub(crate) fn current_user() -> u32 {
    0
}

pub(crate) fn owner_of(_: &Metadata) -> u32 {
    0
}

/// Not known before writing.
pub(crate) fn is_writable_directory(_: &Path) -> bool {
    true
}

pub(crate) fn is_executable(_: &Metadata) -> bool {
    false
}

pub(crate) fn bits_of(_: &cap_std::fs::Metadata) -> PermissionBits {
    PermissionBits::PLAIN
}

pub(crate) fn limit_new_files(_: &mut cap_std::fs::OpenOptions, _: PermissionBits) {}

pub(crate) fn limit_to_owner(_: &mut std::fs::DirBuilder) {}

pub(crate) fn limit_confined_to_owner(_: &mut cap_std::fs::DirBuilder) {}

pub(crate) fn set_bits(_: &Dir, _: &str, _: PermissionBits) -> io::Result<()> {
    Ok(())
}

pub(crate) fn make_private(_: &Dir, _: &Dir) {}

/// Windows needs to know whether a symlink points to a file or to a directory, and a privilege.
pub(crate) fn create_symlink(_: &Dir, target: &str, _: &str) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, target))
}

pub(crate) fn rename_to_free(_: &Dir, _: &str, _: &Dir, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn exchange(_: &Dir, _: &str, _: &Dir, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn is_unsupported(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::Unsupported
}
