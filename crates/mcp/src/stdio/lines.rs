//! Lines of a stream.

use bytes::{Bytes, BytesMut};
use tokio::io::AsyncRead;
use tokio_stream::StreamExt;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead};

/// A buffer that one long line made larger than this is freed after it.
const KEPT: usize = 1 << 20;

/// The next item of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// A line without its newline.
    Whole(Bytes),
    /// A line over the limit. Its rest is skipped without being stored.
    TooLong,
    /// The end of the stream.
    End,
}

/// Reads line by line. Dropping a read halfway loses nothing.
pub(super) struct LineReader<R> {
    // Not `LinesCodec`, which would end at a line that is not UTF-8.
    lines: FramedRead<R, AnyDelimiterCodec>,
    state: ReaderState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    Reading,
    /// `FramedRead` returns the end once after each error, and continues.
    AfterError,
    Ended,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(input: R, longest: usize) -> Self {
        let newline = b"\n".to_vec();
        let codec = AnyDelimiterCodec::new_with_max_length(newline.clone(), newline, longest);
        LineReader {
            lines: FramedRead::new(input, codec),
            state: ReaderState::Reading,
        }
    }

    /// The next line. A stream that cannot be read any more has ended.
    pub(super) async fn next(&mut self) -> InputLine {
        while self.state != ReaderState::Ended {
            match self.lines.next().await {
                Some(Ok(line)) => {
                    self.free_large_buffer();
                    return InputLine::Whole(line);
                }
                Some(Err(AnyDelimiterCodecError::MaxChunkLengthExceeded)) => {
                    self.state = ReaderState::AfterError;
                    return InputLine::TooLong;
                }
                None if self.state == ReaderState::AfterError => {
                    self.state = ReaderState::Reading;
                }
                Some(Err(AnyDelimiterCodecError::Io(_))) | None => self.state = ReaderState::Ended,
            }
        }
        InputLine::End
    }

    fn free_large_buffer(&mut self) {
        let buffer = self.lines.read_buffer_mut();
        if buffer.is_empty() && buffer.capacity() > KEPT {
            *buffer = BytesMut::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: usize = 64 * 1024;

    async fn all(text: &[u8], longest: usize) -> Vec<InputLine> {
        let mut lines = LineReader::new(text, longest);
        let mut found = Vec::new();
        loop {
            match lines.next().await {
                InputLine::End => return found,
                line => found.push(line),
            }
        }
    }

    fn whole(text: &str) -> InputLine {
        InputLine::Whole(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_end_at_their_ends() {
        assert_eq!(all(b"", 9).await, []);
        assert_eq!(
            all(b"one\n\ntwo", 9).await,
            [whole("one"), whole(""), whole("two")]
        );
        assert_eq!(all(b"one\r\n", 9).await, [whole("one\r")]);
        assert_eq!(all(b"one", 9).await, [whole("one")]);
    }

    #[tokio::test]
    async fn a_long_line_is_skipped_to_its_end() {
        assert_eq!(
            all(b"123\n1234\n12\n", 3).await,
            [whole("123"), InputLine::TooLong, whole("12")]
        );
        assert_eq!(all(b"1234", 3).await, [InputLine::TooLong]);
        let long = [vec![b'x'; 3 * CHUNK], b"\nshort\n".to_vec()].concat();
        assert_eq!(
            all(&long, CHUNK).await,
            [InputLine::TooLong, whole("short")]
        );
        assert_eq!(all(&long, 3 * CHUNK).await.len(), 2);
    }
}
