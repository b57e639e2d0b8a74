//! The exit codes of agpm, as a page.

use agpm_diag::FailureKind;

use crate::references::NOTE;

const FAILURES: [FailureKind; 6] = [
    FailureKind::Errors,
    FailureKind::Usage,
    FailureKind::NotFound,
    FailureKind::Network,
    FailureKind::Lock,
    FailureKind::Refused,
];

pub(crate) fn page() -> String {
    let mut out = format!("# Exit codes\n\n{NOTE}\n\n| code | meaning |\n|---|---|\n");
    out.push_str(
        "| 0 | success; warnings do not change the exit code, unless `--strict` is given |\n",
    );
    for kind in FAILURES {
        out.push_str(&format!("| {} | {} |\n", kind.exit_code(), meaning(kind)));
    }
    out.push_str("| 130 | interrupted with Ctrl-C |\n\n");
    out.push_str(
        "After a failure, the project is unchanged: a command changes all files or none.\n",
    );
    out.push_str(
        "[`agpm ci`](../ci.md#exit-codes) has several checks and reports the most severe cause.\n",
    );
    out
}

/// A new kind of failure does not compile until it is described here.
fn meaning(kind: FailureKind) -> &'static str {
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
