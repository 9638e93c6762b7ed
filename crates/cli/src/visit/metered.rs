//! Readers that count what is read, for `--progress`.

use std::{
    cell::Cell,
    fs,
    io::{self, Read},
    sync::Arc,
};

use heist_searcher::{FileRead, Stream};

use crate::run::progress::Counts;

/// A reader, and where its bytes are counted, if they are.
pub(super) struct Metered<R> {
    inner: R,
    counts: Option<Arc<Counts>>,
    /// The bytes that have been read here.
    read: u64,
    /// The length of the file, once it is shared to be read at other positions.
    len: Cell<u64>,
}

impl<R> Metered<R> {
    pub(super) fn new(inner: R, counts: Option<Arc<Counts>>) -> Metered<R> {
        Metered { inner, counts, read: 0, len: Cell::new(0) }
    }

    /// Counts what was read from the file otherwise: `in_chunks` bytes in chunks, or the whole file
    /// if it was shared and not cut into chunks.
    pub(super) fn finish(self, in_chunks: u64) {
        if let Some(counts) = self.counts {
            let len = self.len.get();
            let read = if in_chunks > 0 { in_chunks.min(len) } else { len };
            counts.add_bytes(read.saturating_sub(self.read));
        }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        if let Some(counts) = &self.counts {
            self.read += got as u64;
            counts.add_bytes(got as u64);
        }
        Ok(got)
    }
}

impl<R: FileRead> FileRead for Metered<R> {
    fn share(&self) -> io::Result<fs::File> {
        let file = self.inner.share()?;
        if self.counts.is_some()
            && let Ok(metadata) = file.metadata()
        {
            self.len.set(metadata.len());
        }
        Ok(file)
    }
}

/// A stream, and where its bytes are counted, if they are. Several workers may read it, one at a
/// time.
pub(super) struct MeteredStream<S> {
    pub(super) inner: S,
    pub(super) counts: Option<Arc<Counts>>,
}

impl<S: Stream> Stream for MeteredStream<S> {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        if let Some(counts) = &self.counts {
            counts.add_bytes(got as u64);
        }
        Ok(got)
    }

    fn is_ready(&self) -> bool {
        self.inner.is_ready()
    }

    fn wait(&self) {
        self.inner.wait();
    }

    fn widen(&self) {
        self.inner.widen();
    }
}
