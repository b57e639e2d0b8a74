//! The size and the capabilities of the terminal, if any.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use console::{Key, Term};

use crate::platform::RawMode;

/// The time that users spent on questions of this run, in milliseconds.
static ANSWERING: AtomicU64 = AtomicU64::new(0);

/// The time that users took to answer questions. The command did nothing in it.
pub(crate) fn answering_time() -> Duration {
    Duration::from_millis(ANSWERING.load(Ordering::Relaxed))
}

/// Asks the user something, and adds the time to that of all answers.
pub(crate) fn asking<T>(ask: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let answer = ask();
    let taken = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    ANSWERING.fetch_add(taken, Ordering::Relaxed);
    answer
}

/// The columns of the terminal that results go to.
pub(crate) fn stdout_width() -> Option<usize> {
    let size = io::stdout()
        .is_terminal()
        .then(|| Term::stdout().size_checked());
    size.flatten().map(|(_, columns)| usize::from(columns))
}

/// Returns whether the user can see and answer a question.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Waits for Enter; Esc, Ctrl-C and `q` stop. Without a terminal, it returns at once.
pub(crate) fn wants_next_step() -> bool {
    if !can_ask() {
        return true;
    }
    let terminal = Term::stderr();
    let Ok(raw) = RawMode::enter() else {
        return true;
    };
    let _ = terminal.write_str("Press Enter to continue");
    let key = terminal.read_key_raw();
    drop(raw);
    let _ = terminal.clear_line();
    !matches!(key, Ok(Key::Escape | Key::CtrlC | Key::Char('q')) | Err(_))
}

/// Asks a question that one key answers: `y` is yes, Esc and Ctrl-C give no answer, and any other key declines.
pub(crate) fn confirm(question: &str) -> Option<bool> {
    let terminal = Term::stderr();
    // Raw mode starts before the question is printed, so no key is lost in between.
    let raw = RawMode::enter().ok()?;
    terminal.write_str(&format!("{question} [y/N] ")).ok()?;
    let key = asking(|| terminal.read_key_raw());
    drop(raw);
    terminal.write_line("").ok()?;
    match key.ok()? {
        Key::Escape | Key::CtrlC => None,
        key => Some(matches!(key, Key::Char('y' | 'Y'))),
    }
}
