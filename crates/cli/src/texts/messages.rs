//! Messages on standard error: errors that do not end the run, warnings, and debug lines.
//!
//! Each message is written at once, and never interrupts a line of results on a terminal.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
    io::{self, IsTerminal},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use bstr::ByteSlice;
use heist_filter::{Filter, Problem};
use heist_printer::{visible, visible_line};
use heist_walk::{SkipObserver, SkipReason};

use crate::{
    output::{write_message, write_message_at_once},
    texts::name,
};

/// Prints errors and records that there were some. All workers of a run share one.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    hide: bool,
    hide_ignore: bool,
    failed: Arc<AtomicBool>,
    /// How often each kind of message has occurred: messages that differ in their path only.
    kinds: Mutex<HashMap<String, usize>>,
}

/// How many messages of one kind are printed one by one on a terminal.
const MAX_OF_KIND: usize = 20;

/// How many kinds of messages are counted. What other programs print may be different each time.
const MAX_KINDS: usize = 100;

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
        let is_repeated = error.get_ref().is_some_and(|error| error.is::<Repeated>());
        if !is_repeated && !self.is_one_of_many(error) {
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

    /// Whether enough messages of the kind `what` have been printed on a terminal: a search in `/`
    /// meets thousands of paths without permission, which push everything else off it.
    fn is_one_of_many(&self, what: &dyn fmt::Display) -> bool {
        if self.hide || !io::stderr().is_terminal() {
            return false;
        }
        // No code panics while the lock is held.
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = kinds.len() < MAX_KINDS;
        let count = match kinds.entry(what.to_string()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) if has_room => place.insert(0),
            Entry::Vacant(_) => return false,
        };
        *count += 1;
        *count > MAX_OF_KIND
    }

    /// Reports how many messages were not printed. To be called once, at the end.
    pub(crate) fn summarize(&self) {
        let kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let mut folded: Vec<_> = kinds.iter().filter(|(_, count)| **count > MAX_OF_KIND).collect();
        folded.sort();
        for (what, count) in folded {
            // The number of the system's error means nothing to most readers.
            let what = what.split_once(" (os error ").map_or(what.as_str(), |(what, _)| what);
            self.warn(format_args!("… and {} more: {what}", grouped(count - MAX_OF_KIND)));
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

    /// Reports a problem with an ignore file, which does not affect the exit code unless the caller
    /// has requested what failed.
    pub(crate) fn ignore_problem(&self, problem: &Problem) {
        if problem.is_failure {
            self.fail();
        }
        if !self.hide_ignore && !self.is_one_of_many(&problem.message) {
            self.warn(problem);
        }
    }

    /// Reports the problems of the ignore files that `filter` has read already.
    pub(crate) fn ignore_problems(&self, filter: &Filter) {
        for problem in filter.problems() {
            self.ignore_problem(problem);
        }
    }

    /// Whether messages are printed.
    pub(crate) fn are_shown(&self) -> bool {
        !self.hide
    }

    /// Set once an error has occurred.
    pub(crate) fn failed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.failed)
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

/// A number with its noun: `1 file`, `1,234 files`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(number)),
    }
}

/// Prints one message, which is one line.
pub(crate) fn report(line: impl fmt::Display) {
    report_in_lines(line, "");
}

/// Prints a message of the program's own words, even while results are being written.
pub(crate) fn report_at_once(line: impl fmt::Display) {
    let _ = write_message_at_once(format!("{}: {line}\n", name::program()).as_bytes());
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

/// Logs every entry that a walk skips: `build/a.o: ignored by .gitignore:3: *.o`.
#[derive(Debug)]
pub(crate) struct LogSkipped;

impl SkipObserver for LogSkipped {
    fn skipped(&self, path: &Path, why: &SkipReason<'_>) {
        log::debug!("{}: {why}", path.display());
    }
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
        let (path, message) = ("rules".into(), "not printed".to_owned());
        let problem = Problem { path, line: Some(1), message, is_failure: false };
        messages.ignore_problem(&problem);
        messages.warn("not printed either");
        assert!(!messages.has_failed());
        messages.ignore_problem(&Problem { is_failure: true, ..problem });
        assert!(messages.has_failed());
    }
}
