//! The parts of a long line that are around its matches.
//!
//! A window reaches some characters, which are grapheme clusters, to both sides of where each match
//! begins and ends. Windows that meet are one, and so are windows with a single character between
//! them, because the mark for what is left out is no shorter.

use std::ops::Range;

use bstr::ByteSlice as _;

/// The mark for what is left out.
pub(crate) const MARK: &str = "…";

/// How far a safe border is searched for, in bytes. A character that is longer than this may be
/// cut.
const SEARCH: usize = 1 << 10;

/// The windows of `line`, in order, which are never empty: around `spans`, or the beginning of a
/// line without any. Each reaches `reach` characters, at least one, to both sides.
pub(crate) fn windows(
    line: &[u8],
    spans: impl Iterator<Item = Range<usize>>,
    reach: usize,
) -> Vec<Range<usize>> {
    let mut windows = Windows { line, list: Vec::new() };
    for span in spans {
        let (begin, end) = (around(line, span.start, reach), around(line, span.end, reach));
        windows.add(begin);
        windows.add(end);
    }
    if windows.list.is_empty() && !line.is_empty() {
        windows.add(around(line, 0, reach.saturating_mul(2)));
    }
    windows.finish()
}

struct Windows<'a> {
    line: &'a [u8],
    list: Vec<Range<usize>>,
}

impl Windows<'_> {
    fn add(&mut self, window: Range<usize>) {
        match self.list.last_mut() {
            Some(last) if is_short(self.line, last.end..window.start) => {
                last.end = last.end.max(window.end);
            }
            _ => self.list.push(window),
        }
    }

    /// Joins the first and the last window with the ends of the line, if they are near.
    fn finish(mut self) -> Vec<Range<usize>> {
        let len = self.line.len();
        if let Some(first) = self.list.first_mut()
            && is_short(self.line, 0..first.start)
        {
            first.start = 0;
        }
        if let Some(last) = self.list.last_mut()
            && is_short(self.line, last.end..len)
        {
            last.end = len;
        }
        self.list.retain(|window| !window.is_empty());
        self.list
    }
}

/// Whether `range` has at most one character. It is one between windows, so its ends are borders.
fn is_short(line: &[u8], range: Range<usize>) -> bool {
    match range.len() {
        _ if range.start >= range.end => true,
        1 => true,
        // One character is rarely longer, and then a mark does not hurt.
        2..=64 => line[range].graphemes().nth(1).is_none(),
        _ => false,
    }
}

/// The window that reaches `reach` characters to both sides of `at`.
fn around(line: &[u8], at: usize, reach: usize) -> Range<usize> {
    let near = at.saturating_sub(reach)..line.len().min(at.saturating_add(reach));
    // Between two ASCII characters there is a border, except within a line terminator.
    let seen = &line[near.start.saturating_sub(1)..line.len().min(near.end + 1)];
    if seen.is_ascii() && !seen.contains(&b'\r') {
        return near;
    }
    let mut bytes = reach.saturating_mul(8).saturating_add(64);
    loop {
        let from = safe_border(line, at.saturating_sub(bytes));
        if let Some(window) = around_from(line, at, reach, from) {
            return window;
        }
        bytes = bytes.saturating_mul(4);
    }
}

/// The window around `at`, from the borders after `from`, which is one; `None` if there are too few
/// between `from` and `at`.
fn around_from(line: &[u8], at: usize, reach: usize, from: usize) -> Option<Range<usize>> {
    let mut borders = vec![from];
    let mut after = 0;
    for (_, end, _) in line[from..].grapheme_indices() {
        if after > reach {
            break;
        }
        borders.push(from + end);
        after += usize::from(from + end >= at);
    }
    let before = borders.partition_point(|&border| border <= at) - 1;
    if before < reach && from > 0 {
        return None;
    }
    let behind = borders.partition_point(|&border| border < at);
    let end = behind.saturating_add(reach).min(borders.len() - 1);
    Some(borders[before.saturating_sub(reach)]..borders[end])
}

