//! The transport over a pair of streams: one message in a line, and every line gets an answer that it deserves.

mod lines;
mod message;
mod opening;
mod writer;

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::rpc_error::{DUPLICATE_ID, TOO_LARGE, with_error_code};
use crate::stdio::lines::{InputLine, LineReader};
pub(crate) use crate::stdio::message::{ErrorReply, ParsedLine, parse_line};
use crate::stdio::opening::{MessageVerdict, SessionState};
use crate::stdio::writer::{OutputClosed, start_writer};
use crate::traffic_control::TrafficControl;

/// The longest line that is taken.
const LONGEST_LINE: usize = 16 << 20;

/// Messages over a pair of streams.
pub(crate) struct LineTransport<R> {
    lines: LineReader<R>,
    output: Sender<Vec<u8>>,
    flow: Arc<TrafficControl>,
    opening: SessionState,
    /// An answer that is to be written before the next line is read.
    refusal: Option<Vec<u8>>,
    ended: Option<Instant>,
    closing: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// Starts the writer; `closing` is cancelled when the input ends.
    pub(crate) fn start<W>(
        input: R,
        output: W,
        flow: Arc<TrafficControl>,
        closing: CancellationToken,
    ) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        LineTransport {
            lines: LineReader::new(input, LONGEST_LINE),
            output: start_writer(output, Arc::clone(&flow)),
            flow,
            opening: SessionState::default(),
            refusal: None,
            ended: None,
            closing,
        }
    }

    fn refuse(&mut self, refusal: &ErrorReply) {
        let line = refusal.line();
        self.flow.reserve_output(line.len());
        self.refusal = Some(line);
    }

    /// Takes a line; a message comes out if the SDK is to see it.
    fn take(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let message = match parse_line(line) {
            ParsedLine::Message(message) => *message,
            ParsedLine::Refused(refusal) => {
                self.refuse(&refusal);
                return None;
            }
            ParsedLine::Nothing => return None,
        };
        match self.opening.judge(&message) {
            MessageVerdict::Pass => {}
            MessageVerdict::Ignore => return None,
            MessageVerdict::Refuse(refusal) => {
                self.refuse(&refusal);
                return None;
            }
        }
        match &message {
            JsonRpcMessage::Request(request)
                if self.flow.admit(&request.id, line.len()).is_err() =>
            {
                let message = format!("duplicate request id `{}`", request.id);
                self.refuse(&ErrorReply::without_id(DUPLICATE_ID.error(message)));
                return None;
            }
            JsonRpcMessage::Notification(message) => self.release_cancelled(&message.notification),
            _ => {}
        }
        Some(message)
    }

    /// A cancelled request is not answered.
    fn release_cancelled(&self, notification: &ClientNotification) {
        if let ClientNotification::CancelledNotification(cancelled) = notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.flow.done(id);
        }
    }

    /// Waits until what is under way is answered.
    async fn end(&mut self) {
        self.closing.cancel();
        let since = *self.ended.get_or_insert_with(Instant::now);
        self.flow.wait_until_drained(since).await;
    }
}

/// The request that a message answers.
fn answered_request(message: &ServerJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(response.id.clone()),
        JsonRpcMessage::Error(error) => error.id.clone(),
        _ => None,
    }
}

fn line_of(message: ServerJsonRpcMessage) -> Vec<u8> {
    let message = match message {
        JsonRpcMessage::Error(mut failed) => {
            failed.error = with_error_code(failed.error);
            JsonRpcMessage::Error(failed)
        }
        other => other,
    };
    let mut line = serde_json::to_vec(&message).expect("messages have only keys that are strings");
    line.push(b'\n');
    line
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for LineTransport<R> {
    type Error = OutputClosed;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), OutputClosed>> + Send + 'static {
        let id = answered_request(&item);
        let line = line_of(item);
        let (output, flow) = (self.output.clone(), Arc::clone(&self.flow));
        flow.reserve_output(line.len());
        async move {
            let sent = output.send(line).await.map_err(|_| OutputClosed);
            // Only now: a request whose answer waits for its turn is still under way.
            id.inspect(|id| flow.done(id));
            sent
        }
    }

    /// The next message. It may be dropped and asked again at any time: nothing is held here across a wait.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.refusal.is_some() {
                let place = self.output.reserve().await.ok()?;
                place.send(self.refusal.take().unwrap_or_default());
                continue;
            }
            self.flow.wait_for_request_capacity().await;
            if self.flow.output_is_closed() {
                return None;
            }
            match self.lines.next().await {
                InputLine::Whole(line) => {
                    if let Some(message) = self.take(&line) {
                        return Some(message);
                    }
                }
                InputLine::TooLong => {
                    let message =
                        format!("a line must not be longer than {} MiB", LONGEST_LINE >> 20);
                    self.refuse(&ErrorReply::without_id(TOO_LARGE.error(message)));
                }
                InputLine::End => {
                    self.end().await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), OutputClosed> {
        Ok(())
    }
}
