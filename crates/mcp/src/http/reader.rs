//! Requests of HTTP/1: heads and bodies out of a stream of bytes, within limits of size and time.

use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use httparse::Status;

/// The largest head of a request.
const LONGEST_HEAD: usize = 64 << 10;
const MOST_HEADERS: usize = 100;
/// The longest line with the size of a chunk, and the most bytes of trailers.
const LONGEST_CHUNK_LINE: usize = 256;
const LONGEST_TRAILERS: usize = 8 << 10;
/// The number of bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// A stream that can be read until a deadline.
pub(super) trait TimedRead {
    fn read_before(&mut self, deadline: Instant, buffer: &mut [u8]) -> io::Result<usize>;
}

impl TimedRead for TcpStream {
    fn read_before(&mut self, deadline: Instant, buffer: &mut [u8]) -> io::Result<usize> {
        // The deadline is for a whole head or body, so a client that sends a byte now and then is cut off as well.
        let left = deadline.saturating_duration_since(Instant::now());
        // The system takes zero for no timeout at all.
        self.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        io::Read::read(self, buffer)
    }
}

/// The first part of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestHead {
    pub(super) method: String,
    /// The path of the target, without a query.
    pub(super) path: String,
    pub(super) version: HttpVersion,
    pub(super) headers: Headers,
    pub(super) framing: BodyFraming,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpVersion {
    Http10,
    Http11,
}

/// The way in which the end of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFraming {
    Length(u64),
    Chunked,
}

/// A reason to close the connection instead of reading a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeadError {
    /// The client closed the connection, or did not finish the head in time.
    Gone,
    Malformed,
    TooLarge,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// The body ended early, is malformed, or did not arrive in time.
    Incomplete,
    TooLarge,
}

/// Header fields, with names in lowercase.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Headers(Vec<HeaderField>);

#[derive(Debug, PartialEq, Eq)]
struct HeaderField {
    name: String,
    value: Vec<u8>,
}

impl Headers {
    /// All values of a header; `name` is in lowercase.
    pub(super) fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
        let fields = self.0.iter().filter(move |field| field.name == name);
        fields.map(|field| field.value.as_slice())
    }

    /// The only value of a header. Nothing if it is missing or repeated.
    pub(super) fn single<'h>(&'h self, name: &'h str) -> Option<&'h [u8]> {
        let mut values = self.all(name);
        values.next().filter(|_| values.next().is_none())
    }

    /// The first value of a header, if it is text.
    pub(super) fn text<'h>(&'h self, name: &'h str) -> Option<&'h str> {
        self.all(name).next().and_then(header_text)
    }

    /// Whether a list in a header has an item, in any letter case.
    pub(super) fn lists<'h>(&'h self, name: &'h str, item: &str) -> bool {
        self.all(name)
            .filter_map(header_text)
            .flat_map(|value| value.split(','))
            .any(|listed| listed.trim().eq_ignore_ascii_case(item))
    }
}

/// The value of a header as text: visible ASCII.
pub(super) fn header_text(value: &[u8]) -> Option<&str> {
    let visible = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    std::str::from_utf8(value)
        .ok()
        .filter(|_| value.iter().all(visible))
}

/// Reads one request after the other.
pub(super) struct RequestReader<S> {
    source: S,
    /// Bytes that were read and not used yet.
    buffer: Vec<u8>,
}

impl<S: TimedRead> RequestReader<S> {
    pub(super) fn new(source: S) -> Self {
        RequestReader {
            source,
            buffer: Vec::new(),
        }
    }

    pub(super) fn read_head(&mut self, deadline: Instant) -> Result<RequestHead, HeadError> {
        let mut searched = 0;
        loop {
            let ended = self.buffer.len() >= LONGEST_HEAD;
            // Each line is parsed once it is complete, so a mistake is found early and slow clients cost little.
            let new_line = self.buffer[searched..].contains(&b'\n');
            if (new_line || ended)
                && let Some((head, length)) = parse_head(&self.buffer)?
            {
                self.buffer.drain(..length);
                return Ok(head);
            }
            if ended {
                return Err(HeadError::TooLarge);
            }
            searched = self.buffer.len();
            if self.fill(deadline).is_err() {
                // A first line that is not HTTP has no line break to be found by.
                parse_head(&self.buffer)?;
                return Err(HeadError::Gone);
            }
        }
    }

