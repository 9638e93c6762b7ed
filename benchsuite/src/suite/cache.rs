//! Whether the files of a corpus are in the page cache when a run begins.

use std::fs::OpenOptions;
use std::io;
use std::process::{Command, Stdio};

/// What drops the page cache on Linux.
const SWITCH: &str = "/proc/sys/vm/drop_caches";

/// Drops the page cache, as a shell runs it.
const DROP: &str = "sync; echo 3 > /proc/sys/vm/drop_caches";

/// What the page cache holds of a tree when a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    /// All that fits: the tree has just been read.
    Warm,
    /// Nothing.
    Cold,
}

impl Cache {
    /// Cold if that is wanted and possible: only root may drop the cache, and not in every
    /// container.
    pub(crate) fn choose(is_cold: bool) -> io::Result<Cache> {
        if is_cold { Cache::cold(SWITCH) } else { Ok(Cache::Warm) }
    }

    /// Cold, if `switch` can be written to.
    fn cold(switch: &str) -> io::Result<Cache> {
        OpenOptions::new().write(true).open(switch).map(|_| Cache::Cold).map_err(|error| {
            let why = "--cold has to drop the system's caches, which only root may";
            io::Error::new(error.kind(), format!("{why}: {switch}: {error}"))
        })
    }

    /// Drops the page cache if the next run is to be cold.
    pub(crate) fn prepare(self) -> io::Result<()> {
        if self == Cache::Warm {
            return Ok(());
        }
        let status = Command::new("sh").args(["-c", DROP]).stdin(Stdio::null()).status()?;
        let failed = || io::Error::other(format!("{DROP}: {status}"));
        status.success().then_some(()).ok_or_else(failed)
    }

    /// What tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cache::Warm => "warm",
            Cache::Cold => "cold",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_is_refused_without_the_permission_to_drop_caches() {
        let temp = tempfile::tempdir().unwrap();
        let switch = temp.path().join("switch");
        let switch = switch.to_str().unwrap();
        let error = Cache::cold(switch).unwrap_err();
        let start = "--cold has to drop the system's caches, which only root may: ";
        assert!(error.to_string().starts_with(&format!("{start}{switch}: ")), "{error}");
        std::fs::write(switch, "").unwrap();
        assert_eq!(Cache::cold(switch).unwrap(), Cache::Cold);
        assert_eq!(Cache::choose(false).unwrap(), Cache::Warm);
        Cache::Warm.prepare().unwrap();
    }
}
