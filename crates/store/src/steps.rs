//! Every single write of a transaction; tests can inject a fault before each.

use std::io::{self, Write};

use cap_std::fs::{Dir, DirBuilder, File, OpenOptions};

use crate::fault::step;
use crate::platform::{self, PermissionBits};

/// Writes a file that does not exist yet, with at most these bits before the system's mask.
pub(crate) fn write_new(
    dir: &Dir,
    name: &str,
    bytes: &[u8],
    most: PermissionBits,
) -> io::Result<File> {
    // A fault here leaves no file; the one after opening leaves an empty file, like a crash.
    step()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    platform::limit_new_files(&mut options, most);
    let mut file = dir.open_with(name, &options)?;
    step()?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Moves a file or directory within or between directories; a symlink itself is moved.
pub(crate) fn rename(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
    step()?;
    from.rename(name, to, new_name)
}

/// Moves a file to a free name; `false` if the name exists.
pub(crate) fn rename_to_free(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<bool> {
    step()?;
    match platform::rename_to_free(from, name, to, new_name) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // File systems without this flag get a check and then a rename. A file that appears between the two is lost.
        Err(cause) if platform::is_unsupported(&cause) && exists(to, new_name)? => Ok(false),
        Err(cause) if platform::is_unsupported(&cause) => {
            from.rename(name, to, new_name).map(|()| true)
        }
        Err(cause) => Err(cause),
    }
}

/// Exchanges two files in one step; `false` if the file system cannot do that.
pub(crate) fn exchange(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<bool> {
    step()?;
    match platform::exchange(from, name, to, new_name) {
        Ok(()) => Ok(true),
        Err(cause) if platform::is_unsupported(&cause) => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// Removes one name of a file.
pub(crate) fn remove_file(dir: &Dir, name: &str) -> io::Result<()> {
    step()?;
    dir.remove_file(name)
}

/// Creates a directory if it does not exist.
pub(crate) fn make_directory(dir: &Dir, name: &str) -> io::Result<()> {
    step()?;
    ignore_error_kind(io::ErrorKind::AlreadyExists, dir.create_dir(name))
}

/// Creates a directory that only its owner can enter.
pub(crate) fn make_private_directory(dir: &Dir, name: &str) -> io::Result<()> {
    step()?;
    let mut builder = DirBuilder::new();
    platform::limit_confined_to_owner(&mut builder);
    ignore_error_kind(
        io::ErrorKind::AlreadyExists,
        dir.create_dir_with(name, &builder),
    )
}

/// Creates a hard link; `false` if the file system has none.
pub(crate) fn link(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<bool> {
    step()?;
    match from.hard_link(name, to, new_name) {
        Ok(()) => Ok(true),
        // A missing file is an error of the plan; any other failure means that the file system has no hard links,
        // and a rename is used.
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(cause),
        Err(_) => Ok(false),
    }
}

/// Returns whether two names are certainly the same file.
pub(crate) fn is_same(dir: &Dir, name: &str, other: &Dir, other_name: &str) -> bool {
    let identity = |dir: &Dir, name: &str| {
        let metadata = dir.symlink_metadata(name).ok()?;
        platform::confined_identity_of(&metadata)
    };
    let (first, second) = (identity(dir, name), identity(other, other_name));
    first.is_some() && first == second
}

/// Removes a directory if it exists and is empty.
pub(crate) fn remove_if_empty(dir: &Dir, name: &str) -> io::Result<()> {
    step()?;
    let removed = ignore_not_found(dir.remove_dir(name));
    ignore_error_kind(io::ErrorKind::DirectoryNotEmpty, removed)
}

/// Removes a directory with its contents, if it exists.
pub(crate) fn remove_tree(dir: &Dir, name: &str) -> io::Result<()> {
    if !exists(dir, name)? {
        return Ok(());
    }
    // Entries are opened relative to the directory, and symlinks are removed but not followed: a symlink in the state
    // must not delete its target.
    let inner = dir.open_dir(name)?;
    for entry in inner.entries()? {
        let entry = entry?;
        match (entry.file_type()?.is_dir(), entry.file_name().to_str()) {
            (true, Some(child)) => remove_tree(&inner, child)?,
            _ => step().and_then(|()| entry.remove_file())?,
        }
    }
    step()?;
    dir.remove_dir(name)
}

/// Returns whether a name exists, even as a broken symlink.
pub(crate) fn exists(dir: &Dir, name: &str) -> io::Result<bool> {
    match dir.symlink_metadata(name) {
        Ok(_) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// Sets exactly these bits.
pub(crate) fn set_bits(dir: &Dir, name: &str, wanted: PermissionBits) -> io::Result<()> {
    if platform::bits_of(&dir.symlink_metadata(name)?) == wanted {
        return Ok(());
    }
    step()?;
    platform::set_bits(dir, name, wanted)
}

/// Ignores a missing file, for steps that may have been done before.
pub(crate) fn ignore_not_found(result: io::Result<()>) -> io::Result<()> {
    // A file is at the path of a parent, so nothing can be in it.
    ignore_error_kind(
        io::ErrorKind::NotADirectory,
        ignore_error_kind(io::ErrorKind::NotFound, result),
    )
}

fn ignore_error_kind(kind: io::ErrorKind, result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(cause) if cause.kind() == kind => Ok(()),
        other => other,
    }
}
