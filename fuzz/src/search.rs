//! One search, done by heist and by ripgrep's crates: what is asked for, drawn from an input, and the two outputs.

use std::io::Read;

use encoding_rs::{UTF_16BE, UTF_16LE};
use grep_matcher::LineTerminator;
use grep_printer::{ColorSpecs as TheirColors, JSONBuilder, StandardBuilder};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, SearcherBuilder};
use heist_matcher::{Boundary, Case, Config as Patterns, Matcher};
use heist_printer::{ColorSpecs, Json, PrinterConfig as Look, Standard, Terminator};
use heist_searcher::{BinaryPolicy, Encoding, End, SearchConfig as Config, Searcher, Source};
use regex_syntax::ParserBuilder;
use termcolor::Ansi;

use crate::Input;

/// The path that results name.
const PATH: &str = "dir/file";

/// Programs of both engines may take so much memory: enough for what fits into an input, and soon refused.
const SIZE_LIMIT: usize = 1 << 20;

/// What is searched for, how, and how results look.
#[derive(Clone, Debug)]
pub struct Search {
    pattern: String,
    patterns: Patterns,
    /// The searcher's settings.
    pub config: Config,
    /// What NUL bytes mean.
    pub binary: BinaryPolicy,
    look: Look,
}

/// Ours and ripgrep's.
type Matchers = (Matcher, RegexMatcher);

/// What is left of an input after a [`Search`]: the haystack.
#[must_use]
pub fn haystack_of<'a>(input: &Input<'a>) -> &'a [u8] {
    // Larger ones are read in blocks, and what NUL bytes do depends on them.
    let rest = input.rest();
    &rest[..rest.len().min(32 << 10)]
}

impl Search {
    /// A search for lines as the input says, the plainest look. None without a pattern.
    pub fn of_lines(input: &mut Input<'_>) -> Option<Search> {
        let (bits, lines) = (input.byte(), input.byte());
        let passthru = lines & 0x30 == 0x30;
        let context = |lines: u8| if passthru { 0 } else { usize::from(lines & 3) };
        let terminator =
            [Terminator::Lf, Terminator::CrLf, Terminator::Nul][usize::from(bits >> 6) % 3];
        let line_terminator = if terminator == Terminator::Nul { 0 } else { b'\n' };
        let crlf = terminator == Terminator::CrLf;
        let multiline = bits & 0x20 != 0;
        let pattern = input.text_until(0xFF).filter(|pattern| pattern.len() <= 40)?.to_owned();
        let config = Config {
            line_terminator,
            crlf,
            invert: bits & 1 != 0,
            line_numbers: bits & 2 == 0,
            before_context: context(lines),
            after_context: context(lines >> 2),
            passthru,
            max_matches: (lines & 0x40 != 0).then_some(u64::from(lines >> 7) + 1),
            stop_on_nonmatch: bits & 4 != 0 && !multiline,
            encoding: Encoding::Auto,
        };
        let patterns = Patterns {
            case: if bits & 8 != 0 { Case::Insensitive } else { Case::Sensitive },
            boundary: if bits & 16 != 0 { Boundary::Word } else { Boundary::None },
            line_terminator,
            crlf,
            multiline,
            size_limit: SIZE_LIMIT,
            dfa_size_limit: SIZE_LIMIT,
            ..Patterns::default()
        };
        let look = Look {
            terminator,
            with_path: true,
            line_numbers: config.line_numbers,
            context: config.before_context + config.after_context > 0,
            invert: config.invert,
            ..Look::default()
        };
        Some(Search { pattern, patterns, config, binary: BinaryPolicy::Text, look })
    }

    /// A search as before, whose results look as the input says.
    pub fn of_looks(input: &mut Input<'_>) -> Option<Search> {
        let (bits, more) = (input.byte(), input.byte());
        let replacement = (more & 1 != 0).then(|| input.text_until(0xFF)).flatten();
        let mut search = Search::of_lines(input)?;
        let per_match = bits & 4 != 0;
        let columns = (more & 2 != 0).then_some(u64::from(more >> 2));
        search.look = Look {
            colors: (bits & 1 != 0).then(ColorSpecs::default),
            heading: bits & 2 != 0 && !per_match,
            per_match,
            only_matching: bits & 8 != 0,
            column: bits & 16 != 0,
            byte_offset: bits & 32 != 0,
            trim: bits & 64 != 0,
            max_columns_preview: bits & 128 != 0,
            max_columns: columns.filter(|&columns| columns > 0),
            replacement: replacement.map(|text| text.as_bytes().to_vec()),
            ..search.look
        };
        Some(search)
    }

