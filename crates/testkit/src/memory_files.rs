//! Files that are in memory only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agpm_model::{
    FileProblem, FoundFile, FoundKind, MachineFiles, ProblemKind, ResolvedPath, normalize,
};

/// A machine's files in memory, with symlinks. Directories exist as soon as something is in them.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
    links: BTreeMap<PathBuf, PathBuf>,
    unreadable: BTreeSet<PathBuf>,
    foreign: BTreeSet<PathBuf>,
}

impl MemoryFiles {
    /// With these files.
    pub fn new<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let file = |(path, text): (&str, &str)| (PathBuf::from(path), text.as_bytes().to_vec());
        MemoryFiles {
            files: files.into_iter().map(file).collect(),
            ..MemoryFiles::default()
        }
    }

    /// And a symlink, to a path from its own directory or an absolute one.
    #[must_use]
    pub fn link(mut self, path: &str, target: &str) -> Self {
        let path = PathBuf::from(path);
        let target = normalize(&path.parent().unwrap_or(&path).join(target));
        self.links.insert(path, target);
        self
    }

    /// And a file or directory that must not be read.
    #[must_use]
    pub fn unreadable(mut self, path: &str) -> Self {
        self.unreadable.insert(path.into());
        self
    }

    /// And something that belongs to a user who decides nothing.
    #[must_use]
    pub fn foreign(mut self, path: &str) -> Self {
        self.foreign.insert(path.into());
        self
    }

    fn follow(&self, path: &Path) -> PathBuf {
        let mut real = PathBuf::new();
        for part in path.components() {
            real.push(part);
            if let Some(target) = self.links.get(&real) {
                real = self.follow(target);
            }
        }
        real
    }

    fn is_directory(&self, real: &Path) -> bool {
        let everything = self.files.keys().chain(self.links.keys());
        let mut inside = everything.filter(|path| path.starts_with(real) && *path != real);
        inside.next().is_some()
    }

    fn refuse_unreadable(&self, real: &Path) -> Result<(), FileProblem> {
        if self.unreadable.contains(real) {
            return Err(problem(
                ProblemKind::Other,
                "cannot be read: Permission denied",
            ));
        }
        Ok(())
    }
}

fn problem(kind: ProblemKind, words: &str) -> FileProblem {
    FileProblem {
        kind,
        words: words.to_owned(),
    }
}

impl MachineFiles for MemoryFiles {
    fn reach(&self, path: &Path) -> Result<Option<ResolvedPath>, FileProblem> {
        let real = self.follow(path);
        if self.files.contains_key(&real) {
            Ok(Some(ResolvedPath::File(real)))
        } else if self.is_directory(&real) {
            Ok(Some(ResolvedPath::Directory(real)))
        } else if self.links.contains_key(path) {
            Err(problem(ProblemKind::NotFound, "does not exist"))
        } else {
            Ok(None)
        }
    }

    fn exists(&self, path: &Path) -> bool {
        matches!(self.reach(path), Ok(Some(_)))
    }

    fn names(&self, directory: &Path) -> Result<Vec<String>, FileProblem> {
        let real = self.follow(directory);
        self.refuse_unreadable(&real)?;
        let everything = self.files.keys().chain(self.links.keys());
        let inside = everything.filter_map(|path| path.strip_prefix(&real).ok());
        let names = inside.filter_map(|path| path.components().next());
        let names: BTreeSet<String> = names
            .map(|name| name.as_os_str().to_string_lossy().into_owned())
            .collect();
        Ok(names.into_iter().collect())
    }

    fn below(&self, directory: &Path, depth: usize) -> Result<Vec<FoundFile>, FileProblem> {
        let real = self.follow(directory);
        self.refuse_unreadable(&real)?;
        let mut found = BTreeMap::new();
        for path in self.files.keys().chain(self.links.keys()) {
            let Ok(inner) = path.strip_prefix(&real) else {
                continue;
            };
            let levels = inner.components().count();
            let listed: PathBuf = inner.components().take(depth + 1).collect();
            let is_file = levels <= depth + 1 && self.files.contains_key(path);
            let kind = if is_file {
                FoundKind::File
            } else {
                FoundKind::Other
            };
            found.insert(listed.to_string_lossy().into_owned(), kind);
        }
        let found = found
            .into_iter()
            .map(|(path, kind)| FoundFile { path, kind });
        Ok(found.collect())
    }

    fn read(&self, file: &Path) -> Result<Vec<u8>, FileProblem> {
        let real = self.follow(file);
        self.refuse_unreadable(&real)?;
        let bytes = self.files.get(&real).cloned();
        bytes.ok_or_else(|| problem(ProblemKind::NotFound, "does not exist"))
    }

    fn real_path(&self, path: &Path) -> PathBuf {
        let real = self.follow(path);
        if self.exists(&real) {
            real
        } else {
            path.to_owned()
        }
    }

    fn is_trusted(&self, path: &Path, _: &Path) -> bool {
        !self.foreign.contains(path)
    }
}
