//! The ways of sharing that are not the default: which private items become visible, and when.
//!
//! A private item needs no fence. Other workers may park beside it, but the worker that holds it
//! never does, since it runs its private items before it looks for others. So if that worker reads
//! an old state of the idle policy, the item waits for one more item of its own, and no wake-up is
//! lost. What becomes visible is published as everything is: credits first, then the items, a
//! fence, and the look for a sleeper.
//!
//! A worker that is blocked in an item, for example by a disk, cannot publish what it holds:
//!
//! - The rules apply after each item, and so before the next one. While thieves leave something in
//!   the queue, they need no more.
//! - After [`allow_extra_workers`](crate::Spawner::allow_extra_workers), which a job calls if items
//!   block, `reserve` and `request` share everything, as `eager` does.
//! - A job that may block for ever, or that waits for another item, flushes before.

use crate::names::Sharing;

impl Sharing {
    /// How many of `have` private items stay private. `surplus` is what thieves find in the
    /// worker's queue, `items_block` whether items wait for something other than a core.
    pub(crate) fn kept_private(
        self,
        have: usize,
        surplus: impl FnOnce() -> usize,
        has_idle_workers: impl Fn() -> bool,
        items_block: bool,
    ) -> usize {
        if self == Sharing::Eager || items_block && self.limits_polls() {
            return 0;
        }
        // The owner runs a single item at once; or thieves have something to take already.
        if have < 2 || surplus() > 0 {
            return have;
        }
        match self {
            Sharing::Eager => 0,
            Sharing::Lazy if has_idle_workers() => 1,
            Sharing::Lazy => have - have / 2,
            Sharing::Request if !has_idle_workers() => have,
            Sharing::Reserve | Sharing::Request => have / 2,
        }
    }

    /// Whether a job that polls learns of idle workers only while its worker has nothing in its
    /// queue. So it flushes once, and again when that has been stolen.
    pub(crate) fn limits_polls(self) -> bool {
        matches!(self, Sharing::Reserve | Sharing::Request)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_way_keeps_what_thieves_do_not_need() {
        let kept = |sharing: Sharing| {
            [(1, 0, true), (8, 1, true), (7, 0, false), (7, 0, true)].map(
                |(have, surplus, is_idle)| {
                    sharing.kept_private(have, || surplus, || is_idle, false)
                },
            )
        };
        assert_eq!(kept(Sharing::Eager), [0, 0, 0, 0]);
        assert_eq!(kept(Sharing::Lazy), [1, 8, 4, 1]);
        assert_eq!(kept(Sharing::Reserve), [1, 8, 3, 3]);
        assert_eq!(kept(Sharing::Request), [1, 8, 7, 3]);
        let blocked = |sharing: Sharing| sharing.kept_private(8, || 1, || false, true);
        assert_eq!(Sharing::NAMES.len(), 4);
        assert_eq!(Sharing::ALL.iter().map(|&way| blocked(way)).collect::<Vec<_>>(), [0, 8, 0, 0]);
    }
}
