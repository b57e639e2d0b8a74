//! The only module of this crate that names an operating system.

use std::io;

/// The policy of the machine, which an administrator writes.
#[cfg(not(windows))]
pub(crate) const MACHINE_POLICY: &str = "/etc/agpm/policy.toml";

/// The policy of the machine. Everybody may create directories in `C:\` and in `C:\ProgramData`, but not here.
#[cfg(windows)]
pub(crate) const MACHINE_POLICY: &str = r"C:\Program Files\agpm\policy.toml";

/// A terminal that hands on every key at once and shows none, until this is dropped.
///
/// Reading single keys would leave the usual mode between two of them, in which the terminal echoes letters and keeps
/// backspaces for itself. Output is processed as before, so a panic stays readable.
#[cfg(unix)]
pub(crate) struct RawMode {
    before: rustix::termios::Termios,
}

#[cfg(unix)]
impl RawMode {
    pub(crate) fn enter() -> io::Result<Self> {
        let before = rustix::termios::tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        raw.output_modes = before.output_modes;
        set_modes(&raw)?;
        Ok(RawMode { before })
    }
}

#[cfg(unix)]
impl Drop for RawMode {
    fn drop(&mut self) {
        // A closed terminal has no modes to restore.
        drop(set_modes(&self.before));
    }
}

#[cfg(unix)]
fn set_modes(modes: &rustix::termios::Termios) -> io::Result<()> {
    let when = rustix::termios::OptionalActions::Drain;
    Ok(rustix::termios::tcsetattr(io::stdin(), when, modes)?)
}

/// On other systems keys are read as events, which need no mode.
#[cfg(not(unix))]
pub(crate) struct RawMode;

#[cfg(not(unix))]
impl RawMode {
    pub(crate) fn enter() -> io::Result<Self> {
        Ok(RawMode)
    }
}
