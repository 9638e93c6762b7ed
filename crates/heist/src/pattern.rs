//! A pattern and the bytes in memory that it matches.

use std::{
    collections::VecDeque,
    io,
    ops::Range,
    sync::{Mutex, OnceLock, PoisonError},
    vec,
};

use heist_matcher::{BlockScan, Captures, Finder, LineHit, Matcher, MatcherConfig};
use heist_printer::{LineMatches, PrinterConfig};
use heist_searcher::{BinaryPolicy, Encoding, Flow, Line, SearchConfig, Searcher, Sink};
use memchr::{memchr, memchr_iter};

use crate::{
    Error,
    threads::{in_threads, useful_threads},
};

/// Lines that [`Lines`] finds at a time.
const LINES_AT_A_TIME: usize = 1024;

/// Bytes that are searched at first, and the fewest at a time.
const MIN_PART_BYTES: usize = 128 << 10;

/// The most bytes that a thread searches at a time.
const MAX_PART_BYTES: usize = 8 << 20;

/// The fewest bytes for which a thread is started.
const MIN_THREAD_BYTES: usize = 1 << 20;

/// A pattern that is matched against bytes in memory, line by line as in a file. Threads share it.
///
/// [`lines`](Pattern::lines) of some megabytes are found by several threads, unless matches may
/// span lines.
///
/// ```
/// use heist::Pattern;
///
/// let pattern = Pattern::new(r"(\w+)=(\d+)")?;
/// let text = b"[size]\nwidth=80\nheight=24\n";
/// assert!(pattern.is_match(text));
/// let lines: Vec<_> = pattern.lines(text).collect();
/// assert_eq!((lines[0].number, &text[lines[0].range.clone()]), (2, &b"width=80"[..]));
/// assert_eq!(pattern.groups(b"width=80", 0)[2], Some(6..8));
/// # Ok::<(), heist::Error>(())
/// ```
#[derive(Debug)]
pub struct Pattern {
    matcher: Matcher,
    /// Workers that no call uses.
    spare: Mutex<Vec<Worker>>,
    /// How many threads search.
    threads: OnceLock<usize>,
}

/// What a thread needs to search.
#[derive(Debug)]
struct Worker {
    finder: Finder,
    captures: Captures,
    searcher: Searcher,
    matches: LineMatches,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundLine {
    /// The number of the line, or of the first of several; the first line is 1.
    pub number: u64,
    /// Where the line is, without its terminator.
    pub range: Range<usize>,
    /// Where the matches are, in the same bytes as the line. None overlap.
    pub matches: Vec<Range<usize>>,
}

/// How far [`Pattern::next_lines`] has come.
#[derive(Clone, Debug, Default)]
pub struct LineCursor {
    /// Where the bytes begin that have not been searched.
    at: usize,
    /// Up to where lines were counted.
    counted: usize,
    /// Lines before `counted`.
    number: u64,
    /// How many bytes are searched next.
    part: usize,
    /// Lines that were found and not returned.
    found: VecDeque<FoundLine>,
}

/// The lines that match a [`Pattern`], as an iterator.
#[derive(Debug)]
pub struct Lines<'a> {
    pattern: &'a Pattern,
    bytes: &'a [u8],
    cursor: LineCursor,
    found: vec::IntoIter<FoundLine>,
}

impl Pattern {
    /// Compiles a regular expression, in the syntax of the crate `regex`.
    ///
    /// # Errors
    /// [`Error::Pattern`] if the pattern does not compile.
    pub fn new(pattern: impl AsRef<str>) -> Result<Pattern, Error> {
        // Bytes in memory are never binary.
        let config = MatcherConfig { ban_nul: false, ..MatcherConfig::default() };
        Ok(Pattern::with_matcher(Matcher::new([pattern], &config)?))
    }

    /// Takes a matcher that the caller has compiled.
    #[must_use]
    pub fn with_matcher(matcher: Matcher) -> Pattern {
        Pattern { matcher, spare: Mutex::default(), threads: OnceLock::new() }
    }

    /// The compiled pattern.
    #[must_use]
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Whether any line of `bytes` matches. Empty bytes have no line.
    #[must_use]
    pub fn is_match(&self, bytes: &[u8]) -> bool {
        self.with_worker(|worker| {
            let finder = &mut worker.finder;
            if finder.matcher().spans_lines() {
                return !bytes.is_empty() && finder.find_first(bytes, 0).is_some();
            }
            let (mut scan, mut at) = (BlockScan::new(bytes), 0);
            while let Some(hit) = finder.next_line(&mut scan, at) {
                let LineHit::Candidate(offset) = hit else { return true };
                let end = finder.line_terminator();
                let starts = bytes[..offset].iter().rposition(|byte| *byte == end);
                let start = starts.map_or(0, |before| before + 1);
                let ends = bytes[offset..].iter().position(|byte| *byte == end);
                let end = ends.map_or(bytes.len(), |after| offset + after);
                if finder.is_match(&bytes[start..end]) {
                    return true;
                }
                at = end + 1;
            }
            false
        })
    }

