//! Sealing: a job promises that its item spawns no more, and shares what it has spawned.

use crate::job::Spawner;

/// A [`Spawner`] that can be sealed.
///
/// The job may go on after that, with the files of a directory for instance, while thieves run what
/// it has spawned.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use heist_queue::{Job, QueueKind, RunConfig, Spawner, lab::Sealable, run_on};
///
/// struct Leaves;
///
/// impl Job<u32> for Leaves {
///     type Output = ();
///
///     fn run<S: Spawner<u32>>(&mut self, depth: u32, spawner: &mut S) -> ControlFlow<()> {
///         let mut spawner = Sealable::new(spawner);
///         (0..depth).for_each(|_| spawner.spawn(depth - 1));
///         spawner.seal();
///         // Further work on this item, while its children can be stolen already.
///         ControlFlow::Continue(())
///     }
///
///     fn finish(self) {}
/// }
///
/// let jobs = vec![Leaves, Leaves];
/// let report = run_on(QueueKind::Deque, &RunConfig::default(), vec![3], jobs)?;
/// assert_eq!(report.executed, 1 + 3 + 6 + 6);
/// # Ok::<(), heist_queue::Panicked>(())
/// ```
pub struct Sealable<'s, S: ?Sized> {
    spawner: &'s mut S,
    sealed: bool,
}

impl<'s, S: ?Sized> Sealable<'s, S> {
    /// Wraps the spawner of one item.
    pub fn new(spawner: &'s mut S) -> Sealable<'s, S> {
        Sealable { spawner, sealed: false }
    }

    /// Makes everything spawned so far visible to thieves. The item must not spawn after this.
    pub fn seal<T>(&mut self)
    where
        S: Spawner<T>,
    {
        self.spawner.flush();
        self.sealed = true;
    }
}

impl<T, S: Spawner<T> + ?Sized> Spawner<T> for Sealable<'_, S> {
    /// # Panics
    ///
    /// If the item was sealed.
    fn spawn(&mut self, item: T) {
        assert!(!self.sealed, "an item was spawned by one that was sealed");
        self.spawner.spawn(item);
    }

    fn flush(&mut self) {
        self.spawner.flush();
    }

    fn stopped(&self) -> bool {
        self.spawner.stopped()
    }

    fn allow_extra_workers(&mut self) {
        self.spawner.allow_extra_workers();
    }

    fn has_idle_workers(&self) -> bool {
        self.spawner.has_idle_workers()
    }
}
