//! Facts about the environment of the program.

use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    time::SystemTime,
};

use heist_walk::FileId;

use crate::{name, programs, sys};

/// The environment of the program. Facts that cost a system call are functions.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    /// The current directory; absolute.
    pub(crate) cwd: PathBuf,
    /// Whether standard output is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Whether the environment allows colors on a terminal.
    pub(crate) terminal_has_colors: bool,
    /// Whether the environment requests colors wherever output goes.
    pub(crate) forces_colors: bool,
    /// The file that standard output is written to, if it is a file.
    pub(crate) stdout_file: fn() -> Option<FileId>,
    /// Whether standard input is searched if no path is given.
    pub(crate) stdin_is_readable: fn() -> bool,
    /// The length of standard input in bytes; `u64::MAX` if it is no file.
    pub(crate) stdin_len: fn() -> u64,
    /// The number of processor cores that the program may use.
    pub(crate) cores: fn() -> usize,
    /// The time.
    pub(crate) now: fn() -> SystemTime,
    /// The program to run for a command as the user typed it.
    pub(crate) program: fn(&Path) -> io::Result<PathBuf>,
    /// The value of an environment variable.
    pub(crate) variable: fn(&str) -> Option<OsString>,
}

impl Here {
    /// Returns the environment of this process.
    ///
    /// # Errors
    /// The current directory is gone.
    pub(crate) fn look() -> io::Result<Here> {
        // https://no-color.org and https://bixense.com/clicolors; ripgrep knows nothing of the
        // latter.
        let is_on = |value: OsString| !value.is_empty();
        let forbids_colors = env::var_os("NO_COLOR").is_some_and(is_on);
        let forced = env::var_os("CLICOLOR_FORCE").filter(|_| !name::stands_in_for_ripgrep());
        let stdout_is_terminal = io::stdout().is_terminal();
        let has_colors = has_colors(env::var_os("TERM"), forbids_colors);
        Ok(Here {
            cwd: current_dir()?,
            stdout_is_terminal,
            terminal_has_colors: has_colors && (!stdout_is_terminal || sys::enable_styles()),
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

/// Terminals on Windows support colors without a `TERM`.
fn has_colors(term: Option<OsString>, no_color: bool) -> bool {
    let terminal = match term {
        Some(term) => term != "dumb",
        None => sys::COLORS_WITHOUT_TERM,
    };
    terminal && !no_color
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_need_a_terminal_that_has_them() {
        let has_colors =
            |term: Option<&str>, no_color| super::has_colors(term.map(Into::into), no_color);
        assert!(has_colors(Some("xterm"), false));
        assert!(!has_colors(Some("dumb"), false));
        assert_eq!(has_colors(None, false), sys::COLORS_WITHOUT_TERM);
        assert!(!has_colors(Some("xterm"), true));
    }

    #[test]
    fn the_environment_is_found() {
        let here = Here::look().unwrap();
        assert!(here.cwd.is_absolute());
        assert!((here.cores)() >= 1);
    }
}
