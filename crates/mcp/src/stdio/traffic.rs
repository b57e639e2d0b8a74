//! Limits on the requests and answers of a pair of streams, so no client can make the server grow.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Requests that may be under way at once.
// The protocol has no flow control. Without limits, a client that sends faster than it reads would fill memory with
// answers.
const MOST_REQUESTS: usize = 4096;
/// Bytes of requests that may be under way.
const MOST_REQUEST_BYTES: usize = 64 << 20;
/// Bytes of unread answers at which no further request is read or started.
const MOST_UNSENT: usize = 32 << 20;

/// How long the end of the input waits for a client that has stopped reading.
// Answers are still delivered after the end of the input, but a client that does not read must not keep the process.
const UNREAD_GRACE: Duration = Duration::from_secs(2);
/// How long the end of the input waits for requests that are still running.
const RUNNING_GRACE: Duration = Duration::from_secs(20);

/// The requests and answers under way.
#[derive(Default)]
pub(super) struct Traffic {
    state: Mutex<TrafficState>,
    changed: Condvar,
}

#[derive(Default)]
struct TrafficState {
    requests: usize,
    request_bytes: usize,
    unsent: usize,
    written: u64,
    input: StreamState,
    output: StreamState,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum StreamState {
    #[default]
    Open,
    Closed,
}

/// One request under way, until it is dropped.
pub(super) struct Admission {
    traffic: Arc<Traffic>,
    bytes: usize,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let bytes = self.bytes;
        self.traffic.change(|state| {
            state.requests -= 1;
            state.request_bytes -= bytes;
        });
    }
}

impl Traffic {
    fn state(&self) -> MutexGuard<'_, TrafficState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut TrafficState)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Adds a request of this size to those under way.
    pub(super) fn admit(self: &Arc<Self>, bytes: usize) -> Admission {
        let mut state = self.state();
        state.requests += 1;
        state.request_bytes += bytes;
        Admission {
            traffic: Arc::clone(self),
            bytes,
        }
    }

    /// Adds bytes that are about to be written.
    pub(super) fn reserve_output(&self, bytes: usize) {
        self.state().unsent += bytes;
    }

    /// Whether so much is unread that messages which the client did not request are dropped.
    pub(super) fn is_output_full(&self) -> bool {
        self.state().unsent >= MOST_UNSENT
    }

    pub(super) fn written(&self, bytes: usize) {
        self.change(|state| {
            state.unsent = state.unsent.saturating_sub(bytes);
            state.written += bytes as u64;
        });
    }

    pub(super) fn close_input(&self) {
        self.change(|state| state.input = StreamState::Closed);
    }

    pub(super) fn close_output(&self) {
        self.change(|state| state.output = StreamState::Closed);
    }

    pub(super) fn is_output_closed(&self) -> bool {
        self.state().output == StreamState::Closed
    }

    /// Waits until one more request can be read.
    pub(super) fn wait_for_request_capacity(&self) {
        self.wait_until(|state| {
            state.requests < MOST_REQUESTS
                && state.request_bytes < MOST_REQUEST_BYTES
                && state.unsent < MOST_UNSENT
        });
    }

    /// Waits until one more answer can be produced.
    pub(super) fn wait_for_output_capacity(&self) {
        // Reading stops while answers are unread, which fills the pipe and makes the client wait: back-pressure by
        // means that every client has.
        self.wait_until(|state| state.unsent < MOST_UNSENT);
    }

    /// Waits until the client is gone: it ended the input, or closed the output.
    pub(super) fn wait_for_end(&self) {
        self.wait_until(|state| state.input == StreamState::Closed);
    }

    /// Waits until everything is answered and written, or the client no longer reads.
    pub(super) fn wait_until_drained(&self) {
        let begun = Instant::now();
        let mut written = self.state().written;
        while !self.is_drained_within(UNREAD_GRACE) {
            let (unsent, now) = {
                let state = self.state();
                (state.unsent, state.written)
            };
            // A client that still reads gets all its answers, however slowly it reads.
            if (unsent > 0 && now == written) || begun.elapsed() > RUNNING_GRACE {
                return;
            }
            written = now;
        }
    }

    fn is_drained_within(&self, patience: Duration) -> bool {
        let waits = |state: &mut TrafficState| {
            state.output == StreamState::Open && (state.requests > 0 || state.unsent > 0)
        };
        let waited = self
            .changed
            .wait_timeout_while(self.state(), patience, waits);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Waits until something holds, or the output is closed.
    fn wait_until(&self, holds: impl Fn(&TrafficState) -> bool) {
        let waits = |state: &mut TrafficState| state.output == StreamState::Open && !holds(state);
        drop(self.changed.wait_while(self.state(), waits));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// Whether a wait is still going on after a short time. Its thread is left behind, as tests are short.
    fn is_waiting(traffic: &Arc<Traffic>, wait: fn(&Traffic), patience: Duration) -> bool {
        let (sender, receiver) = mpsc::channel();
        let traffic = Arc::clone(traffic);
        thread::spawn(move || {
            wait(&traffic);
            let _ = sender.send(());
        });
        receiver.recv_timeout(patience).is_err()
    }

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn nothing_is_read_while_answers_are_unread() {
        let traffic = Arc::new(Traffic::default());
        assert!(!is_waiting(
            &traffic,
            Traffic::wait_for_request_capacity,
            UNREAD_GRACE
        ));
        traffic.reserve_output(MOST_UNSENT);
        assert!(traffic.is_output_full());
        assert!(is_waiting(
            &traffic,
            Traffic::wait_for_request_capacity,
            SHORT
        ));
        assert!(is_waiting(
            &traffic,
            Traffic::wait_for_output_capacity,
            SHORT
        ));
        traffic.written(1);
        assert!(!is_waiting(
            &traffic,
            Traffic::wait_for_request_capacity,
            UNREAD_GRACE
        ));
    }

    #[test]
    fn requests_are_bounded_in_number_and_size() {
        let traffic = Arc::new(Traffic::default());
        let mut requests: Vec<Admission> = (0..MOST_REQUESTS).map(|_| traffic.admit(1)).collect();
        assert!(is_waiting(
            &traffic,
            Traffic::wait_for_request_capacity,
            SHORT
        ));
        requests.pop();
        assert!(!is_waiting(
            &traffic,
            Traffic::wait_for_request_capacity,
            UNREAD_GRACE
        ));
        requests.clear();
        let _large = traffic.admit(MOST_REQUEST_BYTES);
        assert!(is_waiting(
            &traffic,
            Traffic::wait_for_request_capacity,
            SHORT
        ));
    }

    #[test]
    fn the_end_waits_for_answers_unless_the_client_does_not_read() {
        let traffic = Arc::new(Traffic::default());
        assert!(!is_waiting(
            &traffic,
            Traffic::wait_until_drained,
            UNREAD_GRACE
        ));
        let _running = traffic.admit(1);
        assert!(is_waiting(
            &traffic,
            Traffic::wait_until_drained,
            UNREAD_GRACE * 2
        ));
        traffic.reserve_output(10);
        assert!(!is_waiting(
            &traffic,
            Traffic::wait_until_drained,
            UNREAD_GRACE * 2
        ));
    }

    #[test]
    fn nothing_waits_without_a_reader() {
        let traffic = Arc::new(Traffic::default());
        traffic.reserve_output(MOST_UNSENT);
        traffic.close_output();
        assert!(!is_waiting(
            &traffic,
            Traffic::wait_for_request_capacity,
            UNREAD_GRACE
        ));
        assert!(!is_waiting(&traffic, Traffic::wait_for_end, UNREAD_GRACE));
    }
}