    /// What both print, ours read in pieces of so many bytes. None where both refuse the pattern, or ripgrep is no judge.
    ///
    /// # Panics
    /// If one alone refuses it, or a search fails.
    #[must_use]
    pub fn both(&self, haystack: &[u8], piece: usize) -> Option<[Vec<u8>; 2]> {
        let (ours, theirs) = self.judged(haystack)?;
        let mut printer = Standard::new(&self.look, Vec::new());
        self.search(
            &ours,
            (haystack, piece),
            &mut printer.sink(Some(PATH.as_bytes()), self.binary),
        );
        Some([printer.into_output(), self.their_lines(&theirs, haystack)])
    }

    /// What both print for programs. None as in [`both`](Search::both).
    ///
    /// # Panics
    /// As there.
    #[must_use]
    pub fn both_in_json(&self, haystack: &[u8]) -> Option<[Vec<u8>; 2]> {
        let (ours, theirs) = self.judged(haystack)?;
        let mut printer = Json::new(&self.look, Vec::new());
        self.search(
            &ours,
            (haystack, usize::MAX),
            &mut printer.sink(Some(PATH.as_bytes()), self.binary),
        );
        Some([printer.into_output(), self.their_json(&theirs, haystack)])
    }

    /// The matchers, unless ripgrep contradicts itself about such a search.
    fn judged(&self, haystack: &[u8]) -> Option<Matchers> {
        let is_known =
            self.is_known(haystack) || self.may_match_nothing() && self.is_known_of_nothing();
        if is_known { None } else { self.matchers() }
    }

    /// Whether ripgrep contradicts itself; the numbers are those of `tests/differential/known.rs`.
    fn is_known(&self, haystack: &[u8]) -> bool {
        let Search { config, patterns, .. } = self;
        let is_limited = config.max_matches.is_some();
        self.has_context() && self.binary != BinaryPolicy::Text && haystack.contains(&0) // 21
            || config.stop_on_nonmatch && (config.invert || is_limited) // 26
            || config.invert && is_limited // 27
            || self.holds(&["\\A", "\\z"]) // 31
            || is_cut_off(haystack, config.encoding) // 33
            || config.line_terminator == 0 && self.pattern.contains(['^', '$']) // 36
            || self.looks_for_neighbours() && str::from_utf8(haystack).is_err() // 37
            || config.crlf && patterns.multiline && is_limited && self.has_context() // 38
            || config.line_terminator == 0 && is_limited && self.has_context() // 39
            || self.look.per_match && patterns.multiline && self.look.max_columns.is_some() // 40
            || patterns.multiline && (is_limited || self.looks_behind()) // 42, 44, 46
    }

    /// The same about matches of nothing.
    fn is_known_of_nothing(&self) -> bool {
        let Search { config, patterns, .. } = self;
        let is_limited = config.max_matches.is_some();
        patterns.multiline && (is_limited || self.has_context() || config.crlf) // 35
            || config.line_terminator == 0 // 36
            || config.crlf
                && (config.passthru || config.stop_on_nonmatch || is_limited && self.has_context()) // 38
    }

    /// Whether bytes that are not UTF-8 are told from what is no part of a word.
    fn looks_for_neighbours(&self) -> bool {
        self.patterns.boundary == Boundary::Word || self.holds(&["\\B", "-half}"])
    }

    fn looks_behind(&self) -> bool {
        self.patterns.boundary != Boundary::None || self.holds(&["^", "\\b", "\\B"])
    }

    /// Whether the pattern has one of these assertions, or what looks like one.
    fn holds(&self, looks: &[&str]) -> bool {
        looks.iter().any(|look| self.pattern.contains(look))
    }

    fn has_context(&self) -> bool {
        let Config { before_context, after_context, passthru, .. } = self.config;
        passthru || before_context + after_context > 0
    }

    fn may_match_nothing(&self) -> bool {
        // As it is parsed, so that brackets which do not match are found wherever the engines find them.
        let pattern = format!("(?:{})", self.pattern);
        let parsed = ParserBuilder::new().multi_line(true).utf8(false).build().parse(&pattern);
        parsed.is_ok_and(|pattern| pattern.properties().minimum_len() == Some(0))
    }

    /// Both, None if both refuse the pattern.
    fn matchers(&self) -> Option<Matchers> {
        let ban_nul = self.binary != BinaryPolicy::Text;
        let patterns = Patterns { ban_nul, ..self.patterns.clone() };
        let ours = Matcher::new(std::slice::from_ref(&self.pattern), &patterns);
        match (ours, self.their_matcher(&patterns)) {
            (Ok(ours), Ok(theirs)) => Some((ours, theirs)),
            (Err(_), Err(_)) => None,
            // Programs differ in size.
            (_, Err(error)) if error.to_string().contains("size limit") => None,
            (Err(error), _) if error.to_string().contains("size limit") => None,
            (ours, theirs) => panic!("{self:?}: {:?} against {:?}", ours.err(), theirs.err()),
        }
    }

