//! The transport over a pair of streams: one message per line, and an answer to every line that needs one.

mod lines;
mod output;
mod traffic;

use std::io::{Read, Write};
use std::sync::Arc;
use std::thread;

use crate::options::ServeError;
use crate::protocol::error::{DUPLICATE_ID, TOO_LARGE};
use crate::protocol::message::{IncomingMessage, OutgoingMessage, ParsedMessage, parse_message};
use crate::session::{DuplicateRequest, Session};
use crate::shared::SharedState;
use crate::stdio::lines::{InputLine, LineReader};
use crate::stdio::output::{LineOutput, RequestReplies, start_writer};
use crate::stdio::traffic::Traffic;

const LONGEST_LINE: usize = 16 << 20;

/// Serves one client until it is gone.
pub(crate) fn serve_lines<R, W>(
    shared: &Arc<SharedState>,
    input: R,
    output: W,
) -> Result<(), ServeError>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let traffic = Arc::new(Traffic::default());
    let output = start_writer(output, Arc::clone(&traffic)).map_err(ServeError::Threads)?;
    let session = Session::new(Arc::clone(shared), Box::new(output.clone()));
    let reader = LineTransport {
        lines: LineReader::new(input, LONGEST_LINE),
        session: Arc::clone(&session),
        output,
        traffic: Arc::clone(&traffic),
    };
    // Reading has a separate thread, since a client may close the output while a read of the input still waits.
    thread::Builder::new()
        .name("mcp-reader".to_owned())
        .spawn(move || reader.run())
        .map_err(ServeError::Threads)?;
    traffic.wait_for_end();
    session.end_subscriptions();
    traffic.wait_until_drained();
    Ok(())
}

/// Reads the messages of a client.
struct LineTransport<R> {
    lines: LineReader<R>,
    session: Arc<Session>,
    output: LineOutput,
    traffic: Arc<Traffic>,
}

impl<R: Read> LineTransport<R> {
    fn run(mut self) {
        loop {
            self.traffic.wait_for_request_capacity();
            if self.traffic.is_output_closed() {
                break;
            }
            match self.lines.next() {
                InputLine::Whole(line) => self.receive(&line),
                InputLine::TooLong => {
                    let message =
                        format!("a line must not be longer than {} MiB", LONGEST_LINE >> 20);
                    let error = TOO_LARGE.error(message);
                    self.output.send(&OutgoingMessage::error_without_id(&error));
                }
                InputLine::End => break,
            }
        }
        self.traffic.close_input();
    }

    fn receive(&self, line: &[u8]) {
        match parse_message(line) {
            ParsedMessage::Message(IncomingMessage::Request(request)) => {
                let replies = RequestReplies {
                    output: self.output.clone(),
                    _admission: self.traffic.admit(line.len()),
                };
                if let Err(DuplicateRequest(id)) = self.session.request(request, Box::new(replies))
                {
                    // The id belongs to the other request, so the answer has none.
                    let error = DUPLICATE_ID.error(format!("duplicate request id `{id}`"));
                    self.output.send(&OutgoingMessage::error_without_id(&error));
                }
            }
            ParsedMessage::Message(IncomingMessage::Notification(notification)) => {
                self.session.notification(&notification);
            }
            ParsedMessage::Refused(answer) => self.output.send(&answer),
            ParsedMessage::Message(IncomingMessage::Response) | ParsedMessage::Nothing => {}
        }
    }
}
