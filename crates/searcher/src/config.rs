//! What the searcher is asked to do: plain values, no builder, since nothing here can fail.

/// What a NUL byte in a haystack means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryPolicy {
    /// Data like any other (`-a`, `--null-data`).
    Text,
    /// The haystack ends at the block that holds the first one (files found by walking).
    #[default]
    Quit,
    /// It ends a line, and the sink is emitted once (explicit files, standard input, `--binary`).
    Convert,
}

/// How bytes become text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// A byte order mark decides: that of UTF-8 is stripped, UTF-16 is decoded, anything else is searched as it is.
    #[default]
    Auto,
    /// Bytes are searched as they are, byte order marks included (`-E none`).
    None,
    /// Always decoded, malformed bytes to U+FFFD; the byte order mark of UTF-16 overrides it, that of UTF-8 is stripped
    /// (`-E LABEL`).
    Always(&'static encoding_rs::Encoding),
}

/// How haystacks are cut into lines and which lines are reported.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// The byte that ends a line.
    pub line_terminator: u8,
    /// A line may also end in `\r\n`; what is matched is then the line without either (`--crlf`).
    pub crlf: bool,
    /// Report the lines that do not match.
    pub invert: bool,
    /// Count line numbers; without it [`Line::number`](crate::Line::number) is None.
    pub line_numbers: bool,
    /// Context lines before a match.
    pub before_context: usize,
    /// Context lines after a match.
    pub after_context: usize,
    /// Report every line; those that do not match as context.
    pub passthru: bool,
    /// Stop after this many matching lines, or, where matches may span lines, after this many matches (their context
    /// still follows).
    pub max_matches: Option<u64>,
    /// Stop at the first line that does not match after one that did. Has no meaning where matches may span lines.
    pub stop_on_nonmatch: bool,
    /// How bytes become text.
    pub encoding: Encoding,
}

impl Default for SearchConfig {
    fn default() -> SearchConfig {
        SearchConfig {
            line_terminator: b'\n',
            crlf: false,
            invert: false,
            line_numbers: false,
            before_context: 0,
            after_context: 0,
            passthru: false,
            max_matches: None,
            stop_on_nonmatch: false,
            encoding: Encoding::Auto,
        }
    }
}
