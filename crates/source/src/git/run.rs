//! Runs an executable to its end, or stops it when it is silent for too long.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(50);
/// How long the pipes may be silent after the executable ended, counted from the last byte. On a busy machine the
/// threads that read them may run much later. A helper such as an ssh control master keeps the pipe open after git
/// ended, so the end of the stream is not awaited forever.
// A helper such as an ssh control master keeps the pipe open after git has ended, so the end of the stream is not
// awaited forever.
const DRAIN: Duration = Duration::from_secs(10);
/// More than the listing of any repository. Larger output is an error and not cut off: half a listing would look like a
/// source without the other files.
// Output beyond the limit is an error and not cut: half a listing would look like a source without the other files.
const MOST_OUTPUT: usize = 256 << 20;
const MOST_WORDS: usize = 256 << 10;

/// The end of a run.
#[derive(Debug)]
pub(crate) enum RunOutcome {
    /// Success, with the standard output.
    Done(Vec<u8>),
    /// Failure, with the standard error.
    Failed(String),
    /// It was stopped after too much silence.
    Silent,
    /// Success, but with incomplete or too much standard output. Partial output is never returned: a short list of
    /// versions would lock a wrong one.
    Incomplete,
}

/// The message of an incomplete run.
pub(crate) const CUT_SHORT: &str = "the output of git was cut short";

/// Returns whether a listing is complete, which means that its last line ends like this.
pub(crate) fn ends_with(listing: &[u8], end: u8) -> bool {
    listing.last().is_none_or(|last| *last == end)
}

/// A pipe of the program.
#[derive(Clone, Copy, PartialEq)]
enum OutputStream {
    Output,
    Words,
}

enum StreamEvent {
    Bytes(OutputStream, Vec<u8>),
    End(OutputStream),
}

/// Runs a command with this input; `patience` is how long it may be silent.
pub(crate) fn run(
    mut command: Command,
    input: String,
    patience: Duration,
) -> io::Result<RunOutcome> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A separate thread writes the input: a program that does not read must not block the one that listens.
        thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let (sender, heard) = mpsc::channel();
    if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
        forward_pipe(stdout, sender.clone(), OutputStream::Output);
        forward_pipe(stderr, sender, OutputStream::Words);
    }
    let mut following = OutputCollector {
        patience,
        drain: DRAIN,
        ..OutputCollector::default()
    };
    following.follow(&mut child, &heard)
}

/// Passes on the bytes of a pipe. A pipe that cannot be read has no end, so its run is incomplete.
fn forward_pipe(
    mut pipe: impl Read + Send + 'static,
    sender: Sender<StreamEvent>,
    stream: OutputStream,
) {
    thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let heard = match pipe.read(&mut buffer) {
                Ok(0) => StreamEvent::End(stream),
                Ok(length) => StreamEvent::Bytes(stream, buffer[..length].to_vec()),
                Err(cause) if cause.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            let is_end = matches!(heard, StreamEvent::End(_));
            if sender.send(heard).is_err() || is_end {
                return;
            }
        }
    });
}

/// The output so far.
#[derive(Default)]
struct OutputCollector {
    patience: Duration,
    drain: Duration,
    output: Vec<u8>,
    words: Vec<u8>,
    output_ended: bool,
    words_ended: bool,
    /// How the executable ended, once that is known.
    status: Option<ExitStatus>,
    /// The ticks since the last byte. Ticks instead of a clock, because the time in which this process itself was
    /// stopped is not silence of the executable.
    silence: Duration,
}

impl OutputCollector {
    fn follow(
        &mut self,
        child: &mut Child,
        heard: &Receiver<StreamEvent>,
    ) -> io::Result<RunOutcome> {
        while !self.is_over() {
            match heard.recv_timeout(TICK) {
                Ok(heard) => self.hear(heard),
                Err(RecvTimeoutError::Timeout) => self.tick(child)?,
                // Both readers ended, so nothing more can come.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.output.len() > MOST_OUTPUT {
                stop(child)?;
                return Ok(RunOutcome::Incomplete);
            }
            if self.status.is_none() && self.silence > self.patience {
                stop(child)?;
                return Ok(RunOutcome::Silent);
            }
        }
        let status = self.status.map_or_else(|| child.wait(), Ok)?;
        Ok(self.outcome(status))
    }

