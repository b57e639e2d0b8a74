//! Limits on the requests and answers of a pair of streams, so no client can make the server grow.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, timeout};

/// Requests that may be under way at once.
// The protocol has no flow control. Without limits, a client that sends faster than it reads would fill memory with
// answers.
const MOST_REQUESTS: usize = 4096;
/// Bytes of requests that may be under way.
const MOST_REQUEST_BYTES: usize = 64 << 20;
/// Answers to lines that are not requests that may be unread.
const MOST_REFUSALS: usize = 256;

/// How long the end of the input waits for a client that has stopped reading.
// Answers are still delivered after the end of the input, but a client that does not read must not keep the process.
const UNREAD_GRACE: Duration = Duration::from_secs(2);
/// How long the end of the input waits for requests that are still running.
const RUNNING_GRACE: Duration = Duration::from_secs(20);

/// The requests and answers under way.
#[derive(Default)]
pub(crate) struct Traffic {
    state: watch::Sender<TrafficState>,
}

#[derive(Default)]
struct TrafficState {
    requests: HashMap<RequestId, PendingRequest>,
    request_bytes: usize,
    refusals: usize,
    written: u64,
    output: StreamState,
}

/// A request without an answer.
struct PendingRequest {
    bytes: usize,
    stage: Stage,
    /// The slot of its operation, which is free for the next one when the answer is written.
    // Answers of operations can be as large as the largest file. Reading stops with requests that wait for a slot,
    // which fills the pipe and makes the client wait: back-pressure by means that every client has.
    slot: Option<OwnedSemaphorePermit>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    /// The SDK has the result.
    Handled,
    /// Still running. The SDK will drop the result.
    Cancelled,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum StreamState {
    #[default]
    Open,
    Closed,
}

/// An answer to a line that is not a request, until it is written.
pub(crate) struct Refusal(Arc<Traffic>);

impl Drop for Refusal {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.refusals -= 1);
    }
}

impl TrafficState {
    fn remove(&mut self, id: &RequestId) {
        if let Some(request) = self.requests.remove(id) {
            self.request_bytes -= request.bytes;
            drop(request.slot);
        }
    }

    fn is_idle(&self) -> bool {
        self.requests.is_empty() && self.refusals == 0
    }

    /// Whether only the client delays an answer.
    fn has_unread_answers(&self) -> bool {
        let is_handled = |request: &PendingRequest| request.stage == Stage::Handled;
        self.refusals > 0 || self.requests.values().any(is_handled)
    }
}

impl Traffic {
    /// Adds a request of this size to those under way, unless one of them has its id.
    // Answers have the ids of their requests. A client could not distinguish those of two requests with one id.
    pub(crate) fn admit(&self, id: &RequestId, bytes: usize) -> bool {
        self.state.send_if_modified(|state| {
            if state.requests.contains_key(id) {
                return false;
            }
            let request = PendingRequest {
                bytes,
                stage: Stage::Running,
                slot: None,
            };
            state.requests.insert(id.clone(), request);
            state.request_bytes += bytes;
            true
        })
    }

    pub(crate) fn admit_refusal(self: &Arc<Self>) -> Refusal {
        self.state.send_modify(|state| state.refusals += 1);
        Refusal(Arc::clone(self))
    }

    /// Keeps the slot of an operation taken until its answer is written.
    pub(crate) fn keep_slot(&self, id: &RequestId, slot: OwnedSemaphorePermit) {
        self.state.send_modify(|state| {
            if let Some(request) = state.requests.get_mut(id) {
                request.slot = Some(slot);
            }
        });
    }

    /// The SDK has the result of a request.
    pub(crate) fn handled(&self, id: &RequestId) {
        self.state
            .send_modify(|state| match state.requests.get_mut(id) {
                Some(request) if request.stage == Stage::Cancelled => state.remove(id),
                Some(request) => request.stage = Stage::Handled,
                None => {}
            });
    }

    /// The client does not want the answer to a request. Its id stays in use while the request runs.
    pub(crate) fn cancel(&self, id: &RequestId) {
        self.state
            .send_modify(|state| match state.requests.get_mut(id) {
                Some(request) if request.stage == Stage::Running => {
                    request.stage = Stage::Cancelled
                }
                Some(_) => state.remove(id),
                None => {}
            });
    }

    /// The answer to a request is written.
    pub(crate) fn answered(&self, id: &RequestId) {
        self.state.send_modify(|state| state.remove(id));
    }

    pub(crate) fn written(&self, bytes: usize) {
        self.state
            .send_modify(|state| state.written += bytes as u64);
    }

    pub(crate) fn close_output(&self) {
        self.state
            .send_modify(|state| state.output = StreamState::Closed);
    }

    pub(crate) async fn wait_for_closed_output(&self) {
        self.wait_until(|_| false).await;
    }

