//! The exit codes, and how a thread waits for the exit.

use std::thread;

/// Something was found.
pub(crate) const FOUND_CODE: u8 = 0;
/// Nothing was found, and nothing went wrong.
const NOTHING_CODE: u8 = 1;
/// Something went wrong.
pub(crate) const FAILED_CODE: u8 = 2;

/// Errors decide the exit code even if there were results, except with `--quiet`.
pub(crate) fn exit_code(found: bool, quiet: bool, failed: bool) -> u8 {
    match (found, failed) {
        (true, true) if quiet => FOUND_CODE,
        (_, true) => FAILED_CODE,
        (true, false) => FOUND_CODE,
        (false, false) => NOTHING_CODE,
    }
}

/// Blocks forever. To be called by a thread while another one ends the program.
pub(crate) fn park() -> ! {
    loop {
        thread::park();
    }
}
