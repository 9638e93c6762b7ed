//! A search of one line part by part, which need not be in memory as a whole.

use crate::compiled::Mode;
use crate::finder::Finder;
use crate::strategies::bit_parallel::BitsInParts;
use crate::strategies::bit_parallel::InLine;
use crate::strategies::strategy::Strategy;

/// Searches one line after the other. Each line comes in parts.
///
/// ```
/// # use heist_matcher::{InParts, Matcher};
/// let finder = Matcher::new([r"[a-z]+\d[xy]"], &Default::default())?.finder();
/// # if finder.part_search().is_none() { return Ok(()) }
/// let mut search = finder.part_search().expect("there is a program for it");
/// assert_eq!(search.add(b"some let"), InParts::NoMatch);
/// search.add(b"ters7");
/// assert_eq!(search.add(b"x and more"), InParts::NoMatch, "it is searched piece by piece");
/// assert_eq!(search.end(), InParts::Match);
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PartSearch(Way);

/// How the parts are searched.
#[derive(Clone, Debug)]
enum Way {
    Bits(BitsInParts),
    /// No part matches that is ASCII.
    Ascii(InLine),
}

impl Way {
    fn of(strategy: &Strategy) -> Option<Way> {
        match strategy {
            Strategy::BitParallel(bits) => bits.in_parts().map(Way::Bits),
            Strategy::AsciiSkip(_) => Some(Way::Ascii(InLine::NoMatch)),
            _ => None,
        }
    }
}

/// What is known of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InParts {
    /// The line matches.
    Match,
    /// There is no match in its parts so far, but for the bytes last added.
    NoMatch,
    /// Only a search of the whole line can decide.
    Unknown,
}

impl Finder {
    /// A search of lines part by part; `None` if the patterns need whole lines.
    #[must_use]
    pub fn part_search(&self) -> Option<PartSearch> {
        match &self.mode {
            // A `\r` may belong to the terminator, which is not seen before the next part.
            Mode::Lines(levels) if !self.exact.ends.crlf => {
                levels.strategies().find_map(Way::of).map(PartSearch)
            }
            _ => None,
        }
    }
}

impl PartSearch {
    /// Begins another line.
    pub fn begin(&mut self) {
        match &mut self.0 {
            Way::Bits(bits) => bits.begin(),
            Way::Ascii(found) => *found = InLine::NoMatch,
        }
    }

    /// Searches the next bytes of the line, which have no terminator in them.
    pub fn add(&mut self, part: &[u8]) -> InParts {
        InParts::of(match &mut self.0 {
            Way::Bits(bits) => bits.search(part),
            Way::Ascii(found) => {
                if !part.is_ascii() {
                    *found = InLine::NotAscii;
                }
                *found
            }
        })
    }

    /// Ends the line.
    pub fn end(&mut self) -> InParts {
        InParts::of(match &mut self.0 {
            Way::Bits(bits) => bits.end(),
            Way::Ascii(found) => *found,
        })
    }
}

impl InParts {
    fn of(found: InLine) -> InParts {
        match found {
            InLine::Match(_) => InParts::Match,
            InLine::NoMatch => InParts::NoMatch,
            InLine::NotAscii => InParts::Unknown,
        }
    }
}
