//! One connection: requests are read and answered one after the other.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::http::access::AccessRules;
use crate::http::client::Client;
use crate::http::endpoint::{CHECK, Endpoint, EventReply, Reply};
use crate::http::events::NextEvent;
use crate::http::reader::{
    BodyError, BodyFraming, HeadError, HttpVersion, RequestHead, RequestReader,
};
use crate::http::response::{
    Response, ResponseContext, write_response, write_stream_head, write_stream_part,
};
use crate::protocol::error::{MALFORMED, TOO_LARGE};
use crate::protocol::message::OutgoingMessage;

/// The largest body of a message.
const LONGEST_BODY: usize = 16 << 20;
/// The most bytes that are read of a body without use.
const LONGEST_UNUSED_BODY: usize = 64 << 10;
/// The time for a whole head, and for a whole body.
const READ_PATIENCE: Duration = Duration::from_secs(10);
/// The time in which a client has to read some of a response.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// A comment is sent in streams without events, so a lost connection is noticed on both sides.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Limits on reading the rest of a request before the connection is closed.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 32 << 20;

/// The state of a connection after a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    KeepOpen,
    Close,
}

pub(super) struct Connection<'s> {
    reader: RequestReader<TcpStream>,
    client: Client,
    access: &'s AccessRules,
    endpoint: &'s Endpoint,
}

impl<'s> Connection<'s> {
    pub(super) fn new(
        stream: TcpStream,
        access: &'s AccessRules,
        endpoint: &'s Endpoint,
    ) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        Ok(Connection {
            reader: RequestReader::new(stream.try_clone()?),
            client: Client(stream),
            access,
            endpoint,
        })
    }

    /// Answers requests until one side closes the connection.
    pub(super) fn run(mut self) -> io::Result<()> {
        while self.answer_next()? == Next::KeepOpen {}
        self.close();
        Ok(())
    }

    fn answer_next(&mut self) -> io::Result<Next> {
        let head = match self.reader.read_head(Instant::now() + READ_PATIENCE) {
            Ok(head) => head,
            Err(HeadError::Gone) => return Ok(Next::Close),
            Err(HeadError::Malformed) => return self.refuse(&Response::empty(400)),
            Err(HeadError::TooLarge) => return self.refuse(&Response::empty(431)),
        };
        let mut context = ResponseContext {
            version: head.version,
            closes: head.version == HttpVersion::Http10
                || head.headers.lists("connection", "close"),
            is_head: head.method == "HEAD",
        };
        if let Some(refusal) = self.access.refusal(&head) {
            // A client that is still sending when the connection closes may never see the reason.
            let _ = self.read_body(&head, LONGEST_UNUSED_BODY);
            context.closes = true;
            write_response(&mut self.client.0, context, &refusal)?;
            return Ok(Next::Close);
        }
        let reply = match self.body_of(&head) {
            Ok(body) => self.endpoint.reply(&head, &body, &self.client),
            Err(refusal) => {
                // The rest of the body would be read as the next request.
                context.closes = true;
                Reply::Response(refusal)
            }
        };
        match reply {
            Reply::Response(response) => write_response(&mut self.client.0, context, &response)?,
            Reply::Events(reply) => self.write_events(context, reply)?,
            Reply::Nothing => return Ok(Next::Close),
        }
        Ok(if context.closes {
            Next::Close
        } else {
            Next::KeepOpen
        })
    }

    /// Answers a request that has no readable head.
    fn refuse(&mut self, response: &Response) -> io::Result<Next> {
        let context = ResponseContext {
            version: HttpVersion::Http11,
            closes: true,
            is_head: false,
        };
        write_response(&mut self.client.0, context, response)?;
        Ok(Next::Close)
    }

    /// The body of a request, or the response to one that cannot be read.
    fn body_of(&mut self, head: &RequestHead) -> Result<Vec<u8>, Response> {
        let limit = if head.method == "POST" {
            LONGEST_BODY
        } else {
            LONGEST_UNUSED_BODY
        };
        self.read_body(head, limit).map_err(|error| match error {
            BodyError::TooLarge => {
                let error = TOO_LARGE.error(format!("a message has at most {limit} bytes"));
                Response::message(413, &OutgoingMessage::error_without_id(&error))
            }
            BodyError::Incomplete => {
                let error = MALFORMED.error("the message is incomplete");
                Response::message(408, &OutgoingMessage::error_without_id(&error))
            }
        })
    }

    fn read_body(&mut self, head: &RequestHead, limit: usize) -> Result<Vec<u8>, BodyError> {
        let awaited = head.framing != BodyFraming::Length(0) && self.reader.is_empty();
        if awaited
            && head.version == HttpVersion::Http11
            && head.headers.lists("expect", "100-continue")
        {
            let proceed = self.client.0.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
            proceed.map_err(|_| BodyError::Incomplete)?;
        }
        let deadline = Instant::now() + READ_PATIENCE;
        self.reader.read_body(head.framing, limit, deadline)
    }

    /// Writes events until the stream ends or the client is gone.
    fn write_events(&mut self, context: ResponseContext, mut reply: EventReply) -> io::Result<()> {
        let written = self.write_stream(context, &mut reply);
        if let Some(session) = &reply.session {
            session.close();
        }
        written
    }

    fn write_stream(&mut self, context: ResponseContext, reply: &mut EventReply) -> io::Result<()> {
        let output = &mut self.client.0;
        write_stream_head(output, context, &reply.headers)?;
        let mut last = Instant::now();
        loop {
            match reply.events.next(CHECK) {
                NextEvent::Event(event) => {
                    write_stream_part(&mut self.client.0, context.version, &event.text())?;
                    last = Instant::now();
                }
                NextEvent::Ended => {
                    return write_stream_part(&mut self.client.0, context.version, "");
                }
                NextEvent::Nothing => {
                    if self.client.is_gone() {
                        return Err(ErrorKind::ConnectionAborted.into());
                    }
                    self.endpoint.sessions.end_expired();
                    if last.elapsed() >= KEEP_ALIVE {
                        write_stream_part(&mut self.client.0, context.version, ":\n\n")?;
                        last = Instant::now();
                    }
                }
            }
        }
    }

    /// Closes the connection after the client had time to read the last response.
    // Closing with unread bytes makes the system reset the connection, and the client may lose the response.
    fn close(&mut self) {
        let stream = &mut self.client.0;
        let deadline = Instant::now() + LINGER;
        let mut left = LINGER_BYTES;
        let mut bytes = vec![0; 64 << 10];
        if stream.shutdown(Shutdown::Write).is_err()
            || stream
                .set_read_timeout(Some(Duration::from_millis(200)))
                .is_err()
        {
            return;
        }
        while Instant::now() < deadline {
            match stream.read(&mut bytes) {
                Ok(count) if count > 0 && count <= left => left -= count,
                _ => return,
            }
        }
    }
}
