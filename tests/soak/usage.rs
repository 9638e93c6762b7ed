//! What a process uses, as `/proc` tells it, and whether that stays the same.

use std::{env, fmt, fs, thread, time::Duration};

/// What a process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Memory that it occupies, in KiB.
    pub(crate) memory: u64,
    pub(crate) descriptors: usize,
    pub(crate) threads: usize,
}

impl Usage {
    /// The larger of each.
    pub(crate) fn max(self, other: Usage) -> Usage {
        Usage {
            memory: self.memory.max(other.memory),
            descriptors: self.descriptors.max(other.descriptors),
            threads: self.threads.max(other.threads),
        }
    }

    /// The smaller of each.
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

/// What the process with this directory in `/proc` uses now; None if it has ended.
pub(crate) fn of(process: &str) -> Option<Usage> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name| status.lines().find_map(|line| line.strip_prefix(name));
    let memory = field("VmRSS:")?.trim().split(' ').next()?.parse().ok()?;
    let threads = field("Threads:")?.trim().parse().ok()?;
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count();
    Some(Usage { memory, descriptors, threads })
}

/// What this process uses, between searches. The tree's mutator opens a file now and then, and a thread that has been
/// joined may take a moment to vanish, so that of several looks the smallest counts.
pub(crate) fn of_this_process() -> Usage {
    let look = || of("self").expect("this process is there");
    (0..5).fold(look(), |least, _| {
        thread::sleep(Duration::from_micros(100));
        least.min(look())
    })
}

/// How much memory may go up and down, in KiB: what allocators keep, and what patterns and files of different sizes take.
const SLACK: u64 = 16 << 10;

/// What was used as time went by.
#[derive(Debug, Default)]
pub(crate) struct Course(Vec<Usage>);

impl Course {
    pub(crate) fn note(&mut self, usage: Usage) {
        self.0.push(usage);
    }

    /// What was noted from one eighth of the time to another, put together in pairs.
    fn part(&self, from: usize, to: usize, together: fn(Usage, Usage) -> Usage) -> Usage {
        let noted = self.0.len();
        let part = &self.0[noted * from / 8..(noted * to).div_ceil(8)];
        part.iter().copied().reduce(together).unwrap_or_default()
    }

    /// Fail if at the end there was never as little used as was enough in the first half: what is not given back adds up.
    #[track_caller]
    pub(crate) fn check(&self) {
        for eighth in 0..8 {
            let [least, most] = [Usage::min, Usage::max].map(|f| self.part(eighth, eighth + 1, f));
            eprintln!("eighth {}: from {least} to {most}", eighth + 1);
        }
        let (early, late) = (self.part(0, 4, Usage::max), self.part(6, 8, Usage::min));
        // AddressSanitizer keeps much of what is freed, to know who uses it after. LeakSanitizer tells what never is.
        if env::var_os("HS_TEST_SANITIZED").is_none() {
            assert!(late.memory <= early.memory + SLACK, "memory: {early}, later {late}");
        }
        assert!(late.descriptors <= early.descriptors, "descriptors: {early}, later {late}");
        assert!(late.threads <= early.threads, "threads: {early}, later {late}");
    }
}
