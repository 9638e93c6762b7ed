//! How far apart the stops of a search are.

/// Measures the mean distance of `WINDOW` stops at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spacing<const WINDOW: usize> {
    stops: usize,
    skipped: usize,
}

impl<const WINDOW: usize> Spacing<WINDOW> {
    /// Records a stop, `skipped` bytes after the search began. Returns the mean distance, in bytes,
    /// if that was the last stop of a window.
    #[inline]
    pub(crate) fn stopped_after(&mut self, skipped: usize) -> Option<usize> {
        self.stops += 1;
        self.skipped += skipped;
        if self.stops < WINDOW {
            return None;
        }
        let mean = self.skipped / WINDOW;
        *self = Spacing::default();
        Some(mean)
    }

    /// Records `bytes` without a stop.
    #[inline]
    pub(crate) fn passed(&mut self, bytes: usize) {
        self.skipped = self.skipped.saturating_add(bytes);
    }
}
