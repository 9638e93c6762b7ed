//! Where and when a record was made, as far as the system reports it.

use std::env;
use std::fs;
use std::iter;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Libraries that take part in comparisons.
const LIBRARIES: [&str; 8] = [
    "crossbeam-channel",
    "crossbeam-deque",
    "crossbeam-epoch",
    "haphazard",
    "ignore",
    "rayon",
    "seize",
    "st3",
];

/// The machine, and how busy it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The operating system and the instruction set: `linux x86_64`.
    #[serde(default)]
    pub(crate) system: String,
    /// Cores this process may use.
    pub(crate) cores: usize,
    /// The processor's model name.
    pub(crate) cpu: Option<String>,
    /// All memory there is, in KiB.
    #[serde(default)]
    pub(crate) memory_kib: Option<u64>,
    /// The kernel's release.
    pub(crate) kernel: Option<String>,
    /// How the clock rate is chosen.
    pub(crate) governor: Option<String>,
    /// The load averages before the first run, over 1, 5 and 15 minutes.
    pub(crate) load: Option<String>,
}

impl Machine {
    /// This machine, now.
    pub(crate) fn here() -> Machine {
        let line = |path: &str| {
            let text = fs::read_to_string(path).ok()?;
            Some(text.lines().next()?.trim().to_string())
        };
        let load =
            line("/proc/loadavg").map(|line| line.split(' ').take(3).collect::<Vec<_>>().join(" "));
        let memory = field_of("/proc/meminfo", "MemTotal");
        Machine {
            system: format!("{} {}", env::consts::OS, env::consts::ARCH),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            cpu: field_of("/proc/cpuinfo", "model name"),
            memory_kib: memory.and_then(|text| text.strip_suffix(" kB")?.parse().ok()),
            kernel: line("/proc/sys/kernel/osrelease"),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            load,
        }
    }

    /// The machine in one line of text.
    pub(crate) fn sentence(&self) -> String {
        let unknown = || "unknown".to_owned();
        format!(
            "{}, kernel {}, {}, {} cores, {} MiB, load {}",
            self.system,
            self.kernel.clone().unwrap_or_else(unknown),
            self.cpu.clone().unwrap_or_else(unknown),
            self.cores,
            self.memory_kib.map_or_else(unknown, |kib| (kib / 1024).to_string()),
            self.load.clone().unwrap_or_else(unknown),
        )
    }

    /// The facts that tables mention only if they are known, with their names.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let facts =
            [("kernel", &self.kernel), ("governor", &self.governor), ("load before", &self.load)];
        facts.into_iter().filter_map(|(name, fact)| Some((name, fact.as_deref()?)))
    }

    /// The load average over a minute when the run began.
    pub(crate) fn load_before(&self) -> Option<f64> {
        self.load.as_ref()?.split(' ').next()?.parse().ok()
    }
}

/// The value of `name` in a file from the kernel, if it reports it.
pub(crate) fn field_of(path: &str, name: &str) -> Option<String> {
    field(&fs::read_to_string(path).ok()?, name)
}

/// The value of `name` in a text with lines like `name : value`.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// A program or a library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tool {
    /// As rows name it: `hs`, `rg`, `git grep`.
    pub(crate) name: String,
    pub(crate) version: String,
}

/// The libraries that are compared, with their versions in the lock file of this program.
pub(crate) fn libraries() -> Vec<Tool> {
    #[derive(Deserialize)]
    struct Lock {
        package: Vec<Tool>,
    }
    let lock: Lock =
        toml::from_str(include_str!("../../Cargo.lock")).expect("a test has read the lock file");
    let (name, version) = ("heist".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let packages = lock.package.into_iter();
    let compared = packages.filter(|package| LIBRARIES.contains(&&*package.name));
    iter::once(Tool { name, version }).chain(compared).collect()
}

/// The date and time in UTC, as `2026-03-02 14:05`.
pub(crate) fn date() -> String {
    date_of(SystemTime::now())
}

fn date_of(time: SystemTime) -> String {
    let text = humantime::format_rfc3339_seconds(time).to_string();
    text.chars().take("2026-03-02T14:05".len()).collect::<String>().replace('T', " ")
}

/// A seed that differs from run to run.
pub(crate) fn seed_by_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos() as u64)
}

/// What the processors have done so far, in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticks {
    total: u64,
    stolen: u64,
}

impl Ticks {
    /// Up to now; 0 where the system does not report them.
    pub(crate) fn now() -> Ticks {
        fs::read_to_string("/proc/stat").ok().and_then(|text| ticks(&text)).unwrap_or_default()
    }

    /// How much of the time since `before` the hypervisor gave to others, from 0 to 1.
    pub(crate) fn stolen_since(self, before: Ticks) -> f64 {
        let total = self.total.saturating_sub(before.total).max(1);
        self.stolen.saturating_sub(before.stolen) as f64 / total as f64
    }

    /// Whether so much of it was given that figures are doubtful: over 5 %.
    pub(crate) fn is_stolen_since(self, before: Ticks) -> bool {
        self.stolen_since(before) > 0.05
    }
}

/// The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal; what
/// follows is contained in the first two.
fn ticks(stat: &str) -> Option<Ticks> {
    let fields = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = fields.split_whitespace().map_while(|n| n.parse().ok()).collect();
    Some(Ticks { total: fields.iter().take(8).sum(), stolen: *fields.get(7)? })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00"),
            (951_782_400 + 3_600 + 120, "2000-02-29 01:02"),
            (1_709_251_199, "2024-02-29 23:59"),
            (1_798_761_599, "2026-12-31 23:59"),
            (1_798_761_600, "2027-01-01 00:00"),
        ] {
            assert_eq!(date_of(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn stolen_time_is_the_eighth_field() {
        let at = |stat| ticks(stat).expect("a line of ticks");
        let before = at("cpu  100 0 100 800 0 0 0 0 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
        let quiet = at("cpu  150 0 100 845 0 0 0 5 50 0\n");
        let noisy = at("cpu  150 0 100 844 0 0 0 6 50 0\n");
        assert!(!quiet.is_stolen_since(before), "5 of 100 ticks are not over 5 %");
        assert!(noisy.is_stolen_since(before));
        assert!(!before.is_stolen_since(before));
        assert!(ticks("nothing of the kind").is_none());
    }

    #[test]
    fn the_lock_file_has_every_library() {
        let names: Vec<String> = libraries().into_iter().map(|library| library.name).collect();
        assert_eq!(names[0], "heist");
        assert_eq!(names[1..], LIBRARIES);
    }

    #[test]
    fn a_processor_has_a_name() {
        let name = |cpuinfo| field(cpuinfo, "model name");
        assert_eq!(name("vendor_id\t: x\nmodel name\t: Fast 9000\n"), Some("Fast 9000".into()));
        assert_eq!(name("Processor\t: something else\n"), None);
    }
}
