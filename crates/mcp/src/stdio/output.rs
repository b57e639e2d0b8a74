//! The output, which reports what the client reads.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use crate::traffic::Traffic;

pub(super) struct MeteredOutput<W> {
    output: W,
    traffic: Arc<Traffic>,
}

impl<W> MeteredOutput<W> {
    pub(super) fn new(output: W, traffic: Arc<Traffic>) -> Self {
        MeteredOutput { output, traffic }
    }

    fn report<T>(&self, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        // The SDK only logs that an answer cannot be written.
        if let Poll::Ready(Err(_)) = &result {
            self.traffic.close_output();
        }
        result
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for MeteredOutput<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.output).poll_write(context, bytes);
        match result {
            Poll::Ready(Ok(0)) => self.traffic.close_output(),
            Poll::Ready(Ok(count)) => self.traffic.written(count),
            _ => {}
        }
        self.report(result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.output).poll_flush(context);
        self.report(result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.output).poll_shutdown(context)
    }
}
