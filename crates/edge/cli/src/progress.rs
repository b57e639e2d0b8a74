//! Progress bars, on a terminal only.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agpm_ops::{Progress, SilentProgress};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::GlobalArgs;

const TICK: Duration = Duration::from_millis(120);
/// Fewer files than this are written before a bar could be read.
const FEWEST_FILES: usize = 50;

/// Shows bars on a terminal, unless the user disabled them.
pub(crate) fn progress(global: &GlobalArgs) -> Arc<dyn Progress> {
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
struct PlainProgress {
    quiet: bool,
}

impl Progress for PlainProgress {
    fn source_began(&self, name: &str) {
        SilentProgress.source_began(name);
    }

    fn source_ended(&self, name: &str) {
        SilentProgress.source_ended(name);
    }

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

/// A spinner for each active source, and a bar for the files.
struct ProgressBars {
    all: MultiProgress,
    sources: Mutex<BTreeMap<String, ProgressBar>>,
    files: Mutex<Option<ProgressBar>>,
}

impl ProgressBars {
    fn new() -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        ProgressBars {
            all,
            sources: Mutex::default(),
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

impl Progress for ProgressBars {
    fn source_began(&self, name: &str) {
        let bar = self.spinner(format!("Fetching {name}"));
        self.sources
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_owned(), bar);
    }

    fn source_ended(&self, name: &str) {
        let bar = self
            .sources
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }

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
