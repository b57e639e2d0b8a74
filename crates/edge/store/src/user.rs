//! Whose files are whose. Where the system knows no owners, everything is this user's.

use std::fs;
use std::path::Path;

/// A user, as the system numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemUser(u32);

impl SystemUser {
    /// The administrator.
    pub const ROOT: SystemUser = SystemUser(0);

    /// The user that this process runs as.
    #[cfg(unix)]
    pub fn current() -> Self {
        SystemUser(rustix::process::geteuid().as_raw())
    }

    /// The user that this process runs as.
    #[cfg(not(unix))]
    pub fn current() -> Self {
        SystemUser::ROOT
    }

    /// Who owns what is at a path, a symlink itself and not what it leads to; nothing if nothing exists.
    pub fn of(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path)
            .ok()
            .map(|metadata| user_of(&metadata))
    }

    /// Whether files of this owner may decide what this process does in `folder`: those of this user, of the
    /// administrator, and of whoever owns the directory, since a pipeline may run as root on the files of another user.
    pub fn is_trusted_in(self, directory: &Path) -> bool {
        self == SystemUser::ROOT
            || self == SystemUser::current()
            || SystemUser::of(directory) == Some(self)
    }
}

#[cfg(unix)]
fn user_of(metadata: &fs::Metadata) -> SystemUser {
    SystemUser(std::os::unix::fs::MetadataExt::uid(metadata))
}

#[cfg(not(unix))]
fn user_of(_: &fs::Metadata) -> SystemUser {
    SystemUser::current()
}
