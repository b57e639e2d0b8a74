//! Every single write of a transaction, each behind a possible fault.

use std::io::{self, Write};

use cap_std::fs::{Dir, DirBuilder, File, OpenOptions};

use crate::fault::step;

/// The permission bits of a file; on systems without them, what they would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits(pub(crate) u32);

impl Bits {
    pub(crate) const PLAIN: Bits = Bits(0o644);
    pub(crate) const EXECUTABLE: Bits = Bits(0o755);

    pub(crate) fn is_executable(self) -> bool {
        self.0 & 0o100 != 0
    }
}

/// Writes a file that is not there yet; the system's mask takes from `most` what it always takes.
pub(crate) fn write_new(dir: &Dir, name: &str, bytes: &[u8], most: Bits) -> io::Result<File> {
    step()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, if most.is_executable() { 0o777 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = most;
    let mut file = dir.open_with(name, &options)?;
    step()?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Moves a file or folder within or between folders; a link is moved itself.
pub(crate) fn rename(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
    step()?;
    from.rename(name, to, new_name)
}

/// Makes a folder unless there is one.
pub(crate) fn make_folder(dir: &Dir, name: &str) -> io::Result<()> {
    step()?;
    ignoring(io::ErrorKind::AlreadyExists, dir.create_dir(name))
}

/// The same, for its owner alone.
pub(crate) fn make_private_folder(dir: &Dir, name: &str) -> io::Result<()> {
    step()?;
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
    ignoring(io::ErrorKind::AlreadyExists, dir.create_dir_with(name, &builder))
}

/// Gives a file a second name; `false` where the file system has none to give.
pub(crate) fn link(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<bool> {
    step()?;
    match from.hard_link(name, to, new_name) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(cause),
        Err(_) => Ok(false),
    }
}

/// Whether two names are of one file.
#[cfg(unix)]
pub(crate) fn is_same(dir: &Dir, name: &str, other: &Dir, other_name: &str) -> bool {
    use cap_std::fs::MetadataExt;
    match (dir.symlink_metadata(name), other.symlink_metadata(other_name)) {
        (Ok(one), Ok(two)) => (one.dev(), one.ino()) == (two.dev(), two.ino()),
        _ => false,
    }
}

/// Whether two names are of one file.
#[cfg(not(unix))]
pub(crate) fn is_same(_: &Dir, _: &str, _: &Dir, _: &str) -> bool {
    false
}

/// Removes a folder if it is there and empty.
pub(crate) fn remove_if_empty(dir: &Dir, name: &str) -> io::Result<()> {
    step()?;
    let removed = gone_is_fine(dir.remove_dir(name));
    ignoring(io::ErrorKind::DirectoryNotEmpty, removed)
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove_tree(dir: &Dir, name: &str) -> io::Result<()> {
    if !exists(dir, name)? {
        return Ok(());
    }
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

/// Whether there is anything of that name, be it a broken link.
pub(crate) fn exists(dir: &Dir, name: &str) -> io::Result<bool> {
    match dir.symlink_metadata(name) {
        Ok(_) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

#[cfg(unix)]
pub(crate) fn bits(known: &cap_std::fs::Metadata) -> Bits {
    Bits(cap_std::fs::MetadataExt::mode(known) & 0o777)
}

#[cfg(not(unix))]
pub(crate) fn bits(_: &cap_std::fs::Metadata) -> Bits {
    Bits::PLAIN
}

/// Gives a file exactly these bits.
#[cfg(unix)]
pub(crate) fn set_bits(dir: &Dir, name: &str, wanted: Bits) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if bits(&dir.symlink_metadata(name)?) == wanted {
        return Ok(());
    }
    step()?;
    let permissions = std::fs::Permissions::from_mode(wanted.0);
    dir.set_permissions(name, cap_std::fs::Permissions::from_std(permissions))
}

#[cfg(not(unix))]
pub(crate) fn set_bits(_: &Dir, _: &str, _: Bits) -> io::Result<()> {
    Ok(())
}

/// For steps that may have been done before: what is not there need not be moved or removed.
pub(crate) fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    // A file where a folder was looked for: nothing can be in it.
    ignoring(io::ErrorKind::NotADirectory, ignoring(io::ErrorKind::NotFound, result))
}

fn ignoring(kind: io::ErrorKind, result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(cause) if cause.kind() == kind => Ok(()),
        other => other,
    }
}
