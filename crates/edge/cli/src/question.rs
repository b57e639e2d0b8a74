//! Questions on a terminal, where somebody can answer them.

use std::io::{self, BufRead, IsTerminal, Write};

use agpm_ops::CapabilityChange;

/// Whether somebody sees a question and can answer it.
pub(crate) fn is_interactive(json: bool) -> bool {
    !json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks, and takes everything but `y` and `yes` for no.
pub(crate) fn is_answered_yes(question: &str) -> bool {
    let mut answer = String::new();
    let asked = io::stderr()
        .write_all(question.as_bytes())
        .and_then(|()| io::stderr().flush());
    asked.is_ok()
        && io::stdin().lock().read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// How increases are approved in this run.
pub(crate) fn confirm_for(json: bool) -> Option<fn(&[CapabilityChange]) -> bool> {
    is_interactive(json).then_some(confirm as fn(&[CapabilityChange]) -> bool)
}

fn confirm(changes: &[CapabilityChange]) -> bool {
    let lines: String = changes
        .iter()
        .map(|change| format!("{}\n", agpm_report::capabilities::line(change)))
        .collect();
    is_answered_yes(&format!("{lines}Let your tools do this? [y/N] "))
}
