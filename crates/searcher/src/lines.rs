//! The bounds of lines. A line includes its terminator, which only the last one may lack.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use crate::SearchConfig;

/// The line that contains `offset`. `from` is where this line or an earlier one starts.
///
/// An offset just after the last terminator is in no line: the range is empty and begins at the
/// end.
pub(crate) fn around(block: &[u8], terminator: u8, from: usize, offset: usize) -> Range<usize> {
    let start = match &block[from..offset] {
        // Where every line matches, its start is known.
        [] => from,
        before => memrchr(terminator, before).map_or(from, |i| from + i + 1),
    };
    start..end(block, terminator, offset)
}

/// The end of the line that contains `offset`, after its terminator.
pub(crate) fn end(block: &[u8], terminator: u8, offset: usize) -> usize {
    memchr(terminator, &block[offset..]).map_or(block.len(), |i| offset + i + 1)
}

/// The lines that the match `found` touches. A match that ends with a terminator does not touch the
/// next line, and an empty match touches the line it is in.
pub(crate) fn touched(haystack: &[u8], terminator: u8, found: &Range<usize>) -> Range<usize> {
    let start = memrchr(terminator, &haystack[..found.start]).map_or(0, |i| i + 1);
    let ends_a_line = !found.is_empty() && haystack[found.end - 1] == terminator;
    start..if ends_a_line { found.end } else { end(haystack, terminator, found.end) }
}

/// The part of `line` that the pattern sees: everything but its terminator.
pub(crate) fn content<'l>(line: &'l [u8], config: &SearchConfig) -> &'l [u8] {
    match line {
        [text @ .., b'\r', last] if config.crlf && *last == config.line_terminator => text,
        [text @ .., last] if *last == config.line_terminator => text,
        _ => line,
    }
}

/// The number of terminators in `bytes`.
pub(crate) fn count(bytes: &[u8], terminator: u8) -> u64 {
    memchr_iter(terminator, bytes).count() as u64
}

/// How many lines `bytes` have. The last one may lack its terminator.
pub(crate) fn count_all(bytes: &[u8], terminator: u8) -> usize {
    let is_incomplete = bytes.last().is_some_and(|last| *last != terminator);
    count(bytes, terminator) as usize + usize::from(is_incomplete)
}

/// Where the first `lines` lines in `bytes` end, or all if there are fewer.
pub(crate) fn skip(bytes: &[u8], terminator: u8, lines: usize) -> usize {
    let Some(before) = lines.checked_sub(1) else { return 0 };
    memchr_iter(terminator, bytes).nth(before).map_or(bytes.len(), |i| i + 1)
}

/// Where the last `wanted` lines in `bytes` start, and how many they are, which is less if there
/// are fewer.
pub(crate) fn last_lines(bytes: &[u8], terminator: u8, wanted: usize) -> (usize, usize) {
    let (mut start, mut lines) = (bytes.len(), 0);
    while lines < wanted && start > 0 {
        // The byte before `start` ends the line, so the search begins to the left of it.
        start = memrchr(terminator, &bytes[..start - 1]).map_or(0, |i| i + 1);
        lines += 1;
    }
    (start, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn around_finds_the_line_of_an_offset() {
        let block = b"ab\n\ncd";
        assert_eq!(around(block, b'\n', 0, 0), 0..3);
        assert_eq!(around(block, b'\n', 0, 2), 0..3);
        assert_eq!(around(block, b'\n', 0, 3), 3..4);
        assert_eq!(around(block, b'\n', 3, 3), 3..4);
        assert_eq!(around(block, b'\n', 0, 6), 4..6);
        assert_eq!(around(b"ab\n", b'\n', 0, 3), 3..3);
    }

    #[test]
    fn last_lines_counts_from_the_end() {
        for (bytes, starts) in [
            (&b"a\nbc\nd\n"[..], [7, 5, 2, 0, 0]),
            (b"a\nbc\nd", [6, 5, 2, 0, 0]),
            (b"\n\n", [2, 1, 0, 0, 0]),
            (b"", [0; 5]),
        ] {
            for (wanted, start) in starts.into_iter().enumerate() {
                let (found, lines) = last_lines(bytes, b'\n', wanted);
                assert_eq!(found, start, "{bytes:?} {wanted}");
                let all = count_all(bytes, b'\n');
                assert_eq!(lines, wanted.min(all), "{bytes:?} {wanted}");
                assert_eq!(skip(bytes, b'\n', all - lines), start, "{bytes:?} {wanted}");
            }
        }
    }

    #[test]
    fn terminators_are_cut_once() {
        let plain = SearchConfig::default();
        let crlf = SearchConfig { crlf: true, ..SearchConfig::default() };
        let nul = SearchConfig { line_terminator: 0, ..SearchConfig::default() };
        for (config, line, text) in [
            (&plain, &b"a\n\n"[..], &b"a\n"[..]),
            (&plain, b"a\r\n", b"a\r"),
            (&plain, b"a", b"a"),
            (&plain, b"", b""),
            (&crlf, b"a\r\n", b"a"),
            (&crlf, b"a\r\r\n", b"a\r"),
            (&crlf, b"a\n", b"a"),
            (&crlf, b"a\r", b"a\r"),
            (&crlf, b"\r\n", b""),
            (&nul, b"a\n\0", b"a\n"),
        ] {
            assert_eq!(content(line, config), text, "{line:?}");
        }
    }

    #[test]
    fn matches_touch_the_lines_they_stand_in() {
        let haystack = b"ab\n\ncd";
        for (found, lines) in [
            (0..1, 0..3),
            (1..3, 0..3),
            (1..4, 0..4),
            (2..2, 0..3),
            (3..3, 3..4),
            (2..5, 0..6),
            (4..4, 4..6),
            (6..6, 4..6),
        ] {
            assert_eq!(touched(haystack, b'\n', &found), lines, "{found:?}");
        }
        assert_eq!(touched(b"a\n", b'\n', &(2..2)), 2..2);
    }
}
