//! The only module of this crate that names an operating system. `docs/platforms.md` lists what the others lack.

use std::time::SystemTime;

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::*;
#[cfg(unix)]
pub(crate) use unix::*;

/// A file, whatever its names are.
#[cfg_attr(not(unix), allow(dead_code, reason = "files have no identity there"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    inode: u64,
}

/// Everything about a file that changes when its content does.
#[cfg_attr(not(unix), allow(dead_code, reason = "files have no identity there"))]
pub(crate) struct ChangeTrace {
    pub(crate) text: String,
    pub(crate) changed: SystemTime,
    /// Whether the file system records parts of a second.
    pub(crate) has_fine_times: bool,
}

/// The permission bits of a file, or their equivalent on systems without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PermissionBits(pub(crate) u32);

impl PermissionBits {
    pub(crate) const PLAIN: PermissionBits = PermissionBits(0o644);
    pub(crate) const EXECUTABLE: PermissionBits = PermissionBits(0o755);

    pub(crate) fn is_executable(self) -> bool {
        self.0 & 0o100 != 0
    }
}
