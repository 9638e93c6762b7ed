//! What the system reports about this process: its descriptors, and how often a thread has blocked.

/// This process's descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptorLimit {
    /// How many may be open at a time.
    pub(crate) limit: usize,
    /// How many are open now.
    pub(crate) taken: usize,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{blocking_waits, reserve_descriptors};
#[cfg(unix)]
pub(crate) use unix::descriptor_limit;
#[cfg(not(unix))]
pub(crate) use unknown::descriptor_limit;
#[cfg(not(target_os = "linux"))]
pub(crate) use unknown::{blocking_waits, reserve_descriptors};

#[cfg(unix)]
mod unix {
    use std::fs;

    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, rlim_t};

    use super::DescriptorLimit;

    /// What holds where no limit is set. The system-wide one of Linux is far away. On macOS the
    /// kernel has a limit for each process, `kern.maxfilesperproc`, which is at least this
    /// (`OPEN_MAX`).
    const UNLIMITED: Option<usize> = if cfg!(target_os = "linux") { None } else { Some(10_240) };

    /// The directory that lists this process's open descriptors.
    const DESCRIPTORS_DIR: &str =
        if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };

    /// Returns the soft limit, or `None` if there is none. The open descriptors are counted only
    /// where the limit may be met.
    ///
    /// The limit is not raised: 256, as `launchd` of macOS sets it, are enough to keep every worker
    /// busy, and programs started by `--pre` would inherit what they may not expect.
    ///
    /// `nix` is used because `rustix` assumes that the call cannot fail: in a sandbox that refuses
    /// it, `rustix` panics or returns uninitialised memory.
    pub(crate) fn descriptor_limit() -> Option<DescriptorLimit> {
        const AMPLE: usize = 1 << 16;
        const USUAL: usize = 1024;
        const USUALLY_TAKEN: usize = 16;
        let limit = match getrlimit(Resource::RLIMIT_NOFILE) {
            Ok((soft, _)) => descriptors_within(soft, UNLIMITED)?,
            Err(_) => USUAL,
        };
        let taken = match limit {
            0..AMPLE => fs::read_dir(DESCRIPTORS_DIR).map_or(USUALLY_TAKEN, Iterator::count),
            _ => USUALLY_TAKEN,
        };
        Some(DescriptorLimit { limit, taken })
    }

    /// Returns how many descriptors are within a limit; `unlimited` if that is none.
    fn descriptors_within(soft: rlim_t, unlimited: Option<usize>) -> Option<usize> {
        if soft == RLIM_INFINITY { unlimited } else { usize::try_from(soft).ok() }
    }

    #[test]
    fn no_limit_is_a_limit_on_macos() {
        assert_eq!(descriptors_within(256, None), Some(256));
        assert_eq!(descriptors_within(RLIM_INFINITY, None), None);
        assert_eq!(descriptors_within(RLIM_INFINITY, Some(10_240)), Some(10_240));
    }

    #[test]
    fn open_descriptors_are_counted() {
        let files: Vec<_> = (0..20).map(|_| fs::File::open(".").unwrap()).collect();
        let count = fs::read_dir("/dev/fd").expect("every Unix has it").count();
        assert!(count > files.len());
        if let Some(known) = descriptor_limit().filter(|known| known.limit < 1 << 16) {
            assert!(known.taken > files.len(), "{known:?}");
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use nix::sys::resource::{UsageWho, getrusage};
    use rustix::io::fcntl_dupfd_cloexec;

    /// Returns how often the calling thread has blocked, for a disk for example. A thread that
    /// loses its core to another one is not counted. `None` if the system does not count.
    pub(crate) fn blocking_waits() -> Option<u64> {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).ok()?;
        u64::try_from(usage.voluntary_context_switches()).ok()
    }

    /// Makes the process's table large enough for `count` descriptors.
    ///
    /// Linux enlarges a full table while all threads of the process wait, 4 to 12 ms each time; a
    /// process with one thread does not wait. See `docs/decisions/0022-descriptor-table.md`.
    pub(crate) fn reserve_descriptors(count: usize) {
        let Some(highest) = count.checked_sub(1).and_then(|highest| highest.try_into().ok()) else {
            return;
        };
        // Fails without standard input, or without memory: then the table grows when it must.
        let _ = fcntl_dupfd_cloexec(io::stdin(), highest);
    }

    #[test]
    fn a_sleep_is_a_blocking_wait() {
        let before = blocking_waits().expect("Linux counts");
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(blocking_waits().expect("Linux counts") > before);
    }
}

#[cfg(not(target_os = "linux"))]
mod unknown {
    #[cfg(not(unix))]
    pub(crate) fn descriptor_limit() -> Option<super::DescriptorLimit> {
        None
    }

    pub(crate) fn blocking_waits() -> Option<u64> {
        None
    }

    pub(crate) fn reserve_descriptors(_: usize) {}
}
