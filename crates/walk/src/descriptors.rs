//! A budget of file descriptors. A directory's sub-directories are opened relative to its
//! descriptor, which stays open until the last one has been; a process that may hold only few
//! descriptors opens them by path instead.

use std::{
    ffi::{CStr, CString},
    fs, io,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use heist_filter::path_bytes::path_of;

use crate::{
    config::WalkConfig,
    metadata::{FileMetadata, FileTime},
    own_path::own_path,
    sys::{self, DescriptorLimit, Links, OpenFile, OpenedFile, System},
};

/// How many descriptors a worker needs in addition to what a visit or a rule file takes: one for
/// the directory that it lists, and one to spare.
const DESCRIPTORS_PER_WORKER: usize = 2;

/// The descriptors for which the process's table is enlarged in advance, and that a walk stays
/// below. A depth-first walk keeps a few dozen directories open; a breadth-first walk of a large
/// tree thousands.
const MAX_TABLE_LEN: usize = 4096;

/// How long a path can be that the system accepts in any case.
const SHORT_PATH_BYTES: usize = 2000;

/// Counts the directories that stay open for their sub-directories.
#[derive(Debug)]
pub(crate) struct Descriptors {
    kept: AtomicUsize,
    /// The most directories that may stay open. Determined at the first use.
    cap: OnceLock<usize>,
    /// The descriptors that the only worker needs for itself, where `cap` is unset.
    needed: usize,
}

/// How this process's descriptors are divided.
#[derive(Debug)]
pub(crate) struct DescriptorPlan {
    /// How many workers there are, at least 1.
    pub(crate) workers: usize,
    /// How many files each worker may keep open beyond their visit.
    pub(crate) max_deferred_files: usize,
    /// The rest, for directories.
    pub(crate) descriptors: Descriptors,
}

/// Enlarges the process's table of descriptors for a walk with this configuration.
///
/// [`walk`](crate::walk()) does this itself, but it takes milliseconds while other threads run, so
/// a caller that starts threads before a walk calls this function first.
pub fn reserve_descriptors(config: &WalkConfig) {
    drop(DescriptorPlan::new(config));
}

impl DescriptorPlan {
    /// Divides the descriptors that the system allows between workers (fewer than configured, if
    /// necessary), the files that each may keep open, and directories. Enlarges the process's
    /// table for them if there will be threads.
    pub(crate) fn new(config: &WalkConfig) -> DescriptorPlan {
        let WalkConfig { workers, max_deferred_files, .. } = *config;
        if workers <= 1 && max_deferred_files == 0 {
            // The only worker may never meet a directory, so the limit is not queried yet.
            let descriptors = Descriptors::for_one_worker(needed(config));
            return DescriptorPlan { workers: 1, max_deferred_files: 0, descriptors };
        }
        let Some(known) = sys::descriptor_limit() else {
            let descriptors = Descriptors::with_cap(usize::MAX);
            return DescriptorPlan { workers: workers.max(1), max_deferred_files, descriptors };
        };
        let plan = DescriptorPlan::within(known, config);
        if plan.workers > 1 {
            sys::reserve_descriptors(known.limit.min(MAX_TABLE_LEN));
        }
        plan
    }

    fn within(known: DescriptorLimit, config: &WalkConfig) -> DescriptorPlan {
        let available = known.limit.saturating_sub(known.taken);
        let workers = config.workers.min(available / needed(config)).max(1);
        let room = DescriptorPlan::room(known, workers * needed(config));
        // Half the room is left for directories.
        let max_deferred_files = config.max_deferred_files.min(room / 2 / workers);
        let descriptors = Descriptors::with_cap(room - workers * max_deferred_files);
        DescriptorPlan { workers, max_deferred_files, descriptors }
    }

    /// The descriptors that are left besides the `needed` ones.
    fn room(known: DescriptorLimit, needed: usize) -> usize {
        known.limit.min(MAX_TABLE_LEN).saturating_sub(known.taken).saturating_sub(needed)
    }
}

/// The descriptors that one worker needs at a time.
fn needed(config: &WalkConfig) -> usize {
    DESCRIPTORS_PER_WORKER + config.fds_per_visit
}

impl Descriptors {
    /// A budget of `cap` directories.
    pub(crate) fn with_cap(cap: usize) -> Descriptors {
        Descriptors { kept: AtomicUsize::new(0), cap: OnceLock::from(cap), needed: 0 }
    }

    /// A budget of what the system allows besides the `needed` descriptors. The system is queried
    /// at the first use.
    fn for_one_worker(needed: usize) -> Descriptors {
        Descriptors { kept: AtomicUsize::new(0), cap: OnceLock::new(), needed }
    }

    fn cap(&self) -> usize {
        *self.cap.get_or_init(|| {
            sys::descriptor_limit()
                .map_or(usize::MAX, |known| DescriptorPlan::room(known, self.needed))
        })
    }

    fn acquire(&self) -> Option<Permit<'_>> {
        // Ordering: Relaxed for all three operations. The count protects no memory; it only has to
        // be exact, and read-modify-write operations on one atomic are.
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

/// A directory that several items may share. It is open, or is opened when it is first needed.
#[derive(Debug)]
pub(crate) struct Handle<'run, S: System> {
    place: HandlePlace<'run, S>,
    /// How long its path is, as in [`Dir::path`](crate::item::Dir).
    path_len: usize,
    system: S,
    permit: OnceLock<Permit<'run>>,
}

/// A directory that is open, or that will be opened when this pays.
#[derive(Debug)]
enum HandlePlace<'run, S: System> {
    Open(S::Dir),
    Unopened(OnceLock<S::Dir>, Unopened<'run, S>),
}

/// A directory that is not open yet.
#[derive(Debug)]
struct Unopened<'run, S: System> {
    /// The nearest open directory above.
    base: Option<Arc<Handle<'run, S>>>,
    /// The directory's path, which ends in a slash.
    path: Box<[u8]>,
    /// How many files in it have been used.
    used: AtomicUsize,
}

