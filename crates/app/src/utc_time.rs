//! Points in time as people and programs read them.

use jiff::Timestamp;

/// Formats seconds since 1970 as in `2026-11-20T08:30:00Z`. A time that no calendar has is the last one that it has.
pub fn utc_time(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds)
        .unwrap_or(Timestamp::MAX)
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_seconds_have_their_date() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (1_795_132_800, "2026-11-20T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (u64::MAX, "9999-12-30T22:00:00Z"),
        ] {
            assert_eq!(utc_time(seconds), expected);
        }
    }
}
