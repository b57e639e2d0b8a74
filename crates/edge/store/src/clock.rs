use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the seconds since 1970, or zero for a clock before that.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
