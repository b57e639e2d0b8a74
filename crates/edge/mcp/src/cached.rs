//! Something that was read, for as long as the files that it was read from stay as they were.

use std::sync::{Arc, Mutex, PoisonError};

/// What was read last.
pub(crate) struct Cached<S, T>(Mutex<Option<(S, Arc<T>)>>);

impl<S, T> Default for Cached<S, T> {
    fn default() -> Self {
        Cached(Mutex::new(None))
    }
}

impl<S: PartialEq, T> Cached<S, T> {
    /// What was read under this stamp.
    pub(crate) fn get(&self, stamp: &S) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(read, _)| read == stamp).map(|(_, value)| Arc::clone(value))
    }

    /// Keeps what was read under a stamp that was taken before.
    pub(crate) fn put(&self, stamp: S, value: Arc<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((stamp, value));
    }
}
