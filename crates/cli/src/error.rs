//! Errors in the arguments, suggestions for names that do not exist, and the exit codes.

use std::{fmt, thread};

/// Something was found.
pub(crate) const FOUND_CODE: u8 = 0;
/// Nothing was found, and nothing went wrong.
const NOTHING_CODE: u8 = 1;
/// Something went wrong.
pub(crate) const FAILED_CODE: u8 = 2;

/// How similar a suggestion must be. With clap's 0.7, `mojo` would be suggested for `foo`.
const SIMILAR: f64 = 0.75;

/// An error in the arguments, which keeps the run from starting.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Error {
    /// One line, as in ripgrep wherever ripgrep reports the same error.
    pub(crate) message: String,
    /// The flag that may have been meant.
    pub(crate) similar: Option<String>,
    /// The argument, if it may have been meant as a pattern.
    pub(crate) literal: Option<String>,
    /// What to do about it: further lines, or empty.
    pub(crate) hint: String,
    /// Where the argument at fault is, if there is one.
    pub(crate) position: Option<usize>,
}

impl Error {
    /// An error without a hint.
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error { message: message.into(), ..Error::default() }
    }

    /// The lines behind the message, each after a line terminator.
    pub(crate) fn advice(&self) -> String {
        let mut advice = String::new();
        if let Some(name) = &self.similar {
            advice += &format!("\nsimilar flags that are available: --{name}");
        }
        if let Some(text) = &self.literal {
            advice += &format!("\nTo search for {text}, use -e {text} or -- {text}.");
        }
        if !self.hint.is_empty() {
            advice += &format!("\n{}", self.hint);
        }
        if advice.is_empty() { advice } else { "\n".to_owned() + &advice }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.message, self.advice())
    }
}

impl std::error::Error for Error {}

impl From<heist_filter::Error> for Error {
    fn from(err: heist_filter::Error) -> Error {
        Error::new(err.to_string())
    }
}

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

/// The name in `names` that is most similar to `typed`, if one is similar: `hidden` for `hiden`.
pub(crate) fn similar<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let similarities = names.map(|name| (strsim::jaro(typed, name), name));
    let (_, name) = similarities
        .filter(|(similarity, _)| *similarity > SIMILAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_most_similar_name_is_suggested() {
        let similar = |typed| super::similar(typed, ["hidden", "heading", "ignore"].into_iter());
        assert_eq!(similar("hiden").as_deref(), Some("hidden"));
        assert_eq!(similar("-ignor").as_deref(), Some("ignore"));
        assert_eq!(similar("q"), None);
        assert_eq!(super::similar("foo", ["mojo", "go"].into_iter()), None);
        assert_eq!(similar(""), None);
    }
}
