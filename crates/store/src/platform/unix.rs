//! Linux, macOS and others.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use cap_std::fs::Dir;

pub(crate) use atomic::{exchange, is_unsupported, rename_to_free};

use super::{ChangeTrace, FileIdentity, PermissionBits};

pub(crate) fn identity_of(metadata: &Metadata) -> Option<FileIdentity> {
    Some(FileIdentity {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}

pub(crate) fn confined_identity_of(metadata: &cap_std::fs::Metadata) -> Option<FileIdentity> {
    Some(FileIdentity {
        device: cap_std::fs::MetadataExt::dev(metadata),
        inode: cap_std::fs::MetadataExt::ino(metadata),
    })
}

/// Returns what changes with every change of a file or its attributes, and the time of that change.
pub(crate) fn change_mark(metadata: &Metadata) -> (String, Option<SystemTime>) {
    let (seconds, part) = (metadata.ctime(), metadata.ctime_nsec());
    let since = u64::try_from(seconds).ok().zip(u32::try_from(part).ok());
    let changed =
        since.map(|(seconds, part)| SystemTime::UNIX_EPOCH + Duration::new(seconds, part));
    let mark = format!(
        "{seconds}.{part} {}.{} {}",
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ino()
    );
    (mark, changed)
}

pub(crate) fn change_trace_of(metadata: &cap_std::fs::Metadata) -> Option<ChangeTrace> {
    use cap_std::fs::MetadataExt;
    let (modified, changed) = (metadata.mtime_nsec(), metadata.ctime_nsec());
    let text = format!(
        "{} {}.{modified} {}.{changed} {} {} {:o}",
        metadata.len(),
        metadata.mtime(),
        metadata.ctime(),
        metadata.dev(),
        metadata.ino(),
        metadata.mode(),
    );
    let time = |seconds: i64, part: i64| {
        let part = u32::try_from(part).ok()?;
        let since = Duration::new(u64::try_from(seconds).ok()?, part);
        Some(SystemTime::UNIX_EPOCH + since)
    };
    // The change time cannot be set by a program; a modification time in the future says nothing about the past.
    let last = time(metadata.ctime(), changed)?.max(time(metadata.mtime(), modified)?);
    Some(ChangeTrace {
        text,
        changed: last,
        has_fine_times: changed != 0,
    })
}

pub(crate) fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub(crate) fn owner_of(metadata: &Metadata) -> u32 {
    metadata.uid()
}

pub(crate) fn is_writable_directory(directory: &Path) -> bool {
    rustix::fs::access(directory, rustix::fs::Access::WRITE_OK).is_ok()
}

pub(crate) fn is_executable(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o100 != 0
}

pub(crate) fn bits_of(metadata: &cap_std::fs::Metadata) -> PermissionBits {
    PermissionBits(cap_std::fs::MetadataExt::mode(metadata) & 0o777)
}

/// Sets at most these bits for new files; the system's mask removes some of them.
pub(crate) fn limit_new_files(options: &mut cap_std::fs::OpenOptions, most: PermissionBits) {
    let mode = if most.is_executable() { 0o777 } else { 0o666 };
    cap_std::fs::OpenOptionsExt::mode(options, mode);
}

pub(crate) fn limit_to_owner(builder: &mut std::fs::DirBuilder) {
    builder.mode(0o700);
}

pub(crate) fn limit_confined_to_owner(builder: &mut cap_std::fs::DirBuilder) {
    cap_std::fs::DirBuilderExt::mode(builder, 0o700);
}

/// Sets the permissions of an open file: by its name, the library would need `/proc`, and aborts where a sandbox makes
/// that answer unexpectedly.
pub(crate) fn set_bits(dir: &Dir, name: &str, wanted: PermissionBits) -> io::Result<()> {
    let mut for_writing = cap_std::fs::OpenOptions::new();
    for_writing.write(true);
    let opened = dir.open(name);
    let file = opened.or_else(|_| dir.open_with(name, &for_writing))?;
    let permissions = std::fs::Permissions::from_mode(wanted.0);
    file.set_permissions(cap_std::fs::Permissions::from_std(permissions))
}

/// Restricts the files of a directory, and the directory itself, to their owner, as far as possible. A file with a hard
/// link elsewhere is left unchanged, because it is still in use.
pub(crate) fn make_private(outer: &Dir, inner: &Dir) {
    let directory = outer.try_clone().map(Dir::into_std_file);
    let _ = directory
        .and_then(|directory| directory.set_permissions(std::fs::Permissions::from_mode(0o700)));
    for entry in inner.entries().into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        // With a hard link elsewhere, a change of mode would change a file that the user still uses.
        let is_linked = cap_std::fs::MetadataExt::nlink(&metadata) > 1;
        if !metadata.is_file() || is_linked || bits_of(&metadata).0 & 0o077 == 0 {
            continue;
        }
        if let Some(name) = entry.file_name().to_str() {
            let _ = set_bits(inner, name, PermissionBits(0o600));
        }
    }
}

pub(crate) fn create_symlink(dir: &Dir, target: &str, link: &str) -> io::Result<()> {
    dir.symlink(target, link)
}

/// Renames that check and change in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod atomic {
    use std::io;

    use cap_std::fs::Dir;
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    pub(crate) fn rename_to_free(
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

    pub(crate) fn exchange(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
        Ok(renameat_with(
            from,
            name,
            to,
            new_name,
            RenameFlags::EXCHANGE,
        )?)
    }

    pub(crate) fn is_unsupported(cause: &io::Error) -> bool {
        let errno = Errno::from_io_error(cause);
        errno.is_some_and(|errno| [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP].contains(&errno))
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod atomic {
    use std::io;

    use cap_std::fs::Dir;

    pub(crate) fn rename_to_free(_: &Dir, _: &str, _: &Dir, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn exchange(_: &Dir, _: &str, _: &Dir, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn is_unsupported(cause: &io::Error) -> bool {
        cause.kind() == io::ErrorKind::Unsupported
    }
}
