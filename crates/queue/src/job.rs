//! The two sides of running an item: the caller's [`Job`], and the [`Spawner`] through which the
//! job hands new items to the crew.

use std::ops::ControlFlow;

/// What one worker does with items, with state of its own: buffers, caches, a visitor.
///
/// All jobs of a run exist before its first thread does. Each stays with one worker; none is
/// shared.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use heist_queue::{BiasedEvent, Job, RunConfig, Spawner, backends::Deque, run};
///
/// /// Adds up a range of numbers by splitting it until it is short.
/// #[derive(Default)]
/// struct Sum(u64);
///
/// impl Job<std::ops::Range<u64>> for Sum {
///     type Output = u64;
///
///     fn run<S: Spawner<std::ops::Range<u64>>>(
///         &mut self,
///         range: std::ops::Range<u64>,
///         spawner: &mut S,
///     ) -> ControlFlow<()> {
///         if range.end - range.start <= 10 {
///             self.0 += range.sum::<u64>();
///         } else {
///             let middle = range.start.midpoint(range.end);
///             spawner.spawn(range.start..middle);
///             spawner.spawn(middle..range.end);
///         }
///         ControlFlow::Continue(())
///     }
///
///     fn finish(self) -> u64 {
///         self.0
///     }
/// }
///
/// let jobs = vec![Sum::default(), Sum::default()];
/// let report = run::<_, Deque<_>, BiasedEvent, _>(&RunConfig::default(), vec![0..1000], jobs)?;
/// assert_eq!(report.outputs.iter().sum::<u64>(), 499_500);
/// # Ok::<(), heist_queue::Panicked>(())
/// ```
pub trait Job<T>: Sized {
    /// What is left of the job when the run is over.
    type Output: Send;

    /// Runs one item and hands new items to `spawner`. [`ControlFlow::Break`] ends the whole run
    /// early: items that have not been begun are dropped.
    fn run<S: Spawner<T>>(&mut self, item: T, spawner: &mut S) -> ControlFlow<()>;

    /// Called when the worker has found no item and is about to park, so that the job can write out
    /// what it holds back, such as buffered output, or do what it has deferred. Called again, after
    /// the worker's last item, before a run is done. [`ControlFlow::Break`] ends the run early, as
    /// in [`run`](Job::run). Never called in a crew of one without producers, which does not park.
    fn before_park(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called once when the run is over and no job has panicked, on the worker's own thread if it
    /// has one.
    fn finish(self) -> Self::Output;
}

/// Where a running job puts the items it finds.
pub trait Spawner<T> {
    /// Hands over a new item. Items are buffered until the job returns or calls
    /// [`flush`](Spawner::flush). Unless stolen, the items handed over between two such points run
    /// in the order of spawning.
    fn spawn(&mut self, item: T);

    /// Makes all items this worker holds visible to thieves at once. For a job that goes on for a
    /// while; worth it if [`has_idle_workers`](Spawner::has_idle_workers) is true.
    fn flush(&mut self);

    /// Whether the run was ended early, by a quit or a panic. Long loops poll it. Never true merely
    /// because the run is done.
    fn stopped(&self) -> bool;

    /// Lets the crew start its [extra workers](crate::RunConfig::extra_workers) as it starts
    /// others, whenever there is work for one more. To be called when work waits for something
    /// other than a core, such as a disk. Further calls change nothing.
    fn allow_extra_workers(&mut self);

    /// Whether some worker has nothing to do. Costs two relaxed loads of cache lines that rarely
    /// change, so it may be called for every directory entry. With the ways of
    /// [sharing](crate::Sharing) `reserve` and `request`, only if this worker has no visible items
    /// either: one that looks for items finds those.
    fn has_idle_workers(&self) -> bool;
}
