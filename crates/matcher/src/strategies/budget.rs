//! What a search wins by its tries, and how much it spends on the next one.

/// Counts what tries win, in bytes that a search passes over until it stops. `TRIES` of them are
/// enough to decide whether the search pays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget<const TRIES: usize> {
    tries: usize,
    won: usize,
}

impl<const TRIES: usize> Budget<TRIES> {
    /// Records a try that won `bytes`. Returns what each has won in the mean, if there are `TRIES`,
    /// and begins to count anew.
    #[inline]
    pub(crate) fn tried(&mut self, bytes: usize) -> Option<usize> {
        self.tries += 1;
        self.won += bytes;
        if self.tries < TRIES {
            return None;
        }
        let mean = self.won / TRIES;
        *self = Budget::default();
        Some(mean)
    }

    /// Records `bytes` that were won without a try.
    #[inline]
    pub(crate) fn won(&mut self, bytes: usize) {
        self.won = self.won.saturating_add(bytes);
    }
}

/// Bytes to spend on the next try: `FIRST`, and twice as many each time, up to `LAST`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doubling<const FIRST: usize, const LAST: usize>(usize);

/// Bytes that are searched ahead for the caller, who may want only the first match in them. They
/// stay in the first-level cache (docs/decisions/0030-lookahead.md).
pub(crate) type Lookahead = Doubling<{ 2 << 10 }, { 16 << 10 }>;

/// Bytes that are searched by the engine, or for it. The next match may be near, so they are few at
/// first; they stay in the first-level cache for the engine.
pub(crate) type EnginePiece = Doubling<256, { 16 << 10 }>;

impl<const FIRST: usize, const LAST: usize> Doubling<FIRST, LAST> {
    /// The most bytes that are spent on a try.
    pub(crate) const MAX_BYTES: usize = LAST;

    /// Continues where `bytes` were spent on the last try.
    pub(crate) fn after(bytes: usize) -> Self {
        Doubling(bytes)
    }

    /// What to spend next.
    #[inline]
    pub(crate) fn next(&mut self) -> usize {
        self.0 = self.0.saturating_mul(2).clamp(FIRST, LAST);
        self.0
    }

    /// What was spent last; 0 at first.
    #[inline]
    pub(crate) fn last(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Doubling};

    #[test]
    fn tries_are_judged_together() {
        let mut budget = Budget::<3>::default();
        assert_eq!([10, 20].map(|won| budget.tried(won)), [None, None]);
        budget.won(4);
        assert_eq!(budget.tried(30), Some(21));
        assert_eq!([1, 1, 1].map(|won| budget.tried(won)), [None, None, Some(1)]);
    }

    #[test]
    fn bytes_double_up_to_the_last() {
        let mut bytes = Doubling::<3, 20>::default();
        assert_eq!(bytes.last(), 0);
        assert_eq!([(); 5].map(|()| bytes.next()), [3, 6, 12, 20, 20]);
        assert_eq!(bytes.last(), 20);
        assert_eq!(Doubling::<3, 20>::after(7).next(), 14);
    }
}
