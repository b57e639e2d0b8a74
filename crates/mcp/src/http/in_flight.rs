//! The requests of sessions that are not answered yet.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::HeaderValue;
use rmcp::model::RequestId;

type Requests = HashSet<(HeaderValue, RequestId)>;

#[derive(Default)]
pub(super) struct RequestsInFlight(Arc<Mutex<Requests>>);

/// A request in flight, until this is dropped.
pub(super) struct RequestInFlight {
    requests: Arc<Mutex<Requests>>,
    request: (HeaderValue, RequestId),
}

fn lock(requests: &Mutex<Requests>) -> MutexGuard<'_, Requests> {
    requests.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RequestsInFlight {
    /// Adds a request, unless one of its session has its id.
    // The SDK would send the answer to either of two requests with one id to the later one.
    pub(super) fn admit(&self, session: HeaderValue, id: RequestId) -> Option<RequestInFlight> {
        let request = (session, id);
        if !lock(&self.0).insert(request.clone()) {
            return None;
        }
        Some(RequestInFlight {
            requests: Arc::clone(&self.0),
            request,
        })
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        lock(&self.requests).remove(&self.request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_in_use_in_its_session_until_its_request_is_dropped() {
        let in_flight = RequestsInFlight::default();
        let admit =
            |session, id| in_flight.admit(HeaderValue::from_static(session), RequestId::Number(id));
        let first = admit("a", 1);
        assert!(first.is_some());
        assert!(admit("a", 1).is_none());
        assert!(admit("a", 2).is_some());
        assert!(admit("b", 1).is_some());
        drop(first);
        assert!(admit("a", 1).is_some());
    }
}
