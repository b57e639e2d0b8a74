//! Escaped characters of structured files, read as the characters that a tool sees.

/// Which escapes a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscapeStyle {
    /// None: scripts and prose are read as they are.
    None,
    /// Those of JSON.
    Json,
    /// `\u`, `\U` and `\x`, as in YAML and TOML.
    Unicode,
    /// As `Unicode`, up to the line that ends the front matter.
    FrontMatter,
}

impl EscapeStyle {
    /// The style of a file with this name.
    pub(super) fn of_file(name: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "json" | "jsonc" | "json5" | "ipynb" => EscapeStyle::Json,
            "toml" | "yaml" | "yml" => EscapeStyle::Unicode,
            "md" | "mdc" | "markdown" => EscapeStyle::FrontMatter,
            _ => EscapeStyle::None,
        }
    }
}

/// The longest escape: a surrogate pair.
const LONGEST_ESCAPE: usize = 12;

/// Turns escapes into characters, piece by piece. The lines of the file are kept: an escaped line break is none.
pub(super) struct EscapeDecoder {
    style: EscapeStyle,
    /// The bytes of an escape whose end is in the next piece.
    held: Vec<u8>,
    /// Whether the first line was seen.
    started: bool,
    /// The current line, as far as front matter needs it.
    line: Vec<u8>,
}

/// Where decoded bytes go.
pub(super) trait DecodedOutput {
    /// Adds bytes as they are; line breaks in them are lines of the file.
    fn add(&mut self, bytes: &[u8]);
    /// Adds the character of an escape.
    fn add_escaped(&mut self, character: char);
}

impl EscapeDecoder {
    pub(super) fn new(style: EscapeStyle) -> Self {
        EscapeDecoder {
            style,
            held: Vec::new(),
            started: false,
            line: Vec::new(),
        }
    }

    /// Reads a piece.
    pub(super) fn feed(&mut self, piece: &[u8], output: &mut impl DecodedOutput) {
        if self.style == EscapeStyle::None {
            return output.add(piece);
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let rest = self.decode(&bytes, false, output);
        self.held = bytes[rest..].to_vec();
    }

    /// Reads the bytes that are left.
    pub(super) fn finish(&mut self, output: &mut impl DecodedOutput) {
        let bytes = std::mem::take(&mut self.held);
        self.decode(&bytes, true, output);
    }

    /// Returns how many bytes were read.
    fn decode(&mut self, bytes: &[u8], is_last: bool, output: &mut impl DecodedOutput) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            if self.style == EscapeStyle::None {
                output.add(&bytes[at..]);
                return bytes.len();
            }
            let rest = &bytes[at..];
            let stop = |byte: &u8| *byte == b'\\' || *byte == b'\n';
            let plain = rest.iter().position(stop).unwrap_or(rest.len());
            output.add(&rest[..plain]);
            self.note_line(&rest[..plain]);
            at += plain;
            let Some(byte) = bytes.get(at) else {
                return at;
            };
            if *byte == b'\n' {
                output.add(b"\n");
                at += 1;
                self.end_line();
                continue;
            }
            let rest = &bytes[at..];
            if rest.len() < LONGEST_ESCAPE && !is_last {
                return at;
            }
            let (character, length) = escape_at(rest, self.style).unwrap_or(('\\', 1));
            if length == 1 {
                output.add(b"\\");
            } else {
                output.add_escaped(character);
            }
            at += length;
        }
        at
    }

    fn note_line(&mut self, bytes: &[u8]) {
        const LONGEST_FENCE: usize = 8;
        if self.style == EscapeStyle::FrontMatter && self.line.len() < LONGEST_FENCE {
            let room = LONGEST_FENCE - self.line.len();
            self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// Front matter begins with the first line and ends at the next line of dashes.
    fn end_line(&mut self) {
        if self.style != EscapeStyle::FrontMatter {
            return;
        }
        let line = self.line.strip_prefix("\u{feff}".as_bytes());
        let is_fence = line.unwrap_or(&self.line).trim_ascii_end() == b"---";
        if is_fence == self.started {
            self.style = EscapeStyle::None;
        }
        self.started = true;
        self.line.clear();
    }
}

/// The character of an escape and the number of its bytes; `None` if the backslash is one.
fn escape_at(bytes: &[u8], style: EscapeStyle) -> Option<(char, usize)> {
    let kind = *bytes.get(1)?;
    match kind {
        b'u' => match hexadecimal(bytes, 2, 4)? {
            high @ 0xd800..=0xdbff if bytes.get(6..8) == Some(b"\\u") => {
                let low = hexadecimal(bytes, 8, 4)?;
                let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                let code = 0x10000 + ((high - 0xd800) << 10) + low;
                char::from_u32(code).map(|character| (character, 12))
            }
            code => Some((char::from_u32(code)?, 6)),
        },
        b'U' if style != EscapeStyle::Json => {
            Some((char::from_u32(hexadecimal(bytes, 2, 8)?)?, 10))
        }
        b'x' if style != EscapeStyle::Json => Some((char::from_u32(hexadecimal(bytes, 2, 2)?)?, 4)),
        _ if style != EscapeStyle::Json => None,
        b'n' => Some(('\n', 2)),
        b't' => Some(('\t', 2)),
        b'r' => Some(('\r', 2)),
        b'"' | b'\\' | b'/' => Some((char::from(kind), 2)),
        _ => None,
    }
}

fn hexadecimal(bytes: &[u8], from: usize, count: usize) -> Option<u32> {
    let digits = std::str::from_utf8(bytes.get(from..from + count)?).ok()?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Collected(Vec<u8>);

    impl DecodedOutput for Collected {
        fn add(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }

        fn add_escaped(&mut self, character: char) {
            let mut room = [0; 4];
            self.0
                .extend_from_slice(character.encode_utf8(&mut room).as_bytes());
        }
    }

    fn decoded(file: &str, text: &str, size: usize) -> String {
        let mut decoder = EscapeDecoder::new(EscapeStyle::of_file(file));
        let mut output = Collected::default();
        for piece in text.as_bytes().chunks(size) {
            decoder.feed(piece, &mut output);
        }
        decoder.finish(&mut output);
        String::from_utf8_lossy(&output.0).into_owned()
    }

    #[test]
    fn escapes_are_read_as_the_tool_reads_them() {
        for (file, text, expected) in [
            ("a.json", r#""a\u202eb""#, "\"a\u{202e}b\""),
            ("a.json", r#""\udb40\udc69""#, "\"\u{e0069}\""),
            ("a.json", r#""\\u202e""#, "\"\\u202e\""),
            ("a.json", r#""\ud800 \u12""#, r#""\ud800 \u12""#),
            ("a.toml", r#"a = "\U000E0069""#, "a = \"\u{e0069}\""),
            ("a.yaml", r#"a: "\u202E\x41""#, "a: \"\u{202e}A\""),
            (
                "a.md",
                "---\nd: \"\\u202e\"\n---\n\\u202e",
                "---\nd: \"\u{202e}\"\n---\n\\u202e",
            ),
            ("a.md", "a\n---\n\\u202e", "a\n---\n\\u202e"),
            ("a.py", r#""\u202e""#, r#""\u202e""#),
        ] {
            for size in [1, 2, 3, 5, 1000] {
                assert_eq!(decoded(file, text, size), expected, "{file} {text} {size}");
            }
        }
    }
}