    /// Returns whether the run is over. A background ssh may hold standard error open long after git ended; git's
    /// messages there matter only if it failed.
    fn is_over(&self) -> bool {
        let drained = self.status.is_some() && self.silence > self.drain;
        let succeeded = self.status.is_some_and(|status| status.success());
        drained || self.output_ended && (self.words_ended || succeeded)
    }

    fn hear(&mut self, heard: StreamEvent) {
        match heard {
            StreamEvent::Bytes(OutputStream::Output, bytes) => {
                self.output.extend_from_slice(&bytes)
            }
            StreamEvent::Bytes(OutputStream::Words, bytes) => {
                keep(&mut self.words, &bytes, MOST_WORDS)
            }
            StreamEvent::End(OutputStream::Output) => self.output_ended = true,
            StreamEvent::End(OutputStream::Words) => self.words_ended = true,
        }
        self.silence = Duration::ZERO;
    }

    fn tick(&mut self, child: &mut Child) -> io::Result<()> {
        self.silence += TICK;
        if self.status.is_none() {
            self.status = child.try_wait()?;
            if self.status.is_some() {
                self.silence = Duration::ZERO;
            }
        }
        Ok(())
    }

    fn outcome(&mut self, status: ExitStatus) -> RunOutcome {
        match (status.success(), self.output_ended) {
            (true, true) => RunOutcome::Done(std::mem::take(&mut self.output)),
            (true, false) => RunOutcome::Incomplete,
            (false, _) => RunOutcome::Failed(String::from_utf8_lossy(&self.words).into_owned()),
        }
    }
}

fn keep(all: &mut Vec<u8>, bytes: &[u8], most: usize) {
    all.extend_from_slice(&bytes[..bytes.len().min(most.saturating_sub(all.len()))]);
}

fn stop(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait()?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// Runs a script, with less patience after its end.
    fn run_with_drain(script: &str, drain: Duration) -> RunOutcome {
        let mut child = shell(script)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, heard) = mpsc::channel();
        forward_pipe(
            child.stdout.take().unwrap(),
            sender.clone(),
            OutputStream::Output,
        );
        forward_pipe(child.stderr.take().unwrap(), sender, OutputStream::Words);
        let mut following = OutputCollector {
            patience: PATIENCE,
            drain,
            ..OutputCollector::default()
        };
        following.follow(&mut child, &heard).unwrap()
    }

    #[test]
    fn output_after_the_end_of_the_process_is_read() {
        let script = "printf one; (sleep 0.4; printf two; sleep 0.4; printf three)& exit 0";
        let run = run(shell(script), String::new(), PATIENCE).unwrap();
        assert!(
            matches!(&run, RunOutcome::Done(output) if output == b"onetwothree"),
            "{run:?}"
        );
    }

    #[test]
    fn words_of_a_failure_that_come_late_are_read() {
        let script = "(sleep 0.4; printf why >&2)& exit 3";
        let run = run(shell(script), String::new(), PATIENCE).unwrap();
        assert!(
            matches!(&run, RunOutcome::Failed(words) if words == "why"),
            "{run:?}"
        );
    }

    #[test]
    fn output_without_an_end_is_a_failure_and_not_a_short_answer() {
        let run = run_with_drain(
            "printf one; (sleep 2; printf two)& exit 0",
            Duration::from_millis(200),
        );
        assert!(matches!(run, RunOutcome::Incomplete), "{run:?}");
    }

    #[test]
    fn a_child_that_holds_standard_error_open_is_not_waited_for() {
        // Like an ssh that keeps its connection.
        let run = run_with_drain(
            "printf one; sleep 3 >&- & exit 0",
            Duration::from_secs(3600),
        );
        assert!(
            matches!(&run, RunOutcome::Done(output) if output == b"one"),
            "{run:?}"
        );
    }

    #[test]
    fn a_program_that_is_silent_is_stopped() {
        let run = run(
            shell("exec sleep 20"),
            String::new(),
            Duration::from_millis(200),
        )
        .unwrap();
        assert!(matches!(run, RunOutcome::Silent), "{run:?}");
    }

    #[test]
    fn more_output_than_the_limit_is_a_failure() {
        let run = run(
            shell("head -c 270000000 /dev/zero"),
            String::new(),
            PATIENCE,
        )
        .unwrap();
        assert!(matches!(run, RunOutcome::Incomplete));
    }
}
