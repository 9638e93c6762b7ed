//! One search, decoded from an input, and its output by heist and by ripgrep's crates.

use std::io::Read;

use bstr::ByteSlice;
use encoding_rs::{UTF_16BE, UTF_16LE};
use grep_matcher::LineTerminator;
use grep_printer::{ColorSpecs as TheirColors, JSONBuilder, StandardBuilder};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, SearcherBuilder};
use heist_matcher::{Boundary, Case, Matcher, MatcherConfig as Patterns};
use heist_printer::{ColorSpecs, Printer, PrinterConfig as Format, Terminator};
use heist_searcher::{BinaryPolicy, Encoding, End, SearchConfig as Config, Searcher, Source};
use regex_syntax::{ParserBuilder, hir::Hir};
use termcolor::Buffer;

use crate::Input;

/// The path in the results.
const PATH: &str = "dir/file";

/// The memory that a compiled pattern of either engine may use: enough for a short pattern, and
/// quickly exceeded.
const SIZE_LIMIT: usize = 1 << 20;

/// A pattern, the settings of its search, and the format of the results.
#[derive(Clone, Debug)]
pub struct Search {
    pattern: String,
    patterns: Patterns,
    /// The searcher's settings.
    pub config: Config,
    /// The treatment of NUL bytes.
    pub binary: BinaryPolicy,
    format: Format,
}

/// The matchers of heist and of ripgrep.
type Matchers = (Matcher, RegexMatcher);

/// The haystack: the rest of an input after its [`Search`], at most 32 KiB.
#[must_use]
pub fn haystack_of<'a>(input: &Input<'a>) -> &'a [u8] {
    // Larger haystacks are read in blocks, whose sizes decide what NUL bytes do.
    let rest = input.rest();
    &rest[..rest.len().min(32 << 10)]
}

