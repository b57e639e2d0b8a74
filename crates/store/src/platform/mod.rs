//! The only module of this crate that names an operating system. `docs/platforms.md` lists what the others lack.

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
