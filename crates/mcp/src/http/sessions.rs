//! The sessions of HTTP clients, by their ids.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::http::events::{EventReader, EventSink, EventStream, StreamKind};
use crate::protocol::message::OutgoingMessage;
use crate::session::{MessageSink, Session};
use crate::shared::SharedState;

/// A session without messages for this long is ended. Most clients go without saying so.
const LIFETIME: Duration = Duration::from_secs(300);

#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Arc<HttpSession>>>);

/// A session, and the streams by which it reaches the client.
pub(super) struct HttpSession {
    pub(super) session: Arc<Session>,
    messages: Arc<SessionMessages>,
    requests: Mutex<RequestStreams>,
}

/// The stream of messages that belong to no request.
struct SessionMessages {
    stream: Arc<EventStream>,
    last_used: Mutex<Instant>,
}

#[derive(Default)]
struct RequestStreams {
    next: u64,
    open: HashMap<u64, Weak<EventStream>>,
}

impl SessionMessages {
    fn last_used(&self) -> MutexGuard<'_, Instant> {
        self.last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

struct SessionSink(Arc<SessionMessages>);

impl MessageSink for SessionSink {
    fn send(&self, message: OutgoingMessage) {
        *self.0.last_used() = Instant::now();
        self.0.stream.send(message);
    }
}

impl HttpSession {
    pub(super) fn new(shared: Arc<SharedState>) -> Arc<Self> {
        let messages = Arc::new(SessionMessages {
            stream: EventStream::new(StreamKind::Session),
            last_used: Mutex::new(Instant::now()),
        });
        let sink = Box::new(SessionSink(Arc::clone(&messages)));
        Arc::new(HttpSession {
            session: Session::new(shared, sink),
            messages,
            requests: Mutex::default(),
        })
    }

    /// A stream for the answer to a request, and the sink that fills it.
    pub(super) fn open_stream(&self) -> (EventReader, EventSink) {
        let mut requests = self.requests();
        let number = requests.next;
        requests.next += 1;
        let stream = EventStream::new(StreamKind::Request(number));
        requests.open.retain(|_, open| open.strong_count() > 0);
        requests.open.insert(number, Arc::downgrade(&stream));
        (stream.read_after(None), EventSink(stream))
    }

    fn requests(&self) -> MutexGuard<'_, RequestStreams> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The messages of the session, from the oldest that is kept.
    pub(super) fn messages(&self) -> EventReader {
        self.messages.stream.read_after(None)
    }

    /// The rest of a stream after the event with this id.
    pub(super) fn resume(&self, event: &str) -> Option<EventReader> {
        let (index, number) = match event.split_once('/') {
            Some((index, number)) => (index, Some(number)),
            None => (event, None),
        };
        let index = index.parse().ok()?;
        let stream = match number {
            None => Arc::clone(&self.messages.stream),
            Some(number) => {
                let number: u64 = number.parse().ok()?;
                self.requests().open.get(&number)?.upgrade()?
            }
        };
        Some(stream.read_after(Some(index)))
    }

    /// Whether neither side has sent a message for a long time.
    pub(super) fn is_expired(&self) -> bool {
        self.messages.last_used().elapsed() > LIFETIME && !self.session.has_requests()
    }

    fn close(&self) {
        self.session.close();
        self.messages.stream.end();
    }
}

impl Sessions {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<HttpSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session under a new id. Nothing if the system has no random bytes.
    pub(super) fn add(&self, session: Arc<HttpSession>) -> Option<String> {
        let id = random_id()?;
        self.all().insert(id.clone(), session);
        Some(id)
    }

    /// The session of a request, which is used by that.
    pub(super) fn find(&self, id: &str) -> Option<Arc<HttpSession>> {
        self.end_expired();
        let found = self.all().get(id).cloned();
        if let Some(session) = &found {
            *session.messages.last_used() = Instant::now();
        }
        found
    }

    pub(super) fn remove(&self, id: &str) {
        let removed = self.all().remove(id);
        if let Some(session) = removed {
            session.close();
        }
    }

    pub(super) fn end_expired(&self) {
        let expired: Vec<Arc<HttpSession>> = self
            .all()
            .extract_if(|_, session| session.is_expired())
            .map(|(_, session)| session)
            .collect();
        for session in expired {
            session.close();
        }
    }
}

/// A random UUID, the form that clients know.
fn random_id() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    Some(parts.map(|part| &digits[part]).join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_random_uuids() {
        let (one, other) = (random_id().unwrap(), random_id().unwrap());
        assert_ne!(one, other);
        let lengths: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(&one[14..15], "4");
    }
}
