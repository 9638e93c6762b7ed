//! Messages on standard error: errors that do not end the run, warnings, and debug lines.
//!
//! Each message is written at once and while standard output is locked, so that it never interrupts
//! a line of results on a terminal.

use std::{
    fmt,
    io::{self, IsTerminal},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use bstr::ByteSlice;
use heist_printer::{visible, visible_line};

use crate::{name, output::write_message};

/// Prints errors and records that there were some. All workers of a run share one.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    hide: bool,
    hide_ignore: bool,
    failed: AtomicBool,
    /// How many paths could not be opened for want of permission.
    denied: AtomicUsize,
}

/// How many paths without permission are reported one by one on a terminal.
const MAX_DENIED: usize = 20;

/// The error of a path that is not reported, because the same error has been reported for another.
#[derive(Debug)]
pub(crate) struct Repeated;

impl fmt::Display for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("reported before")
    }
}

impl std::error::Error for Repeated {}

impl Messages {
    /// `hide`: print nothing (`--no-messages`). `hide_ignore`: print nothing about ignore files
    /// (`--no-ignore-messages`).
    pub(crate) fn new(hide: bool, hide_ignore: bool) -> Messages {
        Messages { hide, hide_ignore, ..Messages::default() }
    }

    /// Reports an error without a path, in several lines. Like all errors, it ends the run with
    /// exit code 2, whether or not it is shown.
    pub(crate) fn error_in_lines(&self, lines: impl fmt::Display) {
        self.fail();
        self.warn_in_lines("", lines);
    }

    /// Notes a failure that is reported elsewhere.
    pub(crate) fn fail(&self) {
        // Ordering: Relaxed; the flag is read after all workers were joined, which orders
        // everything.
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Reports that `path` could not be searched because of `error`, which may quote what another
    /// program printed.
    pub(crate) fn path_error(&self, path: &[u8], error: &io::Error) {
        self.fail();
        if !self.is_one_of_many(error) {
            self.warn_in_lines(format_args!("{}: ", path.as_bstr()), error);
        }
    }

    /// Reports that the walk could not enter a path.
    pub(crate) fn walk_error(&self, error: &heist_walk::Error) {
        self.fail();
        if !error.io_error().is_some_and(|error| self.is_one_of_many(error)) {
            self.warn(error);
        }
    }

    /// Whether enough errors like `error` have been reported: a search of `/` meets thousands of
    /// paths without permission, which push everything else off a terminal.
    fn is_one_of_many(&self, error: &io::Error) -> bool {
        if error.get_ref().is_some_and(|error| error.is::<Repeated>()) {
            return true;
        }
        // Ordering: Relaxed; each worker has to count, and the sum is read after all were joined.
        error.kind() == io::ErrorKind::PermissionDenied
            && self.denied.fetch_add(1, Ordering::Relaxed) >= MAX_DENIED
            && io::stderr().is_terminal()
    }

    /// Reports how many paths were not reported one by one. To be called once, at the end.
    pub(crate) fn summarize(&self) {
        // Ordering: Relaxed, as in `is_one_of_many`.
        let more = self.denied.load(Ordering::Relaxed).saturating_sub(MAX_DENIED);
        if more > 0 && io::stderr().is_terminal() {
            self.warn(format_args!("Permission denied: and {} more", grouped(more)));
        }
    }

    /// Prints a warning, which does not affect the exit code.
    pub(crate) fn warn(&self, line: impl fmt::Display) {
        self.warn_in_lines(line, "");
    }

    /// Like [`warn`](Messages::warn), with a message of several lines.
    pub(crate) fn warn_in_lines(&self, line: impl fmt::Display, lines: impl fmt::Display) {
        if !self.hide {
            report_in_lines(line, lines);
        }
    }

    /// Reports an error in an ignore file, which does not affect the exit code.
    pub(crate) fn ignore_problem(&self, line: impl fmt::Display) {
        if !self.hide_ignore {
            self.warn(line);
        }
    }

    /// Whether an error was reported, shown or not.
    pub(crate) fn has_failed(&self) -> bool {
        // Ordering: Relaxed, see `fail`.
        self.failed.load(Ordering::Relaxed)
    }
}

/// `number` with a comma before each group of three digits.
pub(crate) fn grouped(number: impl fmt::Display) -> String {
    let digits = number.to_string();
    let (head, groups) = digits.split_at(digits.len() % 3);
    let groups = groups.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group));
    let all = [head.into()].into_iter().chain(groups).filter(|group| !group.is_empty());
    all.collect::<Vec<_>>().join(",")
}

/// Prints one message, which is one line.
pub(crate) fn report(line: impl fmt::Display) {
    report_in_lines(line, "");
}

/// Prints a message that consists of `line` and, directly after it, `lines`.
pub(crate) fn report_in_lines(line: impl fmt::Display, lines: impl fmt::Display) {
    write(&format!("{}: {line}", name::program()), &format!("{lines}\n"));
}

/// Writes `line` and `lines` at once. Errors are ignored, since there is nowhere to report them.
///
/// Messages contain names and patterns of untrusted origin, so on a terminal control characters are
/// escaped. In `line` this includes line feeds: no name can imitate another message.
fn write(line: &str, lines: &str) {
    let message = if io::stderr().is_terminal() {
        [visible_line(line), visible(lines)].concat()
    } else {
        [line, lines].concat().into_bytes()
    };
    let _results = io::stdout().lock();
    let _ = write_message(&message);
}

/// Prints the log records of all crates, for `--debug` and `--trace`.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let level = record.level().as_str().to_ascii_lowercase();
        write(&format!("{level}: {}", record.args()), "\n");
    }

    fn flush(&self) {}
}

/// Enables log records up to `level`; none if it is `None`.
pub(crate) fn log_up_to(level: Option<log::Level>) {
    let Some(level) = level else { return };
    // Fails only if this logger is set already.
    let _ = log::set_logger(&Logger);
    log::set_max_level(level.to_level_filter());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_errors_are_recorded() {
        let messages = Messages::new(true, false);
        assert!(!messages.has_failed());
        messages.error_in_lines("not printed");
        assert!(messages.has_failed());
    }

    #[test]
    fn digits_stand_in_groups_of_three() {
        let grouped: Vec<String> = [0, 12, 123, 7_400, 1_234_567].map(grouped).into();
        assert_eq!(grouped, ["0", "12", "123", "7,400", "1,234,567"]);
    }

    #[test]
    fn problems_of_ignore_files_are_no_errors() {
        let messages = Messages::new(true, true);
        messages.ignore_problem("not printed");
        messages.warn("not printed either");
        assert!(!messages.has_failed());
    }
}
