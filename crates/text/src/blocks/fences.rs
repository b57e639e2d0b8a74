//! Detects which lines of Markdown are code.

/// A code fence that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenFence {
    mark: char,
    count: usize,
    /// The column of the fence.
    column: usize,
    /// The container of the fence. The fence ends with it, even if it is not closed.
    container: MarkdownContainer,
    /// The line that opens it, from one.
    pub(super) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkdownContainer {
    /// No visible container.
    None,
    /// A list item whose text starts at this column.
    Item(usize),
    Quote,
}

/// The state of reading line by line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FenceReader {
    pub(super) open: Option<OpenFence>,
    line: usize,
}

impl FenceReader {
    /// Reads the next line; returns whether it is text, and neither code nor a fence.
    pub(super) fn is_text(&mut self, line: &str) -> bool {
        self.line += 1;
        if let Some(open) = self.open {
            if !open.ends_before(line) {
                if open.is_closed_by(line) {
                    self.open = None;
                }
                return false;
            }
            self.open = None;
        }
        self.open = opening(line, self.line);
        self.open.is_none()
    }
}

impl OpenFence {
    /// Whether the container of the fence ends before this line.
    fn ends_before(self, line: &str) -> bool {
        match self.container {
            MarkdownContainer::None => false,
            MarkdownContainer::Item(column) => !line.trim().is_empty() && indent(line) < column,
            MarkdownContainer::Quote => !line.trim_start().starts_with('>'),
        }
    }

    fn is_closed_by(self, line: &str) -> bool {
        let (line, column) = match self.container {
            MarkdownContainer::Quote => (unquoted(line), 0),
            _ => (line, self.column),
        };
        let rest = line.trim_start_matches([' ', '\t']);
        let marks = count(rest, self.mark);
        indent(line) <= column + 3 && marks >= self.count && rest[marks..].trim().is_empty()
    }

    /// The line that closes it.
    fn closing(self) -> String {
        let start = match self.container {
            MarkdownContainer::Quote => "> ".to_owned(),
            _ => " ".repeat(self.column),
        };
        start + &self.mark.to_string().repeat(self.count)
    }
}

/// The fence that a line opens, possibly after list and quote marks.
fn opening(line: &str, number: usize) -> Option<OpenFence> {
    let mut rest = line;
    let mut container = MarkdownContainer::None;
    loop {
        if indent(rest) > 3 && container == MarkdownContainer::None {
            return None;
        }
        rest = rest.trim_start_matches([' ', '\t']);
        let column = line.len() - rest.len();
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'));
        if let Some(mark) = mark {
            let count = count(rest, mark);
            let is_fence = count >= 3 && !(mark == '`' && rest[count..].contains('`'));
            return is_fence.then_some(OpenFence {
                mark,
                count,
                column,
                container,
                line: number,
            });
        }
        if let Some(inner) = rest.strip_prefix('>') {
            container = MarkdownContainer::Quote;
            rest = inner;
        } else if let Some(inner) = after_item_mark(rest) {
            if container != MarkdownContainer::Quote {
                container = MarkdownContainer::Item(line.len() - inner.len());
            }
            rest = inner;
        } else {
            return None;
        }
    }
}

fn after_item_mark(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marks: &[char] = match digits {
        0 => &['-', '*', '+'],
        1..=9 => &['.', ')'],
        _ => return None,
    };
    let rest = text[digits..].strip_prefix(marks)?;
    rest.strip_prefix([' ', '\t'])
}

fn unquoted(line: &str) -> &str {
    let mut line = line;
    while let Some(inner) = line.trim_start().strip_prefix('>') {
        line = inner;
    }
    line
}

fn count(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Normalizes the text of a block: without surrounding blank lines, and with closed code fences.
pub fn block_text(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n");
    let start = text.trim_start().len();
    // The indentation of the first line belongs to it.
    let start = text[..text.len() - start]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let text = text[start..].trim_end();
    if text.is_empty() {
        return String::new();
    }
    closed_fences(&format!("{text}\n"))
}

/// Closes the last code fence. An unclosed fence extends to the end of its text, and would swallow whatever follows it
/// elsewhere.
// An open fence would turn the end marker and all text of the user after it into code.
fn closed_fences(text: &str) -> String {
    let mut reader = FenceReader::default();
    for line in text.lines() {
        reader.is_text(line);
    }
    let mut closed = text.to_owned();
    if let Some(open) = reader.open {
        if !closed.ends_with('\n') {
            closed.push('\n');
        }
        closed.push_str(&open.closing());
        closed.push('\n');
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are text.
    fn text_lines(text: &str) -> Vec<&str> {
        let mut reader = FenceReader::default();
        text.lines().filter(|line| reader.is_text(line)).collect()
    }

    #[test]
    fn code_is_reported_from_text() {
        for (text, expected) in [
            ("a\n```\nb\n```\nc\n", &["a", "c"][..]),
            ("~~~md\n```\n~~~\nc\n", &["c"]),
            ("````\n```\n````\nc\n", &["c"]),
            ("```js\n```js\n```\nc\n", &["c"]),
            ("`` ` ``\n``` a`b\nc\n", &["`` ` ``", "``` a`b", "c"]),
            ("    ```\nc\n", &["    ```", "c"]),
            ("```\nopen\n", &[]),
            ("- ```\n  x\n  ```\nc\n", &["c"]),
            ("- ```\n  x\nc\n", &["c"]),
            ("1. a\n   ```\n   x\n   ```\nc\n", &["1. a", "c"]),
            ("> ```\n> x\n> ```\nc\n", &["c"]),
            ("> ```\n> x\nc\n", &["c"]),
        ] {
            assert_eq!(text_lines(text), expected, "{text}");
        }
    }

    #[test]
    fn an_open_fence_is_closed_as_it_was_opened() {
        assert_eq!(closed_fences("a\n"), "a\n");
        assert_eq!(closed_fences("````md\nx"), "````md\nx\n````\n");
        assert_eq!(closed_fences("  ~~~\nx\n"), "  ~~~\nx\n  ~~~\n");
        assert_eq!(closed_fences("> ```\n> x\n"), "> ```\n> x\n> ```\n");
    }

    #[test]
    fn a_block_has_no_blank_lines_around_it_and_no_open_code() {
        for (text, expected) in [
            ("\n\n  a\n\n", "  a\n"),
            ("\u{feff}a\r\nb", "a\nb\n"),
            ("```\ncode", "```\ncode\n```\n"),
            ("\n \n", ""),
        ] {
            assert_eq!(block_text(text), expected);
        }
    }
}
