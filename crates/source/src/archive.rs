//! Archives that came from elsewhere: tar, plain or compressed, read with limits. Nothing is written.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use agpm_model::{Checksum, FileMode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::SourceError;
use crate::limits::MOST_LAYER_BYTES;

/// Entries of one archive. A whole file system of an image has about a hundred thousand.
const MOST_ENTRIES: usize = 500_000;
const LONGEST_PATH: usize = 4096;

/// An entry of an archive. Directories are left out unless something is in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArchiveEntry {
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) kind: ArchiveEntryKind,
}

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum ArchiveEntryKind {
    File {
        mode: ArchiveFileMode,
        size: u64,
        digest: Checksum,
    },
    Directory,
    Symlink {
        target: String,
    },
    /// Another name of a file before it.
    Hardlink {
        target: String,
    },
    /// A device, a pipe or the like.
    Special,
}

/// Whether a file is executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ArchiveFileMode {
    Plain,
    Executable,
}

impl From<ArchiveFileMode> for FileMode {
    fn from(mode: ArchiveFileMode) -> Self {
        match mode {
            ArchiveFileMode::Plain => FileMode::Plain,
            ArchiveFileMode::Executable => FileMode::Executable,
        }
    }
}

/// Why an archive was not read.
#[derive(Debug)]
pub(crate) enum ArchiveError {
    /// It tries something that no honest archive does, or is too large.
    Hostile(String),
    /// It is not complete or not an archive.
    Damaged(String),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Hostile(reason) | ArchiveError::Damaged(reason) => {
                formatter.write_str(reason)
            }
        }
    }
}

impl ArchiveError {
    /// The same as the error of a source; `what` names the archive.
    pub(crate) fn of_source(self, what: &str) -> SourceError {
        match self {
            ArchiveError::Hostile(reason) => SourceError::Hostile(format!("{what}: {reason}")),
            ArchiveError::Damaged(reason) => SourceError::Invalid(format!("{what}: {reason}")),
        }
    }
}

/// A stream that ends with an error after a number of bytes: a small archive can unpack to endless ones.
struct LimitedReader<R> {
    inner: R,
    left: u64,
}

/// The text of the error by which a reader finds out about its limit.
const TOO_MUCH: &str = "it unpacks to more than 1 GiB";

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(TOO_MUCH)),
        }
        Ok(read)
    }
}

/// Returns a stream of the tar archive in a stream, whatever compresses it.
fn decompressed(stream: impl Read + 'static) -> io::Result<Box<dyn Read>> {
    let mut stream = BufReader::with_capacity(64 << 10, stream);
    let start = stream.fill_buf()?;
    let inner: Box<dyn Read> = if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(flate2::bufread::MultiGzDecoder::new(stream))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(zstd::stream::read::Decoder::with_buffer(stream)?)
    } else {
        Box::new(stream)
    };
    Ok(Box::new(LimitedReader {
        inner,
        left: MOST_LAYER_BYTES,
    }))
}

/// Calls `visit` with each entry of an archive, and with the content of files.
pub(crate) fn visit_archive(
    stream: impl Read + 'static,
    visit: &mut dyn FnMut(ArchiveEntry, Option<Vec<u8>>) -> Result<(), ArchiveError>,
    wants: &dyn Fn(&str) -> bool,
) -> Result<(), ArchiveError> {
    let stream = decompressed(stream).map_err(|error| failure(&error))?;
    let mut archive = tar::Archive::new(stream);
    let entries = archive.entries().map_err(|error| failure(&error))?;
    for (count, entry) in entries.enumerate() {
        if count >= MOST_ENTRIES {
            let reason = format!("it has more than {MOST_ENTRIES} entries");
            return Err(ArchiveError::Hostile(reason));
        }
        let mut entry = entry.map_err(|error| failure(&error))?;
        let Some(path) = safe_path(&entry.path_bytes())? else {
            continue;
        };
        let target = entry.link_name_bytes();
        let target = target.map(|target| String::from_utf8_lossy(&target).into_owned());
        let header = entry.header();
        let is_executable = header.mode().unwrap_or_default() & 0o100 != 0;
        let mut content = None;
        let kind = match header.entry_type() {
            kind if kind.is_file() || kind == tar::EntryType::Continuous => {
                let (size, digest) = if wants(&path) {
                    let mut bytes = Vec::new();
                    let read = entry.read_to_end(&mut bytes);
                    read.map_err(|error| failure(&error))?;
                    let found = (bytes.len() as u64, Checksum::of(&bytes));
                    content = Some(bytes);
                    found
                } else {
                    hash(&mut entry).map_err(|error| failure(&error))?
                };
                let mode = if is_executable {
                    ArchiveFileMode::Executable
                } else {
                    ArchiveFileMode::Plain
                };
                ArchiveEntryKind::File { mode, size, digest }
            }
            kind if kind.is_dir() => ArchiveEntryKind::Directory,
            kind if kind.is_symlink() => ArchiveEntryKind::Symlink {
                target: target.unwrap_or_default(),
            },
            kind if kind.is_hard_link() => {
                let target = safe_path(target.unwrap_or_default().as_bytes())?;
                ArchiveEntryKind::Hardlink {
                    target: target.unwrap_or_default(),
                }
            }
            kind if kind.is_pax_global_extensions() => continue,
            _ => ArchiveEntryKind::Special,
        };
        visit(ArchiveEntry { path, kind }, content)?;
    }
    Ok(())
}

