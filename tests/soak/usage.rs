//! The memory, descriptors and threads that a process uses, read from `/proc`, and a check that
//! they do not grow.

use std::{env, fmt, fs, thread, time::Duration};

/// The resources that a process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Resident memory in KiB.
    pub(crate) memory: u64,
    pub(crate) descriptors: usize,
    pub(crate) threads: usize,
}

impl Usage {
    /// The maximum of each resource.
    pub(crate) fn max(self, other: Usage) -> Usage {
        Usage {
            memory: self.memory.max(other.memory),
            descriptors: self.descriptors.max(other.descriptors),
            threads: self.threads.max(other.threads),
        }
    }

    /// The minimum of each resource.
    fn min(self, other: Usage) -> Usage {
        Usage {
            memory: self.memory.min(other.memory),
            descriptors: self.descriptors.min(other.descriptors),
            threads: self.threads.min(other.threads),
        }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Usage { memory, descriptors, threads } = self;
        write!(f, "{memory} KiB, {descriptors} descriptors, {threads} threads")
    }
}

/// The current usage of a process, given by the name of its directory in `/proc`; `None` if it has
/// ended.
pub(crate) fn of(process: &str) -> Option<Usage> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name| status.lines().find_map(|line| line.strip_prefix(name));
    let memory = field("VmRSS:")?.trim().split(' ').next()?.parse().ok()?;
    let threads = field("Threads:")?.trim().parse().ok()?;
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count();
    Some(Usage { memory, descriptors, threads })
}

/// The usage of this process between searches: the minimum of several samples, since the mutator of
/// the tree opens files and a joined thread can take a moment to disappear.
pub(crate) fn of_this_process() -> Usage {
    let sample = || of("self").expect("the status of this process");
    (0..5).fold(sample(), |least, _| {
        thread::sleep(Duration::from_micros(100));
        least.min(sample())
    })
}

/// The tolerated difference of memory in KiB: allocators keep memory, and patterns and files have
/// different sizes.
const TOLERANCE: u64 = 16 << 10;

/// The usage over the time of a test.
#[derive(Debug, Default)]
pub(crate) struct History(Vec<Usage>);

impl History {
    pub(crate) fn record(&mut self, usage: Usage) {
        self.0.push(usage);
    }

    /// Combines the samples from one eighth of the time to another with `combine`.
    fn part(&self, from: usize, to: usize, combine: fn(Usage, Usage) -> Usage) -> Usage {
        let count = self.0.len();
        let part = &self.0[count * from / 8..(count * to).div_ceil(8)];
        part.iter().copied().reduce(combine).unwrap_or_default()
    }

    /// Fails if the minimum of the last quarter exceeds the maximum of the first half, as a leak
    /// makes it do.
    #[track_caller]
    pub(crate) fn check(&self) {
        for eighth in 0..8 {
            let [least, most] = [Usage::min, Usage::max].map(|f| self.part(eighth, eighth + 1, f));
            eprintln!("eighth {}: from {least} to {most}", eighth + 1);
        }
        let (early, late) = (self.part(0, 4, Usage::max), self.part(6, 8, Usage::min));
        // AddressSanitizer keeps freed memory in quarantine. LeakSanitizer finds leaks of memory.
        if env::var_os("HS_TEST_SANITIZED").is_none() {
            assert!(late.memory <= early.memory + TOLERANCE, "memory: {early}, later {late}");
        }
        assert!(late.descriptors <= early.descriptors, "descriptors: {early}, later {late}");
        assert!(late.threads <= early.threads, "threads: {early}, later {late}");
    }
}
