//! Which way a haystack is searched: what is known about it leads to a [`Route`].
//!
//! A route can give up: a file that is cut into chunks turns out to have long lines, or a file that
//! is looked through has a match. Then [`route`] chooses again, among the routes further down in
//! [`Route`].

use std::fmt;

use heist_matcher::Finder;
use memchr::memchr;

use crate::{
    BinaryPolicy, End, SearchConfig, Wants, decode::Form, line_buffer::wants_only_matches,
};

/// A way to search a haystack that is not in memory as text, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Route {
    /// Block by block, and in chunks with helpers once much has arrived.
    Stream,
    /// Only to find out whether a line matches.
    LookThrough,
    /// In chunks.
    Chunks(Cut),
    /// Only to find out whether a needle is in it.
    RuleOut,
    /// In memory, after all of it was read.
    Whole,
    /// Block by block.
    Blocks,
}

impl Route {
    const IN_ORDER: [Route; 8] = [
        Route::Stream,
        Route::LookThrough,
        Route::Chunks(Cut::Lines),
        Route::Chunks(Cut::Spans),
        Route::Chunks(Cut::Summaries),
        Route::RuleOut,
        Route::Whole,
        Route::Blocks,
    ];
}

/// How a file is searched in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// Each chunk owns the lines that begin in it, which are short.
    Lines,
    /// Each chunk owns the matches that begin in it, which may span lines.
    Spans,
    /// Each chunk is summarized: lines may have any length.
    Summaries,
}

/// How a route ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The search is over.
    Over,
    /// The haystack has to be searched by another route.
    GaveUp,
}

/// What follows the first read of a haystack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Nothing: the haystack has this many bytes.
    Read(u64),
    /// Bytes that can be read once, by one worker.
    Reader,
    /// Bytes that can be read once, by several workers in turn.
    Stream,
    /// The rest of a file with this many bytes, which can be read again.
    File(u64),
    /// The rest of a large file with this many bytes, which can be read at any position.
    LargeFile(u64),
}

/// The first read of a haystack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstRead<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) form: Form,
    /// How the end of the haystack is recognized.
    pub(crate) end: End,
    pub(crate) extent: Extent,
}

/// What the route depends on: the haystack, of which the first bytes have been read, the settings,
/// what the sink wants, and the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) extent: Extent,
    pub(crate) form: Form,
    /// How the end of the haystack is recognized.
    pub(crate) end: End,
    pub(crate) binary: BinaryPolicy,
    /// Matches may span lines.
    pub(crate) spans_lines: bool,
    /// How far a match that spans lines reaches is known.
    pub(crate) has_reach: bool,
    /// The text determines the context of a match.
    pub(crate) has_surroundings: bool,
    /// Files may be mapped.
    pub(crate) memory_maps: bool,
    /// A haystack in which nothing matches, as its bytes are, causes no event.
    pub(crate) needs_match: bool,
    /// No line is wanted but those that match.
    pub(crate) wants_only_matches: bool,
    /// A limit ends the search after some matches.
    pub(crate) has_limit: bool,
    /// The first bytes have a NUL byte that matters. Only known of large files, and where that may
    /// lead to a `LookThrough`.
    pub(crate) has_nul: bool,
    /// No line in the first bytes is too long for chunks. Only known of large files.
    pub(crate) has_short_lines: bool,
    /// Several workers search the chunks of a large file, or a survey finds what to read of them.
    pub(crate) has_help: bool,
    /// Some events have been emitted.
    pub(crate) has_emitted: bool,
    /// The last route that gave up.
    pub(crate) gave_up: Option<Route>,
}

/// The route that a search takes next: the first one that suits, after those that gave up.
pub(crate) fn route(facts: &Facts) -> Route {
    let Facts { extent, end, binary, spans_lines, has_surroundings, has_nul, .. } = *facts;
    let is_text = !facts.form.is_decoded();
    let needs_whole = spans_lines || has_surroundings;
    let is_large = matches!(extent, Extent::LargeFile(_)) && !has_surroundings;
    let has_cut_lines = is_large && is_text && facts.has_help && !spans_lines && !has_nul;
    let suits = |route| match route {
        Route::Stream => extent == Extent::Stream && is_text && !needs_whole,
        Route::LookThrough => {
            matches!(extent, Extent::File(_))
                && facts.needs_match
                && !needs_whole
                // The end of other files is not known before a read that returns nothing.
                && end == End::ShortRead
                && binary != BinaryPolicy::Convert
                // The search reads no further than to a NUL byte.
                && !has_nul
        }
        Route::Chunks(Cut::Lines) => has_cut_lines && facts.has_short_lines,
        Route::Chunks(Cut::Spans) => is_large && is_text && facts.has_reach,
        Route::Chunks(Cut::Summaries) => has_cut_lines && facts.wants_only_matches,
        Route::RuleOut => {
            let ends_at_nul = binary == BinaryPolicy::Quit && !spans_lines && has_nul;
            is_large && facts.needs_match && facts.memory_maps && !facts.has_emitted && !ends_at_nul
        }
        Route::Whole => needs_whole,
        Route::Blocks => true,
    };
    let mut left = Route::IN_ORDER.into_iter().filter(|route| facts.gave_up < Some(*route));
    left.find(|route| suits(*route)).unwrap_or(Route::Blocks)
}

impl Facts {
    /// The facts after the `first` read, all but those of large files.
    pub(crate) fn new(
        config: &SearchConfig,
        finder: &Finder,
        wants: Wants,
        first: &FirstRead<'_>,
    ) -> Facts {
        let FirstRead { bytes: head, form, end, extent } = *first;
        let spans_lines = finder.matcher().spans_lines();
        let is_selective = !(wants.unmatched || config.invert || config.passthru);
        let needs_match = is_selective && !form.is_decoded();
        let detects_nul = match extent {
            Extent::LargeFile(_) => config.detects_nul(),
            Extent::File(_) => {
                let may_look_through = needs_match && !spans_lines && end == End::ShortRead;
                may_look_through && config.binary == BinaryPolicy::Quit
            }
            _ => false,
        };
        Facts {
            extent,
            form,
            end,
            binary: config.binary,
            spans_lines,
            has_reach: finder.matcher().reach().is_some(),
            has_surroundings: config.surroundings.is_some(),
            memory_maps: config.memory_maps,
            needs_match,
            wants_only_matches: wants_only_matches(config),
            has_limit: config.max_matches.is_some() || wants.first_only,
            has_nul: detects_nul && memchr(0, head).is_some(),
            has_short_lines: false,
            has_help: false,
            has_emitted: false,
            gave_up: None,
        }
    }

    /// The facts after `route` gave up.
    pub(crate) fn after(self, route: Route, has_emitted: bool) -> Facts {
        Facts { gave_up: Some(route), has_emitted, ..self }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Stream => "stream",
            Route::LookThrough => "look-through",
            Route::Chunks(Cut::Lines) => "chunks of lines",
            Route::Chunks(Cut::Spans) => "chunks of matches",
            Route::Chunks(Cut::Summaries) => "summarized chunks",
            Route::RuleOut => "rule-out",
            Route::Blocks => "blocks",
            Route::Whole => "whole",
        })
    }
}