impl<'run, S: System> Handle<'run, S> {
    /// An open directory. Its path has `path_len` bytes.
    pub(crate) fn new(system: S, dir: S::Dir, path_len: usize) -> Arc<Handle<'run, S>> {
        let (place, permit) = (HandlePlace::Open(dir), OnceLock::new());
        Arc::new(Handle { place, path_len, system, permit })
    }

    /// A directory that is not open yet, in or below `base`. It is no link.
    pub(crate) fn unopened(
        system: S,
        base: Option<Arc<Handle<'run, S>>>,
        path: &[u8],
    ) -> Arc<Handle<'run, S>> {
        let unopened = Unopened { base, path: path.into(), used: AtomicUsize::new(0) };
        let place = HandlePlace::Unopened(OnceLock::new(), unopened);
        Arc::new(Handle { place, path_len: path.len(), system, permit: OnceLock::new() })
    }

    /// The nearest directory above that is open, for one that may not be.
    pub(crate) fn base(&self) -> Option<&Option<Arc<Handle<'run, S>>>> {
        match &self.place {
            HandlePlace::Open(_) => None,
            HandlePlace::Unopened(_, unopened) => Some(&unopened.base),
        }
    }

    /// Opens the directory at `path`, which lies below this one.
    pub(crate) fn open_below(&self, path: &[u8], links: Links) -> io::Result<S::Dir> {
        match path.get(self.path_len..path.len() - 1) {
            Some(below) if below.len() <= SHORT_PATH_BYTES => S::open_in(self.dir()?, below, links),
            _ => self.system.open(&path_of(own_path(path)), links),
        }
    }

    /// The open directory.
    ///
    /// # Errors
    /// Opening it failed.
    #[inline]
    pub(crate) fn dir(&self) -> io::Result<&S::Dir> {
        match &self.place {
            HandlePlace::Open(dir) => Ok(dir),
            HandlePlace::Unopened(dir, unopened) => match dir.get() {
                Some(dir) => Ok(dir),
                None => self.open(dir, unopened),
            },
        }
    }

    #[cold]
    fn open<'s>(
        &self,
        into: &'s OnceLock<S::Dir>,
        unopened: &Unopened<'run, S>,
    ) -> io::Result<&'s S::Dir> {
        let dir = match unopened {
            Unopened { base: Some(base), path, .. } => base.open_below(path, Links::Keep)?,
            Unopened { base: None, path, .. } => {
                self.system.open(&path_of(own_path(path)), Links::Keep)?
            }
        };
        // Another worker may have opened it meanwhile.
        Ok(into.get_or_init(|| dir))
    }

    /// Calls `call` with an open directory and the path of the file `name` from there: this
    /// directory, or the one above that is open as long as few files are used.
    fn with_file<T>(
        &self,
        name: &CStr,
        call: impl Fn(&S::Dir, &CStr) -> io::Result<T>,
    ) -> io::Result<T> {
        if let HandlePlace::Unopened(dir, unopened) = &self.place
            && dir.get().is_none()
            && let Some((base, path)) = unopened.file_below_base(name)
        {
            return call(base.dir()?, &path);
        }
        call(self.dir()?, name)
    }

    /// Returns a reference that may outlive how the directory is expanded, or `None` if too many
    /// directories are kept open already.
    pub(crate) fn share(this: &Arc<Self>, budget: &'run Descriptors) -> Option<Arc<Self>> {
        if this.permit.get().is_none() {
            // Only the worker that expands the directory or holds a slice of it shares it. If two
            // do so at once, the second permit is dropped, which returns it.
            let _ = this.permit.set(budget.acquire()?);
        }
        Some(Arc::clone(this))
    }
}