/// A border at or before `at`.
fn safe_border(line: &[u8], at: usize) -> usize {
    let is_safe = |&at: &usize| match line[..=at] {
        [.., a, b] => a.is_ascii() && b.is_ascii() && (a, b) != (b'\r', b'\n'),
        _ => true,
    };
    let lowest = at.saturating_sub(SEARCH);
    let found = (lowest..=at).rev().find(is_safe);
    found.unwrap_or_else(|| (0..=lowest).rev().find(|&at| line[at] & 0xc0 != 0x80).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The windows, from the borders of the whole line, character by character.
    fn obvious(line: &[u8], spans: &[Range<usize>], reach: usize) -> Vec<Range<usize>> {
        let mut borders = vec![0];
        borders.extend(line.grapheme_indices().map(|(_, end, _)| end));
        let last = borders.len() - 1;
        let mut shown = vec![false; last];
        for at in spans.iter().flat_map(|span| [span.start, span.end]) {
            let before = borders.iter().rposition(|&border| border <= at).unwrap();
            let behind = borders.iter().position(|&border| border >= at).unwrap();
            let range = before.saturating_sub(reach)..(behind + reach).min(last);
            shown[range].fill(true);
        }
        if spans.is_empty() {
            shown[..last.min(2 * reach)].fill(true);
        }
        for index in 0..last {
            let hidden = |index: usize| shown.get(index).is_some_and(|shown| !shown);
            let is_alone = hidden(index)
                && (index == 0 || !hidden(index - 1))
                && (index + 1 == last || !hidden(index + 1));
            if is_alone && shown.contains(&true) {
                shown[index] = true;
            }
        }
        let mut windows: Vec<Range<usize>> = Vec::new();
        for index in (0..last).filter(|&index| shown[index]) {
            match windows.last_mut().filter(|window| window.end == borders[index]) {
                Some(window) => window.end = borders[index + 1],
                None => windows.push(borders[index]..borders[index + 1]),
            }
        }
        windows
    }

    fn shown(line: &str, pattern: &str, reach: usize) -> String {
        let spans = line.match_indices(pattern).map(|(at, text)| at..at + text.len());
        let mut text = String::new();
        let mut end = 0;
        for window in windows(line.as_bytes(), spans, reach) {
            if window.start > end {
                text += MARK;
            }
            text += &line[window.clone()];
            end = window.end;
        }
        if end < line.len() { text + MARK } else { text }
    }

    #[test]
    fn windows_are_around_matches() {
        for (line, pattern, reach, expected) in [
            ("0123456789", "45", 2, "…234567…"),
            ("0123456789", "45", 3, "0123456789"),
            ("0123456789", "45", 4, "0123456789"),
            ("0123456789", "0", 2, "012…"),
            ("0123456789", "9", 2, "…789"),
            ("0123456789", "x", 2, "0123…"),
            ("abc----abc----abc", "abc", 1, "abc-…-abc-…-abc"),
            ("a long match, cut within", "a long match, cut within", 3, "a l…hin"),
            ("ä💡e\u{301}x", "x", 1, "…e\u{301}x"),
            ("", "", 3, ""),
        ] {
            assert_eq!(shown(line, pattern, reach), expected, "{pattern} in {line}, {reach}");
        }
    }

    #[test]
    fn windows_are_those_of_the_whole_line() {
        let mut random = fastrand::Rng::with_seed(11);
        let parts =
            ["a", "b", " ", "é", "e\u{301}", "💡", "🇩🇪", "👩\u{200d}👧", "界", "\u{301}", "\r"];
        for _ in 0..4_000 {
            let len = random.usize(..60);
            let mix = random.usize(1..=parts.len());
            let mut line: Vec<u8> =
                (0..len).flat_map(|_| parts[random.usize(..mix)].bytes()).collect();
            if random.u8(..8) == 0 {
                line.push(0xff);
            }
            let mut places: Vec<usize> =
                (0..random.usize(..4) * 2).map(|_| random.usize(..=line.len())).collect();
            places.sort_unstable();
            let spans: Vec<Range<usize>> =
                places.chunks_exact(2).map(|ends| ends[0]..ends[1]).collect();
            let reach = random.usize(1..9);
            let windows = windows(&line, spans.iter().cloned(), reach);
            assert_eq!(windows, obvious(&line, &spans, reach), "{:?} {spans:?}", line.as_bstr());
        }
    }
}
