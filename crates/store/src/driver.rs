//! An executable that merges two files, like git's merge drivers.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::StoreError;

const PAUSE: Duration = Duration::from_millis(5);
/// The minimum time that the pipes may stay open after the executable ended.
const DRAIN: Duration = Duration::from_secs(2);
/// Output larger than this is cut off, and the merge fails.
const MOST_OUTPUT: u64 = 256 << 20;

/// Why a merge executable returned no result.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The program could not be started.
    #[error("cannot start `{program}`: {cause}")]
    NotStarted {
        /// The program.
        program: String,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// The executable ran longer than the limit and was stopped.
    #[error("`{program}` was stopped after {} seconds", limit.as_secs())]
    TooSlow {
        /// The program.
        program: String,
        /// The limit.
        limit: Duration,
    },
    /// The program failed.
    #[error("`{program}` failed ({status}){}", stderr_suffix(stderr))]
    Failed {
        /// The program.
        program: String,
        /// The exit status of the program.
        status: String,
        /// The standard error of the program.
        stderr: String,
    },
    /// The input files could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn stderr_suffix(stderr: &str) -> String {
    let text = stderr.trim();
    if text.is_empty() {
        ", without output".to_owned()
    } else {
        format!(": {text}")
    }
}

/// The arguments of a merge executable.
#[derive(Clone, Copy, Debug)]
pub struct DriverCall<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// The directory to run it in; `None` for the working directory.
    pub directory: Option<&'a Path>,
    /// The name that both files get.
    pub file_name: &'a str,
    /// The time limit.
    pub limit: Duration,
}

/// Runs an executable with `%base` and `%new` replaced by files with these contents, and returns its standard output.
pub fn run_driver(call: DriverCall<'_>, base: &[u8], new: &[u8]) -> Result<Vec<u8>, DriverError> {
    let DriverCall {
        command,
        file_name,
        limit,
        ..
    } = call;
    let temporary =
        tempfile::tempdir().map_err(|cause| StoreError::new(Path::new(file_name), cause))?;
    let mut paths = Vec::new();
    for (name, bytes) in [("base", base), ("new", new)] {
        let path = temporary.path().join(name).join(file_name);
        let written = std::fs::create_dir(temporary.path().join(name))
            .and_then(|()| std::fs::write(&path, bytes));
        written.map_err(|cause| StoreError::new(&path, cause))?;
        paths.push(path.display().to_string());
    }
    let fill = |part: &String| part.replace("%base", &paths[0]).replace("%new", &paths[1]);
    let program = command.first().cloned().unwrap_or_default();
    let mut started = Command::new(&program);
    if let Some(directory) = call.directory {
        started.current_dir(directory);
    }
    let child = started
        .args(command.iter().skip(1).map(fill))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|cause| DriverError::NotStarted {
            program: program.clone(),
            cause,
        })?;
    wait(child, program, limit)
}

fn wait(mut child: Child, program: String, limit: Duration) -> Result<Vec<u8>, DriverError> {
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < limit => thread::sleep(PAUSE),
            Ok(None) => {
                // A child of the executable may hold the pipes open, so the readers are not joined here.
                let _ = child.kill();
                let _ = child.wait();
                return Err(DriverError::TooSlow { program, limit });
            }
            Err(cause) => return Err(DriverError::NotStarted { program, cause }),
        }
    };
    // A child of the executable may hold the pipes open, so the end of the output has the same time limit. Partial
    // output is never used as a result.
    let left = limit.saturating_sub(start.elapsed()).max(DRAIN);
    let Some(Ok(output)) = stdout.and_then(|stdout| stdout.recv_timeout(left).ok()) else {
        return Err(DriverError::TooSlow { program, limit });
    };
    if status.success() && (output.len() as u64) < MOST_OUTPUT {
        return Ok(output);
    }
    let words = stderr
        .and_then(|stderr| stderr.recv_timeout(DRAIN).ok()?.ok())
        .unwrap_or_default();
    let stderr = String::from_utf8_lossy(&words).into_owned();
    Err(DriverError::Failed {
        program,
        status: status.to_string(),
        stderr,
    })
}

/// Reads a pipe to its end on a thread; the receiver can stop waiting.
fn collect(pipe: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(MOST_OUTPUT).read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn run(script: &str, limit: Duration) -> Result<Vec<u8>, DriverError> {
        let command = ["sh", "-c", script, "sh", "%base", "%new"].map(str::to_owned);
        let call = DriverCall {
            command: &command,
            directory: None,
            file_name: "x.json",
            limit,
        };
        run_driver(call, b"low", b"high")
    }

    #[test]
    fn the_result_is_what_the_program_prints_of_both_files() {
        assert_eq!(
            run("cat $2 $1", Duration::from_secs(20)).unwrap(),
            b"highlow"
        );
    }

    #[test]
    fn a_program_that_hangs_is_stopped_even_if_its_children_hold_on() {
        let error = run("sleep 5 & sleep 5", Duration::from_millis(50)).unwrap_err();
        assert!(matches!(error, DriverError::TooSlow { .. }), "{error}");
    }

    #[test]
    fn output_that_comes_after_the_end_is_read_and_output_without_an_end_is_a_failure() {
        let late = run(
            "printf one; (sleep 0.3; printf two)& exit 0",
            Duration::from_secs(20),
        );
        assert_eq!(late.unwrap(), b"onetwo");
        let open = run("printf one; sleep 9 & exit 0", Duration::from_secs(1)).unwrap_err();
        assert!(matches!(open, DriverError::TooSlow { .. }), "{open}");
    }

    #[test]
    fn a_program_that_fails_or_is_missing_is_distinguished() {
        let failed = run("echo why >&2; exit 3", Duration::from_secs(20)).unwrap_err();
        assert_eq!(failed.to_string(), "`sh` failed (exit status: 3): why");
        let command = ["no-such-program".to_owned()];
        let limit = Duration::from_secs(1);
        let call = DriverCall {
            command: &command,
            directory: None,
            file_name: "x",
            limit,
        };
        let missing = run_driver(call, b"", b"");
        assert!(matches!(missing, Err(DriverError::NotStarted { .. })));
    }
}
