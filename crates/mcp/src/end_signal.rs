//! The end of the server, for threads that have to end with it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub(crate) struct EndSignal {
    ended: Mutex<bool>,
    changed: Condvar,
}

impl EndSignal {
    pub(crate) fn signal(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for the end; whether it came in time.
    pub(crate) fn comes_within(&self, patience: Duration) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(ended, patience, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
