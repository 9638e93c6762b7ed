//! What is told besides results, on standard error: errors that do not end the run, and debug
//! lines.
//!
//! Every message is one write, made while standard output is locked, so that on a terminal it never
//! lands within a line of results.

use std::{
    fmt,
    io::{self, IsTerminal},
    sync::atomic::{AtomicBool, Ordering},
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
}

impl Messages {
    /// `hide`: print nothing (`--no-messages`). `hide_ignore`: nothing about ignore files
    /// (`--no-ignore-messages`).
    pub(crate) fn new(hide: bool, hide_ignore: bool) -> Messages {
        Messages { hide, hide_ignore, failed: AtomicBool::new(false) }
    }

    /// Something that was to be searched could not be. The run goes on, and ends with exit code 2
    /// whether or not the message is shown.
    pub(crate) fn error(&self, line: impl fmt::Display) {
        self.error_in_lines(line, "");
    }

    /// The same, said in `line` and the `lines` behind it.
    pub(crate) fn error_in_lines(&self, line: impl fmt::Display, lines: impl fmt::Display) {
        // Ordering: Relaxed; the flag is read after all workers were joined, which orders
        // everything.
        self.failed.store(true, Ordering::Relaxed);
        self.warn_in_lines(line, lines);
    }

    /// `path` could not be searched because of `why`, which may quote what another program says.
    pub(crate) fn path_error(&self, path: &[u8], why: &dyn fmt::Display) {
        self.error_in_lines(format_args!("{}: ", path.as_bstr()), why);
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
        messages.error("nobody sees this");
        assert!(messages.has_failed());
    }

    #[test]
    fn problems_of_ignore_files_are_no_errors() {
        let messages = Messages::new(true, true);
        messages.ignore_problem("nobody sees this");
        messages.warn("nor this");
        assert!(!messages.has_failed());
    }
}
