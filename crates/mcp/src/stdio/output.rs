//! The output: one thread writes lines in the order they were sent, several at once if several wait.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::protocol::message::{OutgoingKind, OutgoingMessage};
use crate::session::MessageSink;
use crate::stdio::traffic::{Admission, Traffic};

/// Short lines are written together, up to this many bytes.
const TOGETHER: usize = 64 * 1024;

/// The sending end of the output.
#[derive(Clone)]
pub(super) struct LineOutput {
    // The channel has no bound, since senders must not block: `Traffic` bounds the bytes in it.
    lines: Sender<Vec<u8>>,
    traffic: Arc<Traffic>,
}

impl LineOutput {
    pub(super) fn send(&self, message: &OutgoingMessage) {
        let mut line = Vec::with_capacity(message.json.len() + 1);
        line.extend_from_slice(message.json.as_bytes());
        line.push(b'\n');
        self.traffic.reserve_output(line.len());
        // Without a reader the line is lost, as it should be.
        let _ = self.lines.send(line);
    }
}

/// Notifications of the session.
impl MessageSink for LineOutput {
    fn send(&self, message: OutgoingMessage) {
        // Answers wait for a slow client. Notifications that nobody reads are dropped instead.
        if message.kind == OutgoingKind::Answer || !self.traffic.is_output_full() {
            LineOutput::send(self, &message);
        }
    }

    fn wait_for_capacity(&self) {
        self.traffic.wait_for_output_capacity();
    }
}

/// The output for one request. The request is under way until this is dropped.
pub(super) struct RequestReplies {
    pub(super) output: LineOutput,
    pub(super) _admission: Admission,
}

impl MessageSink for RequestReplies {
    fn send(&self, message: OutgoingMessage) {
        MessageSink::send(&self.output, message);
    }
}

/// Starts the writing thread. It ends when all senders are gone, or the output cannot be written any more.
pub(super) fn start_writer<W>(output: W, traffic: Arc<Traffic>) -> io::Result<LineOutput>
where
    W: Write + Send + 'static,
{
    let (sender, lines) = channel();
    let counted = Arc::clone(&traffic);
    thread::Builder::new()
        .name("mcp-writer".to_owned())
        .spawn(move || {
            let _ = write_lines(output, &lines, &counted);
            counted.close_output();
        })?;
    Ok(LineOutput {
        lines: sender,
        traffic,
    })
}

fn write_lines(
    mut output: impl Write,
    lines: &Receiver<Vec<u8>>,
    traffic: &Traffic,
) -> io::Result<()> {
    while let Ok(mut together) = lines.recv() {
        while together.len() < TOGETHER
            && let Ok(line) = lines.try_recv()
        {
            together.extend_from_slice(&line);
        }
        output.write_all(&together)?;
        output.flush()?;
        traffic.written(together.len());
    }
    Ok(())
}
