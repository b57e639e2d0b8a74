//! The transport over a pair of streams: one message per line, and an answer to every line that needs one.
//!
//! The SDK's transport writes. Lines are read here, because the SDK's transport drops those that it cannot read.

mod lines;
mod opening;
mod output;

use std::sync::Arc;

use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    JsonRpcError, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleServer, RxJsonRpcMessage, Service, TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, serve_server};
use tokio::io::{AsyncRead, AsyncWrite, Empty, empty};

use crate::protocol::error::{DUPLICATE_ID, TOO_LARGE, with_code_of_error};
use crate::protocol::message::{ParsedMessage, parse_message};
use crate::session::Session;
use crate::shared::SharedState;
use crate::stdio::lines::{InputLine, LineReader};
use crate::stdio::opening::{SessionState, Verdict};
use crate::stdio::output::MeteredOutput;
use crate::traffic::Traffic;
use crate::watch::watch_files;

const LONGEST_LINE: usize = 16 << 20;

/// Serves one client until it is gone.
pub(crate) async fn serve_lines<R, W>(shared: &Arc<SharedState>, input: R, output: W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let traffic = Arc::new(Traffic::default());
    let output = MeteredOutput::new(output, Arc::clone(&traffic));
    let transport = LineTransport {
        lines: LineReader::new(input, LONGEST_LINE),
        writer: AsyncRwTransport::new_server(empty(), output),
        shared: Arc::clone(shared),
        traffic: Arc::clone(&traffic),
        state: SessionState::default(),
    };
    let service = LineService {
        session: Session::new(Arc::clone(shared), Some(Arc::clone(&traffic))),
        traffic,
    };
    // An error means that the client ended the input before it opened a session, or closed the output.
    if let Ok(running) = serve_server(service, transport).await {
        tokio::spawn(watch_files(Arc::clone(shared)));
        let _ = running.waiting().await;
    }
    shared.closing.cancel();
}

/// The session, and the requests of it that are under way.
struct LineService {
    session: Session,
    traffic: Arc<Traffic>,
}

impl Service<RoleServer> for LineService {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let id = context.id.clone();
        let result = self.session.handle_request(request, context).await;
        self.traffic.handled(&id);
        result
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session
            .handle_notification(notification, context)
            .await
    }

    fn get_info(&self) -> rmcp::model::ServerConfig {
        Service::get_info(&self.session)
    }

    fn supported_protocol_versions(
        &self,
    ) -> std::borrow::Cow<'static, [rmcp::model::ProtocolVersion]> {
        Service::supported_protocol_versions(&self.session)
    }
}

/// Reads lines, and writes by the transport of the SDK.
struct LineTransport<R, W: AsyncWrite + Unpin> {
    lines: LineReader<R>,
    writer: AsyncRwTransport<RoleServer, Empty, MeteredOutput<W>>,
    shared: Arc<SharedState>,
    traffic: Arc<Traffic>,
    state: SessionState,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Answers a line without the SDK.
    fn refuse(&mut self, answer: JsonRpcError) {
        let written = self.writer.send(JsonRpcMessage::Error(answer));
        let refusal = self.traffic.admit_refusal();
        // The SDK may drop this future of reading at any time, and the answer with it.
        tokio::spawn(async move {
            let _ = written.await;
            drop(refusal);
        });
    }

    /// Reads a line; a message results if the SDK has to handle it.
    fn message_of(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let message = match parse_message(line) {
            ParsedMessage::Message(message) => *message,
            ParsedMessage::Refused(answer) => {
                self.refuse(answer);
                return None;
            }
            ParsedMessage::Nothing => return None,
        };
        match self.state.judge(&message) {
            Verdict::Pass => {}
            Verdict::Ignore => return None,
            Verdict::Refuse(answer) => {
                self.refuse(answer);
                return None;
            }
        }
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.traffic.admit(&request.id, line.len()) {
                    // The id belongs to the other request, so the answer has none.
                    let error =
                        DUPLICATE_ID.error(format!("duplicate request id `{}`", request.id));
                    self.refuse(JsonRpcError::new(None, error));
                    return None;
                }
            }
            JsonRpcMessage::Notification(message) => {
                if let ClientNotification::CancelledNotification(cancelled) = &message.notification
                    && let CancelledNotificationParam {
                        request_id: Some(id),
                        ..
                    } = &cancelled.params
                {
                    self.traffic.cancel(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        let answered = answered_request(&message);
        let written = self.writer.send(with_code_of_error(message));
        let traffic = Arc::clone(&self.traffic);
        async move {
            let result = written.await;
            // Not before: a request whose answer waits for a slow client is under way.
            if let Some(id) = answered {
                traffic.answered(&id);
            }
            result
        }
    }

    /// The next message. The SDK drops and repeats this at any time, so nothing is kept across a wait.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.traffic.wait_for_request_capacity().await;
            let line = tokio::select! {
                // A client may close the output while the input is still open.
                () = self.traffic.wait_for_closed_output() => return None,
                line = self.lines.next() => line,
            };
            match line {
                InputLine::Whole(line) => {
                    if let Some(message) = self.message_of(&line) {
                        return Some(message);
                    }
                }
                InputLine::TooLong => {
                    let message =
                        format!("a line must not be longer than {} MiB", LONGEST_LINE >> 20);
                    let error = TOO_LARGE.error(message);
                    self.refuse(JsonRpcError::new(None, error));
                }
                InputLine::End => {
                    // Ends subscriptions, which are requests without an answer so far.
                    self.shared.closing.cancel();
                    self.traffic.wait_until_drained().await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> std::io::Result<()> {
        self.writer.close().await
    }
}

/// The request that a message answers.
fn answered_request(message: &ServerJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(response.id.clone()),
        JsonRpcMessage::Error(error) => error.id.clone(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}
