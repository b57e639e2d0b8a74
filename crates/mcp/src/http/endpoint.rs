//! The endpoint of the protocol: `POST` for messages, `GET` for the messages of a session, `DELETE` for its end.

use std::sync::Arc;
use std::time::Duration;

use crate::http::client::Client;
use crate::http::events::{EventReader, EventSink, EventStream, NextEvent, StreamKind};
use crate::http::reader::{Headers, RequestHead};
use crate::http::response::{Header, Response};
use crate::http::rules::{Route, check_copies, header_route, route};
use crate::http::sessions::{HttpSession, Sessions};
use crate::protocol::error::{
    DUPLICATE_ID, MALFORMED, NO_MESSAGE, PARAMETERS, PROTOCOL_VERSION, UNKNOWN_METHOD,
};
use crate::protocol::message::{
    IncomingMessage, OutgoingMessage, ParsedMessage, Request, parse_message,
};
use crate::protocol::method::INITIALIZE;
use crate::session::{DuplicateRequest, Session};
use crate::shared::SharedState;

const SESSION_HEADER: &str = "mcp-session-id";
/// How often a wait checks whether the client is still connected.
pub(super) const CHECK: Duration = Duration::from_millis(500);

pub(super) struct Endpoint {
    pub(super) shared: Arc<SharedState>,
    pub(super) sessions: Sessions,
}

/// A response, or a stream of events.
pub(super) enum Reply {
    Response(Response),
    Events(EventReply),
    /// The client is gone.
    Nothing,
}

pub(super) struct EventReply {
    pub(super) headers: Vec<Header>,
    pub(super) events: EventReader,
    /// A session that ends with the connection.
    pub(super) session: Option<Arc<Session>>,
}

impl From<EventReader> for Reply {
    fn from(events: EventReader) -> Self {
        Reply::Events(EventReply {
            headers: Vec::new(),
            events,
            session: None,
        })
    }
}

impl Endpoint {
    /// Replies to a request; `body` is that of a `POST`.
    pub(super) fn reply(&self, head: &RequestHead, body: &[u8], client: &Client) -> Reply {
        let reply = match head.method.as_str() {
            "POST" => self.post(&head.headers, body, client),
            "GET" => self.get(&head.headers),
            "DELETE" => self.delete(&head.headers),
            _ => Err(not_allowed("GET, POST, DELETE")),
        };
        reply.unwrap_or_else(Reply::Response)
    }

    fn post(&self, headers: &Headers, body: &[u8], client: &Client) -> Result<Reply, Response> {
        let message = match parse_message(body) {
            ParsedMessage::Message(message) => message,
            ParsedMessage::Refused(refusal) => return Err(Response::message(400, &refusal)),
            ParsedMessage::Nothing => {
                let error = MALFORMED.error("the message is empty or not a notification");
                return Err(Response::message(
                    400,
                    &OutgoingMessage::error_without_id(&error),
                ));
            }
        };
        if !accepts(headers, "application/json") || !accepts(headers, "text/event-stream") {
            let problem = "accept both `application/json` and `text/event-stream`\n";
            return Err(Response::text(406, problem));
        }
        let content_type = headers.text("content-type");
        if !content_type.is_some_and(|named| named.starts_with("application/json")) {
            let problem = "send the message as `application/json`\n";
            return Err(Response::text(415, problem));
        }
        let route = route(headers, &message)?;
        let session = match (route, headers.text(SESSION_HEADER)) {
            (Route::Session, Some(id)) => Some(self.find_session(id)?),
            (Route::Session, None) | (Route::Stateless, _) => None,
        };
        check_copies(headers, &message)?;
        match (route, session) {
            (Route::Stateless, _) => self.stateless(message, client),
            (Route::Session, Some(session)) => in_session(&session, message),
            (Route::Session, None) => self.open_session(message),
        }
    }

    /// Handles a message without a session: `initialize` opens one.
    fn open_session(&self, message: IncomingMessage) -> Result<Reply, Response> {
        let request = match message {
            IncomingMessage::Request(request) if request.method == INITIALIZE => request,
            _ => return Err(no_session()),
        };
        let session = HttpSession::new(Arc::clone(&self.shared));
        let stream = EventStream::new(StreamKind::Unnumbered);
        let mut events = stream.read_after(None);
        start(&session.session, request, EventSink(stream))?;
        // The answer is known at once. An error means that no session was opened.
        let NextEvent::Event(answer) = events.next(Duration::ZERO) else {
            return Err(no_session());
        };
        if answer.error.is_some() {
            return Err(Response::json(400, answer.into_json()));
        }
        let id = self
            .sessions
            .add(session)
            .ok_or_else(|| Response::empty(500))?;
        Ok(Reply::Events(EventReply {
            headers: vec![Header::new(SESSION_HEADER, id)],
            events: events.rewound(),
            session: None,
        }))
    }

