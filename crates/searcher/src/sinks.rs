//! Sinks that call a closure for each matching line.
//!
//! The closure receives the line's number and the line with its terminator. The number is 0 if
//! [`SearchConfig::line_numbers`](crate::SearchConfig::line_numbers) is off. If matches may span
//! lines, the closure receives all lines in a match at once. Context lines are ignored.
//!
//! The sinks differ in how they treat lines that are not valid UTF-8: [`Lines`] reports an error,
//! [`Lossy`] replaces the malformed bytes, and [`Bytes`] passes them on.
//!
//! # Examples
//!
//! ```
//! use heist_matcher::Matcher;
//! use heist_searcher::{Flow, Searcher, sinks::Lines};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let matcher = Matcher::new(&["o".to_owned()], &Default::default())?;
//! let mut found = Vec::new();
//! Searcher::default().search_slice(
//!     &mut matcher.finder(),
//!     b"one\ntwo\nthree\n",
//!     &mut Lines::new(|number, line: &str| {
//!         found.push((number, line.to_owned()));
//!         Flow::Continue(())
//!     }),
//! )?;
//! assert_eq!(found, [(1, "one\n".to_owned()), (2, "two\n".to_owned())]);
//! # Ok(())
//! # }
//! ```

use std::{io, str};

use crate::{Flow, Line, Sink};

/// Calls a closure with each matching line as a `&str`.
///
/// A matching line that is not valid UTF-8 ends the search with an error of kind
/// [`InvalidData`](io::ErrorKind::InvalidData).
#[derive(Debug)]
pub struct Lines<F> {
    each: F,
    error: Option<io::Error>,
}

impl<F: FnMut(u64, &str) -> Flow> Lines<F> {
    /// Returns a sink that calls `each`.
    pub fn new(each: F) -> Lines<F> {
        Lines { each, error: None }
    }
}

impl<F: FnMut(u64, &str) -> Flow> Sink for Lines<F> {
    fn matched(&mut self, line: &Line<'_>) -> Flow {
        let number = line.number.unwrap_or_default();
        match str::from_utf8(line.bytes) {
            Ok(text) => (self.each)(number, text),
            Err(error) => {
                let text = format!("line at byte {}: {error}", line.offset);
                self.error = Some(io::Error::new(io::ErrorKind::InvalidData, text));
                Flow::Break(())
            }
        }
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }
}

/// Calls a closure with each matching line as a `&str`, in which malformed bytes are replaced by
/// U+FFFD.
#[derive(Debug)]
pub struct Lossy<F>(F);

impl<F: FnMut(u64, &str) -> Flow> Lossy<F> {
    /// Returns a sink that calls `each`.
    pub fn new(each: F) -> Lossy<F> {
        Lossy(each)
    }
}

impl<F: FnMut(u64, &str) -> Flow> Sink for Lossy<F> {
    fn matched(&mut self, line: &Line<'_>) -> Flow {
        self.0(line.number.unwrap_or_default(), &String::from_utf8_lossy(line.bytes))
    }
}

/// Calls a closure with the bytes of each matching line.
#[derive(Debug)]
pub struct Bytes<F>(F);

impl<F: FnMut(u64, &[u8]) -> Flow> Bytes<F> {
    /// Returns a sink that calls `each`.
    pub fn new(each: F) -> Bytes<F> {
        Bytes(each)
    }
}

impl<F: FnMut(u64, &[u8]) -> Flow> Sink for Bytes<F> {
    fn matched(&mut self, line: &Line<'_>) -> Flow {
        self.0(line.number.unwrap_or_default(), line.bytes)
    }
}

#[cfg(test)]
mod tests {
    use heist_matcher::Matcher;

    use super::*;
    use crate::Searcher;

    /// The error of a search for `o` in lines, the second of them not UTF-8.
    fn search(sink: &mut impl Sink) -> io::Result<()> {
        let matcher = Matcher::new(&["o".to_owned()], &Default::default()).unwrap();
        Searcher::default().search_slice(&mut matcher.finder(), b"one\n\xFFo\ntwo", sink)
    }

    #[test]
    fn sinks_differ_in_lines_that_are_not_utf8() {
        let mut seen: Vec<(u64, String)> = Vec::new();
        search(&mut Lossy::new(|number, line: &str| {
            seen.push((number, line.to_owned()));
            Flow::Continue(())
        }))
        .unwrap();
        assert_eq!(seen, [(1, "one\n".into()), (2, "\u{FFFD}o\n".into()), (3, "two".into())]);

        let mut bytes: Vec<u8> = Vec::new();
        search(&mut Bytes::new(|number, line: &[u8]| {
            bytes.extend(line);
            if number < 2 { Flow::Continue(()) } else { Flow::Break(()) }
        }))
        .unwrap();
        assert_eq!(bytes, b"one\n\xFFo\n");

        let mut lines = 0;
        let error = search(&mut Lines::new(|_, _| {
            lines += 1;
            Flow::Continue(())
        }));
        assert_eq!((error.unwrap_err().kind(), lines), (io::ErrorKind::InvalidData, 1));
    }
}
