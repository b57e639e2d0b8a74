//! Responses, and writing them.

use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::http::reader::HttpVersion;
use crate::protocol::message::OutgoingMessage;

/// A response with a body that is known.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<Header>,
    pub(super) body: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Header {
    name: &'static str,
    value: String,
}

impl Header {
    pub(super) fn new(name: &'static str, value: impl Into<String>) -> Self {
        Header {
            name,
            value: value.into(),
        }
    }
}

impl Response {
    pub(super) fn empty(status: u16) -> Self {
        Response {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub(super) fn text(status: u16, text: impl Into<String>) -> Self {
        Response {
            body: text.into().into_bytes(),
            ..Response::empty(status)
        }
    }

    /// A message of the protocol.
    pub(super) fn message(status: u16, message: &OutgoingMessage) -> Self {
        Response::json(status, message.json.as_str())
    }

    pub(super) fn json(status: u16, json: impl Into<String>) -> Self {
        Response {
            headers: vec![Header::new("content-type", "application/json")],
            ..Response::text(status, json)
        }
    }
}

/// The part of a connection that is known when a response is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResponseContext {
    pub(super) version: HttpVersion,
    /// Whether the connection is closed after the response.
    pub(super) closes: bool,
    /// Whether the request was `HEAD`, whose responses have no body.
    pub(super) is_head: bool,
}

pub(super) fn write_response(
    output: &mut impl Write,
    context: ResponseContext,
    response: &Response,
) -> io::Result<()> {
    let mut bytes = head(context, response.status, &response.headers);
    // Clients must not expect a body after this status, so it has no length either.
    if response.status != 204 {
        bytes.push_str(&format!("content-length: {}\r\n", response.body.len()));
    }
    bytes.push_str("\r\n");
    let mut bytes = bytes.into_bytes();
    if !context.is_head {
        bytes.extend_from_slice(&response.body);
    }
    output.write_all(&bytes)
}

/// Writes the head of a response whose body is a stream of events.
pub(super) fn write_stream_head(
    output: &mut impl Write,
    context: ResponseContext,
    headers: &[Header],
) -> io::Result<()> {
    let mut bytes = head(context, 200, headers);
    bytes.push_str("content-type: text/event-stream\r\n");
    bytes.push_str("cache-control: no-cache\r\n");
    // Proxies would otherwise collect events before they pass them on.
    bytes.push_str("x-accel-buffering: no\r\n");
    if context.version == HttpVersion::Http11 {
        bytes.push_str("transfer-encoding: chunked\r\n");
    }
    bytes.push_str("\r\n");
    output.write_all(bytes.as_bytes())
}

/// Writes a part of a stream; the empty part is its end.
pub(super) fn write_stream_part(
    output: &mut impl Write,
    version: HttpVersion,
    part: &str,
) -> io::Result<()> {
    match version {
        HttpVersion::Http11 => {
            output.write_all(format!("{:x}\r\n{part}\r\n", part.len()).as_bytes())
        }
        HttpVersion::Http10 => output.write_all(part.as_bytes()),
    }
}

fn head(context: ResponseContext, status: u16, headers: &[Header]) -> String {
    let version = match context.version {
        HttpVersion::Http10 => "1.0",
        HttpVersion::Http11 => "1.1",
    };
    let mut head = format!("HTTP/{version} {status} {}\r\n", reason(status));
    for Header { name, value } in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if context.closes {
        head.push_str("connection: close\r\n");
    }
    head.push_str(&format!("date: {}\r\n", http_date(SystemTime::now())));
    head
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        413 => "Payload Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

/// The form of dates in headers, as in `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(time: SystemTime) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Counted in years from March to February, a leap day is the last day of its year.
    let from_march = days + 719_468;
    let (era, day_of_era) = (from_march / 146_097, from_march % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12;
    let year = era * 400 + year_of_era + u64::from(month < 2);
    format!(
        "{}, {day:02} {} {year} {:02}:{:02}:{:02} GMT",
        WEEKDAYS[(days % 7) as usize],
        MONTHS[month as usize],
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_form_of_headers() {
        for (seconds, expected) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] {
            assert_eq!(
                http_date(UNIX_EPOCH + Duration::from_secs(seconds)),
                expected
            );
        }
    }

    fn written(closes: bool, is_head: bool, response: &Response) -> String {
        let context = ResponseContext {
            version: HttpVersion::Http11,
            closes,
            is_head,
        };
        let mut bytes = Vec::new();
        write_response(&mut bytes, context, response).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with("date: "));
        lines.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn responses_have_the_length_of_their_bodies() {
        let refused = Response::text(404, "no");
        let start = "HTTP/1.1 404 Not Found|";
        assert_eq!(
            written(false, false, &refused),
            format!("{start}content-length: 2||no")
        );
        assert_eq!(
            written(true, true, &refused),
            format!("{start}connection: close|content-length: 2|")
        );
        let gone = Response::empty(204);
        assert_eq!(written(false, false, &gone), "HTTP/1.1 204 No Content|");
    }
}
