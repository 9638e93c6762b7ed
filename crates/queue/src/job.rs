//! The two sides of running an item: the user's [`Job`] and the crew's [`Spawner`] that takes the
//! items it makes.

use std::ops::ControlFlow;

/// What one worker does with items, with its own state: buffers, caches, a visitor.
///
/// All jobs of a run exist before its first thread does. Each stays with one worker; none is
/// shared.
pub trait Job<T>: Sized {
    /// What is left of the job when the run is over.
    type Output: Send;

    /// Runs one item. New items go to `sink`. [`ControlFlow::Break`] ends the whole run early:
    /// items nobody has begun are dropped.
    fn run<S: Spawner<T>>(&mut self, item: T, sink: &mut S) -> ControlFlow<()>;

    /// Called when the worker has found nothing to do and is about to sleep, to let it hand out
    /// what it holds back, buffered output for instance, or do what it has put off. Whoever has run
    /// an item is asked once more before a run is done. [`ControlFlow::Break`] ends the run early,
    /// as in [`run`](Job::run). Not called by a crew of one without producers, which never sleeps.
    fn before_park(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called once, on the worker's own thread where it has one, when the run is over and nobody
    /// has panicked.
    fn finish(self) -> Self::Output;
}

/// Where a running job puts the items it finds.
pub trait Spawner<T> {
    /// WorkerContext over a new item. Items are buffered until the job returns, or until
    /// [`flush`](Spawner::flush) or [`seal`](Spawner::seal). Of the items handed over between two of
    /// these the first is run first, unless stolen.
    ///
    /// # Panics
    ///
    /// If this item was sealed.
    fn spawn(&mut self, item: T);

    /// Makes everything this worker holds visible to thieves at once, because the job goes on for a
    /// while. Worth it if somebody is [`has_idle_workers`](Spawner::has_idle_workers).
    fn flush(&mut self);

    /// Says that this item spawns no more, and shares what it has spawned as if it had returned. The
    /// job may go on, with the files of a directory for instance.
    fn seal(&mut self);

    /// Whether the run was ended early, by a quit or a panic. Inner loops ask now and then. Never
    /// true because the run is merely done.
    fn stopped(&self) -> bool;

    /// Says that work waits for something other than a core, a disk for instance, so that more
    /// workers would get more done: those in [reserve](crate::RunConfig::extra_workers) are started as
    /// others are, whenever there is work for one more. To be said once is enough.
    fn allow_extra_workers(&mut self);

    /// Whether somebody has nothing to do. Costs two relaxed loads of lines that rarely change, so
    /// it may be asked for every entry.
    fn has_idle_workers(&self) -> bool;
}
