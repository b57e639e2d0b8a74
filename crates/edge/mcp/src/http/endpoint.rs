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
use crate::protocol::message::{Incoming, Outgoing, ParsedMessage, Request, parse_message};
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
                return Err(Response::message(400, &Outgoing::error_without_id(&error)));
            }
        };
        if !accepts(headers, "application/json") || !accepts(headers, "text/event-stream") {
            let problem =
                "Not Acceptable: Client must accept both application/json and text/event-stream";
            return Err(Response::text(406, problem));
        }
        let content_type = headers.text("content-type");
        if !content_type.is_some_and(|named| named.starts_with("application/json")) {
            let problem = "Unsupported Media Type: Content-Type must be application/json";
            return Err(Response::text(415, problem));
        }
        let route = route(headers, &message)?;
        match (route, headers.text(SESSION_HEADER)) {
            (Route::Session, Some(id)) => {
                let session = self.sessions.find(id).ok_or_else(unknown_session)?;
                check_copies(headers, &message)?;
                in_session(&session, message)
            }
            (Route::Session, None) => {
                check_copies(headers, &message)?;
                self.open_session(message)
            }
            (Route::Stateless, _) => {
                check_copies(headers, &message)?;
                self.stateless(message, client)
            }
        }
    }

    /// Handles a message without a session: `initialize` opens one.
    fn open_session(&self, message: Incoming) -> Result<Reply, Response> {
        let request = match message {
            Incoming::Request(request) if request.method == INITIALIZE => request,
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
            return Err(json_response(400, answer.into_json()));
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

    fn stateless(&self, message: Incoming, client: &Client) -> Result<Reply, Response> {
        let request = match message {
            Incoming::Request(request) => request,
            Incoming::Notification(_) => return Err(Response::empty(202)),
            Incoming::Response => {
                let error = NO_MESSAGE.error("stateless server does not accept JSON-RPC responses");
                return Err(Response::message(400, &Outgoing::error_without_id(&error)));
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
            return Err(json_response(status, first.into_json()));
        }
        Ok(Reply::Events(EventReply {
            headers: Vec::new(),
            events: events.rewound(),
            session: Some(session),
        }))
    }

    fn get(&self, headers: &Headers) -> Result<Reply, Response> {
        if !accepts(headers, "text/event-stream") {
            let problem = "Not Acceptable: Client must accept text/event-stream";
            return Err(Response::text(406, problem));
        }
        let session = self.session_of(headers)?;
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
        if header_route(headers)? == Route::Stateless {
            return Err(not_allowed("POST"));
        }
        let id = headers.text(SESSION_HEADER).ok_or_else(no_session)?;
        self.sessions.remove(id);
        // Clients treat 202 as a failure to end the session.
        Err(Response::empty(204))
    }

    fn session_of(&self, headers: &Headers) -> Result<Arc<HttpSession>, Response> {
        if header_route(headers)? == Route::Stateless {
            return Err(not_allowed("POST"));
        }
        let id = headers.text(SESSION_HEADER).ok_or_else(no_session)?;
        self.sessions.find(id).ok_or_else(unknown_session)
    }
}

fn in_session(session: &HttpSession, message: Incoming) -> Result<Reply, Response> {
    match message {
        Incoming::Request(request) => {
            let (events, sink) = session.open_stream();
            start(&session.session, request, sink)?;
            return Ok(events.into());
        }
        Incoming::Notification(notification) => session.session.notification(&notification),
        Incoming::Response => {}
    }
    Err(Response::empty(202))
}

fn start(session: &Arc<Session>, request: Request, sink: EventSink) -> Result<(), Response> {
    session
        .request(request, Box::new(sink))
        .map_err(|DuplicateRequest(id)| {
            let error = DUPLICATE_ID.error(format!("duplicate request id `{id}`"));
            Response::message(400, &Outgoing::error_without_id(&error))
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
    let mut response = Response::text(405, "Method Not Allowed");
    response.headers.push(Header::new("allow", methods));
    response
}

fn no_session() -> Response {
    Response::text(400, "Bad Request: Session ID is required")
}

fn unknown_session() -> Response {
    Response::text(404, "Not Found: Session not found")
}

fn json_response(status: u16, json: String) -> Response {
    let mut response = Response::text(status, json);
    response
        .headers
        .push(Header::new("content-type", "application/json"));
    response
}
