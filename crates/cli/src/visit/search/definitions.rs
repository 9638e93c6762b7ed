//! Whether lines that may define what they match do define it: the file is read once more, and the
//! rules of its language are tried.

use std::{
    io::{self, Read},
    ops::ControlFlow,
};

use heist_matcher::{Finder, Matcher, MatcherConfig};
use heist_searcher::{
    BinaryPolicy, Flow, FunctionHeads, Line, SearchConfig, Searcher, Sink, Source,
};

use crate::functions::Functions;

/// How much of a file is read. Definitions behind that are not recognized.
pub(super) const MAX_TEXT_BYTES: u64 = 8 << 20;

/// How many bytes behind the beginning of a line decide what it begins.
const BYTES_BEHIND: u64 = 8 << 10;

/// One worker's means of recognizing definitions.
pub(super) struct Definitions<'a> {
    rules: &'a Functions,
    heads: FunctionHeads,
    /// Reads the text as the search did, decoded.
    searcher: Searcher,
    every_line: Finder,
    terminator: u8,
    text: Vec<u8>,
}

impl<'a> Definitions<'a> {
    /// What recognizes definitions by `rules`, in files that are read as `config` states.
    pub(super) fn new(rules: &'a Functions, config: &SearchConfig) -> Definitions<'a> {
        let terminator = config.line_terminator;
        let matcher = MatcherConfig { line_terminator: terminator, ..MatcherConfig::default() };
        let every_line = Matcher::new([""], &matcher).expect("an empty pattern is valid").finder();
        let searcher = Searcher::new(SearchConfig {
            encoding: config.encoding,
            line_terminator: terminator,
            binary: BinaryPolicy::Text,
            ..SearchConfig::default()
        });
        let (heads, text) = (FunctionHeads::default(), Vec::new());
        Definitions { rules, heads, searcher, every_line, terminator, text }
    }

    /// Reads the text as far as the line at `last` requires.
    pub(super) fn read(&mut self, reader: impl Read, last: u64) -> io::Result<()> {
        self.text.clear();
        let most = usize::try_from(last + BYTES_BEHIND).unwrap_or(usize::MAX);
        let mut text = Text { text: &mut self.text, most };
        self.searcher.search(&mut self.every_line, Source::reader(reader), &mut text)
    }

    /// Whether one of the lines at `starts` of the text, which is in the file at `path`, begins a
    /// function or a type.
    pub(super) fn any_head(&mut self, path: &[u8], starts: &[u64]) -> bool {
        if !self.rules.knows(path, &self.text) {
            return false;
        }
        self.heads.begin(self.rules, path, &self.text);
        starts.iter().any(|&start| {
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            self.heads.is_head(&self.text, self.terminator, start)
        })
    }
}

/// Collects lines.
struct Text<'t> {
    text: &'t mut Vec<u8>,
    /// How many bytes are enough.
    most: usize,
}

impl Sink for Text<'_> {
    fn matched(&mut self, line: &Line<'_>) -> Flow {
        self.text.extend_from_slice(line.bytes);
        match self.text.len() < self.most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}
