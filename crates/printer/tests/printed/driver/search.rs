//! A slow, obvious search, which matches every line alone.

use std::ops::Range;

use heist_matcher::Finder;
use heist_searcher::{Finish, Flow, Line, LineKind, MatchBlock, Sink};

use super::Plan;

/// Passes the results of a search of `contents` to `sink`.
pub(super) fn search(plan: &Plan, finder: &mut Finder, contents: &[u8], sink: &mut dyn Sink) {
    if sink.begin().is_continue() {
        let _ = emit(plan, finder, contents, sink);
    }
    sink.finish(&Finish { bytes_searched: contents.len() as u64, ..Finish::default() });
}

/// Emits the lines of `contents` in ripgrep's order and with its kinds.
fn emit(plan: &Plan, finder: &mut Finder, contents: &[u8], sink: &mut dyn Sink) -> Flow {
    let matches = known_matches(finder, contents);
    let lines = if finder.matcher().spans_lines() && !plan.config.invert {
        cut_blocks(plan, contents, &matches)
    } else {
        cut(plan, finder, contents)
    };
    let mut counted = 0;
    // The number of lines emitted, and the end of the context after the last match.
    let (mut emitted, mut after) = (0, 0);
    for (at, (line, is_hit)) in lines.iter().enumerate() {
        let is_counted = *is_hit && counted < plan.max_count;
        if !is_counted {
            if plan.passthru {
                sink.context_with(finder, &Line { kind: LineKind::Other, ..*line })?;
            } else if at < after {
                let after = Line { kind: LineKind::After, ..*line };
                // After the limit a matching line is shown as one, but neither counted nor followed
                // by context.
                if *is_hit {
                    sink.matched_with(finder, line)?;
                } else {
                    sink.context_with(finder, &after)?;
                }
                emitted = at + 1;
            }
            continue;
        }
        counted += 1;
        if !plan.passthru {
            let first = at.saturating_sub(plan.before).max(emitted);
            if emitted > 0 && first > emitted && plan.config.context {
                sink.gap()?;
            }
            for (before, _) in &lines[first..at] {
                sink.context_with(finder, &Line { kind: LineKind::Before, ..*before })?;
            }
        }
        sink.matched_with(finder, line)?;
        (emitted, after) = (at + 1, at + 1 + plan.after);
    }
    Flow::Continue(())
}

/// All matches in a whole haystack. ripgrep starts each search anew, and finds nothing at the end.
fn known_matches(finder: &mut Finder, contents: &[u8]) -> Vec<Range<usize>> {
    let (mut matches, mut at) = (Vec::new(), 0);
    while at < contents.len()
        && let Some(found) = finder.find_at(contents, at)
    {
        at = found.end + usize::from(found.is_empty());
        let touches = matches.last().is_some_and(|last: &Range<usize>| last.end == found.end);
        if found.start < contents.len() && !(found.is_empty() && touches) {
            matches.push(found);
        }
    }
    matches
}

/// All lines, with those that matches touch as blocks.
fn cut_blocks<'a>(
    plan: &Plan,
    contents: &'a [u8],
    matches: &'a [Range<usize>],
) -> Vec<(Line<'a>, bool)> {
    let last = *plan.config.terminator.as_bytes().last().unwrap();
    let mut lines: Vec<(Range<usize>, Option<Range<usize>>)> = Vec::new();
    let mut at = 0;
    for line in contents.split_inclusive(|b| *b == last) {
        let line = at..at + line.len();
        at = line.end;
        let touches = |m: &Range<usize>| {
            m.start < line.end && (m.end > line.start || m.is_empty() && m.start == line.start)
        };
        let Some(first) = matches.iter().position(touches) else {
            lines.push((line, None));
            continue;
        };
        let begins = |m: &Range<usize>| line.contains(&m.start);
        let begun = matches.iter().filter(|m| begins(m)).count();
        match lines.last_mut() {
            // Matches on adjacent lines form one block.
            Some((block, Some(indices))) => {
                block.end = line.end;
                indices.end += begun;
            }
            _ => lines.push((line, Some(first..first + begun))),
        }
    }
    let count = |end: usize| contents[..end].iter().filter(|b| **b == last).count() as u64;
    let event = |(range, indices): (Range<usize>, Option<Range<usize>>)| {
        let block = indices.clone().map(|indices| MatchBlock {
            haystack: contents,
            origin: 0,
            start: range.start,
            searched_from: indices.start.checked_sub(1).map_or(0, |before| matches[before].end),
            matches: &matches[indices],
        });
        let line = Line {
            kind: LineKind::Match,
            block,
            offset: range.start as u64,
            number: Some(count(range.start) + 1),
            bytes: &contents[range],
        };
        (line, indices.is_some())
    };
    lines.into_iter().map(event).collect()
}

/// All lines as matching lines, and whether they match.
fn cut<'a>(plan: &Plan, finder: &mut Finder, contents: &'a [u8]) -> Vec<(Line<'a>, bool)> {
    let end = plan.config.terminator.as_bytes();
    let last = *end.last().unwrap();
    let (mut offset, mut lines) = (0, Vec::new());
    for (index, bytes) in contents.split_inclusive(|b| *b == last).enumerate() {
        let body = bytes.strip_suffix(end).or(bytes.strip_suffix(&[last])).unwrap_or(bytes);
        let is_hit = finder.is_match(body) != plan.config.invert;
        let number = Some(index as u64 + 1);
        lines.push((Line { kind: LineKind::Match, bytes, block: None, offset, number }, is_hit));
        offset += bytes.len() as u64;
    }
    lines
}
