//! Lines of a stream. A line that is too long is skipped without being stored.

use std::io::{self, BufRead, BufReader, Read};

/// The number of bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// The next item of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line above the limit.
    TooLong,
    /// The end of the stream.
    End,
}

/// Reads line by line.
pub(super) struct LineReader<R> {
    input: BufReader<R>,
    begun: Vec<u8>,
    longest: usize,
    state: LineReaderState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineReaderState {
    Reading,
    Skipping,
    Ended,
}

impl<R: Read> LineReader<R> {
    pub(super) fn new(input: R, longest: usize) -> Self {
        let input = BufReader::with_capacity(CHUNK, input);
        LineReader {
            input,
            begun: Vec::new(),
            longest,
            state: LineReaderState::Reading,
        }
    }

    /// The next line. A stream that cannot be read any more has ended.
    pub(super) fn next(&mut self) -> InputLine {
        loop {
            match self.step() {
                Ok(Some(line)) => return line,
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.state = LineReaderState::Ended,
            }
        }
    }

    fn step(&mut self) -> io::Result<Option<InputLine>> {
        if self.state == LineReaderState::Ended {
            return Ok(Some(InputLine::End));
        }
        let bytes = self.input.fill_buf()?;
        if bytes.is_empty() {
            let last = self.finish();
            self.state = LineReaderState::Ended;
            // A final newline ends the last line and does not begin another.
            return Ok((last != InputLine::Whole(Vec::new())).then_some(last));
        }
        let end = memchr::memchr(b'\n', bytes);
        let part = &bytes[..end.unwrap_or(bytes.len())];
        if self.state == LineReaderState::Reading && self.begun.len() + part.len() > self.longest {
            // The rest of a long line is skipped without being stored, so its length costs no memory, and the lines
            // after it are still answered.
            self.state = LineReaderState::Skipping;
            self.begun = Vec::new();
        }
        if self.state == LineReaderState::Reading {
            self.begun.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        self.input.consume(used);
        Ok(end.map(|_| self.finish()))
    }

    /// The line that is complete now.
    fn finish(&mut self) -> InputLine {
        let skipped = std::mem::replace(&mut self.state, LineReaderState::Reading)
            == LineReaderState::Skipping;
        let line = std::mem::take(&mut self.begun);
        if skipped {
            InputLine::TooLong
        } else {
            InputLine::Whole(line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], longest: usize) -> Vec<InputLine> {
        let mut lines = LineReader::new(text, longest);
        let mut found = Vec::new();
        loop {
            match lines.next() {
                InputLine::End => return found,
                line => found.push(line),
            }
        }
    }

    fn whole(text: &str) -> InputLine {
        InputLine::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_end_at_their_ends() {
        assert_eq!(all(b"", 9), []);
        assert_eq!(
            all(b"one\n\ntwo", 9),
            [whole("one"), whole(""), whole("two")]
        );
        assert_eq!(all(b"one\r\n", 9), [whole("one\r")]);
    }

    #[test]
    fn a_long_line_is_skipped_to_its_end() {
        assert_eq!(
            all(b"123\n1234\n12\n", 3),
            [whole("123"), InputLine::TooLong, whole("12")]
        );
        assert_eq!(all(b"1234", 3), [InputLine::TooLong]);
        let long = [vec![b'x'; 3 * CHUNK], b"\nshort\n".to_vec()].concat();
        assert_eq!(all(&long, CHUNK), [InputLine::TooLong, whole("short")]);
        assert_eq!(all(&long, 3 * CHUNK).len(), 2);
    }
}
