//! What the system reports about this process: its descriptors, and how often a thread has blocked.

/// The descriptors of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptorLimit {
    /// How many may be open at a time.
    pub(crate) limit: usize,
    /// How many are open now.
    pub(crate) taken: usize,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{blocking_waits, descriptor_limit, reserve_descriptors};
#[cfg(not(target_os = "linux"))]
pub(crate) use unknown::{blocking_waits, descriptor_limit, reserve_descriptors};

#[cfg(target_os = "linux")]
mod linux {
    use std::{fs, io};

    use nix::sys::resource::{RLIM_INFINITY, Resource, UsageWho, getrlimit, getrusage};
    use rustix::io::fcntl_dupfd_cloexec;

    use super::DescriptorLimit;

    /// Returns the soft limit, or `None` if there is none. The open descriptors are counted only
    /// where the limit may be met.
    ///
    /// `nix` is used because `rustix` assumes that the call cannot fail: in a sandbox that refuses
    /// it, `rustix` panics or returns uninitialised memory.
    pub(crate) fn descriptor_limit() -> Option<DescriptorLimit> {
        const AMPLE: usize = 1 << 16;
        const USUAL: usize = 1024;
        const USUALLY_TAKEN: usize = 16;
        let limit = match getrlimit(Resource::RLIMIT_NOFILE) {
            Ok((RLIM_INFINITY, _)) => return None,
            Ok((soft, _)) => usize::try_from(soft).ok()?,
            Err(_) => USUAL,
        };
        let taken = match limit {
            0..AMPLE => fs::read_dir("/proc/self/fd").map_or(USUALLY_TAKEN, Iterator::count),
            _ => USUALLY_TAKEN,
        };
        Some(DescriptorLimit { limit, taken })
    }

    /// Returns how often the calling thread has blocked, for a disk for example. A thread that
    /// loses its core to another one is not counted. `None` if the system does not count.
    pub(crate) fn blocking_waits() -> Option<u64> {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).ok()?;
        u64::try_from(usage.voluntary_context_switches()).ok()
    }

    /// Makes the process's table of descriptors large enough for `count` of them.
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
    use super::DescriptorLimit;

    pub(crate) fn descriptor_limit() -> Option<DescriptorLimit> {
        None
    }

    pub(crate) fn blocking_waits() -> Option<u64> {
        None
    }

    pub(crate) fn reserve_descriptors(_: usize) {}
}
