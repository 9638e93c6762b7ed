//! Facts about the program's environment.

use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    time::SystemTime,
};

use heist_walk::FileId;

use crate::{
    run::programs,
    sys::{self, TerminalSize},
    texts::name,
};

/// The program's environment. Facts that cost a system call are functions.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    /// The current directory; absolute.
    pub(crate) cwd: PathBuf,
    /// Whether standard output is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub(crate) stderr_is_terminal: fn() -> bool,
    /// The size of the terminal that standard output is, if it is known.
    pub(crate) stdout_size: fn() -> Option<TerminalSize>,
    /// Whether the terminal that standard output is obeys escape sequences.
    pub(crate) terminal_has_escapes: bool,
    /// Whether the environment allows colors on a terminal.
    pub(crate) terminal_has_colors: bool,
    /// Whether the environment requests colors wherever output goes.
    pub(crate) forces_colors: bool,
    /// The file that standard output is written to, if it is a file.
    pub(crate) stdout_file: fn() -> Option<FileId>,
    /// Whether standard input is searched if no path is given.
    pub(crate) stdin_is_readable: fn() -> bool,
    /// How many bytes standard input has; `u64::MAX` if it is no file.
    pub(crate) stdin_len: fn() -> u64,
    /// How many processor cores the program may use.
    pub(crate) cores: fn() -> usize,
    /// The time.
    pub(crate) now: fn() -> SystemTime,
    /// The program to run for a command as the user typed it.
    pub(crate) program: fn(&Path) -> io::Result<PathBuf>,
    /// An environment variable's value.
    pub(crate) variable: fn(&str) -> Option<OsString>,
}

impl Here {
    /// Returns this process's environment.
    ///
    /// # Errors
    /// The current directory is gone.
    pub(crate) fn look() -> io::Result<Here> {
        // https://no-color.org and https://bixense.com/clicolors; ripgrep does not know the latter.
        let is_on = |value: OsString| !value.is_empty();
        let forbids_colors = env::var_os("NO_COLOR").is_some_and(is_on);
        let forced = env::var_os("CLICOLOR_FORCE").filter(|_| !name::stands_in_for_ripgrep());
        let stdout_is_terminal = io::stdout().is_terminal();
        let has_escapes =
            has_escapes(env::var_os("TERM")) && (!stdout_is_terminal || sys::enable_styles());
        Ok(Here {
            cwd: current_dir()?,
            stdout_is_terminal,
            stderr_is_terminal: || io::stderr().is_terminal(),
            stdout_size: sys::stdout_size,
            terminal_has_escapes: has_escapes,
            terminal_has_colors: has_escapes && !forbids_colors,
            forces_colors: !forbids_colors
                && forced.is_some_and(|value| is_on(value.clone()) && value != "0"),
            stdout_file: sys::stdout_file,
            stdin_is_readable: sys::stdin_is_readable,
            stdin_len: sys::stdin_len,
            cores,
            now: SystemTime::now,
            program: programs::command,
            variable: |name| env::var_os(name),
        })
    }
}

/// The current directory; if it is unknown, the one that the shell exported.
fn current_dir() -> io::Result<PathBuf> {
    env::current_dir().or_else(|err| {
        let exported = env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
        exported.ok_or_else(|| {
            io::Error::new(err.kind(), format!("cannot tell the current directory: {err}"))
        })
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Terminals on Windows obey escape sequences without a `TERM`.
fn has_escapes(term: Option<OsString>) -> bool {
    match term {
        Some(term) => term != "dumb",
        None => sys::COLORS_WITHOUT_TERM,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_need_a_terminal_that_obeys_them() {
        let has_escapes = |term: Option<&str>| super::has_escapes(term.map(Into::into));
        assert!(has_escapes(Some("xterm")));
        assert!(!has_escapes(Some("dumb")));
        assert_eq!(has_escapes(None), sys::COLORS_WITHOUT_TERM);
    }

    #[test]
    fn the_environment_is_found() {
        let here = Here::look().unwrap();
        assert!(here.cwd.is_absolute());
        assert!((here.cores)() >= 1);
    }
}
