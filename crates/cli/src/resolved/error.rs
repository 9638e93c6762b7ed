//! Why what was typed cannot be done here.

use std::fmt;

/// Why what was typed cannot be done here. The text is the whole message.
#[derive(Debug)]
pub(crate) struct Error(pub(super) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<heist_filter::Error> for Error {
    fn from(err: heist_filter::Error) -> Error {
        Error(err.to_string())
    }
}
