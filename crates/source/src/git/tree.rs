use agpm_model::Revision as ObjectId;

/// The kind of an entry in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEntryKind {
    /// A file.
    File,
    /// An executable file.
    Executable,
    /// A symlink; its target is the content.
    Symlink,
    /// A directory.
    Directory,
    /// A commit of another repository.
    Submodule,
}

/// One entry of a directory. Its name comes from the source and must not be trusted as a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// The name.
    pub name: String,
    /// File, directory, symlink or submodule.
    pub kind: TreeEntryKind,
    /// The content of the tree entry.
    pub id: ObjectId,
}

/// Parses a tree whose object ids have `width` bytes; `None` if it is invalid.
///
/// A name that is not UTF-8 is read lossily, because no manifest can name it.
pub(crate) fn parse(mut bytes: &[u8], width: usize) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let space = bytes.iter().position(|b| *b == b' ')?;
        let end = bytes.iter().position(|b| *b == 0)?;
        let name = bytes.get(space + 1..end)?;
        let id = bytes.get(end + 1..end + 1 + width)?;
        entries.push(TreeEntry {
            name: String::from_utf8_lossy(name).into_owned(),
            kind: kind_of_mode(&bytes[..space])?,
            id: hexadecimal(id)?,
        });
        bytes = &bytes[end + 1 + width..];
    }
    Some(entries)
}

/// Only the kind and the owner's executable bit matter; old repositories have all kinds of other bits.
pub(crate) fn kind_of_mode(mode: &[u8]) -> Option<TreeEntryKind> {
    let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
    Some(match mode & 0o170_000 {
        0o040_000 => TreeEntryKind::Directory,
        0o120_000 => TreeEntryKind::Symlink,
        0o160_000 => TreeEntryKind::Submodule,
        0o100_000 if mode & 0o100 != 0 => TreeEntryKind::Executable,
        0o100_000 => TreeEntryKind::File,
        _ => return None,
    })
}

fn hexadecimal(id: &[u8]) -> Option<ObjectId> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = id.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let text: String = digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect();
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, &str)]) -> Vec<u8> {
        let entry = |(mode, name): &(&str, &str)| {
            [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &[0xab; 20]].concat()
        };
        entries.iter().flat_map(entry).collect()
    }

    #[test]
    fn every_kind_is_read() {
        let bytes = tree(&[
            ("100644", "a b"),
            ("100755", "run"),
            ("40000", "folder"),
            ("120000", "link"),
            ("160000", "module"),
            ("100664", "old"),
        ]);
        let entries = parse(&bytes, 20).unwrap();
        let kinds: Vec<TreeEntryKind> = entries.iter().map(|entry| entry.kind).collect();
        use TreeEntryKind::*;
        assert_eq!(
            kinds,
            [File, Executable, Directory, Symlink, Submodule, File]
        );
        assert_eq!(
            (entries[0].name.as_str(), entries[0].id.as_str()),
            ("a b", "ab".repeat(20).as_str())
        );
        assert_eq!(parse(b"", 20), Some(Vec::new()));
    }

    #[test]
    fn truncated_or_malformed_trees_are_rejected() {
        let bytes = tree(&[("100644", "a")]);
        for bad in [
            &bytes[..bytes.len() - 1],
            &bytes[..5],
            &tree(&[("0", "a")]),
            b"x y\0",
            b"\0 ",
        ] {
            assert_eq!(parse(bad, 20), None, "{bad:?}");
        }
    }
}
