//! A budget of descriptors. A directory's sub-directories are opened relative to its descriptor, which stays open until
//! the last of them has been; where a process may hold only few, they are opened by path instead.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use crate::{
    config::WalkConfig,
    sys::{self, DescriptorLimit, System},
};

/// Descriptors that one worker needs at a time beside those of a visit, or of an ignore file: the directory it lists, and one
/// to spare.
const BESIDE_VISITS: usize = 2;

/// The descriptors that the process's table is made big enough for, and that a walk stays below. Depth first, a walk
/// keeps a few dozen directories open; breadth first, on large trees, thousands.
const TABLE: usize = 4096;

/// How many directories may be kept open for their sub-directories.
#[derive(Debug)]
pub(crate) struct Descriptors {
    kept: AtomicUsize,
    /// Unset until somebody wants to know.
    cap: OnceLock<usize>,
    /// How many descriptors the one worker needs for itself, where the cap is unset.
    needed: usize,
}

/// What the descriptors of this process are for.
#[derive(Debug)]
pub(crate) struct Plan {
    /// How many workers there may be, at least 1.
    pub(crate) workers: usize,
    /// How many files each may keep open beyond their visit.
    pub(crate) max_deferred_files: usize,
    /// The rest: for directories.
    pub(crate) descriptors: Descriptors,
}

/// Make the process's table of descriptors big enough for a walk under `config`. [`walk`](crate::walk()) does so itself, but
/// while other threads run it takes milliseconds: who starts some before calls this first.
pub fn reserve_descriptors(config: &WalkConfig) {
    drop(Plan::new(config));
}

impl Plan {
    /// Share what the system allows between the workers of `config`, who may be fewer, files of each that wait, and the
    /// directories they keep open, and make the process's table of descriptors big enough for it, while this is its only
    /// thread.
    pub(crate) fn new(config: &WalkConfig) -> Plan {
        let WalkConfig { workers, max_deferred_files, .. } = *config;
        if workers <= 1 && max_deferred_files == 0 {
            // The one worker may never meet a directory.
            let descriptors = Descriptors::for_one_worker(needed(config));
            return Plan { workers: 1, max_deferred_files: 0, descriptors };
        }
        let Some(known) = sys::descriptor_limit() else {
            let descriptors = Descriptors::with_cap(usize::MAX);
            return Plan { workers: workers.max(1), max_deferred_files, descriptors };
        };
        let plan = Plan::within(known, config);
        if plan.workers > 1 {
            sys::reserve_descriptors(known.limit.min(TABLE));
        }
        plan
    }

    fn within(known: DescriptorLimit, config: &WalkConfig) -> Plan {
        let available = known.limit.saturating_sub(known.taken);
        let workers = config.workers.min(available / needed(config)).max(1);
        let room = Plan::room(known, workers * needed(config));
        // Half of it is left for directories.
        let max_deferred_files = config.max_deferred_files.min(room / 2 / workers);
        let descriptors = Descriptors::with_cap(room - workers * max_deferred_files);
        Plan { workers, max_deferred_files, descriptors }
    }

    /// What is left beside what workers have `needed`.
    fn room(known: DescriptorLimit, needed: usize) -> usize {
        known.limit.min(TABLE).saturating_sub(known.taken).saturating_sub(needed)
    }
}

/// How many descriptors one worker needs at a time.
fn needed(config: &WalkConfig) -> usize {
    BESIDE_VISITS + config.fds_per_visit
}

impl Descriptors {
    /// At most `cap` directories are kept open.
    pub(crate) fn with_cap(cap: usize) -> Descriptors {
        Descriptors { kept: AtomicUsize::new(0), cap: OnceLock::from(cap), needed: 0 }
    }

    /// As many directories are kept open as the system allows beside the descriptors that are `needed`, which is asked when
    /// the first one is.
    fn for_one_worker(needed: usize) -> Descriptors {
        Descriptors { kept: AtomicUsize::new(0), cap: OnceLock::new(), needed }
    }

    fn cap(&self) -> usize {
        *self.cap.get_or_init(|| {
            sys::descriptor_limit().map_or(usize::MAX, |known| Plan::room(known, self.needed))
        })
    }

