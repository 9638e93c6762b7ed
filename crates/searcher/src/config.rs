//! The settings of a searcher: plain values without a builder, since no combination is invalid.

use std::sync::Arc;

use crate::Surroundings;

/// What a NUL byte in a haystack means.
///
/// A haystack with a NUL byte is taken to be binary. ripgrep uses `Quit` for files found by walking
/// and `Convert` for files that are named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryPolicy {
    /// NUL is a byte like any other (`-a`, `--null-data`).
    Text,
    /// The haystack ends before the block that holds the first NUL byte.
    #[default]
    Quit,
    /// NUL bytes end lines, and [`Sink::binary`](crate::Sink::binary) is called for the first one.
    Convert,
}

/// How bytes are decoded before they are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// A byte order mark decides: the mark of UTF-8 is stripped, and UTF-16 is decoded. UTF-16 and
    /// UTF-32 are also decoded without a mark where a NUL byte would [mark binary
    /// data](SearchConfig::binary), if the first 4 KiB leave no doubt. Anything else is searched as
    /// it is.
    #[default]
    Auto,
    /// Only a byte order mark decides, that of UTF-8 or UTF-16. Anything else is searched as it is.
    Marked,
    /// As [`Auto`](Encoding::Auto), and what is not valid UTF-8 is decoded from the most probable
    /// encoding: the first 128 KiB decide, without NUL bytes (`-E guess`). A stream is read so far
    /// before it is searched.
    Guess,
    /// Bytes are searched as they are, byte order marks included (`-E none`).
    None,
    /// Everything is decoded from this encoding, and malformed bytes become U+FFFD (`-E LABEL`). A
    /// UTF-16 byte order mark takes precedence; a UTF-8 one is stripped.
    Always(&'static encoding_rs::Encoding),
}

/// How haystacks are cut into lines and which lines are emitted.
///
/// # Examples
///
/// ```
/// use heist_searcher::SearchConfig;
///
/// // One line of context on either side, at most ten matching lines per haystack.
/// let config = SearchConfig {
///     before_context: 1,
///     after_context: 1,
///     max_matches: Some(10),
///     ..SearchConfig::default()
/// };
/// assert!(config.line_numbers);
/// ```
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// The byte that ends a line.
    pub line_terminator: u8,
    /// A line may also end in `\r\n`. The pattern then sees the line without either byte
    /// (`--crlf`).
    pub crlf: bool,
    /// Emit the lines that do not match.
    pub invert: bool,
    /// Count lines. If false, [`Line::number`](crate::Line::number) is `None`.
    pub line_numbers: bool,
    /// The number of context lines before a match.
    pub before_context: usize,
    /// The number of context lines after a match.
    pub after_context: usize,
    /// Emit every line; lines that do not match are context.
    pub passthru: bool,
    /// Context that the text determines; `None` if there is none.
    pub surroundings: Option<Arc<Surroundings>>,
    /// Stop after this many matching lines, or, if matches may span lines, after this many matches.
    /// The context after the last one is still emitted.
    pub max_matches: Option<u64>,
    /// Stop at the first line that does not match after one that did. Ignored if matches may span
    /// lines.
    pub stop_on_nonmatch: bool,
    /// How bytes are decoded.
    pub encoding: Encoding,
    /// What a NUL byte means. [`Searcher::set_binary`](crate::Searcher::set_binary) changes it
    /// between two haystacks.
    pub binary: BinaryPolicy,
    /// Large files may be mapped into memory where that is faster than to read them; the results
    /// are the same.
    pub memory_maps: bool,
}

impl SearchConfig {
    /// Returns these settings without context and line numbers. The same lines match.
    ///
    /// ```
    /// use heist_searcher::SearchConfig;
    ///
    /// let config = SearchConfig { before_context: 2, invert: true, ..SearchConfig::default() };
    /// let quiet = config.without_context();
    /// assert!(quiet.invert && quiet.before_context == 0 && !quiet.line_numbers);
    /// ```
    #[must_use]
    pub fn without_context(&self) -> SearchConfig {
        SearchConfig {
            line_numbers: false,
            before_context: 0,
            after_context: 0,
            passthru: false,
            surroundings: self
                .surroundings
                .as_ref()
                .and_then(|it| it.without_context())
                .map(Arc::new),
            ..self.clone()
        }
    }

    /// Whether a NUL byte makes a difference. It makes none where it ends lines anyway.
    pub(crate) fn detects_nul(&self) -> bool {
        match self.binary {
            BinaryPolicy::Text => false,
            BinaryPolicy::Quit => true,
            BinaryPolicy::Convert => self.line_terminator != 0,
        }
    }
}

impl Default for SearchConfig {
    fn default() -> SearchConfig {
        SearchConfig {
            line_terminator: b'\n',
            crlf: false,
            invert: false,
            line_numbers: true,
            before_context: 0,
            after_context: 0,
            passthru: false,
            surroundings: None,
            max_matches: None,
            stop_on_nonmatch: false,
            encoding: Encoding::Auto,
            binary: BinaryPolicy::Quit,
            memory_maps: true,
        }
    }
}
