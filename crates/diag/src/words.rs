//! Numbers as people read them.

const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// A number with its word.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Bytes as people read them.
pub fn size(bytes: u64) -> String {
    let mut scaled = bytes as f64;
    let mut unit = None;
    for larger in UNITS {
        if scaled < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = Some(larger);
    }
    unit.map_or_else(
        || format!("{bytes} B"),
        |unit| format!("{scaled:.1} {unit}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let sizes = [0, 1023, 1024, 1536, 5 << 20, 3 << 40, u64::MAX].map(size);
        assert_eq!(
            sizes,
            [
                "0 B",
                "1023 B",
                "1.0 KiB",
                "1.5 KiB",
                "5.0 MiB",
                "3.0 TiB",
                "16777216.0 TiB"
            ]
        );
    }
}