    fn stateless(&self, message: IncomingMessage, client: &Client) -> Result<Reply, Response> {
        let request = match message {
            IncomingMessage::Request(request) => request,
            IncomingMessage::Notification(_) => return Err(Response::empty(202)),
            IncomingMessage::Response => {
                let error =
                    NO_MESSAGE.error("the server has requested nothing that could be answered");
                return Err(Response::message(
                    400,
                    &OutgoingMessage::error_without_id(&error),
                ));
            }
        };
        let complete = request.meta.is_complete();
        let session = Session::of_request(Arc::clone(&self.shared));
        let stream = EventStream::new(StreamKind::Unnumbered);
        let mut events = stream.read_after(None);
        start(&session, request, EventSink(stream))?;
        // The status depends on the first message, so it is awaited before anything is written.
        let first = loop {
            match events.next(CHECK) {
                NextEvent::Event(event) => break event,
                NextEvent::Nothing if !client.is_gone() => {}
                NextEvent::Nothing | NextEvent::Ended => {
                    session.close();
                    return Ok(Reply::Nothing);
                }
            }
        };
        let status = error_status(first.error, complete);
        if status != 200 {
            return Err(Response::json(status, first.into_json()));
        }
        Ok(Reply::Events(EventReply {
            headers: Vec::new(),
            events: events.rewound(),
            session: Some(session),
        }))
    }

    fn get(&self, headers: &Headers) -> Result<Reply, Response> {
        if !accepts(headers, "text/event-stream") {
            return Err(Response::text(406, "accept `text/event-stream`\n"));
        }
        let session = self.find_session(session_id(headers)?)?;
        Ok(match headers.text("last-event-id") {
            None => session.messages().into(),
            // A client that is refused would try again for ever, so an unknown id gets a stream without events.
            Some(event) => session
                .resume(event)
                .unwrap_or_else(EventReader::empty)
                .into(),
        })
    }

    fn delete(&self, headers: &Headers) -> Result<Reply, Response> {
        self.sessions.remove(session_id(headers)?);
        // Clients treat 202 as a failure to end the session.
        Err(Response::empty(204))
    }

    fn find_session(&self, id: &str) -> Result<Arc<HttpSession>, Response> {
        let unknown = || Response::text(404, "unknown session: start again with `initialize`\n");
        self.sessions.find(id).ok_or_else(unknown)
    }
}

/// The session of a request without a message; versions without sessions have no such requests.
fn session_id(headers: &Headers) -> Result<&str, Response> {
    match header_route(headers)? {
        Route::Stateless => Err(not_allowed("POST")),
        Route::Session => headers.text(SESSION_HEADER).ok_or_else(no_session),
    }
}

fn in_session(session: &HttpSession, message: IncomingMessage) -> Result<Reply, Response> {
    match message {
        IncomingMessage::Request(request) => {
            let (events, sink) = session.open_stream();
            start(&session.session, request, sink)?;
            return Ok(events.into());
        }
        IncomingMessage::Notification(notification) => session.session.notification(&notification),
        IncomingMessage::Response => {}
    }
    Err(Response::empty(202))
}

fn start(session: &Arc<Session>, request: Request, sink: EventSink) -> Result<(), Response> {
    session
        .request(request, Box::new(sink))
        .map_err(|DuplicateRequest(id)| {
            let error = DUPLICATE_ID.error(format!("duplicate request id `{id}`"));
            Response::message(400, &OutgoingMessage::error_without_id(&error))
        })
}

/// The status of an answer outside of sessions.
fn error_status(error: Option<i32>, complete: bool) -> u16 {
    match error {
        Some(number) if number == PROTOCOL_VERSION.number => 400,
        Some(number) if number == PARAMETERS.number && !complete => 400,
        Some(number) if number == UNKNOWN_METHOD.number => 404,
        _ => 200,
    }
}

/// Whether a client accepts a media type. Without the header, or with `*/*`, it accepts all.
fn accepts(headers: &Headers, media_type: &str) -> bool {
    headers
        .text("accept")
        .is_none_or(|accepted| accepted.contains("*/*") || accepted.contains(media_type))
}

fn not_allowed(methods: &str) -> Response {
    let mut response = Response::text(405, format!("allowed methods: {methods}\n"));
    response.headers.push(Header::new("allow", methods));
    response
}

fn no_session() -> Response {
    Response::text(
        400,
        "no session: start with `initialize`, then send `Mcp-Session-Id`\n",
    )
}
