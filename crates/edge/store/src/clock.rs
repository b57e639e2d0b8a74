use std::time::{SystemTime, UNIX_EPOCH};

/// The time, in seconds since 1970; a clock before that is at its beginning.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
