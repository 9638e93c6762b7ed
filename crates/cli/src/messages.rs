//! What is told besides results, on standard error: errors that do not end the run, and debug
//! lines.
//!
//! Every message is one write, made while standard output is locked, so that on a terminal it never
//! lands within a line of results.

use std::{
    fmt,
    io::{self, IsTerminal},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use bstr::ByteSlice;
use heist_printer::{visible, visible_line};

use crate::{name, output::write_message};

/// Tells of errors and remembers that there were some. One per run, shared by all workers.
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

    /// Reports an error without a path, in several lines. Like all errors, it makes the run end with
    /// exit code 2, whether or not it is shown.
    pub(crate) fn error_in_lines(&self, lines: impl fmt::Display) {
        self.fail();
        self.warn_in_lines("", lines);
    }

    fn fail(&self) {
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

    /// Something is amiss that does not change the exit code.
    pub(crate) fn warn(&self, line: impl fmt::Display) {
        self.warn_in_lines(line, "");
    }

    /// The same, said in `line` and the `lines` behind it.
    pub(crate) fn warn_in_lines(&self, line: impl fmt::Display, lines: impl fmt::Display) {
        if !self.hide {
            report_in_lines(line, lines);
        }
    }

    /// Something is wrong in or with an ignore file. Does not change the exit code.
    pub(crate) fn ignore_problem(&self, line: impl fmt::Display) {
        if !self.hide_ignore {
            self.warn(line);
        }
    }

    /// Whether [`error`](Messages::error) was called.
    pub(crate) fn has_failed(&self) -> bool {
        // Ordering: see `error`.
        self.failed.load(Ordering::Relaxed)
    }
}

/// `number` with a comma before each group of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let (head, groups) = digits.split_at(digits.len() % 3);
    let groups = groups.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group));
    let all = [head.into()].into_iter().chain(groups).filter(|group| !group.is_empty());
    all.collect::<Vec<_>>().join(",")
}

/// Print one message, which is one line.
pub(crate) fn report(line: impl fmt::Display) {
    report_in_lines(line, "");
}

/// Print one message: `line`, and behind it `lines`. A standard error that cannot be written to leaves nobody to tell.
/// Messages hold names and patterns that others have chosen: a terminal is shown what it would obey, and in `line`,
/// where no line ends, line feeds too, so that no name looks like another message.
pub(crate) fn report_in_lines(line: impl fmt::Display, lines: impl fmt::Display) {
    let line = format!("{}: {line}", name::program());
    let lines = format!("{lines}\n");
    let message = if io::stderr().is_terminal() {
        [visible_line(&line), visible(&lines)].concat()
    } else {
        (line + &lines).into_bytes()
    };
    let _results = io::stdout().lock();
    let _ = write_message(&message);
}

/// Prints what the crates log, for `--debug` and `--trace`.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let module = record.module_path().unwrap_or_default();
        let (level, text) = (record.level(), record.args());
        match (record.file(), record.line()) {
            (Some(file), Some(line)) => {
                report(format_args!("{level}|{module}|{file}:{line}: {text}"));
            }
            _ => report(format_args!("{level}|{module}: {text}")),
        }
    }

    fn flush(&self) {}
}

/// Print what is logged up to `level`; nothing for None.
pub(crate) fn log_up_to(level: Option<log::Level>) {
    let Some(level) = level else { return };
    // It fails only where a logger is there already, which then does what is asked.
    let _ = log::set_logger(&Logger);
    log::set_max_level(level.to_level_filter());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_errors_are_remembered() {
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
