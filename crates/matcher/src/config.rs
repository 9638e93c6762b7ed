//! How patterns are read, and the limits of their compilation.

/// A condition on a match besides the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// None.
    #[default]
    None,
    /// The match must be whole words (`-w`): no word character may precede or follow it.
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
///
/// ```
/// use heist_matcher::{Case, MatcherConfig, Matcher};
///
/// let case = Case::Insensitive;
/// let config = MatcherConfig { case, fixed_strings: true, ..MatcherConfig::default() };
/// let mut finder = Matcher::new(["a.b"], &config)?.finder();
/// assert!(finder.is_match(b"A.B") && !finder.is_match(b"axb"));
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MatcherConfig {
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
    /// Letters with and without accents are alike (`--fold-accents`); not with PCRE2.
    #[cfg(feature = "accents")]
    pub fold_accents: bool,
    /// The byte that ends a line. It must be ASCII. Without `multiline`, no match holds it.
    pub line_terminator: u8,
    /// A line may also end in `\r\n` (`--crlf`), with `\n` as the line terminator: `^` and `$`
    /// match at it, and without `multiline` no match holds a `\r`.
    ///
    /// To cut a line out of a block, cut off its `\r\n`, or its `\n` if no `\r` precedes it. A `\r`
    /// that no `\n` follows is part of the line, also at the end of the haystack.
    /// [`Finder::is_match`](crate::Finder::is_match) and the like take lines of this form.
    pub crlf: bool,
    /// Patterns may match line terminators (`-U`). If none of them can,
    /// [`Matcher::spans_lines`](crate::Matcher::spans_lines) is false, and lines are searched as
    /// without it.
    pub multiline: bool,
    /// With `multiline`, `.` matches line terminators too (`--multiline-dotall`).
    pub dot_matches_new_line: bool,
    /// Refuse patterns that need a NUL byte to match, because files that hold one count as binary.
    pub ban_nul: bool,
    /// Bytes that the compiled patterns may take.
    pub size_limit: usize,
    /// Bytes that the cache of the lazy DFA may take at most.
    pub dfa_size_limit: usize,
}

impl Default for MatcherConfig {
    /// What a search without flags does: case counts, Unicode is on, lines end in `\n`, NUL is
    /// banned, compiled patterns may take 100 MiB and DFA caches 1000 MiB.
    fn default() -> MatcherConfig {
        MatcherConfig {
            engine: Engine::Default,
            case: Case::Sensitive,
            boundary: Boundary::None,
            fixed_strings: false,
            unicode: true,
            #[cfg(feature = "accents")]
            fold_accents: false,
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
