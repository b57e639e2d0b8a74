//! Exit codes and their meaning, for the reference and the manual pages.

use agpm_diag::FailureKind;

const FAILURES: [FailureKind; 6] = [
    FailureKind::Errors,
    FailureKind::Usage,
    FailureKind::NotFound,
    FailureKind::Network,
    FailureKind::Lock,
    FailureKind::Refused,
];

/// Returns the exit codes of failures with their meaning, in Markdown.
pub fn failure_codes() -> impl Iterator<Item = (u8, &'static str)> {
    FAILURES
        .into_iter()
        .map(|kind| (kind.exit_code(), exit_code_meaning(kind)))
}

/// A new kind of failure does not compile until it is described here.
fn exit_code_meaning(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Errors => {
            "errors in the manifest or other files, or findings of a check such as `verify`, `--check` and `--exit-code`"
        }
        FailureKind::Usage => "wrong usage: an unknown option, a missing argument",
        FailureKind::NotFound => "an unknown or ambiguous name",
        FailureKind::Network => {
            "a source or policy is unreachable, or needs the network with `--offline`"
        }
        FailureKind::Lock => {
            "the lockfile is missing, invalid or out of date, with `--locked`, `--frozen` or in `agpm ci`"
        }
        FailureKind::Refused => {
            "refused: an unmanaged file or value would be overwritten, an approval is missing, a policy is violated, or a path leads out of its directory"
        }
    }
}
