//! The slow, obvious searcher: splits into lines, matches each alone, and finds context by counting
//! lines.

use heist_matcher::Finder;

use super::record::Event;
use crate::{BinaryPolicy, Finish, LineKind, SearchConfig};

/// A haystack, and how it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Haystack<'a> {
    /// The decoded bytes.
    pub(super) bytes: &'a [u8],
    pub(super) binary: BinaryPolicy,
    /// The length of the first read; 0 if it is like any other.
    pub(super) peek: usize,
    /// The size of the buffer.
    pub(super) capacity: usize,
}

/// An event and the offset of the line that causes it: a match causes the context before it.
type Caused = (u64, Event);

/// The events of a haystack, and how far the search went.
struct Emitted {
    events: Vec<Caused>,
    /// Nothing after the last line can change the events.
    stopped: bool,
    searched: u64,
}

/// All events of `haystack`.
pub(super) fn events(
    config: &SearchConfig,
    finder: &mut Finder,
    haystack: Haystack<'_>,
    wants_unmatched: bool,
) -> Vec<Event> {
    let Haystack { bytes, binary, .. } = haystack;
    let seen = first_nul_seen(config, finder, haystack);
    let emitted = match (binary, seen) {
        (BinaryPolicy::Quit, Some((cut, _))) => emit_lines(config, finder, &bytes[..cut as usize]),
        (BinaryPolicy::Convert, Some(_)) => {
            let converted: Vec<u8> = bytes
                .iter()
                .map(|byte| if *byte == 0 { config.line_terminator } else { *byte })
                .collect();
            emit_lines(config, finder, &converted)
        }
        _ => emit_lines(config, finder, bytes),
    };
    if emitted.events.is_empty() && !wants_unmatched {
        return Vec::new();
    }
    let mut all = vec![Event::Begin];
    let cut = seen.map_or(u64::MAX, |(cut, _)| cut);
    let (before, after): (Vec<_>, Vec<_>) =
        emitted.events.into_iter().partition(|(cause, _)| *cause < cut);
    all.extend(before.into_iter().map(|(_, event)| event));
    all.extend(seen.map(|(_, nul)| Event::Binary(nul)));
    all.extend(after.into_iter().map(|(_, event)| event));
    let binary_offset = seen.map(|(_, nul)| nul);
    all.push(Event::Finish(Finish { bytes_searched: emitted.searched, binary_offset }));
    all
}

/// The start of the lines that are searched together with the first NUL byte, and its position.
/// `None` if NUL bytes are not searched for, there is none, or the search ends before it is read.
fn first_nul_seen(
    config: &SearchConfig,
    finder: &mut Finder,
    haystack: Haystack<'_>,
) -> Option<(u64, u64)> {
    let Haystack { bytes, binary, mut peek, capacity: mut limit } = haystack;
    let terminator = config.line_terminator;
    if binary == BinaryPolicy::Text || (binary == BinaryPolicy::Convert && terminator == 0) {
        return None;
    }
    let (mut start, mut end, mut lines_end) = (0, 0, 0);
    loop {
        loop {
            if end - start == limit {
                limit *= 3;
            }
            let room = limit - (end - start);
            let ask = if peek > 0 { peek.min(room) } else { room };
            peek = 0;
            let fresh = &bytes[end..bytes.len().min(end + ask)];
            if fresh.is_empty() {
                return None;
            }
            if let Some(i) = fresh.iter().position(|byte| *byte == 0) {
                return Some((lines_end as u64, (end + i) as u64));
            }
            let newline = fresh.iter().rposition(|byte| *byte == terminator);
            lines_end = newline.map_or(lines_end, |i| end + i + 1);
            end += fresh.len();
            if newline.is_some() {
                break;
            }
        }
        let emitted = emit_lines(config, finder, &bytes[..lines_end]);
        if emitted.stopped {
            return None;
        }
        start = kept_from(config, &emitted, &bytes[..lines_end], start);
    }
}

