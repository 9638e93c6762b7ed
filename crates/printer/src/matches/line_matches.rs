//! The matches in reported lines and their replacements, for callers that print lines themselves.

use std::ops::Range;

use heist_matcher::Finder;
use heist_searcher::{Flow, Line};

use crate::{PrinterConfig, Terminator, matches::Matches};

/// Finds the matches of one reported line after the other, as the printers do: none overlap, and an
/// empty match right behind another one does not count.
///
/// # Examples
///
/// ```
/// use heist_matcher::{Finder, Matcher};
/// use heist_printer::{LineMatches, PrinterConfig};
/// use heist_searcher::{Flow, Line, Searcher, Sink};
///
/// struct Replace(LineMatches, String);
///
/// impl Sink for Replace {
///     fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
///         self.0.find(finder, line)?;
///         let replaced = String::from_utf8_lossy(self.0.replaced().unwrap());
///         self.1 += &format!("{:?} {replaced}", self.0.spans());
///         Flow::Continue(())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = PrinterConfig { replacement: Some(b"<$1>".to_vec()), ..Default::default() };
/// let mut sink = Replace(LineMatches::new(&config), String::new());
/// let matcher = Matcher::new(["o(.)"], &Default::default())?;
/// Searcher::default().search_slice(&mut matcher.finder(), b"one\ntwo\nfour foe\n", &mut sink)?;
/// assert_eq!(sink.1, "[0..2] <n>e\n[1..3, 6..8] f<u>r f<e>\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LineMatches {
    matches: Matches,
    terminator: Terminator,
    has_replaced: bool,
}

impl LineMatches {
    /// Uses the terminator, the replacement and the inversion in `config`.
    #[must_use]
    pub fn new(config: &PrinterConfig) -> LineMatches {
        let matches = Matches::new(config, usize::MAX);
        LineMatches { matches, terminator: config.terminator, has_replaced: false }
    }

    /// Finds the matches in `line`, and replaces them if there is a replacement. `finder` belongs
    /// to the search that reports the line. `Break` if its engine has given up: some matches may be
    /// missing, and the search ends with an error.
    pub fn find(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.matches.find(finder, line)?;
        self.has_replaced = self.matches.replaces() && !self.matches.spans().is_empty();
        Flow::Continue(())
    }

    /// The byte ranges of the matches in the line that [`find`](LineMatches::find) was called for
    /// last. An inverted search has matches in its context lines only.
    #[must_use]
    pub fn spans(&self) -> &[Range<usize>] {
        self.matches.spans()
    }

    /// That line with its matches replaced, its terminator included. `None` without a replacement
    /// and for a line without a match.
    #[must_use]
    pub fn replaced(&self) -> Option<&[u8]> {
        self.has_replaced.then(|| self.matches.shown(&[]).0)
    }

    /// What replaces the match with this index. `None` without a replacement and beyond the last
    /// match.
    #[must_use]
    pub fn replacement(&self, index: usize) -> Option<&[u8]> {
        self.matches.replacement(index)
    }

    /// Returns `line` without its terminator.
    #[must_use]
    pub fn strip<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        self.terminator.strip(line)
    }
}
