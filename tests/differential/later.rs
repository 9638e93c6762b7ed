//! Flags that this version of heist does not have yet. They are left out of the comparison.

use std::{ffi::OsStr, process::Command, sync::LazyLock};

use crate::words;

/// The entries of the tables that the program refuses as not available.
static LATER: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let tables = [&words::OUTPUT[..], &words::MODES, &words::SEARCH, &words::FILTER];
    tables.into_iter().flatten().copied().filter(|flag| is_refused(flag)).collect()
});

fn is_refused(flag: &str) -> bool {
    let mut command = Command::new(OsStr::new(env!("CARGO_BIN_EXE_hs")));
    command.args(["--no-config", "-m0", "-ex"]).args(flag.split(' ')).arg("no-such-file");
    let output = command.output().expect("hs runs");
    String::from_utf8_lossy(&output.stderr).contains("is not available in this version")
}

/// Beginnings of entries that the program takes and does not obey yet.
const NOT_YET: [&str; 0] = [];

/// Whether the program has this flag.
pub(crate) fn has(flag: &str) -> bool {
    !LATER.contains(&flag) && !NOT_YET.iter().any(|start| flag.starts_with(start))
}

/// Whether the program has all flags of a command line.
pub(crate) fn has_all(line: &str) -> bool {
    line.split(' ').all(|word| !word.starts_with('-') || word == "--" || !is_refused(word))
}
