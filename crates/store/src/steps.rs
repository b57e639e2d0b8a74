//! Every single write of a transaction; tests can inject a fault before each.

use std::io::{self, Write};

use cap_std::fs::{Dir, DirBuilder, File, OpenOptions};

use crate::fault::step;

/// The permission bits of a file, or their equivalent on systems without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PermissionBits(pub(crate) u32);

impl PermissionBits {
    pub(crate) const PLAIN: PermissionBits = PermissionBits(0o644);
    pub(crate) const EXECUTABLE: PermissionBits = PermissionBits(0o755);

    pub(crate) fn is_executable(self) -> bool {
        self.0 & 0o100 != 0
    }
}

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
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(
        &mut options,
        if most.is_executable() { 0o777 } else { 0o666 },
    );
    #[cfg(not(unix))]
    let _ = most;
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
    match atomic::rename_to_free(from, name, to, new_name) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // File systems without this flag get a check and then a rename. A file that appears between the two is lost.
        Err(cause) if atomic::is_unsupported(&cause) && exists(to, new_name)? => Ok(false),
        Err(cause) if atomic::is_unsupported(&cause) => {
            from.rename(name, to, new_name).map(|()| true)
        }
        Err(cause) => Err(cause),
    }
}

/// Exchanges two files in one step; `false` if the file system cannot do that.
pub(crate) fn exchange(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<bool> {
    step()?;
    match atomic::exchange(from, name, to, new_name) {
        Ok(()) => Ok(true),
        Err(cause) if atomic::is_unsupported(&cause) => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// Renames that check and change in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod atomic {
    use std::io;

    use cap_std::fs::Dir;
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    pub(super) fn rename_to_free(
        from: &Dir,
        name: &str,
        to: &Dir,
        new_name: &str,
    ) -> io::Result<()> {
        Ok(renameat_with(
            from,
            name,
            to,
            new_name,
            RenameFlags::NOREPLACE,
        )?)
    }

    pub(super) fn exchange(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
        Ok(renameat_with(
            from,
            name,
            to,
            new_name,
            RenameFlags::EXCHANGE,
        )?)
    }

    pub(super) fn is_unsupported(cause: &io::Error) -> bool {
        let errno = Errno::from_io_error(cause);
        errno.is_some_and(|errno| [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP].contains(&errno))
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod atomic {
    use std::io;

    use cap_std::fs::Dir;

    pub(super) fn rename_to_free(_: &Dir, _: &str, _: &Dir, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn exchange(_: &Dir, _: &str, _: &Dir, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn is_unsupported(cause: &io::Error) -> bool {
        cause.kind() == io::ErrorKind::Unsupported
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
    #[cfg(unix)]
    cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
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

/// Returns whether two names are the same file.
#[cfg(unix)]
pub(crate) fn is_same(dir: &Dir, name: &str, other: &Dir, other_name: &str) -> bool {
    use cap_std::fs::MetadataExt;
    match (
        dir.symlink_metadata(name),
        other.symlink_metadata(other_name),
    ) {
        (Ok(first), Ok(second)) => (first.dev(), first.ino()) == (second.dev(), second.ino()),
        _ => false,
    }
}

/// Returns whether two names are the same file.
#[cfg(not(unix))]
pub(crate) fn is_same(_: &Dir, _: &str, _: &Dir, _: &str) -> bool {
    false
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

#[cfg(unix)]
pub(crate) fn bits(metadata: &cap_std::fs::Metadata) -> PermissionBits {
    PermissionBits(cap_std::fs::MetadataExt::mode(metadata) & 0o777)
}

#[cfg(not(unix))]
pub(crate) fn bits(_: &cap_std::fs::Metadata) -> PermissionBits {
    PermissionBits::PLAIN
}

/// Sets exactly these bits.
#[cfg(unix)]
pub(crate) fn set_bits(dir: &Dir, name: &str, wanted: PermissionBits) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if bits(&dir.symlink_metadata(name)?) == wanted {
        return Ok(());
    }
    step()?;
    let permissions = std::fs::Permissions::from_mode(wanted.0);
    set_permissions(dir, name, cap_std::fs::Permissions::from_std(permissions))
}

/// Sets the permissions of an open file: by its name, the library would need `/proc`, and aborts where a sandbox makes
/// that answer unexpectedly.
#[cfg(unix)]
fn set_permissions(dir: &Dir, name: &str, permissions: cap_std::fs::Permissions) -> io::Result<()> {
    let mut for_writing = OpenOptions::new();
    for_writing.write(true);
    let opened = dir.open(name);
    let file = opened.or_else(|_| dir.open_with(name, &for_writing))?;
    file.set_permissions(permissions)
}

#[cfg(not(unix))]
pub(crate) fn set_bits(_: &Dir, _: &str, _: PermissionBits) -> io::Result<()> {
    Ok(())
}

/// Restricts the files of a directory, and the directory itself, to their owner, as far as possible. A file with a hard
/// link elsewhere is left unchanged, because it is still in use.
#[cfg(unix)]
pub(crate) fn make_private(outer: &Dir, inner: &Dir) {
    use cap_std::fs::MetadataExt;
    let private = |mode| {
        cap_std::fs::Permissions::from_std(std::os::unix::fs::PermissionsExt::from_mode(mode))
    };
    let directory = outer.try_clone().map(Dir::into_std_file);
    let _ = directory.and_then(|directory| {
        directory.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))
    });
    for entry in inner.entries().into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        // With a hard link elsewhere, a change of mode would change a file that the user still uses.
        if metadata.is_file() && metadata.nlink() == 1 && bits(&metadata).0 & 0o077 != 0 {
            let name = entry.file_name();
            let name = name.to_str();
            let _ = name.map(|name| set_permissions(inner, name, private(0o600)));
        }
    }
}

#[cfg(not(unix))]
pub(crate) fn make_private(_: &Dir, _: &Dir) {}

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
