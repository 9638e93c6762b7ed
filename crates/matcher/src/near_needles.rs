//! Searches for a match that spans lines in the lines around needles. Every match contains one.
//!
//! Such a match extends over few lines, as [`Reach`] knows:
//!
//! ```text
//! pattern    \w+\s+=\s+kmalloc\(
//!
//!            int *p;
//!            struct s *q;     ┐ where a match with that needle may begin
//!            p = kmalloc(1);  ┘
//!            q = p;           │ where matches end that begin before
//!            return q;
//! ```

use std::ops::Range;

use memchr::memchr;

use crate::lines::line_start;
use crate::near::{Around, find_near};
use crate::reach::Reach;
use crate::strategies::line_finder::LineFinder;
use crate::strategies::packed::Packed;

/// How many bytes are searched for the end of a line or a match, before what is known about the
/// line is used, or the engine goes on to the end of the haystack.
const MAX_SEARCHED_BYTES: usize = 16 << 10;

/// The leftmost match that begins at or after `at`, which is in `haystack` or its end. Each has one
/// of `needles`, and an end that is known by its `reach`. `search` finds the leftmost match in a
/// range.
///
/// `long_line` is where the last long line with a needle ended, possibly in another haystack:
/// without it, that end would be looked for from each match in the line.
pub(crate) fn find(
    needles: &mut Packed,
    reach: &Reach,
    haystack: &[u8],
    terminator: u8,
    at: usize,
    long_line: &mut usize,
    search: impl FnMut(Range<usize>) -> Option<Range<usize>>,
) -> Option<Range<usize>> {
    let len = haystack.len();
    let mut next_line = |needle: usize| {
        let near = len.min(needle + MAX_SEARCHED_BYTES);
        if let Some(n) = memchr(terminator, &haystack[needle..near]) {
            return needle + n + 1;
        }
        // Any later line will do, though more would be searched.
        let begins_line = |at: usize| at == len || at < len && haystack[at - 1] == terminator;
        if !(needle < *long_line && begins_line(*long_line)) {
            *long_line = memchr(terminator, &haystack[near..]).map_or(len, |n| near + n + 1);
        }
        *long_line
    };
    let around = |from, needle| {
        let line = line_start(haystack, terminator, from, needle);
        let begin = from + reach.begin(&haystack[from..line]);
        let next = next_line(needle);
        let most = len.min(next + MAX_SEARCHED_BYTES);
        let end = match reach.end(&haystack[next..most]) {
            Some(len) => next + len,
            None if most == len => len,
            None => return None,
        };
        Some(Around { begin, next, end })
    };
    find_near(haystack, at, |range| needles.find(haystack, range), around, search)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use fastrand::Rng;
    use regex_automata::meta::Regex;

    use super::MAX_SEARCHED_BYTES;
    use crate::compiled::Mode;
    use crate::{Finder, Matcher, MatcherConfig};

    const PATTERNS: [&str; 14] = [
        r"\w+\s+=\s+kzalloc",
        r"^\w+\s+\w+\(.*\)\n\{",
        r"\w+\s+zx\s+\w+$",
        r"[a-z]\n?(?:ab|ba)zx\b",
        r"\b[^x]{2}kzx\B",
        r"(?:a|b\n)+?zx",
        r"\w*zx\W*?\n",
        r"[^;]*zx[^;]*;",
        r"\s*zx(?:\s*a)*",
        r"(?s).zx.{0,3}?b",
        r"(?:\n|^)[ab]{1,3}\)\n",
        r"\d\w*\s\w*zx|[ab]\n\nzx",
        r"(?i)[ab]\s*kzx",
        r"[ab]+\r?\nzx",
    ];

    fn finder(pattern: &str) -> Finder {
        let config = MatcherConfig { multiline: true, ..MatcherConfig::default() };
        Matcher::new([pattern], &config).expect("it is a regex").finder()
    }

    fn is_near_needles(finder: &Finder) -> bool {
        match &finder.mode {
            Mode::Whole(whole) => whole.is_near_needles(),
            Mode::Lines(_) | Mode::Query(_) => panic!("its matches may span lines"),
        }
    }

    /// All matches, by successive searches as for `-o`.
    fn matches(mut find: impl FnMut(usize) -> Option<Range<usize>>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(range) = find(at) {
            at = range.end;
            found.push(range);
        }
        found
    }

    fn text(rng: &mut Rng) -> Vec<u8> {
        const PIECES: [&str; 20] = [
            "a", "b", "zx", "zx", "kzx", "kzalloc", " ", " ", "\n", "\n", "\n\n", "\r\n", "=", "(",
            ")\n", "{", ";", "1", "_", "é",
        ];
        let pieces = 1 + rng.usize(..PIECES.len() - 1);
        let first = rng.usize(..PIECES.len());
        let mut text = Vec::new();
        for _ in 0..rng.usize(..60) {
            let piece = PIECES[(first + rng.usize(..pieces)) % PIECES.len()];
            text.extend_from_slice(piece.as_bytes());
        }
        text
    }

    #[test]
    fn matches_are_those_of_the_engine() {
        let mut rng = Rng::with_seed(21);
        let (mut near_needles, mut total) = (0, 0);
        for pattern in PATTERNS {
            let mut finder = finder(pattern);
            near_needles += usize::from(is_near_needles(&finder));
            let regex = Regex::new(&format!("(?m){pattern}")).expect("it is a regex");
            for _ in 0..4000 {
                let text = text(&mut rng);
                let expected = matches(|at| {
                    regex.find(regex_automata::Input::new(&text).range(at..)).map(|m| m.range())
                });
                let found = matches(|at| finder.find_at(&text, at));
                assert_eq!(found, expected, "{pattern} {}", text.escape_ascii());
                total += found.len();
            }
        }
        assert!(near_needles > 8 && total > 4000, "{near_needles} {total}");
    }

    #[test]
    fn the_engine_goes_on_where_needles_are_common_or_matches_long() {
        let mut finder = finder(r"[^;}]*zx[^;]*;");
        assert!(is_near_needles(&finder));
        for (line, count, last) in [
            ("} zx\n", 20_000, "a;"),
            ("a\n", 2 * MAX_SEARCHED_BYTES, "zx\n;"),
            ("zx }", 10, &*"b\n".repeat(MAX_SEARCHED_BYTES)),
        ] {
            for end in ["", ";"] {
                let text = [&line.repeat(count), last, end].concat();
                let regex = Regex::new(r"[^;}]*zx[^;]*;").expect("it is a regex");
                let expected = regex.find(&text).map(|m| m.range());
                assert_eq!(finder.find_at(text.as_bytes(), 0), expected, "{line:?} {end:?}");
            }
        }
    }

    /// To look for the end of the line from each match would take seconds.
    #[test]
    fn a_long_line_may_have_many_matches() {
        let mut finder = finder(r"\w+\s+=\s+kmalloc\(");
        assert!(is_near_needles(&finder));
        let line = "ab = kmalloc(1); ".repeat(50_000);
        for text in [line.clone(), format!("x\n{line}\nab\n=\nkmalloc("), "ab = kmalloc(".into()] {
            let found = matches(|at| finder.find_at(text.as_bytes(), at));
            assert_eq!(found.len(), text.matches("kmalloc(").count());
        }
    }
}