/// The start of the buffer after its lines were searched.
fn kept_from(config: &SearchConfig, emitted: &Emitted, bytes: &[u8], start: usize) -> usize {
    if config.before_context == 0 && config.after_context == 0 {
        return bytes.len();
    }
    let lines = split(&bytes[start..], config.line_terminator);
    let kept: usize = lines.iter().rev().take(config.before_context + 1).map(|l| l.len()).sum();
    let last_emitted = emitted.events.iter().rev().find_map(|(_, event)| match event {
        Event::Line { text, offset, .. } => Some(*offset as usize + text.len()),
        _ => None,
    });
    (bytes.len() - kept).max(last_emitted.unwrap_or(0))
}

pub(super) fn split(bytes: &[u8], terminator: u8) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == terminator).collect()
}

/// Whether `line` is selected on its own.
pub(super) fn is_selected(config: &SearchConfig, finder: &mut Finder, line: &[u8]) -> bool {
    let text = match line.strip_suffix(&[config.line_terminator]) {
        Some(text) if config.crlf => text.strip_suffix(b"\r").unwrap_or(text),
        Some(text) => text,
        None => line,
    };
    finder.is_match(text) != config.invert
}

/// The events of the lines of `bytes`, without blocks.
fn emit_lines(config: &SearchConfig, finder: &mut Finder, bytes: &[u8]) -> Emitted {
    let lines = split(bytes, config.line_terminator);
    let offsets: Vec<u64> = lines
        .iter()
        .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len() as u64)))
        .chain([bytes.len() as u64])
        .collect();
    let selected: Vec<bool> = lines.iter().map(|line| is_selected(config, finder, line)).collect();
    let mut considered = lines.len();
    let mut stopped = false;
    let most = config.max_matches.map_or(usize::MAX, |most| most as usize);
    if config.stop_on_nonmatch && most > 0 {
        let first = selected.iter().position(|is| *is).unwrap_or(lines.len());
        if let Some(i) = (first..lines.len()).find(|i| !selected[*i]) {
            (considered, stopped) = (i + 1, true);
        }
    }
    let chosen: Vec<usize> = (0..considered).filter(|i| selected[*i]).take(most).collect();
    let is_limited = chosen.len() >= most;
    if is_limited && !config.passthru {
        let end = chosen.last().map_or(0, |last| last + config.after_context + 1);
        stopped |= end <= considered;
        considered = considered.min(end);
    }
    let mut events = Vec::new();
    let mut last = None;
    for i in 0..considered {
        let Some((kind, cause)) = kind_of(config, &selected, &chosen, is_limited, i) else {
            continue;
        };
        let has_context = config.before_context > 0 || config.after_context > 0;
        if has_context && last.is_some_and(|last| last + 1 < i) {
            events.push((offsets[cause], Event::Gap));
        }
        last = Some(i);
        let number = config.line_numbers.then_some(i as u64 + 1);
        let line = Event::Line { kind, text: lines[i].to_vec(), offset: offsets[i], number };
        events.push((offsets[cause], line));
    }
    Emitted { events, stopped, searched: offsets[considered] }
}

/// The kind as which line `i` is emitted, and the line that causes it.
pub(super) fn kind_of(
    config: &SearchConfig,
    selected: &[bool],
    chosen: &[usize],
    is_limited: bool,
    i: usize,
) -> Option<(LineKind, usize)> {
    if chosen.contains(&i) {
        return Some((LineKind::Match, i));
    }
    let before = chosen.iter().rev().find(|c| **c < i);
    let after = chosen.iter().find(|c| **c > i);
    if before.is_some_and(|before| i - before <= config.after_context) {
        let is_shown = is_limited && after.is_none() && selected[i] && !config.passthru;
        return Some((if is_shown { LineKind::Match } else { LineKind::After }, i));
    }
    if config.passthru {
        return Some((LineKind::Other, i));
    }
    let after = *after.filter(|after| **after - i <= config.before_context)?;
    Some((LineKind::Before, after))
}
