//! The vocabulary of random sessions: words, patterns and flags, as tables with an entry in each
//! line. The value of a flag stands in the flag or after a blank.

/// Lines and parts of lines, separated by bars.
const WORDS: &[u8] = b"gem|Gem|gems|gemstone|a|b| |  \t|foo|foobar|42|7|\
    -2|\xc3\xa9|\xc3\x89|\xce\xb1\xce\xb2|\xff|_|.|(x)|\xe2\x84\xaa|gem gem|e\xcc\x81|\r";

/// Patterns that exercise every strategy of a matcher.
const PATTERNS: &str = include_str!("words/patterns.txt");

/// Patterns that only PCRE2 accepts, or that it reads in its own way.
const PCRE2_PATTERNS: &str = include_str!("words/pcre2_patterns.txt");

/// Flags that change how results look.
pub(crate) const OUTPUT: &str = include_str!("words/output.txt");

/// Flags that select what is printed.
pub(crate) const MODES: &str = include_str!("words/modes.txt");

/// Flags that change what matches, or how bytes are read.
pub(crate) const SEARCH: &str = include_str!("words/search.txt");

/// Flags that select files.
pub(crate) const FILTER: &str = include_str!("words/filter.txt");

/// Flags of our own, which ripgrep does not have.
pub(crate) const OWN: &str = include_str!("words/own.txt");

/// The lines and parts of lines.
pub(crate) fn words() -> Vec<&'static [u8]> {
    WORDS.split(|&byte| byte == b'|').collect()
}

/// The entries of a table of flags.
pub(crate) fn flags(table: &'static str) -> Vec<&'static str> {
    table.lines().collect()
}

/// The patterns that every engine accepts, among them one that matches nothing but the empty text.
pub(crate) fn patterns() -> Vec<&'static str> {
    PATTERNS.lines().chain(["", "(?x)g e m"]).collect()
}

/// The patterns for `-P`.
pub(crate) fn pcre2_patterns() -> Vec<&'static str> {
    PCRE2_PATTERNS.lines().collect()
}
