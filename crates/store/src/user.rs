//! Owners of files. Where the system has none, everything belongs to this user.

use std::fs;
use std::path::Path;

use crate::platform;

/// A user, by the system's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemUser(u32);

impl SystemUser {
    /// The administrator.
    pub const ROOT: SystemUser = SystemUser(0);

    /// Returns the user of this process.
    pub fn current() -> Self {
        SystemUser(platform::current_user())
    }

    /// Returns the owner of a path, without following a symlink; `None` if it does not exist.
    pub fn of(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path)
            .ok()
            .map(|metadata| SystemUser(platform::owner_of(&metadata)))
    }

    /// Returns whether files of this owner may control this process in `directory`: files of this user, of the
    /// administrator, and of the owner of the directory, because a pipeline may run as root on files of another user.
    pub fn is_trusted_in(self, directory: &Path) -> bool {
        self == SystemUser::ROOT
            || self == SystemUser::current()
            || SystemUser::of(directory) == Some(self)
    }
}
