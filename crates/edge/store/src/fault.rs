//! Faults on purpose, for tests: the n-th write fails or kills the process. Nothing of it is in a release.

use std::io;

/// Comes before every write to the disk.
#[cfg(not(debug_assertions))]
pub(crate) fn step() -> io::Result<()> {
    Ok(())
}

/// Comes before every write to the disk.
#[cfg(debug_assertions)]
pub(crate) fn step() -> io::Result<()> {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static STOP: OnceLock<Option<usize>> = OnceLock::new();
    static FAIL: OnceLock<Option<usize>> = OnceLock::new();
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let wanted = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());

    let now = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if *STOP.get_or_init(|| wanted("AGPM_STOP_AT_WRITE")) == Some(now) {
        stop();
    }
    if *FAIL.get_or_init(|| wanted("AGPM_FAIL_AT_WRITE")) == Some(now) {
        return Err(io::Error::from(io::ErrorKind::StorageFull));
    }
    Ok(())
}

#[cfg(debug_assertions)]
#[allow(clippy::disallowed_methods, reason = "the test is about dying without destructors")]
fn stop() {
    std::process::abort();
}
