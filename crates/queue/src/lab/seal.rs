//! Sealing: a job promises that its item spawns no more, and shares what it has spawned.

use crate::job::Spawner;

/// A [`Spawner`] that can be sealed.
///
/// The job may go on after that, with the files of a directory for instance, while thieves run what
/// it has spawned.
///
/// ```
/// use heist_queue::{Spawner, lab::Sealable};
///
/// /// The last lines of a job that lists a directory.
/// fn visit_files(subdirectories: Vec<u32>, spawner: &mut impl Spawner<u32>) {
///     let mut spawner = Sealable::new(spawner);
///     subdirectories.into_iter().for_each(|directory| spawner.spawn(directory));
///     spawner.seal();
///     // The files come here. The subdirectories can be stolen meanwhile.
/// }
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
