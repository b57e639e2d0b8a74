//! Deliberate faults for tests: the n-th write fails, kills the process, or finds a file that the user edited just
//! before. Release builds contain none of this.

use std::io;

/// Called before every write to the disk.
#[cfg(not(debug_assertions))]
pub(crate) fn step() -> io::Result<()> {
    Ok(())
}

/// Called before every write to the disk.
#[cfg(debug_assertions)]
pub(crate) fn step() -> io::Result<()> {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static STOP: OnceLock<Option<usize>> = OnceLock::new();
    static FAIL: OnceLock<Option<usize>> = OnceLock::new();
    static EDIT: OnceLock<Option<usize>> = OnceLock::new();
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let wanted = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse::<usize>().ok())
    };

    let now = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if *STOP.get_or_init(|| wanted("AGPM_STOP_AT_WRITE")) == Some(now) {
        stop();
    }
    if *EDIT.get_or_init(|| wanted("AGPM_EDIT_AT_WRITE")) == Some(now) {
        edit();
    }
    if *FAIL.get_or_init(|| wanted("AGPM_FAIL_AT_WRITE")) == Some(now) {
        return Err(io::Error::from(io::ErrorKind::StorageFull));
    }
    Ok(())
}

#[cfg(debug_assertions)]
#[allow(
    clippy::disallowed_methods,
    reason = "the test is about dying without destructors"
)]
fn stop() {
    std::process::abort();
}

/// Edits `AGPM_EDIT_FILE` like an editor: `AGPM_EDIT_HOW` is `in-place`, or `rename` for a new file at its path.
#[cfg(debug_assertions)]
fn edit() {
    let (Some(file), Ok(how)) = (
        std::env::var_os("AGPM_EDIT_FILE"),
        std::env::var("AGPM_EDIT_HOW"),
    ) else {
        return;
    };
    let file = std::path::PathBuf::from(file);
    if how == "rename" {
        let draft = file.with_extension("draft");
        let replaced = std::fs::write(&draft, EDITED).and_then(|()| std::fs::rename(&draft, file));
        // The path may be a directory.
        let _ = replaced.or_else(|_| std::fs::remove_file(draft));
    } else {
        let _ = std::fs::write(file, EDITED);
    }
}

#[cfg(debug_assertions)]
const EDITED: &str = "edited by the user";
