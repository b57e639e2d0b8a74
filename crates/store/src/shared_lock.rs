use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{StoreError, StoreProblem};
use crate::platform;

/// A lock between processes and threads, held until it is dropped.
#[derive(Debug)]
pub struct SharedLock {
    /// Closing the file unlocks it.
    file: File,
}

/// How often to try again if the locked file is no longer the one at the path. Some file systems give files no lasting
/// identity, and a waiting process may get the lock of a removed file. The limit turns an endless race into an error.
const MOST_TRIES: usize = 10_000;

impl SharedLock {
    /// Waits until no other process holds the lock of this file, which is created if it is missing and stays.
    pub fn hold(path: &Path) -> Result<Self, StoreError> {
        let mut last = SharedLock::wait(path);
        for _ in 0..MOST_TRIES {
            match &last {
                Ok(lock) if is_still(&lock.file, path) => break,
                // Its directory was removed in the meantime: before the file was opened, or between the attempt to
                // create the directory, which found it, and the check that it is one.
                Err(StoreError {
                    problem: StoreProblem::NotFound | StoreProblem::Exists,
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
            // Some network file systems have no locks; working without a lock is better than not working.
            Err(cause) if cause.kind() != ErrorKind::Unsupported => Err(fail(cause)),
            _ => Ok(SharedLock { file }),
        }
    }
}

/// Returns whether the open file is still the one at the path. The last holder may have removed the directory, and the
/// next process would lock another file.
pub(crate) fn is_still(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(named)) = (file.metadata(), fs::metadata(path)) else {
        return false;
    };
    match (platform::identity_of(&own), platform::identity_of(&named)) {
        (Some(own), Some(named)) => own == named,
        // Without identities, a file at the path is all that can be seen.
        _ => named.is_file(),
    }
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

    #[test]
    fn a_directory_that_goes_away_again_and_again_fails_no_lock() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("shelf/lock");
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let removing = scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    let _ = fs::rename(temp.path().join("shelf"), temp.path().join("away"));
                    let _ = fs::remove_dir_all(temp.path().join("away"));
                }
            });
            let holders: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        for _ in 0..500 {
                            SharedLock::hold(&path).unwrap();
                        }
                    })
                })
                .collect();
            let results: Vec<_> = holders.into_iter().map(|one| one.join()).collect();
            is_done.store(true, std::sync::atomic::Ordering::Relaxed);
            removing.join().unwrap();
            for result in results {
                result.unwrap();
            }
        });
    }
}
