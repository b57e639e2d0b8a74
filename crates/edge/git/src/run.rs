//! One run of a program to its end, given up when it is silent for too long.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(50);
/// More than the listing of any repository; what is more is not kept.
const MOST_OUTPUT: usize = 256 << 20;
const MOST_WORDS: usize = 256 << 10;

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Run {
    /// Well, with this on standard output.
    Done(Vec<u8>),
    /// Badly, with this on standard error.
    Failed(String),
    /// Not at all: it was stopped.
    Silent,
}

enum Heard {
    Output(Vec<u8>),
    Words(Vec<u8>),
    End,
}

/// Runs a command with this input; `patience` is how long it may be silent.
pub(crate) fn run(mut command: Command, input: String, patience: Duration) -> io::Result<Run> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // Of its own thread: a program that does not read must not stop the one that listens.
        thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let (sender, heard) = mpsc::channel();
    if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
        listen(stdout, sender.clone(), Heard::Output);
        listen(stderr, sender, Heard::Words);
    }
    follow(&mut child, &heard, patience)
}

fn listen(mut pipe: impl Read + Send + 'static, sender: Sender<Heard>, wrap: fn(Vec<u8>) -> Heard) {
    thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            if sender.send(wrap(buffer[..length].to_vec())).is_err() {
                return;
            }
        }
        let _ = sender.send(Heard::End);
    });
}

fn follow(child: &mut Child, heard: &Receiver<Heard>, patience: Duration) -> io::Result<Run> {
    let (mut output, mut words) = (Vec::new(), Vec::new());
    let (mut open, mut last) = (2, Instant::now());
    let mut ended = false;
    while open > 0 {
        match heard.recv_timeout(TICK) {
            Ok(Heard::End) => open -= 1,
            Ok(Heard::Output(bytes)) => (last, _) = (Instant::now(), keep(&mut output, &bytes, MOST_OUTPUT)),
            Ok(Heard::Words(bytes)) => (last, _) = (Instant::now(), keep(&mut words, &bytes, MOST_WORDS)),
            // A background ssh may hold the pipes open for long after git has ended.
            Err(RecvTimeoutError::Timeout) if ended => break,
            Err(RecvTimeoutError::Timeout) if last.elapsed() > patience => return stop(child),
            Err(RecvTimeoutError::Timeout) => ended = child.try_wait()?.is_some(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(outcome(child.wait()?, output, &words))
}

fn keep(all: &mut Vec<u8>, bytes: &[u8], most: usize) {
    all.extend_from_slice(&bytes[..bytes.len().min(most.saturating_sub(all.len()))]);
}

fn stop(child: &mut Child) -> io::Result<Run> {
    child.kill()?;
    child.wait()?;
    Ok(Run::Silent)
}

fn outcome(status: ExitStatus, output: Vec<u8>, words: &[u8]) -> Run {
    if status.success() && output.len() < MOST_OUTPUT {
        return Run::Done(output);
    }
    Run::Failed(String::from_utf8_lossy(words).into_owned())
}
