//! What the terminal is like, if there is one.

use std::io::{self, IsTerminal};

use console::Term;

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

/// Asks a question that is answered by one key; anything but `y` is no.
pub(crate) fn confirm(question: &str) -> bool {
    let terminal = Term::stderr();
    let asked = terminal.write_str(&format!("{question} [y/N] "));
    let answer = asked.and_then(|()| terminal.read_char());
    let _ = terminal.write_line("");
    matches!(answer, Ok('y' | 'Y'))
}
