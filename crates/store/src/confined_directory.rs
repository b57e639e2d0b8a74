use std::path::{Path, PathBuf};

use agpm_model::{FileMode, RelativePath};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::error::{StoreError, StoreProblem};
use crate::open_file::{mode_of, open_file, read_open};
use crate::platform::{self, PermissionBits};

/// A directory that no operation on it can leave, neither through `..` nor through a symlink.
#[derive(Debug)]
pub struct ConfinedDirectory {
    dir: Dir,
    path: PathBuf,
}

impl ConfinedDirectory {
    /// Opens an existing directory.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|cause| StoreError::new(path, cause))?;
        Ok(ConfinedDirectory {
            dir,
            path: path.to_owned(),
        })
    }

    /// Opens an empty directory, which is created if it does not exist.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let fail = |cause| StoreError::new(path, cause);
        Dir::create_ambient_dir_all(path, ambient_authority()).map_err(fail)?;
        let directory = ConfinedDirectory::open(path)?;
        match directory.dir.entries().map_err(fail)?.next() {
            None => Ok(directory),
            Some(_) => Err(StoreError::of(path, StoreProblem::Exists)),
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file in the directory.
    pub fn read(&self, file: &RelativePath, limit: u64) -> Result<Vec<u8>, StoreError> {
        let path = self.path.join(file.as_str());
        let open = self
            .dir
            .open(file.as_str())
            .map_err(|cause| StoreError::new(&path, cause))?;
        read_open(open.into_std(), &path, limit)
    }

    /// Reads a file and its mode. Symlinks are followed as long as they stay in the directory.
    pub fn read_with_mode(
        &self,
        file: &str,
        limit: u64,
    ) -> Result<(Vec<u8>, FileMode), StoreError> {
        let path = self.path.join(file);
        let open = open_file(&self.dir, file, &path)?;
        let mode = mode_of(&open, &path)?;
        Ok((read_open(open, &path, limit)?, mode))
    }

    /// Writes a file that does not exist yet, and creates its parents.
    pub fn create_new(&self, file: &RelativePath, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path.join(file.as_str());
        let fail = |cause| StoreError::new(&path, cause);
        if let Some((directory, _)) = file.as_str().rsplit_once('/') {
            self.dir.create_dir_all(directory).map_err(fail)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut open = self.dir.open_with(file.as_str(), &options).map_err(fail)?;
        std::io::Write::write_all(&mut open, bytes).map_err(fail)
    }

    /// Lets the owner and others execute a file, on systems that have such a mode.
    pub fn make_executable(&self, file: &RelativePath) -> Result<(), StoreError> {
        let path = self.path.join(file.as_str());
        platform::set_bits(&self.dir, file.as_str(), PermissionBits::EXECUTABLE)
            .map_err(|cause| StoreError::new(&path, cause))
    }

    /// Creates a symlink that does not exist yet, and its parents. The target is relative and is not checked.
    pub fn link_new(&self, link: &RelativePath, target: &str) -> Result<(), StoreError> {
        let path = self.path.join(link.as_str());
        let fail = |cause| StoreError::new(&path, cause);
        if let Some((directory, _)) = link.as_str().rsplit_once('/') {
            self.dir.create_dir_all(directory).map_err(fail)?;
        }
        platform::create_symlink(&self.dir, target, link.as_str()).map_err(fail)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn relative(path: &str) -> RelativePath {
        RelativePath::new(path).unwrap()
    }

    #[test]
    fn writes_below_the_directory_and_overwrites_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let directory = ConfinedDirectory::create(&temp.path().join("new")).unwrap();
        directory.create_new(&relative("a/b.txt"), b"one").unwrap();
        let problem = |result: Result<(), StoreError>| result.unwrap_err().problem;
        assert!(matches!(
            problem(directory.create_new(&relative("a/b.txt"), b"two")),
            StoreProblem::Exists
        ));
        assert_eq!(directory.read(&relative("a/b.txt"), 10).unwrap(), b"one");
        let reading = |path: &str| directory.read(&relative(path), 2).unwrap_err().problem;
        assert!(matches!(reading("a/b.txt"), StoreProblem::TooLarge(2)));
        assert!(matches!(reading("a"), StoreProblem::IsDirectory));
        assert!(matches!(
            ConfinedDirectory::create(directory.path())
                .unwrap_err()
                .problem,
            StoreProblem::Exists
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_made_where_nothing_is() {
        let temp = tempfile::tempdir().unwrap();
        let directory = ConfinedDirectory::open(temp.path()).unwrap();
        directory.create_new(&relative("f"), b"one").unwrap();
        directory.link_new(&relative("a/link"), "../f").unwrap();
        assert_eq!(directory.read(&relative("a/link"), 10).unwrap(), b"one");
        for (link, target) in [("f", "a"), ("a/link", "x"), ("absolute", "/etc/passwd")] {
            assert!(
                directory.link_new(&relative(link), target).is_err(),
                "{link}"
            );
        }
        assert_eq!(directory.read(&relative("a/link"), 10).unwrap(), b"one");
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_does_not_lead_out() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("secret"), "s").unwrap();
        let inner = temp.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::os::unix::fs::symlink("../secret", inner.join("link")).unwrap();
        std::os::unix::fs::symlink("..", inner.join("up")).unwrap();
        let directory = ConfinedDirectory::open(&inner).unwrap();
        for path in ["link", "up/secret"] {
            assert!(
                matches!(
                    directory.read(&relative(path), 10).unwrap_err().problem,
                    StoreProblem::Escapes
                ),
                "{path}"
            );
        }
        assert!(directory.create_new(&relative("up/new"), b"").is_err());
        assert!(!temp.path().join("new").exists());
    }
}
