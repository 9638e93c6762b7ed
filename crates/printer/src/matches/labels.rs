//! The patterns of the matches that are printed, and their labels (`--which`).

use std::{collections::HashMap, ops::Range, sync::Arc};

use bstr::ByteSlice as _;
use heist_matcher::PatternFinder;
use heist_searcher::Line;

use crate::{
    PatternLabel, PatternLabels, PrinterConfig, Terminator,
    value::{decimal, escape::visible_line, json_text::append_string},
};

/// What the labels are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelsOf {
    /// Lines: all patterns that match there.
    Lines,
    /// Matches: the pattern of each.
    Matches,
    /// Both; a block of lines counts as one.
    MatchesAndBlocks,
}

/// Labels the matches in one line, or block of lines, after the other.
#[derive(Clone, Debug)]
pub(crate) struct Labeler {
    patterns: Arc<[PatternLabel]>,
    finder: PatternFinder,
    of: LabelsOf,
    /// The label of each pattern as it is printed in a line, and the first pattern with this label.
    shown: Vec<(Box<[u8]>, usize)>,
    /// Each match's pattern.
    of_matches: Vec<Option<usize>>,
    /// The block's patterns.
    of_block: Vec<usize>,
    /// Each line's labels.
    lines: Vec<u8>,
    /// Where each line's labels end.
    ends: Vec<usize>,
}

/// A line or block of lines, where its matches were found.
pub(crate) struct Searched<'a> {
    /// What look-around sees.
    haystack: &'a [u8],
    /// Where the line starts in `haystack`.
    start: usize,
    /// Where the search for its first match began.
    searched_from: usize,
}

impl<'a> Searched<'a> {
    /// The whole `haystack`.
    pub(crate) fn whole(haystack: &'a [u8]) -> Searched<'a> {
        Searched { haystack, start: 0, searched_from: 0 }
    }

    /// The place of `line`, which was searched as `body`, unless it is a block.
    pub(crate) fn of(line: &Line<'a>, body: &'a [u8]) -> Searched<'a> {
        match &line.block {
            None => Searched::whole(body),
            Some(block) => Searched {
                haystack: block.haystack,
                start: block.origin + block.start,
                searched_from: block.origin + block.searched_from,
            },
        }
    }
}

impl Labeler {
    /// Returns `None` if results have no labels.
    pub(crate) fn new(config: &PrinterConfig, of: LabelsOf) -> Option<Labeler> {
        let PatternLabels { set, labels } = config.patterns.as_ref()?;
        let mut firsts = HashMap::new();
        let shown = labels.iter().enumerate().map(|(index, pattern)| {
            let label = pattern.label.as_ref().unwrap_or(&pattern.text);
            let first = *firsts.entry(label).or_insert(index);
            (visible_line(label).into_boxed_slice(), first)
        });
        let shown = shown.collect();
        Some(Labeler {
            shown,
            patterns: Arc::clone(labels),
            finder: set.finder(),
            of,
            of_matches: Vec::new(),
            of_block: Vec::new(),
            lines: Vec::new(),
            ends: Vec::new(),
        })
    }

    /// Forgets the line.
    pub(crate) fn clear(&mut self) {
        self.of_matches.clear();
        self.of_block.clear();
        self.lines.clear();
        self.ends.clear();
    }

    /// Finds the patterns that match in a line at `spans`.
    pub(crate) fn find(&mut self, place: &Searched<'_>, spans: &[Range<usize>], body_len: usize) {
        let start = place.start;
        let matches: Vec<_> =
            spans.iter().map(|span| start + span.start..start + span.end).collect();
        self.of_matches = self.finder.patterns_of(place.haystack, place.searched_from, &matches);
        if self.of == LabelsOf::MatchesAndBlocks {
            let end = (place.start + body_len).min(place.haystack.len());
            self.of_block = self.finder.patterns_in(place.haystack, place.start..end);
            self.of_block.extend(self.of_matches.iter().flatten());
            self.of_block.sort_unstable();
            self.of_block.dedup();
        }
    }

    /// Whether lines have labels, and not only matches.
    pub(crate) fn labels_lines(&self) -> bool {
        self.of == LabelsOf::Lines
    }

    /// Labels each line in `bytes`, which are printed for the line at `place`. `spans` are the
    /// matches in them. If they are replacements, only these determine the labels.
    pub(crate) fn label_lines(
        &mut self,
        place: Option<&Searched<'_>>,
        bytes: &[u8],
        spans: &[Range<usize>],
        terminator: Terminator,
    ) {
        let (mut start, mut passed) = (0, 0);
        while start < bytes.len() {
            let rest = bytes[start..].find_byte(terminator.last_byte());
            let end = rest.map_or(bytes.len(), |len| start + len + 1);
            let body = start..start + terminator.strip(&bytes[start..end]).len();
            let mut patterns = place.map_or_else(Vec::new, |place| {
                let (from, to) = (place.start + body.start, place.start + body.end);
                self.finder.patterns_in(place.haystack, from..to)
            });
            passed += spans[passed..].iter().take_while(|span| !ends_after(span, start)).count();
            let touching = spans[passed..].iter().take_while(|span| span.start < end);
            let found = self.of_matches[passed..].iter().zip(touching);
            patterns.extend(found.filter_map(|(pattern, _)| *pattern));
            self.append_labels(patterns);
            self.ends.push(self.lines.len());
            start = end;
        }
    }

    /// Appends a label for each of `patterns`, in their order and without repetition.
    fn append_labels(&mut self, mut patterns: Vec<usize>) {
        for pattern in &mut patterns {
            *pattern = self.shown[*pattern].1;
        }
        patterns.sort_unstable();
        patterns.dedup();
        for (index, pattern) in patterns.iter().enumerate() {
            if index > 0 {
                self.lines.push(b',');
            }
            self.lines.extend_from_slice(&self.shown[*pattern].0);
        }
    }

    /// The labels for the line with this index in a block, as they are printed.
    pub(crate) fn of_line(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        Some(&self.lines[start..end])
    }

    /// The label for the match with this index, as it is printed.
    pub(crate) fn of_match(&self, index: usize) -> Option<&[u8]> {
        let pattern = self.of_matches.get(index).copied().flatten()?;
        Some(&self.shown[pattern].0)
    }

    /// Appends the pattern of the match with this index as a JSON field.
    pub(crate) fn append_match_json(&self, out: &mut Vec<u8>, index: usize) {
        if let Some(pattern) = self.of_matches.get(index).copied().flatten() {
            out.extend_from_slice(br#","pattern":"#);
            self.append_pattern_json(out, pattern);
        }
    }

    /// Appends the block's patterns as a JSON field.
    pub(crate) fn append_block_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#","patterns":["#);
        for (index, pattern) in self.of_block.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.append_pattern_json(out, *pattern);
        }
        out.push(b']');
    }

    fn append_pattern_json(&self, out: &mut Vec<u8>, index: usize) {
        let pattern = &self.patterns[index];
        out.extend_from_slice(br#"{"number":"#);
        decimal::append(out, index as u64 + 1);
        out.extend_from_slice(br#","text":"#);
        append_string(out, &pattern.text);
        if let Some(label) = &pattern.label {
            out.extend_from_slice(br#","label":"#);
            append_string(out, label);
        }
        out.push(b'}');
    }
}

/// Whether `span` ends after `start`, or is an empty match there.
fn ends_after(span: &Range<usize>, start: usize) -> bool {
    span.end > start || span.start == start
}