impl<'run, S: System> Unopened<'run, S> {
    /// The nearest open directory above, and the path of the file `name` from there, if it is not
    /// worth opening this directory yet.
    fn file_below_base(&self, name: &CStr) -> Option<(&Handle<'run, S>, CString)> {
        /// To open and close a directory takes as long as to look it up this many times.
        const LOOKUPS_PER_OPENING: usize = 4;
        let base = self.base.as_ref()?;
        // Ordering: Relaxed; the number publishes nothing.
        if self.used.fetch_add(1, Ordering::Relaxed) >= LOOKUPS_PER_OPENING {
            return None;
        }
        let below =
            self.path.get(base.path_len..).filter(|below| below.len() <= SHORT_PATH_BYTES)?;
        Some((base, CString::new([below, name.to_bytes()].concat()).ok()?))
    }
}

impl<S: System> OpenFile for Handle<'_, S> {
    fn opener(&self) -> &dyn OpenFile {
        match &self.place {
            HandlePlace::Open(dir) => dir.opener(),
            HandlePlace::Unopened(..) => self,
        }
    }

    fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        self.with_file(name, |dir, path| dir.open_file(path))
    }

    fn open_whole(&self, name: &CStr) -> io::Result<OpenedFile> {
        self.with_file(name, |dir, path| dir.open_whole(path))
    }

    fn metadata_of(&self, name: &CStr, links: Links) -> io::Result<FileMetadata> {
        self.with_file(name, |dir, path| dir.metadata_of(path, links))
    }

    fn time_of(&self, name: &CStr, links: Links, time: FileTime) -> io::Result<SystemTime> {
        self.with_file(name, |dir, path| dir.time_of(path, links, time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::Portable;

    #[test]
    fn the_last_reference_returns_the_permit() {
        let budget = Descriptors::with_cap(1);
        let here = || {
            let dir = Portable.open(std::path::Path::new("."), sys::Links::Follow).unwrap();
            Handle::new(Portable, dir, 0)
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
        let workers =
            |workers| DescriptorPlan::new(&WalkConfig { workers, ..WalkConfig::default() }).workers;
        assert_eq!(workers(1), 1);
        assert!((1..=50).contains(&workers(50)));
    }

    #[test]
    fn deferred_files_leave_room_for_directories() {
        let plan = |limit, workers, max_deferred_files| {
            let known = DescriptorLimit { limit, taken: 10 };
            let config = WalkConfig { workers, max_deferred_files, ..WalkConfig::default() };
            let plan = DescriptorPlan::within(known, &config);
            (plan.workers, plan.max_deferred_files, plan.descriptors.cap())
        };
        assert_eq!(plan(1024, 4, 0), (4, 0, 1002));
        assert_eq!(plan(1024, 4, 64), (4, 64, 746), "as many as configured");
        assert_eq!(plan(1024, 16, 64), (16, 30, 486), "half of what there is");
        assert_eq!(plan(1 << 20, 56, 64), (56, 34, 2014), "no more than the table holds");
        assert_eq!(plan(20, 16, 64), (3, 0, 1));
        assert_eq!(plan(5, 16, 64), (1, 0, 0));
    }

    #[test]
    fn visits_that_open_more_leave_room_for_fewer() {
        let plan = |limit, fds_per_visit| {
            let known = DescriptorLimit { limit, taken: 10 };
            let plan = DescriptorPlan::within(
                known,
                &WalkConfig { workers: 4, fds_per_visit, ..WalkConfig::default() },
            );
            (plan.workers, plan.descriptors.cap())
        };
        assert_eq!(plan(1024, 6), (4, 982));
        assert_eq!(plan(20, 6), (1, 2));
        assert_eq!(plan(27, 6), (2, 1));
        assert_eq!(plan(12, 6), (1, 0), "there is always one worker");
    }
}
