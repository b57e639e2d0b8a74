//! Locks of values that stay consistent.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value of a lock whose holder panicked is still consistent: every change is one assignment.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
