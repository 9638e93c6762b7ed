//! How much a worker shares under [`Sharing::Lazy`](crate::Sharing::Lazy).
//!
//! Lazy sharing keeps most items in a plain `Vec`. On real trees it was no faster than sharing
//! everything, so eager sharing is the default.

/// How many of `have` private items stay private. `surplus` is what thieves find in the worker's
/// queue.
pub(crate) fn kept(
    have: usize,
    surplus: impl FnOnce() -> usize,
    has_idle_workers: impl FnOnce() -> bool,
) -> usize {
    if have < 2 || surplus() > 0 {
        // The owner runs a single item at once; or thieves have something to take already.
        have
    } else if has_idle_workers() {
        1
    } else {
        have - have / 2
    }
}
