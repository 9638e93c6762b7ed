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

/// How patterns are read and compiled.
#[derive(Clone, Debug)]
pub struct Config {
    /// How letter case counts.
    pub case: Case,
    /// What a match must look like besides matching.
    pub boundary: Boundary,
    /// Patterns are literal text (`-F`).
    pub fixed_strings: bool,
    /// Unicode classes, folding and word characters; off with `--no-unicode`.
    pub unicode: bool,
    /// The byte that ends a line and can never be part of a match. Must be ASCII.
    pub line_terminator: u8,
    /// Refuse patterns that can only match a NUL byte (binary detection is on).
    pub ban_nul: bool,
    /// Bytes that the compiled program may take.
    pub size_limit: usize,
    /// Bytes that the cache of the lazy DFA may take.
    pub dfa_size_limit: usize,
}

impl Default for Config {
    /// What the program does without flags: case counts, Unicode is on, lines end in `\n`, NUL is
    /// banned, programs may take 100 MiB and DFA caches 1000 MiB.
    fn default() -> Config {
        Config {
            case: Case::Sensitive,
            boundary: Boundary::None,
            fixed_strings: false,
            unicode: true,
            line_terminator: b'\n',
            ban_nul: true,
            size_limit: 100 << 20,
            dfa_size_limit: 1000 << 20,
        }
    }
}
