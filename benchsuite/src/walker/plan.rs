//! What is compared: ways of walking, in an order that favours none of them.

use std::fmt;

use clap::ValueEnum;
use heist_queue::{IdleKind, QueueKind};

/// Threads that are tried unless others are asked for: those of the documents.
const THREADS: [usize; 9] = [1, 2, 4, 6, 8, 12, 16, 24, 32];

/// More than this many threads `hs` does not start on its own.
const MOST_DEFAULT_THREADS: usize = 12;

/// What a walk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Visit every entry, follow no rule, as `hs --files -uu` does but for the printing
    All,
    /// Visit what ignore files leave, as `hs --files` does but for the printing
    Ignore,
    /// Visit every entry and read every file, without looking for anything in it
    Read,
}

impl Mode {
    /// What it is called on the command line and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::All => "all",
            Mode::Ignore => "ignore",
            Mode::Read => "read",
        }
    }

    /// Whether there is a least possible work to compare it with: none is known for rules.
    fn has_floor(self) -> bool {
        cfg!(target_os = "linux") && self != Mode::Ignore
    }
}

/// What walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// One worker, which uses no queue and no policy whichever are chosen.
    Alone,
    /// A crew.
    Crew(QueueKind, IdleKind),
    /// The least work anybody could do.
    Floor,
}

/// One line of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// What walks.
    pub(crate) system: System,
    /// With how many threads.
    pub(crate) threads: usize,
}

impl Configuration {
    /// The walk that all others have to agree with.
    pub(crate) const REFERENCE: Configuration = Configuration { system: System::Alone, threads: 1 };

    /// What `hs` does on its own on a machine with `cores` cores.
    pub(crate) fn default_on(cores: usize) -> Configuration {
        match default_threads(cores) {
            1 => Configuration::REFERENCE,
            threads => {
                let system = System::Crew(QueueKind::default(), IdleKind::default());
                Configuration { system, threads }
            }
        }
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.system {
            System::Alone => write!(f, "no queue")?,
            System::Crew(queue, idle) => write!(f, "{queue} {idle}")?,
            System::Floor => write!(f, "floor")?,
        }
        write!(f, " -j{}", self.threads)
    }
}

/// What the user chose from.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Numbers of threads, each once, ascending.
    pub(crate) threads: Vec<usize>,
    /// Queues.
    pub(crate) queues: Vec<QueueKind>,
    /// Idle policies.
    pub(crate) idles: Vec<IdleKind>,
}

impl Plan {
    /// Every configuration of a mode. One worker is the same whatever the queue, so it is one line.
    pub(crate) fn configurations(&self, mode: Mode) -> Vec<Configuration> {
        let mut all = Vec::new();
        if self.threads.contains(&1) {
            all.push(Configuration::REFERENCE);
        }
        for &queue in &self.queues {
            for &idle in &self.idles {
                let several = self.threads.iter().filter(|&&threads| threads > 1);
                all.extend(
                    several.map(|&threads| Configuration {
                        system: System::Crew(queue, idle),
                        threads,
                    }),
                );
            }
        }
        if mode.has_floor() {
            let system = System::Floor;
            all.extend([1, 2].map(|threads| Configuration { system, threads }));
        }
        all
    }
}

/// How many threads `hs` starts on its own.
pub(crate) fn default_threads(cores: usize) -> usize {
    cores.clamp(1, MOST_DEFAULT_THREADS)
}

/// The numbers of threads to try if none were asked for; what `hs` starts is among them.
pub(crate) fn usual_threads(cores: usize) -> Vec<usize> {
    let mut threads = THREADS.to_vec();
    threads.push(default_threads(cores));
    threads.sort_unstable();
    threads.dedup();
    threads
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn plan(threads: &[usize]) -> Plan {
        Plan {
            threads: threads.to_vec(),
            queues: QueueKind::ALL.to_vec(),
            idles: IdleKind::ALL.to_vec(),
        }
    }

    #[test]
    fn every_queue_meets_every_policy_and_one_worker_meets_none() {
        let pairs = QueueKind::ALL.len() * IdleKind::ALL.len();
        let all = plan(&[1, 2, 4]).configurations(Mode::Ignore);
        assert_eq!(all.len(), 1 + 2 * pairs);
        assert_eq!(all[0], Configuration::REFERENCE);
        let names: BTreeSet<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), all.len(), "no line is there twice");
        assert!(names.contains("deque biased-event -j4"), "{names:?}");
        assert_eq!(plan(&[2]).configurations(Mode::Ignore).len(), pairs);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_floor_stands_beside_modes_without_rules() {
        for (mode, floors) in [(Mode::All, 2), (Mode::Ignore, 0), (Mode::Read, 2)] {
            let all = plan(&[1]).configurations(mode);
            let found = all.iter().filter(|one| one.system == System::Floor).count();
            assert_eq!(found, floors, "{mode:?}");
        }
    }

    #[test]
    fn the_default_is_always_tried() {
        assert_eq!(usual_threads(2), THREADS);
        assert_eq!(usual_threads(1), THREADS);
        assert_eq!(usual_threads(64), THREADS);
        assert_eq!(usual_threads(10), [1, 2, 4, 6, 8, 10, 12, 16, 24, 32]);
        assert_eq!(Configuration::default_on(1), Configuration::REFERENCE);
        assert_eq!(Configuration::default_on(64).to_string(), "deque biased-event -j12");
    }
}
