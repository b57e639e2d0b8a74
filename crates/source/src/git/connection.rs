//! One connection to a server over HTTP, for the listing and all fetches of a run.
//!
//! `git ls-remote` and each `git fetch` connect again: a handshake and a greeting before the request itself. Over a
//! network these are most of what a user waits for. agpm therefore starts git's own HTTP helper once, which keeps the
//! connection, the credentials and the proxy, and speaks the protocol through it.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use agpm_model::{Revision as ObjectId, SourceVersions};

use crate::git::locking::locked;
use crate::git::protocol::{self, PacketLines, ServerFeatures, WantedPack, packet_lines};

/// How many chunks of an answer wait for a reader that is busy.
const MOST_CHUNKS: usize = 16;
const MOST_WORDS: usize = 256 << 10;
/// How long the messages of a helper that failed are awaited.
const TICK: Duration = Duration::from_millis(2);
const MOST_TICKS: u32 = 500;

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    helper: Helper,
    answers: Answers,
    features: ServerFeatures,
}

struct Answers(PacketLines<BufReader<HelperOutput>>);

impl std::fmt::Debug for Answers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Answers")
    }
}

/// The state of the connection.
#[derive(Debug, Default)]
pub(crate) enum Link {
    /// Nothing was requested yet, or the last request failed.
    #[default]
    Closed,
    Open(Box<Connection>),
    /// `git fetch` and `git ls-remote` must be used: another transport, an old server, or a setting that only they obey.
    Unsuitable,
}

/// Why a connection failed.
pub(crate) enum ConnectionError {
    /// The helper or the server failed, with the messages of both.
    Failed(String),
    /// The server was silent for too long.
    Silent,
}

impl Connection {
    /// Connects, if the server speaks version 2 of the protocol. `command` is git with the name of the remote, and
    /// `patience` is how long the server may be silent.
    pub(crate) fn open(mut command: Command, patience: Duration) -> Result<Link, ConnectionError> {
        let spawned = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|cause| ConnectionError::Failed(cause.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(requests), Some(stdout), Some(stderr)) = pipes else {
            return Err(ConnectionError::Failed("git has no pipes".to_owned()));
        };
        let mut helper = Helper::new(child, requests, stderr);
        let mut output = BufReader::new(HelperOutput::new(stdout, patience));
        let greeted = helper
            .send(b"stateless-connect git-upload-pack\n")
            .and_then(|()| read_line(&mut output));
        match greeted {
            Ok(line) if line == "\n" => {}
            Ok(line) if line == "fallback\n" => return Ok(Link::Unsuitable),
            Ok(_) => return Err(helper.failure(&io::ErrorKind::UnexpectedEof.into())),
            Err(cause) => return Err(helper.failure(&cause)),
        }
        let mut lines = packet_lines(output);
        let features = ServerFeatures::read(&mut lines).map_err(|cause| helper.failure(&cause))?;
        if !features.are_sufficient() {
            return Ok(Link::Unsuitable);
        }
        Ok(Link::Open(Box::new(Connection {
            helper,
            answers: Answers(lines),
            features,
        })))
    }

    /// Lists branches and tags.
    pub(crate) fn list(&mut self) -> Result<SourceVersions, ConnectionError> {
        let request = self.features.listing_request();
        let sent = request.and_then(|request| self.helper.send(&request));
        sent.and_then(|()| protocol::read_listing(&mut self.answers.0))
            .map_err(|cause| self.helper.failure(&cause))
    }

    /// Copies a pack, and returns the commits in it whose parents it does not have.
    pub(crate) fn fetch(
        &mut self,
        wanted: &WantedPack<'_>,
        pack: &mut dyn Write,
    ) -> Result<Vec<ObjectId>, ConnectionError> {
        let request = self.features.pack_request(wanted);
        let sent = request.and_then(|request| self.helper.send(&request));
        sent.and_then(|()| protocol::read_pack(&mut self.answers.0, pack))
            .map_err(|cause| self.helper.failure(&cause))
    }
}

/// Reads the line with which the helper answers a command.
fn read_line(output: &mut impl Read) -> io::Result<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.last() != Some(&b'\n') {
        output.read_exact(&mut byte)?;
        line.extend_from_slice(&byte);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// The process of git's HTTP helper, which ends with this value.
#[derive(Debug)]
struct Helper {
    child: Child,
    requests: Option<ChildStdin>,
    words: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
}

impl Helper {
    fn new(child: Child, requests: ChildStdin, mut stderr: impl Read + Send + 'static) -> Self {
        let words = Arc::<Mutex<Vec<u8>>>::default();
        let heard = Arc::clone(&words);
        let listener = thread::spawn(move || {
            let mut buffer = [0; 4 << 10];
            // Messages are for people; what cannot be read of them is left out.
            while let Ok(length @ 1..) = stderr.read(&mut buffer) {
                let mut words = locked(&heard);
                if words.len() < MOST_WORDS {
                    words.extend_from_slice(&buffer[..length]);
                }
            }
        });
        Helper {
            child,
            requests: Some(requests),
            words,
            listener,
        }
    }

    fn send(&mut self, request: &[u8]) -> io::Result<()> {
        let requests = self.requests.as_mut();
        requests
            .ok_or(io::ErrorKind::BrokenPipe)?
            .write_all(request)
    }

    /// Returns the failure with the messages of the helper, which is stopped.
    fn failure(&mut self, cause: &io::Error) -> ConnectionError {
        if cause.kind() == io::ErrorKind::TimedOut {
            return ConnectionError::Silent;
        }
        // Without further requests the helper ends after its last message. git starts it as a separate process, which
        // may be busy with the rest of an answer and keep the pipe open, so the end is not awaited forever.
        drop(self.requests.take());
        for _ in 0..MOST_TICKS {
            if self.listener.is_finished() {
                break;
            }
            thread::sleep(TICK);
        }
        self.stop();
        let words = locked(&self.words);
        let words = String::from_utf8_lossy(&words);
        if words.contains("fatal: ") {
            return ConnectionError::Failed(words.into_owned());
        }
        // The phrase of git for the same event, by which the failure is classified.
        let cause = match cause.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => "early EOF".to_owned(),
            _ => cause.to_string(),
        };
        ConnectionError::Failed(format!("{words}\n{cause}"))
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The output of the helper, which must not be silent for too long.
struct HelperOutput {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    read: usize,
    patience: Duration,
}

impl HelperOutput {
    fn new(mut stdout: impl Read + Send + 'static, patience: Duration) -> Self {
        let (sender, chunks) = sync_channel(MOST_CHUNKS);
        thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            loop {
                let chunk = match stdout.read(&mut buffer) {
                    Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                    chunk => chunk.map(|length| buffer[..length].to_vec()),
                };
                let is_end = chunk.as_ref().map_or(true, Vec::is_empty);
                if sender.send(chunk).is_err() || is_end {
                    return;
                }
            }
        });
        HelperOutput {
            chunks,
            chunk: Vec::new(),
            read: 0,
            patience,
        }
    }
}

impl Read for HelperOutput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.chunk.len() {
            self.read = 0;
            self.chunk = match self.chunks.recv_timeout(self.patience) {
                Ok(chunk) => chunk?,
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => Vec::new(),
            };
        }
        let length = buffer.len().min(self.chunk.len() - self.read);
        buffer[..length].copy_from_slice(&self.chunk[self.read..self.read + length]);
        self.read += length;
        Ok(length)
    }
}
