//! What the terminal is like, if there is one.

use std::io::{self, IsTerminal};

use console::{Key, Term};

/// The columns of the terminal that results go to.
pub(crate) fn stdout_width() -> Option<usize> {
    let size = io::stdout()
        .is_terminal()
        .then(|| Term::stdout().size_checked());
    size.flatten().map(|(_, columns)| usize::from(columns))
}

/// Whether somebody can be asked: they see the question, and can answer it.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question that one key answers: `y` is yes, Esc and Ctrl-C are no answer, and anything else is no.
pub(crate) fn confirm(question: &str) -> Option<bool> {
    let terminal = Term::stderr();
    terminal.write_str(&format!("{question} [y/N] ")).ok()?;
    let key = terminal.read_key_raw();
    terminal.write_line("").ok()?;
    match key.ok()? {
        Key::Escape | Key::CtrlC => None,
        key => Some(matches!(key, Key::Char('y' | 'Y'))),
    }
}
