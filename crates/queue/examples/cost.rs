//! What one item costs: wall and CPU time, context switches, wake-ups, for each queue, number of
//! workers and way of sharing, on a tree in memory whose nodes do nothing but spend a given time.
//!
//! ```text
//! cargo run --release -p heist-queue --example cost -- [NODE_NS [WIDTH [DEPTH [REPEATS [J...]]]]]
//! ```
//!
//! Variants take turns, so that a noisy machine disturbs all of them alike; a row shows medians,
//! and the least wall time. CPU time and switches are read by each thread from `/proc` when it
//! ends; elsewhere than on Linux they are 0.

use std::fs;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::thread;
use std::time::Instant;

use heist_queue::{Job, QueueKind, RunConfig, Sharing, Sink, Stop, run_on};

/// A node: how many levels are below it.
type Depth = u32;

struct Spend {
    width: u32,
    rounds: u64,
    /// What the calling thread had used before the run.
    before: Usage,
}

impl Job<Depth> for Spend {
    type Output = Usage;

    fn run<S: Sink<Depth>>(&mut self, depth: Depth, sink: &mut S) -> ControlFlow<()> {
        spend(self.rounds);
        if depth > 0 {
            (0..self.width).for_each(|_| sink.spawn(depth - 1));
        }
        ControlFlow::Continue(())
    }

    fn finish(self) -> Usage {
        let now = Usage::of_this_thread();
        if thread::current().name().is_some_and(|name| name.starts_with("worker-")) {
            return now;
        }
        // The calling thread finishes its own job, and afterwards those that never had a thread:
        // `before` is set in one of them only.
        if self.before.is_nothing() { self.before } else { now.since(self.before) }
    }
}

fn spend(rounds: u64) {
    let mut x = rounds | 1;
    for _ in 0..rounds {
        x = black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17));
    }
}

/// How many rounds take a nanosecond, at best of some tries.
fn rounds_per_ns() -> f64 {
    const ROUNDS: u64 = 2_000_000;
    let once = |_| {
        let begun = Instant::now();
        spend(ROUNDS);
        begun.elapsed().as_secs_f64() * 1e9
    };
    ROUNDS as f64 / (0..9).map(once).fold(f64::INFINITY, f64::min)
}

/// What a thread has used.
#[derive(Clone, Copy, Default)]
struct Usage {
    cpu_ns: u64,
    voluntary: u64,
    involuntary: u64,
}

impl Usage {
    fn of_this_thread() -> Usage {
        let schedstat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let cpu_ns = schedstat.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0);
        let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        Usage {
            cpu_ns,
            voluntary: field("voluntary_ctxt_switches:"),
            involuntary: field("nonvoluntary_ctxt_switches:"),
        }
    }

    fn is_nothing(self) -> bool {
        self.cpu_ns + self.voluntary + self.involuntary == 0
    }

    fn since(self, before: Usage) -> Usage {
        Usage {
            cpu_ns: self.cpu_ns - before.cpu_ns,
            voluntary: self.voluntary - before.voluntary,
            involuntary: self.involuntary - before.involuntary,
        }
    }
}

/// One measured run.
#[derive(Clone, Copy)]
struct Sample {
    wall_ns: u64,
    usage: Usage,
    parks: u64,
    wakes: u64,
    pushed: u64,
    steals: u64,
    threads: u64,
    items: u64,
}

struct Setup {
    rounds: u64,
    width: u32,
    depth: Depth,
}

#[derive(Clone, Copy)]
struct Variant {
    kind: QueueKind,
    workers: usize,
    sharing: Sharing,
}

fn measure(setup: &Setup, variant: Variant) -> Sample {
    let cfg = RunConfig { sharing: variant.sharing, ..RunConfig::default() };
    let before = Usage::of_this_thread();
    let job = |i| Spend {
        width: setup.width,
        rounds: setup.rounds,
        before: if i == 0 { before } else { Usage::default() },
    };
    let jobs: Vec<Spend> = (0..variant.workers).map(job).collect();
    let begun = Instant::now();
    let report = match run_on(variant.kind, &cfg, vec![setup.depth], jobs) {
        Ok(report) => report,
        Err(panicked) => std::panic::resume_unwind(panicked.payload),
    };
    let wall_ns = begun.elapsed().as_nanos() as u64;
    let expected: u64 = (0..=setup.depth).map(|level| u64::from(setup.width).pow(level)).sum();
    assert_eq!(
        (report.executed, report.stop),
        (expected, Stop::Done),
        "a row that is wrong says nothing"
    );
    let sum = |field: fn(&Usage) -> u64| report.outputs.iter().map(field).sum();
    Sample {
        wall_ns,
        usage: Usage {
            cpu_ns: sum(|u| u.cpu_ns),
            voluntary: sum(|u| u.voluntary),
            involuntary: sum(|u| u.involuntary),
        },
        parks: report.idle.parks,
        wakes: report.idle.wakes,
        pushed: report.queue.pushed,
        steals: report.queue.steals,
        threads: report.threads_started as u64,
        items: expected,
    }
}

fn median(samples: &[Sample], field: impl Fn(&Sample) -> u64) -> u64 {
    let mut values: Vec<u64> = samples.iter().map(field).collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

fn print_row(variant: Variant, samples: &[Sample]) {
    let per_item = |ns: u64| ns as f64 / samples[0].items as f64;
    let wall = per_item(median(samples, |s| s.wall_ns));
    let least = per_item(samples.iter().map(|s| s.wall_ns).min().unwrap_or(0));
    let cpu = per_item(median(samples, |s| s.usage.cpu_ns));
    let of = |field: fn(&Sample) -> u64| median(samples, field);
    println!(
        "{:8} {:5} {:3} {wall:9.1} {least:9.1} {cpu:9.1} {:7} {:7} {:6} {:6} {:8} {:7} {:4}",
        variant.kind,
        format!("{:?}", variant.sharing).to_lowercase(),
        variant.workers,
        of(|s| s.usage.voluntary),
        of(|s| s.usage.involuntary),
        of(|s| s.parks),
        of(|s| s.wakes),
        of(|s| s.pushed),
        of(|s| s.steals),
        of(|s| s.threads),
    );
}

fn main() {
    let given: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let number = |i: usize, default| given.get(i).copied().unwrap_or(default);
    let rounds = (number(0, 5_000) as f64 * rounds_per_ns()) as u64;
    let setup = Setup { rounds, width: number(1, 8) as u32, depth: number(2, 5) as u32 };
    let repeats = number(3, 11);
    let mut workers: Vec<usize> = given.iter().skip(4).map(|&n| n as usize).collect();
    if workers.is_empty() {
        workers = vec![1, 2, 32];
    }
    let mut variants = Vec::new();
    for kind in QueueKind::ALL {
        for sharing in [Sharing::Lazy, Sharing::Eager] {
            let variant = |&workers: &usize| Variant { kind: *kind, workers, sharing };
            variants.extend(workers.iter().map(variant));
        }
    }
    let mut samples: Vec<Vec<Sample>> = variants.iter().map(|_| Vec::new()).collect();
    for _ in 0..repeats {
        for (variant, samples) in variants.iter().zip(&mut samples) {
            samples.push(measure(&setup, *variant));
        }
    }
    println!(
        "queue    share   j   wall ns  least ns    cpu ns  volunt involun  parks  wakes   \
         pushed  steals  thr"
    );
    for (variant, samples) in variants.iter().zip(&samples) {
        print_row(*variant, samples);
    }
}
