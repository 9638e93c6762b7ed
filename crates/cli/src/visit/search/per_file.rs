//! `--per-file`: only files that meet a condition as a whole are searched.

use std::io;

use heist_matcher::{Condition, Finder, Matcher, MatcherConfig};
use heist_searcher::{BinaryPolicy, SearchConfig, Searcher};

use crate::visit::first_match::FirstMatch;

/// Bytes of a file's contents that are kept as memory for the next one.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// What is searched for.
pub(crate) struct Sought<'a> {
    /// Finds the lines that match.
    pub(crate) matcher: &'a Matcher,
    /// What a file must meet to be searched.
    pub(crate) per_file: Option<FileCondition<'a>>,
}

/// What whole files must meet, compiled. All workers share it.
pub(crate) struct FileCondition<'a> {
    condition: &'a Condition,
    matchers: Vec<(&'a [String], Matcher)>,
}

impl<'a> FileCondition<'a> {
    /// Compiles the patterns of `condition` under `config`.
    ///
    /// # Errors
    /// If a pattern cannot be compiled.
    pub(crate) fn new(
        condition: &'a Condition,
        config: &MatcherConfig,
    ) -> Result<FileCondition<'a>, heist_matcher::Error> {
        let mut matchers = Vec::new();
        for patterns in condition.leaves() {
            matchers.push((patterns, Matcher::new(patterns, config)?));
        }
        Ok(FileCondition { condition, matchers })
    }

    /// One worker's test of files, which are searched under `config`.
    pub(in crate::visit) fn test(&'a self, config: &SearchConfig) -> FileTest<'a> {
        let finders = self.matchers.iter().map(|(patterns, matcher)| (*patterns, matcher.finder()));
        let config = SearchConfig {
            invert: false,
            max_matches: None,
            stop_on_nonmatch: false,
            ..config.without_context()
        };
        let searcher = Searcher::new(config);
        FileTest {
            condition: self.condition,
            finders: finders.collect(),
            searcher,
            text: Vec::new(),
        }
    }
}

/// One worker's test whether files meet the condition.
pub(in crate::visit) struct FileTest<'a> {
    condition: &'a Condition,
    finders: Vec<(&'a [String], Finder)>,
    searcher: Searcher,
    text: Vec<u8>,
}

impl FileTest<'_> {
    /// Reads a file to its end. Returns its contents if they meet the condition, and otherwise
    /// nothing, in which nothing is found.
    ///
    /// # Errors
    /// The reader's error, or an engine has given up.
    pub(in crate::visit) fn contents(
        &mut self,
        mut reader: impl io::Read,
        binary: BinaryPolicy,
    ) -> io::Result<&[u8]> {
        if self.text.capacity() > MAX_KEPT_BYTES {
            self.text = Vec::new();
        }
        self.text.clear();
        reader.read_to_end(&mut self.text)?;
        self.searcher.set_binary(binary);
        let FileTest { condition, finders, searcher, text } = self;
        let mut failure = None;
        let is_met = condition.is_met(&mut |patterns| {
            let finder = finders.iter_mut().find(|(those, _)| *those == patterns);
            let (_, finder) = finder.expect("all are compiled");
            let mut any = FirstMatch::default();
            if let Err(error) = searcher.search_slice(finder, text, &mut any) {
                failure.get_or_insert(error);
            }
            any.is_found
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(if is_met { text } else { &[] }),
        }
    }
}
