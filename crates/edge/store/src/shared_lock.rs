use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use crate::error::StoreError;

/// A lock between processes and threads, held until it is dropped.
#[derive(Debug)]
pub struct SharedLock {
    _file: File,
}

impl SharedLock {
    /// Waits until nobody else holds the lock that this file stands for; the file is made and stays.
    pub fn hold(path: &Path) -> Result<Self, StoreError> {
        let fail = |cause| StoreError::new(path, cause);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(fail)?;
        }
        let file = File::options().create(true).append(true).open(path).map_err(fail)?;
        match file.lock() {
            Ok(()) => Ok(SharedLock { _file: file }),
            // Some network file systems know no locks; working without one is better than not at all.
            Err(cause) if cause.kind() == ErrorKind::Unsupported => Ok(SharedLock { _file: file }),
            Err(cause) => Err(fail(cause)),
        }
    }
}
