//! Progress bars, on a terminal only.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agpm_app::project::world::{Progress, SilentProgress, TransferProgress};
use agpm_diag::counted;
use indicatif::{DecimalBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::GlobalArgs;

const TICK: Duration = Duration::from_millis(120);
/// Fewer files than this are written before a bar could be read.
const FEWEST_FILES: usize = 50;

/// Shows bars on a terminal, unless the user disabled them.
pub(crate) fn progress(global: &GlobalArgs) -> Arc<dyn Progress> {
    if global.verbose > 0 && !global.quiet {
        return Arc::new(TransferLog::default());
    }
    let quiet = global.no_progress || global.quiet || global.json;
    if quiet || !io::stderr().is_terminal() {
        Arc::new(PlainProgress {
            quiet: global.quiet,
        })
    } else {
        Arc::new(ProgressBars::new())
    }
}

/// Prints one line that is always shown, without bars.
#[derive(Debug)]
struct PlainProgress {
    quiet: bool,
}

impl TransferProgress for PlainProgress {
    fn transfer_began(&self, source: &str, files: Option<usize>) {
        SilentProgress.transfer_began(source, files);
    }

    fn transfer_received(&self, source: &str, bytes: u64) {
        SilentProgress.transfer_received(source, bytes);
    }

    fn transfer_ended(&self, source: &str) {
        SilentProgress.transfer_ended(source);
    }
}

impl Progress for PlainProgress {
    fn files(&self, done: usize, all: usize) {
        SilentProgress.files(done, all);
    }

    fn waiting(&self) {
        if !self.quiet {
            let _ = writeln!(
                io::stderr(),
                "Waiting for another agpm that works on this project"
            );
        }
    }
}

/// Prints a line for each request, after it.
#[derive(Debug, Default)]
struct TransferLog {
    transfers: Mutex<BTreeMap<String, LoggedTransfer>>,
}

#[derive(Debug)]
struct LoggedTransfer {
    began: Instant,
    files: Option<usize>,
    bytes: u64,
}

impl TransferProgress for TransferLog {
    fn transfer_began(&self, source: &str, files: Option<usize>) {
        let transfer = LoggedTransfer {
            began: Instant::now(),
            files,
            bytes: 0,
        };
        let mut transfers = self
            .transfers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        transfers.insert(source.to_owned(), transfer);
    }

    fn transfer_received(&self, source: &str, bytes: u64) {
        let mut transfers = self
            .transfers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(transfer) = transfers.get_mut(source) {
            transfer.bytes = bytes;
        }
    }

    fn transfer_ended(&self, source: &str) {
        let mut transfers = self
            .transfers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(transfer) = transfers.remove(source) else {
            return;
        };
        let request = match (transfer.files, transfer.bytes) {
            (Some(files), bytes) => {
                format!(
                    "{}, {}",
                    counted(files, "file", "files"),
                    DecimalBytes(bytes)
                )
            }
            (None, 0) => "branches and tags".to_owned(),
            (None, bytes) => DecimalBytes(bytes).to_string(),
        };
        let seconds = transfer.began.elapsed().as_secs_f64();
        let _ = writeln!(
            io::stderr(),
            "agpm: got {request} of {source} in {seconds:.2}s"
        );
    }
}

impl Progress for TransferLog {
    fn files(&self, _: usize, _: usize) {}

    fn waiting(&self) {
        PlainProgress { quiet: false }.waiting();
    }
}

/// A spinner for each request under way, and a bar for the files that are written.
#[derive(Debug)]
struct ProgressBars {
    all: MultiProgress,
    transfers: Mutex<BTreeMap<String, TransferBar>>,
    files: Mutex<Option<ProgressBar>>,
}

impl ProgressBars {
    fn new() -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        ProgressBars {
            all,
            transfers: Mutex::default(),
            files: Mutex::default(),
        }
    }

    fn spinner(&self, message: String) -> ProgressBar {
        let bar = ProgressBar::new_spinner().with_message(message);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        let bar = self.all.add(bar);
        bar.enable_steady_tick(TICK);
        bar
    }
}

/// The spinner of a request, and what it says before the bytes.
#[derive(Debug)]
struct TransferBar {
    bar: ProgressBar,
    message: String,
}

/// Returns what a request does.
fn transfer_message(url: &str, files: Option<usize>) -> String {
    let source = short_name(url);
    match files {
        None => format!("Fetching {source}"),
        Some(1) => format!("Reading 1 file of {source}"),
        Some(files) => format!("Reading {files} files of {source}"),
    }
}

impl TransferProgress for ProgressBars {
    fn transfer_began(&self, source: &str, files: Option<usize>) {
        let message = transfer_message(source, files);
        let bar = self.spinner(message.clone());
        let mut transfers = self
            .transfers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        transfers.insert(source.to_owned(), TransferBar { bar, message });
    }

    fn transfer_received(&self, source: &str, bytes: u64) {
        let transfers = self
            .transfers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(TransferBar { bar, message }) = transfers.get(source) {
            bar.set_message(format!("{message}  {}", DecimalBytes(bytes)));
        }
    }

    fn transfer_ended(&self, source: &str) {
        let mut transfers = self
            .transfers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(TransferBar { bar, .. }) = transfers.remove(source) {
            bar.finish_and_clear();
        }
    }
}

impl Progress for ProgressBars {
    fn files(&self, done: usize, all: usize) {
        if all < FEWEST_FILES {
            return;
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = files.get_or_insert_with(|| {
            let style =
                ProgressStyle::with_template("Writing files [{bar:30}] {pos}/{len} ({elapsed})");
            let bar = self.all.add(ProgressBar::new(all as u64));
            bar.set_style(
                style
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar
        });
        bar.set_position(done as u64);
        if done >= all {
            bar.finish_and_clear();
        }
    }

    fn waiting(&self) {
        let _ = self
            .all
            .println("Waiting for another agpm that works on this project");
    }
}

/// Returns the name of a repository: the last part of its URL.
fn short_name(url: &str) -> &str {
    let path = url.trim_end_matches('/').trim_end_matches("/.git");
    let path = path.strip_suffix(".git").unwrap_or(path);
    path.rsplit(['/', ':']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_by_the_end_of_its_url() {
        for (url, name) in [
            ("https://github.com/anthropics/skills.git", "skills"),
            ("git@host:team/kit.git", "kit"),
            ("file:///srv/kit/.git", "kit"),
            ("../kit/", "kit"),
        ] {
            assert_eq!(short_name(url), name);
        }
    }
}
