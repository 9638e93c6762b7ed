//! The parts of a long line that are around its matches.
//!
//! A window reaches some characters, which are grapheme clusters, to both sides of where each match
//! begins and ends. Windows that meet are one, and so are windows with a single character between
//! them, because the mark for what is left out is no shorter.

use std::{collections::VecDeque, ops::Range};

use bstr::ByteSlice as _;
use heist_searcher::LineKind;

use crate::{Excerpt, PrinterConfig};

/// How many characters an excerpt reaches to both sides of a match if it is made only because the
/// line is long.
const DEFAULT_REACH: usize = 30;

/// The mark for what is left out.
pub(crate) const MARK: &str = "…";

/// How far a safe border is searched for, in bytes. A character that is longer than this may be
/// cut.
const SEARCH: usize = 1 << 10;

/// Which lines are printed as excerpts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excerpts {
    /// How much is printed of lines, if every long one is cut.
    excerpt: Option<Excerpt>,
    /// The longest line that is printed whole otherwise, in bytes.
    longest: usize,
    /// How many bytes all windows in a line take at most.
    most: usize,
}

/// How much of a line is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// How many characters windows reach to both sides.
    reach: usize,
    /// How many characters a line has at most that is printed whole.
    whole: usize,
    /// How many characters a context line has at most that is printed whole.
    whole_context: usize,
    /// How many bytes all windows take at most.
    most: usize,
}

impl Extent {
    /// How much is printed of a line of this kind.
    pub(crate) fn of_kind(self, kind: LineKind) -> Extent {
        Extent { whole: if kind.is_match() { self.whole } else { self.whole_context }, ..self }
    }

    /// How much is printed of the next line in a block, after `bytes` bytes.
    pub(crate) fn after(self, bytes: usize) -> Extent {
        Extent { most: self.most.saturating_sub(bytes), ..self }
    }
}

impl Excerpts {
    /// Cuts every line if `excerpt` is not `None`, and long ones if the configuration limits them.
    pub(crate) fn new(config: &PrinterConfig, excerpt: Option<Excerpt>) -> Excerpts {
        let [longest, most] =
            [config.longest_line, config.longest_excerpt].map(|most| most.unwrap_or(usize::MAX));
        Excerpts { excerpt, longest, most: most.min(longest) }
    }

    /// How much is printed of a line that takes `len` bytes; `None` if all is.
    #[inline]
    pub(crate) fn of(self, len: usize) -> Option<Extent> {
        if self.excerpt.is_none() && len <= self.longest {
            return None;
        }
        let by_length = Excerpt { reach: DEFAULT_REACH, ..Excerpt::default() };
        let Excerpt { reach, whole, whole_context } = self.excerpt.unwrap_or(by_length);
        Some(Extent { reach, whole, whole_context: whole_context.max(whole), most: self.most })
    }

    /// The longest line that is printed whole, if not every line is cut.
    pub(crate) fn longest(self) -> usize {
        self.longest
    }

    /// Whether every line is cut.
    pub(crate) fn cuts_all(self) -> bool {
        self.excerpt.is_some()
    }
}

/// As [`windows`], which are cut after as many bytes as the extent has. Returns the position after
/// the last one too if some were cut.
pub(crate) fn bounded(
    line: &[u8],
    spans: impl Iterator<Item = Range<usize>>,
    extent: Extent,
) -> (Vec<Range<usize>>, Option<usize>) {
    if line.len() <= extent.most && is_at_most(line, extent.whole) {
        let whole = 0..line.len();
        return (if line.is_empty() { Vec::new() } else { vec![whole] }, None);
    }
    let mut list = windows(line, spans, extent.reach);
    let mut left = extent.most;
    let mut fits = |window: &Range<usize>| {
        let fits = window.len() <= left;
        left -= if fits { window.len() } else { 0 };
        fits
    };
    let whole = list.iter().take_while(|window| fits(window)).count();
    let Some(cut) = list.get_mut(whole) else { return (list, None) };
    let most = cut.start + left;
    let end = safe_border(line, most);
    cut.end = match whole == 0 && end <= cut.start {
        // No border is safe, so the cut is between two scalar values.
        true => (cut.start + 1..most).rev().find(|&at| line[at] & 0xc0 != 0x80).unwrap_or(most),
        false => end.max(cut.start),
    };
    let end = cut.end;
    list.truncate(whole + 1);
    list.retain(|window| !window.is_empty());
    (list, Some(end))
}

