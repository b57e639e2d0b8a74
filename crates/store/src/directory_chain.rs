//! Open directories on the path to a file, so files in the same directory do not open it again.

use std::io;
use std::path::Path;

use agpm_model::RelativePath;
use cap_std::fs::Dir;

use crate::error::escape;
use crate::state::{is_inside, is_own};
use crate::steps;

/// The open directories from the project down to the one used last.
pub(crate) struct DirectoryChain<'a> {
    root: &'a Dir,
    /// Each with its full path from the project. Only a few, because the limit on open files can be low.
    open: Vec<(String, Dir)>,
    /// A directory that does not exist. Without it, a first install would look for it once per file.
    missing: Option<String>,
}

impl<'a> DirectoryChain<'a> {
    pub(crate) fn new(root: &'a Dir) -> Self {
        DirectoryChain {
            root,
            open: Vec::new(),
            missing: None,
        }
    }

    /// Returns the directory of a file.
    pub(crate) fn parent(&mut self, file: &RelativePath) -> io::Result<&Dir> {
        self.directory(
            file.as_str()
                .rsplit_once('/')
                .map_or("", |(directory, _)| directory),
        )
    }

    /// Returns a directory by its path; the empty path is the project itself.
    pub(crate) fn directory(&mut self, path: &str) -> io::Result<&Dir> {
        let mut missing = self.missing.iter();
        if missing.any(|missing| is_within(path, missing)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        while self
            .open
            .last()
            .is_some_and(|(open, _)| !is_within(path, open))
        {
            self.open.pop();
        }
        let mut at = self.open.last().map_or(0, |(open, _)| open.len());
        while at < path.len() {
            let start = if at == 0 { 0 } else { at + 1 };
            at = path[start..]
                .find('/')
                .map_or(path.len(), |length| start + length);
            match self.enter(&path[..at], &path[start..at]) {
                Ok(dir) => self.open.push((path[..at].to_owned(), dir)),
                Err(error) => {
                    let is_missing = error.kind() == io::ErrorKind::NotFound;
                    self.missing = is_missing.then(|| path[..at].to_owned());
                    return Err(error);
                }
            }
        }
        Ok(self.last())
    }

    /// Creates a directory in an existing one.
    pub(crate) fn make(&mut self, path: &str) -> io::Result<()> {
        self.missing = None;
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        steps::make_directory(self.directory(parent)?, name)
    }

    /// Removes a directory if it exists and is empty.
    pub(crate) fn remove_if_empty(&mut self, path: &str) -> io::Result<()> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        steps::ignore_not_found(
            self.directory(parent)
                .and_then(|dir| steps::remove_if_empty(dir, name)),
        )
    }

    fn last(&self) -> &Dir {
        self.open.last().map_or(self.root, |(_, dir)| dir)
    }

    /// Follows a symlink to a directory of the project, because people share directories between tools that way.
    /// cap-std refuses one that leads out of the project; one into the state of git or agpm is refused here.
    fn enter(&self, path: &str, name: &str) -> io::Result<Dir> {
        let here = self.last();
        if !here.symlink_metadata(name)?.is_symlink() {
            return here.open_dir(name);
        }
        let real = self.root.canonicalize(path)?;
        if is_state(&real) {
            return Err(escape());
        }
        self.root.open_dir(real)
    }
}

fn is_within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_state(real: &Path) -> bool {
    let real = real
        .to_string_lossy()
        .replace('\\', "/")
        .to_ascii_lowercase();
    is_inside(&real) || real.split('/').any(|part| part == ".git")
}

/// Returns whether nothing may be installed at a path: git's own files, and the files of the transaction itself.
pub(crate) fn is_reserved(path: &RelativePath) -> bool {
    let path = path.as_str().to_ascii_lowercase();
    // Anyone who can write to `.git` can run executables: hooks, and the commands in its configuration.
    is_own(&path) || path.split('/').any(|part| part == ".git")
}