impl Search {
    /// Decodes a search in the default format. `None` without a valid pattern.
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
            surroundings: None,
            max_matches: (lines & 0x40 != 0).then_some(u64::from(lines >> 7) + 1),
            stop_on_nonmatch: bits & 4 != 0 && !multiline,
            encoding: Encoding::Marked,
            binary: BinaryPolicy::Text,
            memory_maps: true,
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
        let format = Format {
            terminator,
            with_path: true,
            line_numbers: config.line_numbers,
            context: config.before_context + config.after_context > 0,
            invert: config.invert,
            ..Format::default()
        };
        Some(Search { pattern, patterns, config, binary: BinaryPolicy::Text, format })
    }

    /// Decodes a search and its format. `None` without a valid pattern.
    pub fn with_format(input: &mut Input<'_>) -> Option<Search> {
        let (bits, more) = (input.byte(), input.byte());
        let replacement = (more & 1 != 0).then(|| input.text_until(0xFF)).flatten();
        let mut search = Search::of_lines(input)?;
        let per_match = bits & 4 != 0;
        let columns = (more & 2 != 0).then_some(u64::from(more >> 2));
        search.format = Format {
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
            ..search.format
        };
        Some(search)
    }

    /// Searches `haystack` with heist, in reads of at most `most` bytes, and with ripgrep, and
    /// compares the lines printed. Returns early if both reject the pattern, or if ripgrep cannot
    /// be the oracle.
    ///
    /// # Panics
    /// If the outputs differ, one program alone rejects the pattern, or a search fails.
    pub fn check_lines(&self, haystack: &[u8], most: usize) {
        if self.is_known_of_lines(haystack) {
            return;
        }
        let Some((ours, theirs)) = self.comparable(haystack) else { return };
        let mut printer = Printer::lines(&self.format, Vec::new());
        let reader = ShortReads { rest: haystack, most };
        self.search(&ours, reader, &mut printer.sink(Some(PATH.as_bytes()), self.binary));
        let (ours, theirs) = (printer.into_output(), self.their_lines(&theirs, haystack));
        assert_eq!(ours.as_bstr(), theirs.as_bstr(), "{self:?} in {:?}", haystack.as_bstr());
    }

    /// The JSON messages of heist and ripgrep; `None` if they cannot be compared.
    ///
    /// # Panics
    /// If one program alone rejects the pattern, or a search fails.
    #[must_use]
    pub fn json(&self, haystack: &[u8]) -> Option<[Vec<u8>; 2]> {
        let (ours, theirs) = self.comparable(haystack)?;
        let mut printer = Printer::json(&self.format, Vec::new());
        self.search(&ours, haystack, &mut printer.sink(Some(PATH.as_bytes()), self.binary));
        Some([printer.into_output(), self.their_json(&theirs, haystack)])
    }

    /// The matchers, unless the search can show a known difference.
    fn comparable(&self, haystack: &[u8]) -> Option<Matchers> {
        let is_known = self.is_known(haystack)
            || self.can_match_empty_text() && self.is_known_for_empty_matches();
        if is_known { None } else { self.matchers() }
    }

    /// Whether the search can show a known difference. The comments are its numbers in
    /// `tests/differential/known.rs`.
    fn is_known(&self, haystack: &[u8]) -> bool {
        let Search { config, patterns, format, .. } = self;
        let (is_limited, multiline) = (config.max_matches.is_some(), patterns.multiline);
        let (has_context, nul_data) = (self.has_context(), config.line_terminator == 0);
        has_context && self.binary != BinaryPolicy::Text && haystack.contains(&0) // 21
            || config.stop_on_nonmatch && (config.invert || is_limited) // 26
            || config.invert && is_limited // 27
            || self.contains(&["\\A", "\\z"]) // 31
            || is_cut_off(haystack, config.encoding) // 33
            || nul_data && self.pattern.contains(['^', '$']) // 36
            || self.has_word_boundary() && str::from_utf8(haystack).is_err() // 37
            || config.crlf && multiline && is_limited && has_context // 38
            || nul_data && is_limited && has_context // 39
            || format.per_match && multiline && format.max_columns.is_some() // 40
            || multiline && (is_limited || self.looks_behind()) // 42, 44, 46
    }

    /// Whether printed lines can show a known difference that messages do not.
    fn is_known_of_lines(&self, haystack: &[u8]) -> bool {
        let Search { config, patterns, format, .. } = self;
        let (multiline, replaces) = (patterns.multiline, format.replacement.is_some());
        let ends_anew = multiline || replaces || format.only_matching || format.colors.is_some();
        multiline && replaces // 52
            || config.crlf && ends_anew && has_bare_line_feed(haystack) // 53
            || multiline
                && (format.only_matching || format.per_match)
                && self.can_match_empty_text() // 54
    }

    /// Whether a known difference can show where matches are empty.
    fn is_known_for_empty_matches(&self) -> bool {
        let Search { config, patterns, .. } = self;
        let (is_limited, has_context) = (config.max_matches.is_some(), self.has_context());
        let by_line = config.passthru || config.stop_on_nonmatch || is_limited && has_context;
        patterns.multiline && (is_limited || has_context || config.crlf) // 35
            || config.line_terminator == 0 // 36
            || config.crlf && by_line // 38
    }

    /// Whether invalid UTF-8 differs from a character that is no part of a word.
    fn has_word_boundary(&self) -> bool {
        self.patterns.boundary == Boundary::Word || self.contains(&["\\B", "-half}"])
    }

    fn looks_behind(&self) -> bool {
        self.patterns.boundary != Boundary::None || self.contains(&["^", "\\b", "\\B"])
    }

    /// Whether the text of the pattern contains one of `parts`.
    fn contains(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.pattern.contains(part))
    }

    fn has_context(&self) -> bool {
        let Config { before_context, after_context, passthru, .. } = self.config;
        passthru || before_context + after_context > 0
    }

    fn can_match_empty_text(&self) -> bool {
        self.parsed().is_some_and(|pattern| pattern.properties().minimum_len() == Some(0))
    }

    /// The pattern by itself; `None` if it is malformed.
    fn parsed(&self) -> Option<Hir> {
        let mut parser = ParserBuilder::new().multi_line(true).utf8(false).build();
        parser.parse(&self.pattern).ok()
    }

    /// The matchers; `None` if both reject the pattern.
    fn matchers(&self) -> Option<Matchers> {
        let ban_nul = self.binary != BinaryPolicy::Text;
        let patterns = Patterns { ban_nul, ..self.patterns.clone() };
        let ours = Matcher::new(std::slice::from_ref(&self.pattern), &patterns);
        match (ours, self.their_matcher(&patterns)) {
            (Ok(ours), Ok(theirs)) => Some((ours, theirs)),
            (Err(_), Err(_)) => None,
            // Ripgrep encloses patterns in a group, in which `)(` is well-formed.
            (Err(_), Ok(_)) if self.parsed().is_none() => None,
            // The engines differ in the size of compiled patterns.
            (_, Err(error)) if error.to_string().contains("size limit") => None,
            (Err(error), _) if error.to_string().contains("size limit") => None,
            (ours, theirs) => panic!("{self:?}: {:?} against {:?}", ours.err(), theirs.err()),
        }
    }

    fn search(&self, ours: &Matcher, reader: impl Read, sink: &mut impl heist_searcher::Sink) {
        let source = Source { reader, end: End::EmptyRead };
        let mut searcher = Searcher::new(Config { binary: self.binary, ..self.config.clone() });
        searcher.search(&mut ours.finder(), source, sink).expect("a search in memory");
    }

    /// Ripgrep's matcher, with the settings that ripgrep derives from its flags.
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
            JSONBuilder::new().replacement(self.format.replacement.clone()).build(Vec::new());
        let sink = printer.sink_with_path(matcher, PATH);
        self.their_searcher().search_reader(matcher, haystack, sink).expect("a search in memory");
        printer.into_inner()
    }

    fn their_lines(&self, matcher: &RegexMatcher, haystack: &[u8]) -> Vec<u8> {
        let format = &self.format;
        let mut builder = StandardBuilder::new();
        builder
            .heading(format.heading)
            .path(true)
            .per_match(format.per_match)
            .per_match_one_line(true)
            .only_matching(format.only_matching)
            .column(format.column)
            .byte_offset(format.byte_offset)
            .trim_ascii(format.trim)
            .max_columns(format.max_columns)
            .max_columns_preview(format.max_columns_preview)
            .replacement(format.replacement.clone());
        let output = if format.colors.is_some() {
            builder.color_specs(TheirColors::default_with_color());
            Buffer::ansi()
        } else {
            Buffer::no_color()
        };
        let mut printer = builder.build(output);
        let sink = printer.sink_with_path(matcher, PATH);
        self.their_searcher().search_reader(matcher, haystack, sink).expect("a search in memory");
        printer.into_inner().into_inner()
    }

    fn their_searcher(&self) -> grep_searcher::Searcher {
        let config = &self.config;
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(match self.format.terminator {
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

/// A reader whose reads return at most `most` bytes.
struct ShortReads<'a> {
    rest: &'a [u8],
    most: usize,
}

impl Read for ShortReads<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let len = into.len().min(self.most);
        self.rest.read(&mut into[..len])
    }
}

/// Whether the last character can be incomplete. Ripgrep loses some of those, or parts of their
/// replacements.
fn is_cut_off(haystack: &[u8], encoding: Encoding) -> bool {
    let marked = encoding_rs::Encoding::for_bom(haystack).map(|(marked, _)| marked);
    let encoding = match (marked, encoding) {
        (_, Encoding::None) | (None, Encoding::Auto | Encoding::Marked | Encoding::Guess) => {
            return false;
        }
        (Some(encoding), _) | (None, Encoding::Always(encoding)) => encoding,
    };
    let is_odd = [UTF_16LE, UTF_16BE].contains(&encoding) && !haystack.len().is_multiple_of(2);
    // One byte of half a surrogate pair is not ASCII, in either byte order.
    is_odd || !haystack[haystack.len().saturating_sub(2)..].is_ascii()
}

/// Whether a line ends without a carriage return.
fn has_bare_line_feed(haystack: &[u8]) -> bool {
    haystack
        .split_inclusive(|&byte| byte == b'\n')
        .any(|line| line.ends_with(b"\n") && !line.ends_with(b"\r\n"))
}
