use std::path::PathBuf;

use tempfile::TempDir;

/// A directory that is removed at the end of a test. It is in memory where the system has some to spare, because half of
/// the time of the tests went into waiting for a disk; `TMPDIR` overrides it.
pub fn temporary_directory() -> TempDir {
    tempfile::tempdir_in(parent()).expect("temporary directories can be created")
}

#[cfg(not(unix))]
fn parent() -> PathBuf {
    std::env::temp_dir()
}

#[cfg(unix)]
fn parent() -> PathBuf {
    use rustix::fs::{StatVfs, StatVfsMountFlags, statvfs};
    const MEMORY: &str = "/dev/shm";
    // Less than this could run out while tests run side by side.
    const ENOUGH: u64 = 1 << 30;
    let is_fit = |memory: &StatVfs| {
        memory.f_bavail * memory.f_frsize >= ENOUGH
            && !memory.f_flag.contains(StatVfsMountFlags::NOEXEC)
    };
    let memory = statvfs(MEMORY).ok().filter(is_fit);
    match (std::env::var_os("TMPDIR"), memory) {
        (None, Some(_)) => PathBuf::from(MEMORY),
        _ => std::env::temp_dir(),
    }
}