    /// The lines of `bytes` that match, found as the iterator advances.
    #[must_use]
    pub fn lines<'a>(&'a self, bytes: &'a [u8]) -> Lines<'a> {
        let cursor = LineCursor::default();
        Lines { pattern: self, bytes, cursor, found: Vec::new().into_iter() }
    }

    /// The next lines that match, at most `max`, for a caller that keeps the bytes elsewhere and
    /// calls this with the same ones each time. There are no more if none is returned. Where
    /// matches may span lines, the first call returns all of them.
    ///
    /// ```
    /// use heist::{LineCursor, Pattern};
    ///
    /// let (pattern, text) = (Pattern::new("o")?, b"one\ntwo\nthree\nfour\n");
    /// let mut cursor = LineCursor::default();
    /// assert_eq!(pattern.next_lines(text, &mut cursor, 2)?.len(), 2);
    /// assert_eq!(pattern.next_lines(text, &mut cursor, 2)?[0].number, 4);
    /// assert!(pattern.next_lines(text, &mut cursor, 2)?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The regex engine has given up, as PCRE2 does at a limit on backtracking.
    pub fn next_lines(
        &self,
        bytes: &[u8],
        cursor: &mut LineCursor,
        max: usize,
    ) -> io::Result<Vec<FoundLine>> {
        while cursor.found.is_empty() && cursor.at < bytes.len() {
            self.search_part(bytes, cursor, max.max(1))?;
        }
        let count = cursor.found.len().min(max.max(1));
        Ok(cursor.found.drain(..count).collect())
    }

    /// Searches the next part of `bytes`, of a size in which about `wanted` lines match.
    fn search_part(&self, bytes: &[u8], cursor: &mut LineCursor, wanted: usize) -> io::Result<()> {
        let from = cursor.at;
        let part = cursor.part.max(MIN_PART_BYTES);
        let end = match self.matcher.spans_lines() {
            true => bytes.len(),
            false => end_of_line(bytes, from.saturating_add(part)),
        };
        let threads = if self.matcher.spans_lines() { 1 } else { self.threads() };
        let threads = ((end - from) / MIN_THREAD_BYTES).clamp(1, threads);
        let mut segments = Vec::with_capacity(threads);
        let mut start = from;
        for left in (1..=threads).rev() {
            let segment_end = end_of_line(bytes, start + (end - start) / left).min(end);
            segments.push(start..if left == 1 { end } else { segment_end });
            start = segment_end;
        }
        let results = in_threads(segments, |segment| self.search_segment(bytes, segment));
        for result in results {
            let Segment { from, lines, counted, count } = result?;
            // Lines are counted only as far as a number is wanted.
            if lines.is_empty() {
                continue;
            }
            cursor.number += count_lines(&bytes[cursor.counted..from]);
            let before = cursor.number;
            let place = |line: FoundLine| FoundLine { number: before + line.number, ..line };
            cursor.found.extend(lines.into_iter().map(place));
            cursor.number += count;
            cursor.counted = from + counted;
        }
        cursor.at = end;
        cursor.part = match cursor.found.len() {
            found if found < wanted => (2 * part).min(self.threads() * MAX_PART_BYTES),
            found if found > 4 * wanted => part / 2,
            _ => part,
        };
        Ok(())
    }

    /// Searches whole lines.
    fn search_segment(&self, bytes: &[u8], segment: Range<usize>) -> io::Result<Segment> {
        self.with_worker(|worker| {
            let Worker { finder, searcher, matches, .. } = worker;
            let haystack = &bytes[segment.clone()];
            let mut sink = LineSink {
                lines: Vec::new(),
                haystack,
                from: segment.start,
                matches,
                counted: 0,
                count: 0,
            };
            searcher.search_slice(finder, haystack, &mut sink)?;
            let LineSink { from, lines, counted, count, .. } = sink;
            Ok(Segment { from, lines, counted, count })
        })
    }

    /// How many threads search.
    fn threads(&self) -> usize {
        *self.threads.get_or_init(useful_threads)
    }

    /// Where the groups are of the match that begins at or behind `at` in `line`: group 0 is the
    /// whole match. Empty if there is none. `line` is a line without its terminator, or all lines
    /// that a match touches.
    #[must_use]
    pub fn groups(&self, line: &[u8], at: usize) -> Vec<Option<Range<usize>>> {
        self.with_worker(|worker| {
            let Worker { finder, captures, .. } = worker;
            if !finder.captures_at(line, at, captures) {
                return Vec::new();
            }
            (0..self.matcher.group_names().len()).map(|index| captures.get(index)).collect()
        })
    }