    fn search(
        &self,
        ours: &Matcher,
        (haystack, piece): (&[u8], usize),
        sink: &mut impl heist_searcher::Sink,
    ) {
        let reader = Pieces { rest: haystack, piece };
        let source = Source { reader, binary: self.binary, end: End::EmptyRead };
        let mut searcher = Searcher::new(self.config.clone());
        searcher.search(&mut ours.finder(), source, sink).expect("a search in memory");
    }

    /// Settings as ripgrep makes them of its flags.
    fn their_matcher(&self, patterns: &Patterns) -> Result<RegexMatcher, grep_regex::Error> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .octal(false)
            .case_insensitive(patterns.case == Case::Insensitive)
            .word(patterns.boundary == Boundary::Word)
            .size_limit(SIZE_LIMIT)
            .dfa_size_limit(SIZE_LIMIT)
            .ban_byte(patterns.ban_nul.then_some(0));
        if patterns.multiline {
            if patterns.crlf {
                builder.crlf(true).line_terminator(None);
            }
        } else {
            builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
            if patterns.crlf {
                builder.crlf(true);
            }
            if patterns.line_terminator == 0 {
                builder.line_terminator(Some(0));
            }
        }
        builder.build_many(&[&self.pattern])
    }

    fn their_json(&self, matcher: &RegexMatcher, haystack: &[u8]) -> Vec<u8> {
        let mut printer =
            JSONBuilder::new().replacement(self.look.replacement.clone()).build(Vec::new());
        let sink = printer.sink_with_path(matcher, PATH);
        self.their_searcher().search_reader(matcher, haystack, sink).expect("a search in memory");
        printer.into_inner()
    }

    fn their_lines(&self, matcher: &RegexMatcher, haystack: &[u8]) -> Vec<u8> {
        let look = &self.look;
        let mut builder = StandardBuilder::new();
        builder
            .heading(look.heading)
            .path(true)
            .per_match(look.per_match)
            .per_match_one_line(true)
            .only_matching(look.only_matching)
            .column(look.column)
            .byte_offset(look.byte_offset)
            .trim_ascii(look.trim)
            .max_columns(look.max_columns)
            .max_columns_preview(look.max_columns_preview)
            .replacement(look.replacement.clone());
        let mut searcher = self.their_searcher();
        if look.colors.is_some() {
            builder.color_specs(TheirColors::default_with_color());
            let mut printer = builder.build(Ansi::new(Vec::new()));
            let sink = printer.sink_with_path(matcher, PATH);
            searcher.search_reader(matcher, haystack, sink).expect("a search in memory");
            return printer.into_inner().into_inner();
        }
        let mut printer = builder.build_no_color(Vec::new());
        let sink = printer.sink_with_path(matcher, PATH);
        searcher.search_reader(matcher, haystack, sink).expect("a search in memory");
        printer.into_inner().into_inner()
    }

    fn their_searcher(&self) -> grep_searcher::Searcher {
        let config = &self.config;
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(match self.look.terminator {
                Terminator::Lf => LineTerminator::byte(b'\n'),
                Terminator::CrLf => LineTerminator::crlf(),
                Terminator::Nul => LineTerminator::byte(0),
            })
            .invert_match(config.invert)
            .line_number(config.line_numbers)
            .multi_line(self.patterns.multiline)
            .before_context(config.before_context)
            .after_context(config.after_context)
            .passthru(config.passthru)
            .max_matches(config.max_matches)
            .stop_on_nonmatch(config.stop_on_nonmatch)
            .binary_detection(match self.binary {
                BinaryPolicy::Text => BinaryDetection::none(),
                BinaryPolicy::Quit => BinaryDetection::quit(0),
                BinaryPolicy::Convert => BinaryDetection::convert(0),
            })
            .bom_sniffing(config.encoding != Encoding::None);
        if let Encoding::Always(encoding) = config.encoding {
            let encoding = grep_searcher::Encoding::new(encoding.name()).expect("its name");
            builder.encoding(Some(encoding));
        }
        builder.build()
    }
}

/// A reader that never gives more than a piece.
struct Pieces<'a> {
    rest: &'a [u8],
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let len = into.len().min(self.piece);
        self.rest.read(&mut into[..len])
    }
}

/// Whether the last character may not be whole: ripgrep loses some, or parts of what stands for them.
fn is_cut_off(haystack: &[u8], encoding: Encoding) -> bool {
    let marked = encoding_rs::Encoding::for_bom(haystack).map(|(marked, _)| marked);
    let encoding = match (marked, encoding) {
        (_, Encoding::None) | (None, Encoding::Auto) => return false,
        (Some(encoding), _) | (None, Encoding::Always(encoding)) => encoding,
    };
    let is_odd = [UTF_16LE, UTF_16BE].contains(&encoding) && !haystack.len().is_multiple_of(2);
    // Halves of pairs have one byte that is not ASCII, in either order.
    is_odd || !haystack[haystack.len().saturating_sub(2)..].is_ascii()
}
