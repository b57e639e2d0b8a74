//! The checked figures. All crates have reached zero, and the limits are never raised.

use super::figures::CrateFigures;

/// Everything that a crate has of them.
pub(super) fn violations(figures: &CrateFigures) -> Vec<String> {
    let lists = figures.checked_lists().into_iter();
    lists
        .filter(|(_, list)| !list.is_empty())
        .map(|(what, list)| format!("{}: {what}: {}", figures.name, list.join(" ")))
        .collect()
}
