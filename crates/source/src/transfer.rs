//! The progress of requests to sources, reported where the requests are made: every wait is shown, whoever causes it.

use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Receives the progress of requests.
pub trait TransferProgress: Debug + Send + Sync {
    /// A request to the URL of a source begins; `files` is how many files it fetches, if it fetches files.
    fn transfer_began(&self, source: &str, files: Option<usize>);
    /// So many bytes of the answer arrived so far.
    fn transfer_received(&self, source: &str, bytes: u64);
    /// The source answered or failed.
    fn transfer_ended(&self, source: &str);
}

/// A request that is under way until it is dropped.
#[derive(Debug)]
pub(crate) struct Transfer {
    source: String,
    progress: Option<Arc<dyn TransferProgress>>,
}

impl Transfer {
    pub(crate) fn begin(
        progress: Option<Arc<dyn TransferProgress>>,
        url: &str,
        files: Option<usize>,
    ) -> Self {
        let source = url.to_owned();
        if let Some(progress) = &progress {
            progress.transfer_began(&source, files);
        }
        Transfer { source, progress }
    }

    /// Returns a writer that reports what passes through it.
    pub(crate) fn counting<'w>(&'w self, inner: &'w mut dyn Write) -> CountingWriter<'w> {
        CountingWriter {
            transfer: self,
            inner,
            bytes: 0,
        }
    }
}

impl Transfer {
    /// Reports how many bytes were moved so far.
    pub(crate) fn report(&self, bytes: u64) {
        if let Some(progress) = &self.progress {
            progress.transfer_received(&self.source, bytes);
        }
    }

    /// Returns a reader that reports what passes through it.
    pub(crate) fn reading<R: Read>(&self, inner: R) -> CountingReader<'_, R> {
        CountingReader {
            transfer: self,
            inner,
            bytes: 0,
        }
    }
}

pub(crate) struct CountingReader<'t, R> {
    transfer: &'t Transfer,
    inner: R,
    bytes: u64,
}

impl<R: Read> Read for CountingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes += read as u64;
        self.transfer.report(self.bytes);
        Ok(read)
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if let Some(progress) = &self.progress {
            progress.transfer_ended(&self.source);
        }
    }
}

pub(crate) struct CountingWriter<'w> {
    transfer: &'w Transfer,
    inner: &'w mut dyn Write,
    bytes: u64,
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        if let Some(progress) = &self.transfer.progress {
            progress.transfer_received(&self.transfer.source, self.bytes);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