    /// Whether nothing of a body has arrived yet.
    pub(super) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Reads the body that a head announced.
    pub(super) fn read_body(
        &mut self,
        framing: BodyFraming,
        limit: usize,
        deadline: Instant,
    ) -> Result<Vec<u8>, BodyError> {
        match framing {
            BodyFraming::Length(length) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                if length > limit {
                    return Err(BodyError::TooLarge);
                }
                let mut body = Vec::new();
                self.take(length, deadline, &mut body)?;
                Ok(body)
            }
            BodyFraming::Chunked => self.read_chunks(limit, deadline),
        }
    }

    fn read_chunks(&mut self, limit: usize, deadline: Instant) -> Result<Vec<u8>, BodyError> {
        let mut body = Vec::new();
        loop {
            let size = self.chunk_size(deadline)?;
            if size == 0 {
                self.skip_trailers(deadline)?;
                return Ok(body);
            }
            let left = limit - body.len();
            let size = usize::try_from(size).ok().filter(|size| *size <= left);
            self.take(size.ok_or(BodyError::TooLarge)?, deadline, &mut body)?;
            let mut end = Vec::new();
            self.take(2, deadline, &mut end)?;
            if end != b"\r\n" {
                return Err(BodyError::Incomplete);
            }
        }
    }

    fn chunk_size(&mut self, deadline: Instant) -> Result<u64, BodyError> {
        let line = self.line(LONGEST_CHUNK_LINE, deadline)?;
        // The parser takes a line without digits for the last chunk.
        if !line.first().is_some_and(u8::is_ascii_hexdigit) {
            return Err(BodyError::Incomplete);
        }
        match httparse::parse_chunk_size(&line) {
            Ok(Status::Complete((used, size))) if used == line.len() => Ok(size),
            _ => Err(BodyError::Incomplete),
        }
    }

    fn skip_trailers(&mut self, deadline: Instant) -> Result<(), BodyError> {
        let mut left = LONGEST_TRAILERS;
        loop {
            let line = self.line(left, deadline)?;
            if line == b"\r\n" {
                return Ok(());
            }
            left -= line.len();
        }
    }

    /// The next line with its end, if it is not longer than the limit.
    fn line(&mut self, limit: usize, deadline: Instant) -> Result<Vec<u8>, BodyError> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                return if end < limit {
                    Ok(self.buffer.drain(..=end).collect())
                } else {
                    Err(BodyError::Incomplete)
                };
            }
            if self.buffer.len() >= limit {
                return Err(BodyError::Incomplete);
            }
            self.fill(deadline)?;
        }
    }

    fn take(
        &mut self,
        length: usize,
        deadline: Instant,
        body: &mut Vec<u8>,
    ) -> Result<(), BodyError> {
        let mut left = length;
        loop {
            let part = left.min(self.buffer.len());
            body.extend(self.buffer.drain(..part));
            left -= part;
            if left == 0 {
                return Ok(());
            }
            self.fill(deadline)?;
        }
    }

    fn fill(&mut self, deadline: Instant) -> Result<(), BodyError> {
        let mut chunk = [0; CHUNK];
        loop {
            if Instant::now() >= deadline {
                return Err(BodyError::Incomplete);
            }
            match self.source.read_before(deadline, &mut chunk) {
                Ok(0) => return Err(BodyError::Incomplete),
                Ok(count) => {
                    self.buffer.extend_from_slice(&chunk[..count]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(BodyError::Incomplete),
            }
        }
    }
}

/// A head and its length, if the bytes begin with a complete head.
fn parse_head(bytes: &[u8]) -> Result<Option<(RequestHead, usize)>, HeadError> {
    let bytes = &bytes[..bytes.len().min(LONGEST_HEAD)];
    let mut fields = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut fields);
    let length = match parsed.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(HeadError::TooLarge),
        Err(_) => return Err(HeadError::Malformed),
    };
    let version = if parsed.version == Some(1) {
        HttpVersion::Http11
    } else {
        HttpVersion::Http10
    };
    let field = |field: &httparse::Header<'_>| HeaderField {
        name: field.name.to_ascii_lowercase(),
        value: field.value.to_vec(),
    };
    let headers = Headers(parsed.headers.iter().map(field).collect());
    let head = RequestHead {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path_of(parsed.path.unwrap_or_default()).to_owned(),
        version,
        framing: framing_of(&headers, version).ok_or(HeadError::Malformed)?,
        headers,
    };
    Ok(Some((head, length)))
}

