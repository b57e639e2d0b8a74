use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Not there.
    #[error("`{}` is not there", .0.display())]
    NotFound(PathBuf),
    /// A folder where a file was expected.
    #[error("`{}` is a folder", .0.display())]
    IsFolder(PathBuf),
    /// There already, and not to be overwritten.
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    /// Leads out of the folder that it must stay in.
    #[error("`{}` leads out of its folder", .0.display())]
    Escapes(PathBuf),
    /// Larger than anything we read.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// Anything else the system says.
    #[error("`{}`: {cause}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
}

impl StoreError {
    pub(crate) fn new(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        // cap-std refuses escapes itself, before the system could: they have no system error number.
        let escape = cause.kind() == io::ErrorKind::PermissionDenied && cause.raw_os_error().is_none();
        match cause.kind() {
            io::ErrorKind::NotFound => StoreError::NotFound(path),
            io::ErrorKind::IsADirectory => StoreError::IsFolder(path),
            io::ErrorKind::AlreadyExists => StoreError::Exists(path),
            _ if escape => StoreError::Escapes(path),
            _ => StoreError::Other { path, cause },
        }
    }

    /// The same error with its path as seen from `folder`, where it is below.
    #[must_use]
    pub fn seen_from(mut self, folder: &Path) -> Self {
        if let Ok(short) = self.path().strip_prefix(folder).map(Path::to_owned)
            && !short.as_os_str().is_empty()
        {
            *self.path_mut() = short;
        }
        self
    }

    fn path_mut(&mut self) -> &mut PathBuf {
        match self {
            StoreError::NotFound(path)
            | StoreError::IsFolder(path)
            | StoreError::Exists(path)
            | StoreError::Escapes(path)
            | StoreError::TooLarge { path, .. }
            | StoreError::Other { path, .. } => path,
        }
    }

    /// The path concerned.
    pub fn path(&self) -> &Path {
        match self {
            StoreError::NotFound(path)
            | StoreError::IsFolder(path)
            | StoreError::Exists(path)
            | StoreError::Escapes(path)
            | StoreError::TooLarge { path, .. }
            | StoreError::Other { path, .. } => path,
        }
    }
}
