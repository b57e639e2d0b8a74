//! Why a side of a conflict cannot be taken.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_model::{Owner, RelativePath};
use agpm_plan::ResolutionError;

/// The reason why a side cannot be taken.
pub(super) fn refusal(error: ResolutionError, path: &RelativePath, owner: &Owner) -> Failure {
    let (message, help) = match error {
        ResolutionError::EditedSince => (
            format!("`{path}` was edited since the conflict arose"),
            format!("`agpm resolve {owner} --merged` keeps it as it is now"),
        ),
        ResolutionError::Missing => (
            format!("`{path}` does not exist"),
            format!("`agpm resolve {owner} --mine` restores it; `--new` installs the new version"),
        ),
        ResolutionError::NotFile => (
            format!("`{path}` is not a regular file"),
            "move it, and run `agpm install`".to_owned(),
        ),
    };
    let diagnostic = Diagnostic::new(&codes::INSTALL_CONFLICT, message)
        .in_file(path.as_str())
        .help(help);
    Failure::new(FailureKind::Refused, diagnostic)
}
