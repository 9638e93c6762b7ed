//! What is known of the haystack that is being printed, whatever the format.

use heist_searcher::BinaryPolicy;

use crate::{NameMatch, Output, counted::Counted};

/// The haystack that is being printed.
#[derive(Debug)]
pub(crate) struct Haystack<'p, O> {
    /// `None` also if it is not printed.
    pub(crate) path: Option<&'p [u8]>,
    /// The haystack's name, if that matches.
    pub(crate) name: Option<NameMatch<'p>>,
    pub(crate) binary: BinaryPolicy,
    pub(crate) output: &'p mut O,
    pub(crate) counted: Counted,
    /// Whether there is output.
    pub(crate) has_begun: bool,
    /// How many lines were found, printed or not; in a summary that counts matches or blocks of
    /// lines, how many matches.
    pub(crate) found: u64,
    /// The position of the first NUL byte, if one was seen.
    pub(crate) nul_at: Option<u64>,
    /// Whether the haystack was searched as far as necessary, and not given up as binary.
    pub(crate) is_known: bool,
}

impl<O: Output> Haystack<'_, O> {
    /// Ends the output of this haystack, if it has any.
    pub(crate) fn end(&mut self) {
        if self.has_begun {
            // The haystack is over; the output remembers if it is closed.
            let _ = self.output.end_file();
        }
    }
}