/// Calls `visit` with each entry of a zip archive, and with the content of files.
pub(crate) fn visit_zip(
    bytes: &[u8],
    visit: &mut dyn FnMut(ArchiveEntry, Option<Vec<u8>>) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let damaged = |error: zip::result::ZipError| {
        ArchiveError::Damaged(format!("it is not a zip archive: {error}"))
    };
    let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).map_err(damaged)?;
    let mut left = MOST_LAYER_BYTES;
    for at in 0..archive.len() {
        if at >= MOST_ENTRIES {
            let reason = format!("it has more than {MOST_ENTRIES} entries");
            return Err(ArchiveError::Hostile(reason));
        }
        let entry = archive.by_index(at).map_err(damaged)?;
        let Some(path) = safe_path(entry.name_raw())? else {
            continue;
        };
        if entry.is_dir() {
            visit(
                ArchiveEntry {
                    path,
                    kind: ArchiveEntryKind::Directory,
                },
                None,
            )?;
            continue;
        }
        let is_symlink = entry.is_symlink();
        let is_executable = entry.unix_mode().is_some_and(|mode| mode & 0o100 != 0);
        let mut content = Vec::new();
        let mut limited = LimitedReader { inner: entry, left };
        let read = limited.read_to_end(&mut content);
        read.map_err(|error| failure(&error))?;
        left = limited.left;
        let kind = if is_symlink {
            ArchiveEntryKind::Symlink {
                target: String::from_utf8_lossy(&content).into_owned(),
            }
        } else {
            ArchiveEntryKind::File {
                mode: if is_executable {
                    ArchiveFileMode::Executable
                } else {
                    ArchiveFileMode::Plain
                },
                size: content.len() as u64,
                digest: Checksum::of(&content),
            }
        };
        visit(ArchiveEntry { path, kind }, Some(content))?;
    }
    Ok(())
}

/// Lists an archive, with the checksums of its files.
pub(crate) fn list_archive(stream: impl Read + 'static) -> Result<Vec<ArchiveEntry>, ArchiveError> {
    let mut entries = Vec::new();
    let mut keep = |entry, _| {
        entries.push(entry);
        Ok(())
    };
    visit_archive(stream, &mut keep, &|_| false)?;
    Ok(entries)
}

fn hash(content: &mut dyn Read) -> io::Result<(u64, Checksum)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        let read = content.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        size += read as u64;
        hasher.update(&buffer[..read]);
    }
    Ok((size, checksum_of(hasher)))
}

/// Returns the checksum of what was hashed.
pub(crate) fn checksum_of(hasher: Sha256) -> Checksum {
    Checksum::from_bytes(hasher.finalize().into())
}

fn failure(error: &io::Error) -> ArchiveError {
    let reason = error.to_string();
    if reason.contains(TOO_MUCH) {
        return ArchiveError::Hostile(TOO_MUCH.to_owned());
    }
    ArchiveError::Damaged(format!("it is not a complete archive: {reason}"))
}

