//! The matches within one line, found left to right.

use std::ops::{ControlFlow, Range};

use heist_matcher::Finder;
use heist_searcher::Flow;

/// Tell the matches in `line` one by one. `body` is `line` without its terminator.
///
/// Matches do not overlap. An empty match is none where the match before ended, and none at the end
/// of a line that has no terminator. After an empty match the search goes on one byte further, so
/// that empty matches are found within multi-byte characters too: all this as ripgrep has it.
fn each(finder: &mut Finder, line: &[u8], body: &[u8], mut tell: impl FnMut(Range<usize>) -> Flow) {
    let mut at = 0;
    let mut last_end = None;
    while at <= body.len() {
        let Some(found) = finder.find_at(body, at) else {
            return;
        };
        if found.start >= line.len() {
            return;
        }
        at = found.end;
        if found.is_empty() {
            at += 1;
            if last_end == Some(found.end) {
                continue;
            }
        }
        last_end = Some(found.end);
        if tell(found).is_break() {
            return;
        }
    }
}

/// Append to `spans` the matches in `line`, the first `limit` at most.
pub(crate) fn locate(
    finder: &mut Finder,
    line: &[u8],
    body: &[u8],
    limit: usize,
    spans: &mut Vec<Range<usize>>,
) {
    each(finder, line, body, |span| {
        spans.push(span);
        if spans.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
}

/// How many matches are in `line`.
pub(crate) fn count(finder: &mut Finder, line: &[u8], body: &[u8]) -> u64 {
    let mut count = 0;
    each(finder, line, body, |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    count
}
