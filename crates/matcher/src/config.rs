//! What the caller asks for: how patterns are read, and what limits their compilation has.

/// What a match must look like besides matching the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// Nothing more.
    #[default]
    None,
    /// No word character may touch either end from outside (`-w`).
    Word,
    /// The match must be the whole line (`-x`).
    Line,
}

/// How letter case counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// As typed (`-s`).
    #[default]
    Sensitive,
    /// Unicode simple case folding (`-i`).
    Insensitive,
    /// Insensitive unless the patterns hold an upper-case literal (`-S`).
    Smart,
}

/// Which regex engine compiles the patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Linear time, without look-around and backreferences.
    #[default]
    Default,
    /// PCRE2 (`-P`).
    Pcre2,
    /// PCRE2 where the default engine refuses the patterns (`--engine auto`).
    Auto,
}

/// How patterns are read and compiled.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which regex engine compiles the patterns.
    pub engine: Engine,
    /// How letter case counts.
    pub case: Case,
    /// What a match must look like besides matching.
    pub boundary: Boundary,
    /// Patterns are literal text (`-F`).
    pub fixed_strings: bool,
    /// Unicode classes, folding and word characters; off with `--no-unicode`.
    pub unicode: bool,
    /// The byte that ends a line, and without `multiline` can never be part of a match. Must be ASCII.
    pub line_terminator: u8,
    /// A line may also end in `\r\n` (`--crlf`), with `\n` as the line terminator: `^` and `$` know it, and
    /// without `multiline` no match holds a `\r`.
    ///
    /// Who cuts a line out of a block cuts off its `\r\n`, or its `\n` where no `\r` comes before it; a `\r` that
    /// no `\n` follows is part of the line, also at the end of the haystack. This is the line that
    /// [`Finder::is_match`](crate::Finder::is_match) and its siblings are to be given.
    pub crlf: bool,
    /// Patterns may match line terminators (`-U`). Where none of them can,
    /// [`Matcher::spans_lines`](crate::Matcher::spans_lines) is false and lines are searched as without it.
    pub multiline: bool,
    /// With `multiline`, `.` matches line terminators too (`--multiline-dotall`).
    pub dot_matches_new_line: bool,
    /// Refuse patterns that can only match a NUL byte (binary detection is on).
    pub ban_nul: bool,
    /// Bytes that the compiled compiled may take.
    pub size_limit: usize,
    /// Bytes that the cache of the lazy DFA may take.
    pub dfa_size_limit: usize,
}

impl Default for Config {
    /// What the compiled does without flags: case counts, Unicode is on, lines end in `\n`, NUL is
    /// banned, programs may take 100 MiB and DFA caches 1000 MiB.
    fn default() -> Config {
        Config {
            engine: Engine::Default,
            case: Case::Sensitive,
            boundary: Boundary::None,
            fixed_strings: false,
            unicode: true,
            line_terminator: b'\n',
            crlf: false,
            multiline: false,
            dot_matches_new_line: false,
            ban_nul: true,
            size_limit: 100 << 20,
            dfa_size_limit: 1000 << 20,
        }
    }
}
