//! How a process watches a tree, and why it ends.

use std::time::Duration;

/// How a tree is watched.
#[derive(Clone, Copy, Debug)]
pub struct WatchConfig {
    /// The process ends after this time without a search.
    pub idle: Duration,
}

impl Default for WatchConfig {
    /// A day.
    fn default() -> WatchConfig {
        WatchConfig { idle: Duration::from_secs(24 * 60 * 60) }
    }
}

/// Why watching has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// A command requested the end.
    Stopped,
    /// No search has needed it for the [time](WatchConfig::idle) after which it ends.
    Idle,
    /// The index was removed.
    IndexGone,
    /// The directory was removed, or is elsewhere.
    RootGone,
}