/// The windows in `line`, in order, which are never empty: around `spans`, or the beginning of a
/// line without any. Each reaches `reach` characters, at least one, to both sides. The spans are in
/// order.
pub(crate) fn windows(
    line: &[u8],
    spans: impl Iterator<Item = Range<usize>>,
    reach: usize,
) -> Vec<Range<usize>> {
    let mut windows = Windows { line, list: Vec::new() };
    let mut cursor = Cursor::new(line, reach);
    for span in spans {
        windows.add(cursor.around(span.start));
        windows.add(cursor.around(span.end));
    }
    if windows.list.is_empty() && !line.is_empty() {
        windows.add(Cursor::new(line, reach.saturating_mul(2)).around(0));
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

    /// Joins the first and the last window with the line's ends, if they are near.
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

/// Whether `line` has at most `characters` characters.
fn is_at_most(line: &[u8], characters: usize) -> bool {
    // A line with more bytes for each character is nothing that people read.
    line.len() <= characters
        || line.len() <= characters.saturating_mul(16) && line.graphemes().nth(characters).is_none()
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

/// Finds the windows around positions that are in order. However many there are, and however long
/// the characters, it reads no part of the line again for each.
struct Cursor<'a> {
    line: &'a [u8],
    /// How many characters a window reaches to both sides.
    reach: usize,
    /// The last bytes looked at that are [plain](is_plain).
    plain: Range<usize>,
    /// The borders from the start of the last window that was not found in plain bytes on, as far
    /// as they are known.
    borders: VecDeque<usize>,
}

impl<'a> Cursor<'a> {
    fn new(line: &'a [u8], reach: usize) -> Cursor<'a> {
        Cursor { line, reach, plain: 0..0, borders: VecDeque::new() }
    }

    /// The window that reaches to both sides of `at`.
    fn around(&mut self, at: usize) -> Range<usize> {
        let len = self.line.len();
        let near = at.saturating_sub(self.reach)..len.min(at.saturating_add(self.reach));
        if self.sees_plain(near.start.saturating_sub(1)..len.min(near.end + 1)) {
            return near;
        }
        let known = self.borders.front().zip(self.borders.back());
        let known = known.map(|(&first, &last)| (first, last)).filter(|(first, _)| *first <= at);
        let mut bytes = self.reach.saturating_mul(8).saturating_add(64);
        loop {
            let from = at.saturating_sub(bytes);
            if known.is_some_and(|(_, last)| from <= last) {
                // There are enough before `at`, because there were before an earlier position.
                add_borders(&mut self.borders, self.line, at, self.reach);
                break;
            }
            let from = safe_border(self.line, from);
            let mut borders = VecDeque::from([from]);
            add_borders(&mut borders, self.line, at, self.reach);
            if from == 0 || last_before(&borders, at) >= self.reach {
                self.borders = borders;
                break;
            }
            bytes = bytes.saturating_mul(4);
        }
        let start = last_before(&self.borders, at).saturating_sub(self.reach);
        self.borders.drain(..start);
        let behind = self.borders.partition_point(|&border| border < at);
        let end = behind.saturating_add(self.reach).min(self.borders.len() - 1);
        self.borders[0]..self.borders[end]
    }

    /// Whether all bytes in `range` are plain. It neither begins nor ends before the last one.
    fn sees_plain(&mut self, range: Range<usize>) -> bool {
        if range.start > self.plain.end {
            self.plain = range.start..range.start;
        }
        if range.end > self.plain.end {
            let bytes = &self.line[self.plain.end..range.end];
            if !bytes.is_ascii() || bytes.contains(&b'\r') {
                let last = bytes.iter().rposition(|&byte| !is_plain(byte)).unwrap_or(0);
                self.plain.start = self.plain.end + last + 1;
            }
            self.plain.end = range.end;
        }
        self.plain.start <= range.start
    }
}

/// Whether the byte is ASCII, and not the first half of a line terminator. There is a border
/// between any two such bytes.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii() && byte != b'\r'
}

/// Adds the borders in `line` that follow `borders`, until `reach` borders are behind the first one
/// at or after `at`.
fn add_borders(borders: &mut VecDeque<usize>, line: &[u8], at: usize, reach: usize) {
    let Some(&from) = borders.back() else { return };
    let mut after = borders.len() - borders.partition_point(|&border| border < at);
    for (_, end, _) in line[from..].grapheme_indices() {
        if after > reach {
            break;
        }
        borders.push_back(from + end);
        after += usize::from(from + end >= at);
    }
}

/// The last border's index at or before `at`, which is not before the first one.
fn last_before(borders: &VecDeque<usize>, at: usize) -> usize {
    borders.partition_point(|&border| border <= at).saturating_sub(1)
}

/// A border at or before `at`.
fn safe_border(line: &[u8], at: usize) -> usize {
    let is_safe = |&at: &usize| match line[..=at] {
        [.., a, b] => a.is_ascii() && b.is_ascii() && (a, b) != (b'\r', b'\n'),
        _ => true,
    };
    let lowest = at.saturating_sub(SEARCH);
    let found = (lowest..=at).rev().find(is_safe);
    // No scalar value has more than three continuation bytes.
    let mut cuts = (lowest.saturating_sub(3)..=lowest).rev();
    found.or_else(|| cuts.find(|&at| line[at] & 0xc0 != 0x80)).unwrap_or(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The windows, from the whole line's borders, character by character.
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
    fn windows_are_cut_after_many_bytes() {
        let extent = |reach, whole, most| Extent { reach, whole, whole_context: whole, most };
        let bounded = |line: &str, part: &str, reach, most| {
            let spans = line.match_indices(part).map(|(at, text)| at..at + text.len());
            let (windows, end) = bounded(line.as_bytes(), spans, extent(reach, 0, most));
            (windows.iter().map(|window| &line[window.clone()]).collect::<Vec<_>>().join("|"), end)
        };
        let line = "a....a....a....a";
        assert_eq!(bounded(line, "a", 1, 100), ("a.|.a.|.a.|.a".to_owned(), None));
        assert_eq!(bounded(line, "a", 1, 11), ("a.|.a.|.a.|.a".to_owned(), None));
        assert_eq!(bounded(line, "a", 1, 8), ("a.|.a.|.a.".to_owned(), Some(14)));
        assert_eq!(bounded(line, "a", 1, 7), ("a.|.a.|.a".to_owned(), Some(11)));
        assert_eq!(bounded(line, "a", 9, 5), ("a....".to_owned(), Some(5)));
        assert_eq!(bounded("äöü", "ö", 9, 3), ("ä".to_owned(), Some(2)));
        let whole = |line: &str, whole, most| {
            let span = 0..1;
            super::bounded(line.as_bytes(), std::iter::once(span), extent(1, whole, most)).0
        };
        assert_eq!(whole("abcdef", 6, 9), vec![0..6]);
        assert_eq!(whole("abcdef", 5, 9), vec![0..2]);
        assert_eq!(whole("abcdef", 6, 5), vec![0..2]);
        assert_eq!(whole("e\u{301}e\u{301}e", 3, 9), vec![0..7]);
        assert!(whole("", 6, 9).is_empty());
    }

    #[test]
    fn windows_are_those_of_the_whole_line() {
        let mut random = fastrand::Rng::with_seed(11);
        let parts =
            ["a", "b", " ", "é", "e\u{301}", "💡", "🇩🇪", "👩\u{200d}👧", "界", "\u{301}", "\r"];
        for _ in 0..4_000 {
            let len = random.usize(..100);
            let mix = random.usize(1..=parts.len());
            let mut line: Vec<u8> =
                (0..len).flat_map(|_| parts[random.usize(..mix)].bytes()).collect();
            if random.u8(..8) == 0 {
                line.push(0xff);
            }
            let mut places: Vec<usize> =
                (0..random.usize(..9) * 2).map(|_| random.usize(..=line.len())).collect();
            places.sort_unstable();
            let spans: Vec<Range<usize>> =
                places.chunks_exact(2).map(|ends| ends[0]..ends[1]).collect();
            let reach = random.usize(1..9);
            let windows = windows(&line, spans.iter().cloned(), reach);
            assert_eq!(windows, obvious(&line, &spans, reach), "{:?} {spans:?}", line.as_bstr());
        }
    }

    #[test]
    fn a_line_with_very_many_matches_is_read_once() {
        // Were what is around a match read anew for each, 10^10 bytes would be.
        let accents = format!("e{}", "\u{301}".repeat(100_000));
        let spans = accents.match_indices('\u{301}').map(|(at, accent)| at..at + accent.len());
        let whole = 0..accents.len();
        assert_eq!(windows(accents.as_bytes(), spans, 3), [whole]);
        for (part, reach) in [("é gem ", 10_000), ("a gem ", 100_000)] {
            let text = format!("{}{}", part.repeat(30_000), "é ".repeat(2 * reach));
            let spans = text.match_indices("gem").map(|(at, gem)| at..at + gem.len());
            let end = part.len() * 30_000 - 1;
            let window = 0..text[end..].char_indices().nth(reach).map_or(0, |(at, _)| end + at);
            assert_eq!(windows(text.as_bytes(), spans, reach), [window], "{part}");
        }
    }
}
