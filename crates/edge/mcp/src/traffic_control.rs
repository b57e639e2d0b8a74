//! How much is under way on a pair of streams, so neither a fast nor a deaf client makes the server grow.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tokio::time::timeout;

/// So many requests are taken in before one of them is answered.
// The protocol has no flow control. Without bounds, a client that sends faster than it reads would fill memory with
// answers.
const MOST_REQUESTS: usize = 4096;
/// So many bytes of requests.
const MOST_TAKEN: usize = 64 << 20;
/// While so many bytes of answers are not read, nothing is taken in and nothing more is made.
const MOST_UNSENT: usize = 32 << 20;

/// After the end of the input, answers that nobody reads are waited for so long.
// At the end of the input, answers are still delivered, but a client that does not read must not keep the process
// alive.
const UNREAD_GRACE: Duration = Duration::from_secs(2);
/// And what is still being worked on so long.
const SLOW: Duration = Duration::from_secs(20);

/// The work under way.
#[derive(Default)]
pub(crate) struct TrafficControl {
    state: Mutex<TrafficState>,
    changed: Notify,
}

#[derive(Default)]
struct TrafficState {
    /// Requests that are not answered, with the size of their lines.
    requests: HashMap<RequestId, usize>,
    taken: usize,
    unsent: usize,
    written: u64,
    output: OutputState,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum OutputState {
    #[default]
    Open,
    Closed,
}

/// A request has the id of one that is under way.
pub(crate) struct DuplicateRequestId;

impl TrafficControl {
    fn state(&self) -> MutexGuard<'_, TrafficState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut TrafficState) -> T) -> T {
        let result = change(&mut self.state());
        self.changed.notify_waiters();
        result
    }

    /// Takes in a request.
    pub(crate) fn admit(&self, id: &RequestId, bytes: usize) -> Result<(), DuplicateRequestId> {
        let mut state = self.state();
        // Answers are matched by id. Two requests with one id could not be distinguished by the client, nor
        // cancelled.
        if state.requests.contains_key(id) {
            return Err(DuplicateRequestId);
        }
        state.requests.insert(id.clone(), bytes);
        state.taken += bytes;
        Ok(())
    }

    /// A request is answered, or cancelled.
    pub(crate) fn done(&self, id: &RequestId) {
        self.change(|state| {
            let bytes = state.requests.remove(id).unwrap_or(0);
            state.taken = state.taken.saturating_sub(bytes);
        });
    }

    /// A line of so many bytes wants to be written.
    pub(crate) fn reserve_output(&self, bytes: usize) {
        self.state().unsent += bytes;
    }

    /// Records that bytes were written.
    pub(crate) fn written(&self, bytes: usize) {
        self.change(|state| {
            state.unsent = state.unsent.saturating_sub(bytes);
            state.written += bytes as u64;
        });
    }

    /// Nobody reads any more.
    pub(crate) fn close_output(&self) {
        self.change(|state| state.output = OutputState::Closed);
    }

    pub(crate) fn output_is_closed(&self) -> bool {
        self.state().output == OutputState::Closed
    }

    /// Waits until one more request can be taken in.
    pub(crate) async fn wait_for_request_capacity(&self) {
        self.until(|state| {
            state.requests.len() < MOST_REQUESTS
                && state.taken < MOST_TAKEN
                && state.unsent < MOST_UNSENT
        })
        .await;
    }

    /// Waits until one more answer can be made.
    pub(crate) async fn wait_for_output_capacity(&self) {
        // Reading stops while answers are unread, which fills the pipe and makes the client wait: back-pressure by
        // means that every client has.
        self.until(|state| state.unsent < MOST_UNSENT).await;
    }

    /// Waits until everything is answered and written, or no hope exists of it.
    pub(crate) async fn wait_until_drained(&self, since: Instant) {
        let all_done = self.until(|state| state.requests.is_empty() && state.unsent == 0);
        tokio::pin!(all_done);
        let mut written = self.state().written;
        while timeout(UNREAD_GRACE, &mut all_done).await.is_err() {
            let (unsent, now) = {
                let state = self.state();
                (state.unsent, state.written)
            };
            // A client that still reads gets all its answers, however slowly; one that stopped reading does not
            // keep the process alive.
            if (unsent > 0 && now == written) || since.elapsed() > SLOW {
                return;
            }
            written = now;
        }
    }

    /// Waits until something holds, or nobody reads any more.
    async fn until(&self, holds: impl Fn(&TrafficState) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed, be it before or after the look.
            changed.as_mut().enable();
            {
                let state = self.state();
                if state.output == OutputState::Closed || holds(&state) {
                    return;
                }
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_waiting(wait: impl Future<Output = ()>) -> bool {
        timeout(Duration::from_millis(20), wait).await.is_err()
    }

    #[tokio::test]
    async fn nothing_is_taken_in_while_answers_are_not_read() {
        let flow = TrafficControl::default();
        assert!(!is_waiting(flow.wait_for_request_capacity()).await);
        flow.reserve_output(MOST_UNSENT);
        assert!(is_waiting(flow.wait_for_request_capacity()).await);
        assert!(is_waiting(flow.wait_for_output_capacity()).await);
        flow.written(1);
        assert!(!is_waiting(flow.wait_for_request_capacity()).await);
    }

    #[tokio::test]
    async fn requests_are_bounded_in_number_and_size() {
        let flow = TrafficControl::default();
        for id in 0..MOST_REQUESTS {
            assert!(flow.admit(&RequestId::Number(id as i64), 1).is_ok());
        }
        assert!(flow.admit(&RequestId::Number(0), 1).is_err());
        assert!(is_waiting(flow.wait_for_request_capacity()).await);
        flow.done(&RequestId::Number(7));
        assert!(!is_waiting(flow.wait_for_request_capacity()).await);
        assert!(flow.admit(&RequestId::Number(7), MOST_TAKEN).is_ok());
        flow.done(&RequestId::Number(8));
        assert!(is_waiting(flow.wait_for_request_capacity()).await);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_waits_for_answers_and_not_for_the_deaf() {
        let flow = TrafficControl::default();
        assert!(!is_waiting(flow.wait_until_drained(Instant::now())).await);
        assert!(flow.admit(&RequestId::Number(1), 1).is_ok());
        assert!(
            timeout(UNREAD_GRACE * 3, flow.wait_until_drained(Instant::now()))
                .await
                .is_err(),
            "work is waited for"
        );
        flow.reserve_output(10);
        assert!(
            timeout(UNREAD_GRACE * 3, flow.wait_until_drained(Instant::now()))
                .await
                .is_ok(),
            "the deaf are not"
        );
    }

    #[tokio::test]
    async fn without_a_reader_nothing_waits() {
        let flow = TrafficControl::default();
        flow.reserve_output(MOST_UNSENT);
        flow.close_output();
        assert!(!is_waiting(flow.wait_for_request_capacity()).await);
    }
}
