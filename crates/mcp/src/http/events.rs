//! Streams of server-sent events, between the threads that send messages and the connection that writes them.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::protocol::message::OutgoingMessage;
use crate::session::MessageSink;

/// Events that are kept for a client that connects late, or reads slowly.
const KEPT: usize = 16;
/// The time in milliseconds after which a client should reconnect.
const RETRY: u64 = 3000;

/// The events that go to one client in order.
pub(super) struct EventStream {
    kind: StreamKind,
    state: Mutex<StreamState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamKind {
    /// The answer to a request outside of sessions, which cannot be resumed.
    Unnumbered,
    /// Messages of a session that belong to no request.
    Session,
    /// The answer to the request with this number in its session.
    Request(u64),
}

#[derive(Default)]
struct StreamState {
    events: VecDeque<Event>,
    /// The index of the next event.
    next: u64,
    readers: u64,
    ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    index: u64,
    id: Option<String>,
    json: String,
    retry: Option<u64>,
    /// The number of the error, if the event is one.
    pub(super) error: Option<i32>,
}

impl Event {
    /// The event as it is written.
    pub(super) fn text(&self) -> String {
        let mut text = format!("data: {}\n", self.json);
        if let Some(id) = &self.id {
            text.push_str(&format!("id: {id}\n"));
        }
        if let Some(retry) = self.retry {
            text.push_str(&format!("retry: {retry}\n"));
        }
        text.push('\n');
        text
    }

    /// The message of the event.
    pub(super) fn into_json(self) -> String {
        self.json
    }
}

/// The result of waiting for an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextEvent {
    Event(Event),
    /// None came in time.
    Nothing,
    Ended,
}

impl EventStream {
    pub(super) fn new(kind: StreamKind) -> Arc<Self> {
        let stream = EventStream {
            kind,
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        if let StreamKind::Request(_) = kind {
            // An event without a message has the id by which a lost connection can be resumed.
            stream.push(String::new(), Some(RETRY), None);
        }
        Arc::new(stream)
    }

    fn state(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, json: String, retry: Option<u64>, error: Option<i32>) {
        let mut state = self.state();
        let index = state.next;
        state.next += 1;
        if state.events.len() == KEPT {
            state.events.pop_front();
        }
        state.events.push_back(Event {
            index,
            id: match self.kind {
                StreamKind::Unnumbered => None,
                StreamKind::Session => Some(index.to_string()),
                StreamKind::Request(number) => Some(format!("{index}/{number}")),
            },
            json,
            retry,
            error,
        });
        drop(state);
        self.changed.notify_all();
    }

    pub(super) fn send(&self, message: OutgoingMessage) {
        self.push(message.json, None, message.error);
    }

    /// Ends the stream after the events that were sent.
    pub(super) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Reads from the event after this index, or from the oldest that is kept. Readers before get no further events.
    pub(super) fn read_after(self: &Arc<Self>, index: Option<u64>) -> EventReader {
        let mut state = self.state();
        state.readers += 1;
        EventReader {
            next: index.map_or(0, |index| index.saturating_add(1).min(state.next)),
            reader: state.readers,
            stream: Arc::clone(self),
        }
    }
}

/// One reader of a stream.
pub(super) struct EventReader {
    stream: Arc<EventStream>,
    reader: u64,
    next: u64,
}

impl EventReader {
    /// A reader of a stream that has ended without events.
    pub(super) fn empty() -> Self {
        let stream = EventStream::new(StreamKind::Unnumbered);
        stream.end();
        stream.read_after(None)
    }

    /// The same reader at its first event.
    pub(super) fn rewound(self) -> Self {
        EventReader { next: 0, ..self }
    }

    pub(super) fn next(&mut self, patience: Duration) -> NextEvent {
        // Each event goes to one connection only: if a client reconnects, its old connection may still look alive.
        let waits = |state: &mut StreamState| {
            !state.ended && (state.readers != self.reader || state.next <= self.next)
        };
        let waited = self
            .stream
            .changed
            .wait_timeout_while(self.stream.state(), patience, waits);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_current = state.readers == self.reader;
        let event = state
            .events
            .iter()
            .find(|event| is_current && event.index >= self.next);
        match event {
            Some(event) => {
                self.next = event.index + 1;
                NextEvent::Event(event.clone())
            }
            None if state.ended => NextEvent::Ended,
            None => NextEvent::Nothing,
        }
    }
}

/// Sends messages to a stream, and ends it when dropped.
pub(super) struct EventSink(pub(super) Arc<EventStream>);

impl MessageSink for EventSink {
    fn send(&self, message: OutgoingMessage) {
        self.0.send(message);
    }
}

impl Drop for EventSink {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(5);

    fn send(stream: &EventStream, method: &str) {
        stream.send(OutgoingMessage::notification(method, None));
    }

    fn texts(reader: &mut EventReader) -> Vec<String> {
        let mut texts = Vec::new();
        while let NextEvent::Event(event) = reader.next(SHORT) {
            texts.push(event.text());
        }
        texts
    }

    #[test]
    fn events_have_the_ids_of_their_stream() {
        let stream = EventStream::new(StreamKind::Request(7));
        send(&stream, "a");
        let message = r#"{"jsonrpc":"2.0","method":"a"}"#;
        let expected = [
            "data: \nid: 0/7\nretry: 3000\n\n".to_owned(),
            format!("data: {message}\nid: 1/7\n\n"),
        ];
        assert_eq!(texts(&mut stream.read_after(None)), expected);
        assert_eq!(texts(&mut stream.read_after(Some(0))), expected[1..]);
        let stream = EventStream::new(StreamKind::Unnumbered);
        send(&stream, "a");
        assert_eq!(
            texts(&mut stream.read_after(None)),
            [format!("data: {message}\n\n")]
        );
    }

    #[test]
    fn a_late_reader_gets_the_last_events() {
        let stream = EventStream::new(StreamKind::Session);
        (0..20).for_each(|_| send(&stream, "a"));
        assert_eq!(texts(&mut stream.read_after(None)).len(), KEPT);
        assert_eq!(texts(&mut stream.read_after(Some(17))).len(), 2);
        let mut ahead = stream.read_after(Some(99));
        assert_eq!(texts(&mut ahead).len(), 0);
        send(&stream, "b");
        assert_eq!(texts(&mut ahead).len(), 1);
    }

    #[test]
    fn the_newest_reader_gets_the_events() {
        let stream = EventStream::new(StreamKind::Session);
        let (mut old, mut new) = (stream.read_after(None), stream.read_after(None));
        send(&stream, "a");
        assert_eq!(old.next(SHORT), NextEvent::Nothing);
        assert_eq!(texts(&mut new).len(), 1);
        drop(EventSink(stream));
        assert_eq!(old.next(SHORT), NextEvent::Ended);
        assert_eq!(new.next(SHORT), NextEvent::Ended);
        assert_eq!(EventReader::empty().next(SHORT), NextEvent::Ended);
    }
}
