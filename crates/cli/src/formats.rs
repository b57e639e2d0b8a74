//! The values of `--format`.

use agpm_diag::{Diagnostic, codes};
use agpm_diag::{FailureKind, Outcome};
use clap::ValueEnum;

/// The word that was typed for one of several formats.
pub(crate) fn word(format: impl ValueEnum) -> String {
    format
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Refuses `--json` with another `--format`, because a result has one format.
pub(crate) fn two_formats<T>(other: &str) -> Outcome<T> {
    let message = format!("`--json` and `--format {other}` cannot be combined");
    let diagnostic = Diagnostic::new(&codes::USAGE, message).help("remove one of them");
    Outcome::failed(FailureKind::Usage, diagnostic)
}