    /// Waits until one more request can be read.
    pub(crate) async fn wait_for_request_capacity(&self) {
        self.wait_until(|state| {
            state.requests.len() < MOST_REQUESTS
                && state.request_bytes < MOST_REQUEST_BYTES
                && state.refusals < MOST_REFUSALS
        })
        .await;
    }

    /// Waits until everything is answered and written, or the client no longer reads.
    pub(crate) async fn wait_until_drained(&self) {
        let begun = Instant::now();
        let mut written = self.state.borrow().written;
        while timeout(UNREAD_GRACE, self.wait_until(TrafficState::is_idle))
            .await
            .is_err()
        {
            let state = self.state.borrow();
            // A client that still reads gets all its answers, however slowly it reads.
            let is_stuck = state.has_unread_answers() && state.written == written;
            if is_stuck || begun.elapsed() > RUNNING_GRACE {
                return;
            }
            written = state.written;
        }
    }

    /// Waits until something holds, or the output is closed.
    async fn wait_until(&self, holds: impl Fn(&TrafficState) -> bool) {
        let mut state = self.state.subscribe();
        let ended = |state: &TrafficState| state.output == StreamState::Closed || holds(state);
        // The sender lives as long as `self`, so the wait cannot fail.
        drop(state.wait_for(ended).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(id: usize) -> RequestId {
        RequestId::Number(id as i64)
    }

    async fn is_waiting(wait: impl Future<Output = ()>) -> bool {
        timeout(Duration::from_millis(20), wait).await.is_err()
    }

    #[tokio::test]
    async fn requests_are_bounded_in_number_and_size() {
        let traffic = Traffic::default();
        for id in 0..MOST_REQUESTS {
            assert!(!is_waiting(traffic.wait_for_request_capacity()).await);
            assert!(traffic.admit(&number(id), 1));
        }
        assert!(is_waiting(traffic.wait_for_request_capacity()).await);
        traffic.answered(&number(7));
        assert!(!is_waiting(traffic.wait_for_request_capacity()).await);
        assert!(traffic.admit(&number(7), MOST_REQUEST_BYTES));
        traffic.answered(&number(8));
        assert!(is_waiting(traffic.wait_for_request_capacity()).await);
    }

    #[tokio::test]
    async fn answers_to_other_lines_are_bounded() {
        let traffic = Arc::new(Traffic::default());
        let mut refusals: Vec<Refusal> = (0..MOST_REFUSALS)
            .map(|_| traffic.admit_refusal())
            .collect();
        assert!(is_waiting(traffic.wait_for_request_capacity()).await);
        refusals.pop();
        assert!(!is_waiting(traffic.wait_for_request_capacity()).await);
    }

    #[tokio::test]
    async fn an_id_is_in_use_until_its_answer_is_written() {
        let traffic = Traffic::default();
        assert!(traffic.admit(&number(1), 1));
        assert!(!traffic.admit(&number(1), 1));
        traffic.handled(&number(1));
        assert!(!traffic.admit(&number(1), 1));
        traffic.answered(&number(1));
        assert!(traffic.admit(&number(1), 1));
    }

    #[tokio::test]
    async fn the_id_of_a_cancelled_request_is_in_use_while_the_request_runs() {
        let traffic = Traffic::default();
        assert!(traffic.admit(&number(1), 1));
        traffic.cancel(&number(1));
        assert!(!traffic.admit(&number(1), 1));
        traffic.handled(&number(1));
        assert!(traffic.admit(&number(1), 1));
        traffic.handled(&number(1));
        traffic.cancel(&number(1));
        assert!(traffic.admit(&number(1), 1));
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_waits_for_answers_unless_the_client_does_not_read() {
        let traffic = Traffic::default();
        assert!(!is_waiting(traffic.wait_until_drained()).await);
        assert!(traffic.admit(&number(1), 1));
        let drained = timeout(UNREAD_GRACE * 3, traffic.wait_until_drained());
        assert!(drained.await.is_err(), "a request is running");
        traffic.handled(&number(1));
        let drained = timeout(UNREAD_GRACE * 3, traffic.wait_until_drained());
        assert!(drained.await.is_ok(), "nobody reads its answer");
    }

    #[tokio::test]
    async fn nothing_waits_without_a_reader() {
        let traffic = Traffic::default();
        assert!(traffic.admit(&number(1), MOST_REQUEST_BYTES));
        assert!(is_waiting(traffic.wait_for_closed_output()).await);
        traffic.close_output();
        assert!(!is_waiting(traffic.wait_for_request_capacity()).await);
        assert!(!is_waiting(traffic.wait_for_closed_output()).await);
        assert!(!is_waiting(traffic.wait_until_drained()).await);
    }
}
