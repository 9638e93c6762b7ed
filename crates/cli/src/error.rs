//! Errors in the arguments.

use std::fmt;

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
