//! The parts of a file that are mapped, and what a look at one returns.

use std::{
    fs::File,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use heist_matcher::Fingerprint;

use super::{
    confirm::{Confirmation, View},
    look,
    piece::{PIECE, Piece},
};
use crate::mmap::{Mapping, is_cached, page_faults};

/// How many bytes are mapped at once. Larger windows are no faster, and count as the process's
/// memory.
const WINDOW_BYTES: u64 = 16 << 20;

/// How many bytes are mapped before and after a window.
const MARGIN_BYTES: u64 = PIECE as u64;

/// How many bytes of the file should come with a page fault at least. Where the system keeps a file
/// in small parts, a fault brings 64 KiB and takes as long as to copy them; but the copy is then
/// searched more than once. See docs/decisions/0146-surveys-with-avx512.md.
const FAULT_BYTES: usize = 64 << 10;

/// How many bytes should come with a page fault at least in files smaller than [`LARGE_FILE`].
/// Trees have many such files, and their windows would count as 20 MB of memory in searches that
/// take hardly less time for it.
const FAULT_BYTES_IN_SMALL_FILE: usize = 256 << 10;
const LARGE_FILE: u64 = 24 << 20;

/// A window's number, and its bytes.
type Window = (u64, Arc<Mapping>);

/// A survey of one file, by all workers that search it.
#[derive(Debug)]
pub(crate) struct Survey {
    fingerprint: Fingerprint,
    /// Which candidates are ones, if that can be found out.
    confirmation: Option<Confirmation>,
    terminator: u8,
    /// The length of the file when the survey began.
    len: u64,
    /// The last windows: the workers are in the same one, or in two.
    windows: Mutex<[Option<Window>; 2]>,
    /// The last look was of use.
    is_useful: AtomicBool,
}

impl Survey {
    /// A survey of `file` for chunks with `size` bytes. `None` if they have to be read.
    pub(crate) fn new(
        file: &File,
        size: usize,
        fingerprint: Fingerprint,
        confirmation: Option<Confirmation>,
        terminator: u8,
    ) -> Option<Survey> {
        let fits = size.is_multiple_of(PIECE) && WINDOW_BYTES.is_multiple_of(size as u64);
        if !look::is_fast() || !fits {
            return None;
        }
        Some(Survey {
            fingerprint,
            confirmation,
            terminator,
            len: file.metadata().ok()?.len(),
            windows: Mutex::default(),
            is_useful: AtomicBool::new(true),
        })
    }

    /// Whether a look at a chunk from `offset` on is likely to pay. It is tried again at the start
    /// of each window.
    pub(crate) fn is_promising(&self, offset: u64) -> bool {
        // Ordering: Relaxed; the flag guards nothing.
        self.is_useful.load(Ordering::Relaxed) || offset.is_multiple_of(WINDOW_BYTES)
    }

    /// Looks at a chunk's `size` bytes from `offset` on. `None` if they have to be read: where they
    /// are not in memory, and at the end of the file.
    pub(crate) fn look(&self, file: &File, offset: u64, size: usize) -> Option<(View, Vec<Piece>)> {
        let (number, end) = (offset / WINDOW_BYTES, offset + size as u64 + MARGIN_BYTES);
        if end > self.len || !is_cached(file, end - 1) {
            return None;
        }
        let from = (number * WINDOW_BYTES).saturating_sub(MARGIN_BYTES);
        let mut view = View { mapping: self.window(file, number)?, from, is_cheap: true };
        let mut pieces = Vec::with_capacity(size / PIECE);
        let faults = page_faults();
        let at = (offset - from) as usize;
        let Survey { fingerprint, terminator, .. } = self;
        if !look::look(&view.mapping, fingerprint, *terminator, at..at + size, &mut pieces) {
            return None;
        }
        let fault = if self.len < LARGE_FILE { FAULT_BYTES_IN_SMALL_FILE } else { FAULT_BYTES };
        view.is_cheap = page_faults() - faults <= (size / fault) as u64 + 1;
        Some((view, pieces))
    }

    /// Removes the candidates that are none from `pieces`, which a look at `offset` of the file has
    /// found. `None` if bytes no longer exist.
    pub(crate) fn confirm(&self, view: &View, offset: u64, pieces: &mut [Piece]) -> Option<()> {
        match &self.confirmation {
            Some(confirmation) => confirmation.confirm(view, offset, pieces),
            None => Some(()),
        }
    }

    /// Records whether the last look was of use.
    pub(crate) fn set_useful(&self, is_useful: bool) {
        // Ordering: Relaxed; see `is_promising`. The cache line is written to only for a change.
        if self.is_useful.load(Ordering::Relaxed) != is_useful {
            self.is_useful.store(is_useful, Ordering::Relaxed);
        }
    }

    fn window(&self, file: &File, number: u64) -> Option<Arc<Mapping>> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, mapping)) = windows.iter().flatten().find(|(of, _)| *of == number) {
            return Some(Arc::clone(mapping));
        }
        let from = (number * WINDOW_BYTES).saturating_sub(MARGIN_BYTES);
        let to = self.len.min((number + 1) * WINDOW_BYTES + MARGIN_BYTES);
        let mapping = Arc::new(Mapping::of_part(file, from, (to - from) as usize)?);
        let older = windows.iter_mut().min_by_key(|window| window.as_ref().map(|(of, _)| *of));
        *older? = Some((number, Arc::clone(&mapping)));
        Some(mapping)
    }
}
