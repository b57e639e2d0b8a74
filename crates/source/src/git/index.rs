//! Reads the tracked files of a repository from its index, without a process, because every run needs them.

use std::path::{Path, PathBuf};

const SIGNATURE: &[u8] = b"DIRC";
const LARGEST: u64 = 1 << 30;
/// The bytes of an entry before its object id, and of the flags after it.
const BEFORE_OBJECT: usize = 40;
const FLAGS: usize = 2;
/// Set in the flags of an entry with two more bytes of flags.
const EXTENDED: u16 = 0x4000;
/// The bits of the flags with the length of the name; all are set for longer names.
const NAME_LENGTH: u16 = 0x0fff;
/// The lengths of an object id.
const OBJECT_LENGTHS: [usize; 2] = [20, 32];

/// Returns the first tracked path in a directory that `select` accepts; `None` without a repository, or if the index
/// cannot be read.
pub fn first_tracked(directory: &Path, select: impl Fn(&str) -> bool) -> Option<String> {
    let directory = agpm_store::real_path(directory);
    let root = directory
        .ancestors()
        .find(|above| agpm_store::exists(&above.join(".git")))?;
    let prefix = directory
        .strip_prefix(root)
        .ok()?
        .to_string_lossy()
        .replace('\\', "/");
    let prefix = if prefix.is_empty() {
        prefix
    } else {
        format!("{prefix}/")
    };
    let git = git_directory(root)?;
    let index = agpm_store::read(&git.join("index"), LARGEST).ok()?;
    let in_directory = |name: &[u8]| {
        let name = std::str::from_utf8(name).ok()?.strip_prefix(&prefix)?;
        select(name).then(|| name.to_owned())
    };
    find(&index, &in_directory).or_else(|| {
        // A split index keeps most of its entries in a second file.
        let names = agpm_store::names_in(&git);
        let shared = names.iter().filter(|name| name.starts_with("sharedindex."));
        let texts = shared.filter_map(|name| agpm_store::read(&git.join(name), LARGEST).ok());
        texts
            .into_iter()
            .find_map(|text: Vec<u8>| find(&text, &in_directory))
    })
}

/// Returns the git directory: `.git`, or the one that a file of that name points to.
fn git_directory(root: &Path) -> Option<PathBuf> {
    let at = root.join(".git");
    if agpm_store::is_directory(&at) {
        return Some(at);
    }
    let text = String::from_utf8(agpm_store::read(&at, 1 << 16).ok()?).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

fn find(index: &[u8], select: &dyn Fn(&[u8]) -> Option<String>) -> Option<String> {
    // The index does not say how long its object ids are; with the wrong length an entry does not fit its name.
    OBJECT_LENGTHS
        .iter()
        .find_map(|length| find_with(index, *length, select))?
}

/// Returns the first matching entry; the outer `None` means that the entries have another form.
fn find_with(
    index: &[u8],
    object: usize,
    select: &dyn Fn(&[u8]) -> Option<String>,
) -> Option<Option<String>> {
    let mut entries = index.strip_prefix(SIGNATURE)?;
    let version = number(&mut entries)?;
    let count = number(&mut entries)?;
    let (mut name, mut found) = (Vec::new(), None);
    for _ in 0..count {
        let flags = entries
            .get(BEFORE_OBJECT + object..)?
            .first_chunk::<FLAGS>()?;
        let flags = u16::from_be_bytes(*flags);
        let is_extended = version >= 3 && flags & EXTENDED != 0;
        let head = BEFORE_OBJECT + object + FLAGS + if is_extended { FLAGS } else { 0 };
        let mut rest = entries.get(head..)?;
        match version {
            2 | 3 => name.clear(),
            4 => name.truncate(name.len().checked_sub(offset(&mut rest)?)?),
            _ => return None,
        }
        let length = rest.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&rest[..length]);
        let stated = usize::from(flags & NAME_LENGTH);
        if stated != name.len().min(usize::from(NAME_LENGTH)) {
            return None;
        }
        found = found.or_else(|| select(&name));
        let used = entries.len() - rest.len() + length;
        // Version 4 ends a name with one zero; the others fill the entry up to a multiple of eight.
        let size = if version == 4 {
            used + 1
        } else {
            (used + 8) / 8 * 8
        };
        entries = entries.get(size..)?;
    }
    // A checksum follows.
    (entries.len() >= object).then_some(found)
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_be_bytes(*first))
}

/// Reads a number of variable length, as in git's packs.
fn offset(bytes: &mut &[u8]) -> Option<usize> {
    let mut value = 0usize;
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value = value
            .checked_mul(128)?
            .checked_add(usize::from(first & 0x7f))?;
        if first & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}
