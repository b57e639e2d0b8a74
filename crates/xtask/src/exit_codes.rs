//! The exit codes of agpm, as a page.

use agpm_cli::failure_codes;

use crate::references::NOTE;

pub(crate) fn page() -> String {
    let mut out = format!("# Exit codes\n\n{NOTE}\n\n| code | meaning |\n|---|---|\n");
    out.push_str(
        "| 0 | success; warnings do not change the exit code, unless `--strict` is given |\n",
    );
    for (code, meaning) in failure_codes() {
        out.push_str(&format!("| {code} | {meaning} |\n"));
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
