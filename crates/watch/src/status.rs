//! What a search learns about the process if not what has changed, and what the process does.

use std::{fmt, io};

/// Why it is not known what has changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unknown {
    /// No process watches the tree.
    NotWatched,
    /// The process has not answered in time.
    Silent,
    /// The process is another version of the program.
    OtherVersion,
    /// The index is not, or not yet, the one that the process knows.
    OtherIndex,
    /// Other file systems are mounted for the process.
    OtherMounts,
    /// The directory is not, or no longer, the one that the process watches.
    OtherRoot,
    /// The process has not yet compared all files with the index.
    Comparing,
    /// There were too many changes for the system to report all; the process compares all files
    /// with the index again.
    Lost,
    /// The system's error.
    Io(io::Error),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unknown::NotWatched => "no process watches the directory",
            Unknown::Silent => "the watching process has not answered in time",
            Unknown::OtherVersion => "the watching process is another version of the program",
            Unknown::OtherIndex => "the watching process does not know this index yet",
            Unknown::OtherMounts => "other file systems are mounted for the watching process",
            Unknown::OtherRoot => "the watching process watches another directory",
            Unknown::Comparing => "the watching process still compares files with the index",
            Unknown::Lost => {
                "the watching process may have missed changes, and compares all files again"
            }
            Unknown::Io(error) => {
                return write!(f, "the watching process cannot be reached: {error}");
            }
        })
    }
}

/// What a process does that watches a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The number of the process.
    pub process: u32,
    /// The seconds for which it has watched.
    pub seconds: u64,
    /// The directories that it watches.
    pub dirs: u64,
    /// The searches that it has answered.
    pub answers: u64,
    /// The directories, files and sources of rules that may have changed since the index was built.
    pub changes: [u32; 3],
    /// Whether it compares files with the index, and does not yet answer searches.
    pub is_comparing: bool,
}

impl From<io::Error> for Unknown {
    fn from(error: io::Error) -> Unknown {
        match error.kind() {
            // As if it had closed the connection a moment later.
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => Unknown::Silent,
            _ => Unknown::Io(error),
        }
    }
}
