//! How many banned phrases each area has at most. A change that raises one fails; lower a number when it falls.

/// By area. One without a row has none.
const RECORDS: &[(&str, usize)] = &[];

pub(super) fn record(area: &str) -> usize {
    let row = RECORDS.iter().find(|(name, _)| *name == area);
    row.map_or(0, |(_, record)| *record)
}