    /// Calls `call` with a worker that no other call uses.
    fn with_worker<R>(&self, call: impl FnOnce(&mut Worker) -> R) -> R {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let free = spare().pop();
        let mut worker = free.unwrap_or_else(|| Worker::new(&self.matcher));
        let result = call(&mut worker);
        spare().push(worker);
        result
    }
}

impl Worker {
    fn new(matcher: &Matcher) -> Worker {
        let config = SearchConfig {
            binary: BinaryPolicy::Text,
            encoding: Encoding::None,
            line_numbers: false,
            ..SearchConfig::default()
        };
        Worker {
            finder: matcher.finder(),
            captures: matcher.captures(),
            searcher: Searcher::new(config),
            matches: LineMatches::new(&PrinterConfig::default()),
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = FoundLine;

    fn next(&mut self) -> Option<FoundLine> {
        if let Some(line) = self.found.next() {
            return Some(line);
        }
        let found = self.pattern.next_lines(self.bytes, &mut self.cursor, LINES_AT_A_TIME);
        self.found = found.unwrap_or_default().into_iter();
        self.found.next()
    }
}

/// What was found in a part of the bytes.
struct Segment {
    /// Where the part begins.
    from: usize,
    /// The lines, with numbers from the start of the part.
    lines: Vec<FoundLine>,
    /// Up to where lines were counted, from the start of the part.
    counted: usize,
    /// Lines before `counted`.
    count: u64,
}

/// The number of lines that end in `bytes`.
fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Where the line ends that contains the byte before `at`, with its terminator.
fn end_of_line(bytes: &[u8], at: usize) -> usize {
    let before = at.saturating_sub(1);
    let rest = bytes.get(before..).unwrap_or_default();
    memchr(b'\n', rest).map_or(bytes.len(), |len| before + len + 1)
}

/// Collects the lines of a part.
struct LineSink<'a> {
    lines: Vec<FoundLine>,
    haystack: &'a [u8],
    /// Where the part begins.
    from: usize,
    matches: &'a mut LineMatches,
    /// Up to where line terminators were counted.
    counted: usize,
    count: u64,
}

impl LineSink<'_> {
    /// Counts the line terminators before `end`.
    fn count_to(&mut self, end: usize) {
        self.count += count_lines(&self.haystack[self.counted..end]);
        self.counted = end;
    }
}

impl Sink for LineSink<'_> {
    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.matches.find(finder, line)?;
        let at = line.offset as usize;
        self.count_to(at);
        let start = self.from + at;
        let len = self.matches.strip(line.bytes).len();
        let place = |span: &Range<usize>| start + span.start.min(len)..start + span.end.min(len);
        self.lines.push(FoundLine {
            number: self.count + 1,
            range: start..start + len,
            matches: self.matches.spans().iter().map(place).collect(),
        });
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_however_many_are_found_at_a_time() {
        let text: String = (0..150_000).map(|n| format!("line {n} {}\n", n % 7)).collect();
        let text = text.trim_end().as_bytes();
        for pattern in ["33 3", r"\d9 5$", "^line 14999", "no such line"] {
            let pattern = Pattern::new(pattern).unwrap();
            let all: Vec<_> = pattern.lines(text).collect();
            let mut numbered = text.split(|byte| *byte == b'\n').zip(1..);
            for line in &all {
                let expected = numbered.find(|(_, number)| *number == line.number);
                assert_eq!(expected.map(|(line, _)| line), Some(&text[line.range.clone()]));
            }
            for max in [1000, 1_000_000] {
                let (mut cursor, mut lines) = (LineCursor::default(), Vec::new());
                loop {
                    let found = pattern.next_lines(text, &mut cursor, max).unwrap();
                    if found.is_empty() {
                        break;
                    }
                    lines.extend(found);
                }
                assert_eq!(lines, all, "{max} at a time");
            }
            assert_eq!(pattern.is_match(text), !all.is_empty());
        }
    }

    #[test]
    fn matches_may_span_lines() {
        let config = MatcherConfig { multiline: true, ..MatcherConfig::default() };
        let pattern = Pattern::with_matcher(Matcher::new([r"a\nb"], &config).unwrap());
        let text = b"a\nb\nc\na\nb\n";
        let lines: Vec<_> = pattern.lines(text).collect();
        let found: Vec<_> = lines.iter().map(|line| (line.number, line.range.clone())).collect();
        assert_eq!(found, [(1, 0..3), (4, 6..9)]);
        assert!(pattern.is_match(text) && !pattern.is_match(b"a\nc"));
    }

    #[test]
    fn nul_bytes_and_byte_order_marks_are_text() {
        let pattern = Pattern::new("b").unwrap();
        let lines: Vec<_> = pattern.lines(b"\xEF\xBB\xBFa\0\nb\0b\n").collect();
        assert_eq!((lines[0].number, lines[0].range.clone()), (2, 6..9));
        assert_eq!(lines[0].matches, [6..7, 8..9]);
    }
}
