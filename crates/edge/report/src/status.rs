//! How a project stands, in one line for each thing that is known of it.

use agpm_ops::{ProjectFound, StatusReport, counted};

const NO_PROJECT: &str = "No project found: no `agpm.toml` in this directory or its parents. Run `agpm init` to create one.\n";

/// What is installed, what could be newer, and what is not as it was installed.
pub fn text(report: &StatusReport) -> String {
    if report.project == ProjectFound::No {
        return NO_PROJECT.to_owned();
    }
    let types: Vec<String> = report
        .installed
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let installed = if types.is_empty() {
        "nothing".to_owned()
    } else {
        types.join(", ")
    };
    let outdated = match &report.outdated {
        Some(report) => format!("{} of {}", report.outdated.len(), report.checked),
        None => "not known".to_owned(),
    };
    let checked = counted(report.drift.checked, "file", "files");
    let drift = report.drift.findings.len();
    format!(
        "installed: {installed}\noutdated: {outdated}\nnot as installed: {drift} of {checked}\n"
    )
}