/// Returns a path without `./`; `None` for the top itself. A path that leads elsewhere is refused: no honest program
/// writes one.
fn safe_path(bytes: &[u8]) -> Result<Option<String>, ArchiveError> {
    let path = String::from_utf8_lossy(bytes);
    let shown = || path.chars().filter(|c| !c.is_control()).take(100);
    if path.starts_with(['/', '\\']) {
        let reason = format!("it has the absolute path `{}`", shown().collect::<String>());
        return Err(ArchiveError::Hostile(reason));
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                let reason = format!(
                    "it has the path `{}`, which leads out of it",
                    shown().collect::<String>()
                );
                return Err(ArchiveError::Hostile(reason));
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if path.contains('\0') || path.len() > LONGEST_PATH {
        return Err(ArchiveError::Hostile("it has an invalid path".to_owned()));
    }
    Ok(Some(path).filter(|path| !path.is_empty()))
}

/// Returns whether a symlink stays inside of the top directory, by its text.
pub(crate) fn stays_inside(link: &str, target: &str) -> bool {
    if target.is_empty() || target.starts_with(['/', '\\']) {
        return false;
    }
    let mut depth = link.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return false,
            },
            _ => depth += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn archive_with(path: &str, kind: tar::EntryType, link: Option<&str>) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        // Set as bytes: the library refuses to write what is tested here.
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        if let Some(link) = link {
            header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
        }
        header.set_size(if kind.is_file() { 2 } else { 0 });
        header.set_cksum();
        let mut bytes = header.as_bytes().to_vec();
        if kind.is_file() {
            bytes.extend([b'h', b'i']);
            bytes.resize(1024, 0);
        }
        bytes.extend([0; 1024]);
        bytes
    }

    #[test]
    fn entries_of_every_kind_are_listed() {
        let list = |bytes: Vec<u8>| list_archive(Cursor::new(bytes)).unwrap();
        let file = ArchiveEntryKind::File {
            mode: ArchiveFileMode::Plain,
            size: 2,
            digest: Checksum::of(b"hi"),
        };
        for (path, kind, link, expected) in [
            ("./a/b", tar::EntryType::Regular, None, file),
            (
                "a//b",
                tar::EntryType::Symlink,
                Some("/etc"),
                ArchiveEntryKind::Symlink {
                    target: "/etc".to_owned(),
                },
            ),
            (
                "a/b",
                tar::EntryType::Link,
                Some("./c"),
                ArchiveEntryKind::Hardlink {
                    target: "c".to_owned(),
                },
            ),
            (
                "a/b/",
                tar::EntryType::Directory,
                None,
                ArchiveEntryKind::Directory,
            ),
            ("a/b", tar::EntryType::Char, None, ArchiveEntryKind::Special),
        ] {
            let entries = list(archive_with(path, kind, link));
            assert_eq!(
                entries,
                [ArchiveEntry {
                    path: "a/b".to_owned(),
                    kind: expected
                }]
            );
        }
        assert_eq!(list(vec![0; 1024]), []);
    }

    #[test]
    fn paths_that_lead_elsewhere_are_hostile() {
        for (path, link) in [
            ("../x", None),
            ("a/../../x", None),
            ("/etc/x", None),
            ("x", Some("../../etc/passwd")),
        ] {
            let kind = link.map_or(tar::EntryType::Regular, |_| tar::EntryType::Link);
            let listed = list_archive(Cursor::new(archive_with(path, kind, link)));
            assert!(
                matches!(listed, Err(ArchiveError::Hostile(_))),
                "{path} {listed:?}"
            );
        }
    }

    #[test]
    fn an_incomplete_archive_is_damaged() {
        let whole = archive_with("a", tar::EntryType::Regular, None);
        let listed = list_archive(Cursor::new(whole[..513].to_vec()));
        assert!(
            matches!(listed, Err(ArchiveError::Damaged(_))),
            "{listed:?}"
        );
        let listed = list_archive(Cursor::new(vec![0x1f, 0x8b, 1, 2]));
        assert!(
            matches!(listed, Err(ArchiveError::Damaged(_))),
            "{listed:?}"
        );
    }

    #[test]
    fn what_unpacks_to_too_much_is_hostile() {
        let bomb = io::repeat(0).take((1 << 30) + (1 << 20));
        let listed = {
            let mut reader = LimitedReader {
                inner: bomb,
                left: 1 << 20,
            };
            io::copy(&mut reader, &mut io::sink())
        };
        assert!(matches!(
            failure(&listed.unwrap_err()),
            ArchiveError::Hostile(_)
        ));
    }

    #[test]
    fn symlinks_stay_inside_by_their_text() {
        for (link, target) in [("l", "f"), ("a/l", "../f"), ("a/b/l", "../../a/./f")] {
            assert!(stays_inside(link, target), "{link} {target}");
        }
        for (link, target) in [("l", "../f"), ("l", "/f"), ("a/l", "../../f"), ("l", "")] {
            assert!(!stays_inside(link, target), "{link} {target}");
        }
    }
}
