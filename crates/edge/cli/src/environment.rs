//! Variables of the environment.

use std::path::PathBuf;

/// The path that an environment variable holds, if it is set.
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