    fn acquire(&self) -> Option<Permit<'_>> {
        // Ordering: Relaxed in all three. The count guards no memory; that it is exact is enough, and read-modify-writes
        // of one atomic are.
        if self.kept.fetch_add(1, Ordering::Relaxed) < self.cap() {
            Some(Permit(self))
        } else {
            self.kept.fetch_sub(1, Ordering::Relaxed);
            None
        }
    }
}

/// The right to keep one directory open.
#[derive(Debug)]
struct Permit<'run>(&'run Descriptors);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        // Ordering: Relaxed, see `acquire`.
        self.0.kept.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An open directory that others may hold on to.
#[derive(Debug)]
pub(crate) struct Handle<'run, S: System> {
    pub(crate) dir: S::Dir,
    permit: OnceLock<Permit<'run>>,
}

impl<'run, S: System> Handle<'run, S> {
    pub(crate) fn new(dir: S::Dir) -> Arc<Handle<'run, S>> {
        Arc::new(Handle { dir, permit: OnceLock::new() })
    }

    /// A reference to keep beyond the directory's own expansion, unless too many directories are kept open already.
    pub(crate) fn share(this: &Arc<Self>, budget: &'run Descriptors) -> Option<Arc<Self>> {
        if this.permit.get().is_none() {
            // Only the worker that expands the directory or holds its slice shares it; if two do at once, the second
            // permit is given back.
            let _ = this.permit.set(budget.acquire()?);
        }
        Some(Arc::clone(this))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::Portable;

    #[test]
    fn a_permit_comes_back_with_the_last_reference() {
        let budget = Descriptors::with_cap(1);
        let here = || {
            Handle::<Portable>::new(
                <Portable as System>::open(std::path::Path::new("."), sys::Links::Follow).unwrap(),
            )
        };
        let (first, second) = (here(), here());
        let kept = Handle::share(&first, &budget).expect("the budget is one");
        assert!(
            Handle::share(&first, &budget).is_some(),
            "the same directory takes no second permit"
        );
        assert!(Handle::share(&second, &budget).is_none());
        drop(first);
        assert!(Handle::share(&second, &budget).is_none());
        drop(kept);
        assert!(Handle::share(&second, &budget).is_some());
    }

    #[test]
    fn at_least_one_worker_runs() {
        let workers = |workers| Plan::new(&WalkConfig { workers, ..WalkConfig::default() }).workers;
        assert_eq!(workers(1), 1);
        assert!((1..=50).contains(&workers(50)));
    }

    #[test]
    fn files_that_wait_leave_room_for_directories() {
        let plan = |limit, workers, max_deferred_files| {
            let known = DescriptorLimit { limit, taken: 10 };
            let config = WalkConfig { workers, max_deferred_files, ..WalkConfig::default() };
            let plan = Plan::within(known, &config);
            (plan.workers, plan.max_deferred_files, plan.descriptors.cap())
        };
        assert_eq!(plan(1024, 4, 0), (4, 0, 1002));
        assert_eq!(plan(1024, 4, 64), (4, 64, 746), "as many as asked for");
        assert_eq!(plan(1024, 16, 64), (16, 30, 486), "half of what there is");
        assert_eq!(plan(1 << 20, 56, 64), (56, 34, 2014), "no more than the table holds");
        assert_eq!(plan(20, 16, 64), (3, 0, 1));
        assert_eq!(plan(5, 16, 64), (1, 0, 0));
    }

    #[test]
    fn visits_that_open_more_leave_room_for_fewer() {
        let plan = |limit, fds_per_visit| {
            let known = DescriptorLimit { limit, taken: 10 };
            let plan = Plan::within(
                known,
                &WalkConfig { workers: 4, fds_per_visit, ..WalkConfig::default() },
            );
            (plan.workers, plan.descriptors.cap())
        };
        assert_eq!(plan(1024, 6), (4, 982));
        assert_eq!(plan(20, 6), (1, 2));
        assert_eq!(plan(27, 6), (2, 1));
        assert_eq!(plan(12, 6), (1, 0), "one worker there is, whatever becomes of it");
    }
}
