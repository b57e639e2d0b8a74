//! Checks whether a file changed since it was read, without reading it again.

use std::io;
use std::time::{Duration, SystemTime};

use agpm_model::Checksum;
use cap_std::fs::{Dir, Metadata};

use crate::journal::JournaledFile;
use crate::platform::{self, FileIdentity};

/// The coarsest resolution of file times. A change right after a file was read may keep its time.
const COARSEST: Duration = Duration::from_secs(2);

/// The state of a file when its content was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    identity: FileIdentity,
    size: u64,
    modified: SystemTime,
    /// Whether every later change is visible in the time.
    is_settled: bool,
}

impl FileStamp {
    /// Returns `None` where the system gives files no identity. Renames and hard links by agpm change the change time
    /// of a file, so it is not included.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        let identity = platform::confined_identity_of(metadata)?;
        let modified = metadata.modified().ok()?.into_std();
        let age = SystemTime::now().duration_since(modified);
        // The time of a file has coarse steps: a second write within the step would keep the time of the first. Only
        // an old enough time proves that nothing was written after it was read.
        let is_settled = age.is_ok_and(|age| age > COARSEST);
        Some(FileStamp {
            identity,
            size: metadata.len(),
            modified,
            is_settled,
        })
    }

    /// Returns whether this is certainly the file of an earlier stamp, unchanged.
    fn is_surely(&self, earlier: &FileStamp) -> bool {
        let name = |stamp: &FileStamp| (stamp.identity, stamp.size, stamp.modified);
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
