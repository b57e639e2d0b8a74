use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{StoreError, StoreProblem};

/// A lock between processes and threads, held until it is dropped.
#[derive(Debug)]
pub struct SharedLock {
    /// Closing it unlocks.
    file: File,
}

/// How often a lock may turn out to be another file's before it is taken as it is: some file systems give a file no
/// lasting identity.
// A process that waited may get the lock of a file that was removed meanwhile, and has to try again; a bound turns an
// endless race into an error.
const MOST_TRIES: usize = 100;

impl SharedLock {
    /// Waits until nobody else holds the lock that this file represents; the file is made and stays.
    pub fn hold(path: &Path) -> Result<Self, StoreError> {
        let mut last = SharedLock::wait(path);
        for _ in 0..MOST_TRIES {
            match &last {
                Ok(lock) if is_still(&lock.file, path) => break,
                // Its directory was thrown away just now.
                Err(StoreError {
                    problem: StoreProblem::NotFound,
                    ..
                })
                | Ok(_) => last = SharedLock::wait(path),
                Err(_) => break,
            }
        }
        last
    }

    fn wait(path: &Path) -> Result<Self, StoreError> {
        let fail = |cause| StoreError::new(path, cause);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(fail)?;
        }
        let file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .map_err(fail)?;
        match file.lock() {
            // Some network file systems know no locks; working without one is better than not at all.
            Err(cause) if cause.kind() != ErrorKind::Unsupported => Err(fail(cause)),
            _ => Ok(SharedLock { file }),
        }
    }
}

/// Whether the file is the one of that name: whoever held the lock may have thrown the directory away, and then the next
/// one would lock another file.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (own, named) = (
        file.metadata().map(identity),
        fs::metadata(path).map(identity),
    );
    own.is_ok_and(|own| named.is_ok_and(|named| own == named))
}

#[cfg(not(unix))]
fn is_still(_: &File, path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_lock_waiter_gets_the_lock_of_the_new_directory() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("shelf/lock");
        let first = SharedLock::hold(&path).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| SharedLock::hold(&path).unwrap());
            fs::remove_dir_all(temp.path().join("shelf")).unwrap();
            drop(first);
            let second = waiting.join().unwrap();
            assert!(path.is_file());
            assert!(is_still(&second.file, &path));
        });
    }
}
