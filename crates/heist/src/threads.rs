//! Work on parts of what is in memory, in several threads.

use std::{panic::resume_unwind, thread};

use heist_walk::WalkConfig;

/// How many threads are of use.
pub(crate) fn useful_threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.min(WalkConfig::MAX_USEFUL_WORKERS)
}

/// Calls `work` with each of `parts`, the first in this thread and each other in one of its own.
/// Returns the results in the order of the parts. A panic reaches the caller.
pub(crate) fn in_threads<P: Clone + Send, R: Send>(
    parts: impl IntoIterator<Item = P>,
    work: impl Fn(P) -> R + Sync,
) -> Vec<R> {
    let (work, mut parts) = (&work, parts.into_iter());
    let Some(first) = parts.next() else { return Vec::new() };
    thread::scope(|scope| {
        let start = |part: P| {
            let in_thread = part.clone();
            let started = thread::Builder::new().spawn_scoped(scope, move || work(in_thread));
            started.map_err(|_| part)
        };
        let others: Vec<_> = parts.map(start).collect();
        let mut results = vec![work(first)];
        results.extend(others.into_iter().map(|other| match other {
            Ok(other) => other.join().unwrap_or_else(|payload| resume_unwind(payload)),
            // The system refuses a thread.
            Err(part) => work(part),
        }));
        results
    })
}
