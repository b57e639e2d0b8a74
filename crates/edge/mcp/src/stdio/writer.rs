//! The one that writes: lines in the order they are handed over, many at once if many wait.

use std::sync::Arc;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::traffic_control::TrafficControl;

/// So many lines wait for the writer; more wait for a location.
const WAITING: usize = 64;
/// Short lines are written together, up to so many bytes.
const TOGETHER: usize = 64 * 1024;

/// Nobody reads what is written.
#[derive(Debug, thiserror::Error)]
#[error("the output is closed")]
pub(crate) struct OutputClosed;

/// Starts the writer. It ends when all senders are gone, or nobody reads any more.
pub(super) fn start_writer<W>(output: W, flow: Arc<TrafficControl>) -> Sender<Vec<u8>>
where
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (sender, lines) = channel(WAITING);
    tokio::spawn(async move {
        write_all(output, lines, &flow).await;
        flow.close_output();
    });
    sender
}

async fn write_all<W: AsyncWrite + Unpin>(
    mut output: W,
    mut lines: Receiver<Vec<u8>>,
    flow: &TrafficControl,
) {
    let mut waiting = Vec::with_capacity(WAITING);
    while lines.recv_many(&mut waiting, WAITING).await > 0 {
        let mut rest = waiting.drain(..).peekable();
        while let Some(mut together) = rest.next() {
            while let Some(line) = rest.next_if(|line| together.len() + line.len() <= TOGETHER) {
                together.extend_from_slice(&line);
            }
            if output.write_all(&together).await.is_err() || output.flush().await.is_err() {
                return;
            }
            flow.written(together.len());
        }
    }
}
