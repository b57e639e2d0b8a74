//! Links in Markdown to files.

use std::ops::Range;

/// A link to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLink {
    /// The range of the path in the text.
    pub range: Range<usize>,
    /// The path, without a fragment.
    pub path: String,
}

/// The links in text to files: relative ones, outside code.
pub fn file_links(text: &str) -> Vec<FileLink> {
    let mut links = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let marks = fence_marks(line);
        match (fence, marks) {
            (Some(open), Some(marks)) if marks.starts_with(open) => fence = None,
            (None, Some(marks)) => fence = Some(marks),
            (None, None) => links_of_line(line, at, &mut links),
            _ => {}
        }
        at += line.len();
    }
    links
}

fn fence_marks(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks = line.len() - line.trim_start_matches(mark).len();
    (marks >= 3).then(|| &line[..marks])
}

fn links_of_line(line: &str, start: usize, links: &mut Vec<FileLink>) {
    let mut at = 0;
    while let Some(found) = line[at..].find(['`', ']']) {
        let found_at = at + found;
        at = if line[found_at..].starts_with('`') {
            after_code(line, found_at)
        } else {
            let (inner, next) = destination(line, found_at + 1);
            links.extend(inner.and_then(|range| link(line, range, start)));
            next
        };
    }
}

/// The position after a code span that begins here; after its marks if it is not closed.
fn after_code(line: &str, at: usize) -> usize {
    let marks = line[at..].len() - line[at..].trim_start_matches('`').len();
    let ticks = &line[at..at + marks];
    line[at + marks..]
        .find(ticks)
        .map_or(at + marks, |end| at + marks + end + marks)
}

/// The text in parentheses after text in square brackets, and the position after it.
fn destination(line: &str, at: usize) -> (Option<Range<usize>>, usize) {
    if !line[at..].starts_with('(') {
        return (None, at);
    }
    let mut depth = 0usize;
    for (offset, c) in line[at..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return (Some(at + 1..at + offset), at + offset + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    (None, at)
}

fn link(line: &str, inner: Range<usize>, start: usize) -> Option<FileLink> {
    let text = &line[inner.clone()];
    let skipped = text.len() - text.trim_start().len();
    let target = text.split_whitespace().next()?;
    let bare = target.trim_start_matches('<').trim_end_matches('>');
    let path = bare.split(['#', '?']).next().unwrap_or_default();
    let from = start + inner.start + skipped;
    is_file(bare, path).then(|| FileLink {
        range: from..from + target.len(),
        path: unescaped(path),
    })
}

/// Whether a target is a relative file: not a URL, an anchor, an absolute path, or a template.
fn is_file(target: &str, path: &str) -> bool {
    let first = target.split('/').next().unwrap_or_default();
    !path.is_empty()
        && !first.contains(':')
        && !target.starts_with(['/', '~', '#', '@'])
        && !target.contains(['$', '{', '}', '<', '*', '\\'])
        && path.contains(['.', '/'])
}

fn unescaped(path: &str) -> String {
    path.replace("%20", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_outside_of_code() {
        let text = "See [a](docs/a.md) and ![i](<img/b.png> \"t\"), [c](c.md#top).\n\
                    `[no](code.md)` [web](https://x.y/z.md) [up](#here) [abs](/etc/x.md) [v](${X}/a.md)\n\
                    ```md\n[no](fence.md)\n```\n[d](my%20file.md) [word](word) [(p)](a(1).md) [x] (no.md)\n";
        let found = file_links(text);
        let paths: Vec<&str> = found.iter().map(|link| link.path.as_str()).collect();
        assert_eq!(
            paths,
            ["docs/a.md", "img/b.png", "c.md", "my file.md", "a(1).md"]
        );
        assert_eq!(&text[found[0].range.clone()], "docs/a.md");
    }

    #[test]
    fn odd_strings_end() {
        for text in [
            "](",
            "[a](",
            "[a](b",
            "``",
            "[](())",
            "]()",
            "[é](é.md)`",
            "](((((",
            "```\n",
        ] {
            file_links(text);
        }
    }
}