/// The path of a request target, which may be a whole URL.
fn path_of(target: &str) -> &str {
    let path = match target.split_once("://") {
        Some((_, rest)) if !target.starts_with('/') => {
            rest.find('/').map_or("/", |start| &rest[start..])
        }
        _ => target,
    };
    path.split('?').next().unwrap_or(path)
}

/// The framing of the body, or nothing if it is ambiguous.
// A proxy in front of the server could read an ambiguous request differently, and take a part of its body for another
// request.
fn framing_of(headers: &Headers, version: HttpVersion) -> Option<BodyFraming> {
    let mut encodings = headers.all("transfer-encoding");
    let mut lengths = headers.all("content-length");
    if let Some(encoding) = encodings.next() {
        let clear = encodings.next().is_none() && lengths.next().is_none();
        let chunked = encoding.eq_ignore_ascii_case(b"chunked");
        return (clear && chunked && version == HttpVersion::Http11)
            .then_some(BodyFraming::Chunked);
    }
    let Some(length) = lengths.next() else {
        return Some(BodyFraming::Length(0));
    };
    if lengths.any(|other| other != length) || !length.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let length = header_text(length)?.parse().ok()?;
    Some(BodyFraming::Length(length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);
    const LIMIT: usize = 1000;

    /// Bytes that arrive in parts.
    struct Parts(Vec<Vec<u8>>);

    impl TimedRead for Parts {
        fn read_before(&mut self, _: Instant, buffer: &mut [u8]) -> io::Result<usize> {
            while self.0.first().is_some_and(Vec::is_empty) {
                self.0.remove(0);
            }
            let Some(part) = self.0.first_mut() else {
                return Ok(0);
            };
            let count = part.len().min(buffer.len());
            buffer[..count].copy_from_slice(&part[..count]);
            part.drain(..count);
            Ok(count)
        }
    }

    /// All requests until the first that cannot be read, as text.
    fn requests(parts: Vec<Vec<u8>>) -> Vec<String> {
        let mut reader = RequestReader::new(Parts(parts));
        let deadline = Instant::now() + PATIENCE;
        let mut found = Vec::new();
        loop {
            match reader.read_head(deadline) {
                Err(error) => {
                    found.push(format!("{error:?}"));
                    return found;
                }
                Ok(head) => match reader.read_body(head.framing, LIMIT, deadline) {
                    Ok(body) => {
                        let body = String::from_utf8_lossy(&body).into_owned();
                        found.push(format!("{} {} {body}", head.method, head.path));
                    }
                    Err(error) => {
                        found.push(format!("{} {} {error:?}", head.method, head.path));
                        return found;
                    }
                },
            }
        }
    }

    fn read(text: &str) -> Vec<String> {
        requests(vec![text.as_bytes().to_vec()])
    }

    /// The result of a POST with these headers and body.
    fn post(headers: &str, body: &str) -> String {
        read(&format!("POST /a HTTP/1.1\r\n{headers}\r\n{body}")).swap_remove(0)
    }

    #[test]
    fn requests_follow_each_other() {
        let text = "\r\nPOST /a?b HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi\
                    POST http://h:1/c HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nT: u\r\n\r\n\
                    GET / HTTP/1.0\r\n\r\n";
        assert_eq!(read(text), ["POST /a hi", "POST /c abc", "GET / ", "Gone"]);
    }

    #[test]
    fn incomplete_requests_are_not_requests() {
        for text in [
            "",
            "P",
            "POST / HTTP/1.1\r\n",
            "POST / HTTP/1.1\r\nA: b\r\n",
        ] {
            assert_eq!(read(text), ["Gone"], "{text:?}");
        }
        assert_eq!(post("Content-Length: 3\r\n", "ab"), "POST /a Incomplete");
        for chunks in ["", "2\r\n", "2\r\nab", "2\r\nab\r\n", "2\r\nab\r\n0\r\n"] {
            let found = post("Transfer-Encoding: chunked\r\n", chunks);
            assert_eq!(found, "POST /a Incomplete", "{chunks:?}");
        }
    }

    #[test]
    fn malformed_heads_are_refused() {
        for text in [
            "\u{16}\u{3}\u{1}",
            "HELLO\r\n\r\n",
            "GET / HTTP/2.0\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nA : b\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\0\r\n\r\n",
            "GET / HTTP/1.1\r\n: b\r\n\r\n",
        ] {
            assert_eq!(read(text), ["Malformed"], "{text:?}");
        }
    }

    #[test]
    fn ambiguous_bodies_are_refused() {
        for headers in [
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 1\r\nContent-Length: 2\r\n",
            "Content-Length: 1, 1\r\n",
            "Content-Length: +1\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 1a\r\n",
            "Content-Length:\r\n",
            "Content-Length: 99999999999999999999\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        ] {
            assert_eq!(post(headers, "a"), "Malformed", "{headers:?}");
        }
        let same = "Content-Length: 1\r\nContent-Length: 1\r\n";
        assert_eq!(post(same, "a"), "POST /a a");
        let old = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
        assert_eq!(read(old), ["Malformed"]);
    }

    #[test]
    fn malformed_chunks_are_refused() {
        for chunks in [
            "x\r\nab\r\n0\r\n\r\n",
            "\r\nab\r\n0\r\n\r\n",
            "-1\r\n\r\n",
            "2\r\nabc\r\n0\r\n\r\n",
            "2\r\nab\n0\r\n\r\n",
            "fffffffffffffffff\r\n",
        ] {
            let found = post("Transfer-Encoding: chunked\r\n", chunks);
            assert_eq!(found, "POST /a Incomplete", "{chunks:?}");
        }
        let long = format!("2;{}\r\nab\r\n0\r\n\r\n", "x".repeat(LONGEST_CHUNK_LINE));
        let found = post("Transfer-Encoding: chunked\r\n", &long);
        assert_eq!(found, "POST /a Incomplete");
        let trailers = format!("0\r\n{}\r\n", "A: b\r\n".repeat(LONGEST_TRAILERS));
        let found = post("Transfer-Encoding: chunked\r\n", &trailers);
        assert_eq!(found, "POST /a Incomplete");
    }

    #[test]
    fn sizes_are_limited() {
        let long = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "x".repeat(LONGEST_HEAD));
        assert_eq!(read(&long), ["TooLarge"]);
        let endless = "x".repeat(2 * LONGEST_HEAD);
        assert_eq!(read(&endless), ["TooLarge"]);
        let many = format!(
            "GET / HTTP/1.1\r\n{}\r\n",
            "A: b\r\n".repeat(MOST_HEADERS + 1)
        );
        assert_eq!(read(&many), ["TooLarge"]);
        let announced = format!("Content-Length: {}\r\n", LIMIT + 1);
        assert_eq!(post(&announced, ""), "POST /a TooLarge");
        let chunk = format!("{:x}\r\n", LIMIT + 1);
        let chunked = "Transfer-Encoding: chunked\r\n";
        assert_eq!(post(chunked, &chunk), "POST /a TooLarge");
        assert_eq!(post(chunked, "ffffffffffffffff\r\n"), "POST /a TooLarge");
        let many = format!("{:x}\r\n{}\r\n1\r\na", LIMIT, "x".repeat(LIMIT));
        assert_eq!(post(chunked, &many), "POST /a TooLarge");
    }

    #[test]
    fn a_deadline_in_the_past_ends_the_wait() {
        let mut reader = RequestReader::new(Parts(vec![b"GET / HTTP/1.1\r\n\r\n".to_vec()]));
        assert_eq!(reader.read_head(Instant::now()), Err(HeadError::Gone));
    }

    fn words() -> impl Strategy<Value = Vec<u8>> {
        let word = prop::sample::select(vec![
            "GET / HTTP/1.1\r\n",
            "POST /mcp HTTP/1.1\r\n",
            "Content-Length: 3\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Host: a\r\n",
            "\r\n",
            "\n",
            "3\r\nabc\r\n",
            "0\r\n\r\n",
            "abc",
            " ",
            "\0",
        ]);
        prop::collection::vec(word, 0..12).prop_map(|words| words.concat().into_bytes())
    }

    proptest! {
        #[test]
        fn any_bytes_are_lived_through(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            requests(vec![bytes]);
        }

        #[test]
        fn parts_are_read_like_the_whole(bytes in words(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let parts = cuts.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect();
            prop_assert_eq!(requests(parts), requests(vec![bytes.clone()]));
            let single = bytes.iter().map(|byte| vec![*byte]).collect();
            prop_assert_eq!(requests(single), requests(vec![bytes]));
        }
    }
}
