//! A project in a temporary directory, with its content.
#![allow(clippy::unwrap_used)]
#![allow(dead_code, reason = "not every test file uses all of it")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use agpm_model::{Checksum, FileMode as Mode, RelativePath};
use agpm_store::{
    AppliedTransaction, ExpectedFile, FileChange, LockWait, ProjectStore, StoreError, Transaction,
};

/// Every path with its bits and bytes; directories have no bytes.
pub(crate) type Tree = BTreeMap<String, (u32, Option<Vec<u8>>)>;

/// Reads a project without agpm's state.
pub(crate) fn tree(directory: &Path) -> Tree {
    let mut tree = Tree::new();
    collect(directory, "", &mut tree);
    tree
}

fn collect(directory: &Path, prefix: &str, tree: &mut Tree) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        let metadata = entry.metadata().unwrap();
        let state = [
            ".agpm/lock",
            ".agpm/transaction",
            ".agpm/history",
            ".agpm/discarded",
            ".agpm/folders.json",
        ];
        if state.contains(&path.as_str()) {
            continue;
        }
        let bytes = metadata.is_file().then(|| fs::read(entry.path()).unwrap());
        if metadata.is_dir() {
            collect(&entry.path(), &format!("{path}/"), tree);
        }
        tree.insert(path, (bits(&metadata), bytes));
    }
}

#[cfg(unix)]
pub(crate) fn bits(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
}

#[cfg(not(unix))]
pub(crate) fn bits(_: &fs::Metadata) -> u32 {
    0
}

pub(crate) fn path(text: &str) -> RelativePath {
    RelativePath::new(text).unwrap()
}

pub(crate) fn write<'a>(
    file: &str,
    bytes: &'a str,
    mode: Mode,
    before: ExpectedFile,
) -> FileChange<'a> {
    FileChange::Write {
        path: path(file),
        bytes: Cow::Borrowed(bytes.as_bytes()),
        mode,
        before,
    }
}

pub(crate) fn create<'a>(file: &str, bytes: &'a str) -> FileChange<'a> {
    write(file, bytes, Mode::Plain, ExpectedFile::Missing)
}

pub(crate) fn remove(file: &str, before: &str) -> FileChange<'static> {
    FileChange::Remove {
        path: path(file),
        before: was(before),
    }
}

pub(crate) fn was(content: &str) -> ExpectedFile {
    ExpectedFile::Checksum(Checksum::of(content.as_bytes()))
}

/// Waits, because a child process that another test starts holds our files open until it executes its program.
pub(crate) const PATIENT: LockWait<'static> = LockWait::Block(&|| {});

/// Applies changes under a separate lock.
pub(crate) fn apply(
    project: &Path,
    title: &str,
    changes: Vec<FileChange<'_>>,
) -> Result<AppliedTransaction, StoreError> {
    let store = ProjectStore::open(project)?;
    let lock = store.lock(PATIENT)?;
    store.apply(
        &lock,
        &Transaction {
            title: title.to_owned(),
            changes,
        },
        &|_| {},
    )
}

/// A project with files of the user and managed files of a first transaction.
pub(crate) fn prepare(project: &Path) {
    fs::create_dir_all(project.join("shared")).unwrap();
    fs::write(project.join("shared/user.md"), "user").unwrap();
    fs::write(project.join("settings.json"), "{}").unwrap();
    let changes = vec![
        create("ours/deep/one.md", "one"),
        create("ours/two.md", "two"),
        create("shared/three.md", "three"),
        create("tool.sh", "run"),
        create("swap", "a file"),
        create(".agpm/ledger.json", "[]"),
    ];
    apply(project, "first", changes).unwrap();
}

/// A change of every kind.
pub(crate) fn every_kind() -> Vec<FileChange<'static>> {
    vec![
        create("new.md", "new"),
        create("x/y/z/nested.md", "nested"),
        create(".agpm/snippets/s.md", "snippet"),
        write("settings.json", "{\"a\":1}", Mode::Plain, was("{}")),
        write("tool.sh", "run", Mode::Executable, was("run")),
        write(
            "ours/two.md",
            "zwei",
            Mode::Executable,
            ExpectedFile::Anything,
        ),
        remove("ours/deep/one.md", "one"),
        remove("shared/three.md", "three"),
        remove("swap", "a file"),
        create("swap/inner.md", "a folder now"),
        write(".agpm/ledger.json", "[1]", Mode::Plain, was("[]")),
    ]
}
