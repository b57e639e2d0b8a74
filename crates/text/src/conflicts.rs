//! Files with the conflict markers of git.

/// The sides of a file that git could not merge. Lines outside of conflicts are in all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConflictSides {
    /// The file of the branch that was merged into.
    pub ours: Vec<u8>,
    /// The file of the common ancestor, if every conflict shows it.
    pub base: Option<Vec<u8>>,
    /// The file of the branch that was merged.
    pub theirs: Vec<u8>,
}

/// The lines of the first and the last conflict marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerLines {
    /// The number of the first line.
    pub first: usize,
    /// The number of the last line.
    pub last: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Ours,
    Base,
    Theirs,
    End,
}

/// Git starts a marker with seven characters and a space; a label may be missing.
fn marker_of(line: &[u8]) -> Option<Marker> {
    let line = line.trim_ascii_end();
    let marker = match line.first()? {
        b'<' => Marker::Ours,
        b'|' => Marker::Base,
        b'=' => Marker::Theirs,
        b'>' => Marker::End,
        _ => return None,
    };
    let length = line.iter().take_while(|byte| **byte == line[0]).count();
    let rest = line.get(length).copied();
    let is_labeled = rest == Some(b' ') && marker != Marker::Theirs;
    (length == 7 && (rest.is_none() || is_labeled)).then_some(marker)
}

/// Whether a line is a conflict marker of git.
pub fn has_conflict_markers(bytes: &[u8]) -> bool {
    marker_lines(bytes).is_some()
}

/// The lines of the markers; `None` if no conflict begins in the file.
pub fn marker_lines(bytes: &[u8]) -> Option<MarkerLines> {
    let mut lines: Option<MarkerLines> = None;
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = at + 1;
        match (marker_of(line), &mut lines) {
            (Some(Marker::Ours), None) => {
                lines = Some(MarkerLines {
                    first: number,
                    last: number,
                });
            }
            (Some(_), Some(found)) => found.last = number,
            _ => {}
        }
    }
    lines
}

/// The sides of a file with conflict markers; `None` if the markers are not complete or are nested.
pub fn conflict_sides(bytes: &[u8]) -> Option<ConflictSides> {
    let mut sides = ConflictSides::default();
    let mut base = Vec::new();
    let mut has_base_everywhere = true;
    let mut open: Option<Marker> = None;
    let mut has_base = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match (marker_of(line), open) {
            (Some(Marker::Ours), None) => {
                open = Some(Marker::Ours);
                has_base = false;
            }
            (Some(Marker::Base), Some(Marker::Ours)) => {
                open = Some(Marker::Base);
                has_base = true;
            }
            (Some(Marker::Theirs), Some(Marker::Ours | Marker::Base)) => {
                open = Some(Marker::Theirs);
                has_base_everywhere &= has_base;
            }
            (Some(Marker::End), Some(Marker::Theirs)) => open = None,
            (Some(_), _) => return None,
            (None, None) => {
                sides.ours.extend(line);
                base.extend(line);
                sides.theirs.extend(line);
            }
            (None, Some(Marker::Ours)) => sides.ours.extend(line),
            (None, Some(Marker::Base)) => base.extend(line),
            (None, Some(_)) => sides.theirs.extend(line),
        }
    }
    sides.base = has_base_everywhere.then_some(base);
    open.is_none().then_some(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(text: &str) -> Option<(String, Option<String>, String)> {
        let text_of = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let found = conflict_sides(text.as_bytes())?;
        Some((
            text_of(found.ours),
            found.base.map(text_of),
            text_of(found.theirs),
        ))
    }

    #[test]
    fn a_conflict_has_two_or_three_sides() {
        let two = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\nd\n";
        let expected = ("a\nb\nd\n".to_owned(), None, "a\nc\nd\n".to_owned());
        assert_eq!(sides(two), Some(expected));
        let three = "<<<<<<< HEAD\r\nb\n||||||| 1234\nx\n=======\n>>>>>>> other\nd";
        let expected = ("b\nd".to_owned(), Some("x\nd".to_owned()), "d".to_owned());
        assert_eq!(sides(three), Some(expected));
        // With an ancestor in one conflict only, its file is not known.
        let both = format!("{three}\n{two}");
        assert_eq!(sides(&both).and_then(|(_, base, _)| base), None);
    }

    #[test]
    fn incomplete_markers_are_not_understood() {
        for text in [
            "<<<<<<< HEAD\na\n",
            "<<<<<<< HEAD\na\n>>>>>>> b\n",
            "<<<<<<< HEAD\n<<<<<<< HEAD\n=======\n>>>>>>> b\n",
            "=======\n",
        ] {
            assert_eq!(sides(text), None, "{text}");
        }
    }

    #[test]
    fn markers_are_found_by_their_lines() {
        let text = "a\n<<<<<<< HEAD\n=======\n>>>>>>> b\n<<<<<<< HEAD\n=======\n>>>>>>> b\nc\n";
        let lines = MarkerLines { first: 2, last: 7 };
        assert_eq!(marker_lines(text.as_bytes()), Some(lines));
        assert_eq!(marker_lines(b"======= \n<<<<<<<< x\n"), None);
    }
}
