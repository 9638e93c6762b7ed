//! What a trial searches, and with which settings.

use heist_matcher::{Error, Matcher, MatcherConfig};

use crate::{BinaryPolicy, Encoding, SearchConfig, line_buffer::CAPACITY, searcher::HEAD};

/// A search in one haystack, and what is recorded about it.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The settings of the searcher.
    pub config: SearchConfig,
    /// What is searched for.
    pub matcher: Matcher,
    /// The pattern and its settings, for messages.
    pub pattern: String,
    /// The haystack.
    pub bytes: Vec<u8>,
    /// The size of the first read.
    pub head: usize,
    /// The size of a fresh line buffer.
    pub capacity: usize,
    /// Whether the sink wants haystacks without a match.
    pub wants_unmatched: bool,
    /// Whether the number of matching lines is sufficient for the sink.
    pub counts: bool,
    /// Reads beyond this position fail; in a stream they fail once, after the bytes before it.
    pub fails_at: usize,
    /// After how many calls to helpers the whole run is over.
    pub calls_left: usize,
}

impl Trial {
    /// A search for `pattern` in `bytes` with the program's sizes. `patterns` has the pattern's
    /// settings that the searcher does not share.
    ///
    /// # Errors
    /// If the pattern is invalid.
    pub fn new(
        config: SearchConfig,
        pattern: &str,
        patterns: &MatcherConfig,
        bytes: &[u8],
    ) -> Result<Trial, Error> {
        let SearchConfig { line_terminator, crlf, .. } = config;
        let patterns = MatcherConfig { line_terminator, crlf, ban_nul: false, ..patterns.clone() };
        Ok(Trial {
            config,
            matcher: Matcher::new([pattern], &patterns)?,
            pattern: format!("{pattern:?} {patterns:?}"),
            bytes: bytes.to_vec(),
            head: HEAD,
            capacity: CAPACITY,
            wants_unmatched: false,
            counts: false,
            fails_at: usize::MAX,
            calls_left: usize::MAX,
        })
    }

    /// Whether the events depend on the sizes of reads.
    #[must_use]
    pub fn depends_on_blocks(&self) -> bool {
        self.config.binary != BinaryPolicy::Text && self.bytes.contains(&0)
    }

    /// The search in words, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        let Trial { config, pattern, bytes, head, capacity, counts, .. } = self;
        let (bytes, how) = (bytes.escape_ascii(), if *counts { "counted" } else { "emitted" });
        format!("{pattern} {how} in \"{bytes}\", sizes {head} and {capacity}, {config:?}")
    }

    /// The haystack without a byte order mark that is stripped, and whether there is one.
    pub(super) fn unmarked(&self) -> (&[u8], bool) {
        match self.bytes.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if self.config.encoding != Encoding::None => (rest, true),
            _ => (&self.bytes, false),
        }
    }
}
