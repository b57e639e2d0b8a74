//! Checks whether a file changed since it was read, without reading it again.

use std::io;
use std::time::{Duration, SystemTime};

use agpm_model::Checksum;
use cap_std::fs::{Dir, Metadata};

use crate::journal::JournaledFile;

/// The coarsest resolution of file times. A change right after a file was read may keep its time.
const COARSEST: Duration = Duration::from_secs(2);

/// The state of a file when its content was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: SystemTime,
    /// Whether every later change is visible in the time.
    is_settled: bool,
}

impl FileStamp {
    /// Returns `None` where the system gives files no identity. Renames and hard links by agpm change the change time
    /// of a file, so it is not included.
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        use cap_std::fs::MetadataExt;
        let modified = metadata.modified().ok()?.into_std();
        let age = SystemTime::now().duration_since(modified);
        let (device, inode) = (metadata.dev(), metadata.ino());
        // The time of a file has coarse steps: a second write within the step would keep the time of the first. Only
        // an old enough time proves that nothing was written after it was read.
        let is_settled = age.is_ok_and(|age| age > COARSEST);
        Some(FileStamp {
            device,
            inode,
            size: metadata.len(),
            modified,
            is_settled,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// Returns whether this is certainly the file of an earlier stamp, unchanged.
    fn is_surely(&self, earlier: &FileStamp) -> bool {
        let name = |stamp: &FileStamp| (stamp.device, stamp.inode, stamp.size, stamp.modified);
        earlier.is_settled && name(self) == name(earlier)
    }
}

/// Returns whether a file is unchanged; it is read only if its stamp is not conclusive.
pub(crate) fn is_unchanged(
    dir: &Dir,
    name: &str,
    content: &JournaledFile,
    earlier: Option<&FileStamp>,
) -> io::Result<bool> {
    let metadata = dir.symlink_metadata(name)?;
    if !metadata.is_file() {
        return Ok(false);
    }
    let now = FileStamp::of(&metadata);
    let is_surely = now
        .zip(earlier)
        .is_some_and(|(now, earlier)| now.is_surely(earlier));
    Ok(is_surely || Checksum::of(&dir.read(name)?) == content.checksum)
}
