//! The slow, obvious searcher: splits into lines, finds out which of them are selected, and finds
//! context by counting lines.

use std::{borrow::Cow, ops::Range};

use heist_matcher::Finder;

use super::{record::Event, setup::Trial};
use crate::{BinaryPolicy, Encoding, Finish, LineKind, SearchConfig};

/// All events for the haystack in `trial`.
pub(super) fn events(trial: &Trial) -> Vec<Event> {
    let (config, finder) = (&trial.config, &mut trial.matcher.finder());
    let (unmarked, is_marked) = trial.unmarked();
    let bytes = match config.encoding {
        Encoding::Always(encoding) => match encoding.decode_without_bom_handling(unmarked).0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        },
        // The haystacks of trials are no text in UTF-16 or UTF-32.
        Encoding::Auto | Encoding::Marked | Encoding::Guess | Encoding::None => {
            Cow::Borrowed(unmarked)
        }
    };
    let spans_lines = trial.matcher.spans_lines();
    let seen = match spans_lines {
        // Binary data depends on other rules, which single cases show.
        true => None,
        // The first read has three bytes, unless they are a byte order mark.
        false => first_nul_seen(trial, finder, &bytes, if is_marked { 0 } else { 3 }),
    };
    let emitted = match (config.binary, seen) {
        _ if spans_lines => select_by_spans(config, finder, &bytes).emit(config, &bytes),
        (BinaryPolicy::Quit, Some((cut, _))) => emit_lines(config, finder, &bytes[..cut as usize]),
        (BinaryPolicy::Convert, Some(_)) => {
            let ended = |byte: &u8| if *byte == 0 { config.line_terminator } else { *byte };
            let mut emitted =
                emit_lines(config, finder, &bytes.iter().map(ended).collect::<Vec<u8>>());
            for (_, event) in &mut emitted.events {
                if let Event::Line { offset, number: Some(number), .. } = event {
                    let ends = bytes[..*offset as usize].iter();
                    *number =
                        1 + ends.filter(|byte| **byte == config.line_terminator).count() as u64;
                }
            }
            emitted
        }
        _ => emit_lines(config, finder, &bytes),
    };
    if emitted.events.is_empty() && !trial.wants_unmatched {
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
    let bytes_searched = emitted.searched;
    all.push(Event::Finish(Finish { bytes_searched, binary_offset, ..Finish::default() }));
    if trial.counts { counted(all) } else { all }
}

/// The events for `events` if matching lines are only counted.
fn counted(events: Vec<Event>) -> Vec<Event> {
    let mut counted = Vec::new();
    for event in events {
        let is_match = matches!(event, Event::Line { kind: LineKind::Match, .. });
        match counted.last_mut() {
            Some(Event::Count(count)) if is_match => *count += 1,
            _ => counted.push(if is_match { Event::Count(1) } else { event }),
        }
    }
    counted
}

/// The start of the lines that are searched together with the first NUL byte, and its position.
/// `None` if NUL bytes are not searched for, there is none, or the search ends before it is read.
/// The first read has `peek` bytes; 0 if it is like any other.
fn first_nul_seen(
    trial: &Trial,
    finder: &mut Finder,
    bytes: &[u8],
    mut peek: usize,
) -> Option<(u64, u64)> {
    let (config, mut limit) = (&trial.config, trial.capacity);
    let SearchConfig { line_terminator: terminator, binary, .. } = *config;
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
            let wanted = if peek > 0 { peek.min(room) } else { room };
            peek = 0;
            let fresh = &bytes[end..bytes.len().min(end + wanted)];
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
    let lines = lines_of(&bytes[start..], config.line_terminator);
    let kept: usize = lines.iter().rev().take(config.before_context + 1).map(Range::len).sum();
    let last_emitted = emitted.events.iter().rev().find_map(|(_, event)| match event {
        Event::Line { text, offset, .. } => Some(*offset as usize + text.len()),
        _ => None,
    });
    (bytes.len() - kept).max(last_emitted.unwrap_or(0))
}

fn lines_of(bytes: &[u8], terminator: u8) -> Vec<Range<usize>> {
    let lines = bytes.split_inclusive(|byte| *byte == terminator);
    lines.scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())..*at)).collect()
}

/// Whether `line` is selected on its own.
fn is_selected(config: &SearchConfig, finder: &mut Finder, line: &[u8]) -> bool {
    let text = match line.strip_suffix(&[config.line_terminator]) {
        Some(text) if config.crlf => text.strip_suffix(b"\r").unwrap_or(text),
        Some(text) => text,
        None => line,
    };
    finder.is_match(text) != config.invert
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

/// The lines in a haystack, and which are selected.
struct Selection {
    lines: Vec<Range<usize>>,
    /// The selected lines, up to the limit.
    chosen: Vec<usize>,
    /// The lines that are shown as matches in the context after the last one that counts.
    alike: Vec<bool>,
    is_limited: bool,
    /// The lines after this many have no effect.
    considered: usize,
    /// Nothing after those can change the events.
    stopped: bool,
    /// Successive selected lines are one event.
    is_merged: bool,
}

/// The events for the lines in `bytes`, without blocks.
fn emit_lines(config: &SearchConfig, finder: &mut Finder, bytes: &[u8]) -> Emitted {
    let lines = lines_of(bytes, config.line_terminator);
    let is_selected = |line: &Range<usize>| is_selected(config, finder, &bytes[line.clone()]);
    let selected: Vec<bool> = lines.iter().map(is_selected).collect();
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
    let alike = selected;
    Selection { lines, chosen, alike, is_limited, considered, stopped, is_merged: false }
        .emit(config, bytes)
}

/// Selects the lines that matches touch, which may span several.
fn select_by_spans(config: &SearchConfig, finder: &mut Finder, bytes: &[u8]) -> Selection {
    let lines = lines_of(bytes, config.line_terminator);
    let found = matches(config, finder, bytes, &lines);
    let is_touched =
        |line: &Range<usize>| found.iter().any(|found| touches(config, bytes, line, found));
    let most = config.max_matches.map_or(usize::MAX, |most| most as usize);
    let mut chosen: Vec<usize> =
        (0..lines.len()).filter(|i| is_touched(&lines[*i]) != config.invert).collect();
    let is_limited = if config.invert { chosen.len() >= most } else { found.len() >= most };
    if config.invert {
        chosen.truncate(most);
    }
    // In the context after the last match that counts, lines are matched as if each were alone,
    // except in an inverted search.
    let is_alike = |line: &Range<usize>| match config.invert {
        true => !is_touched(line),
        false => is_selected(config, finder, &bytes[line.clone()]),
    };
    let alike = lines.iter().map(is_alike).collect();
    let mut considered = lines.len();
    if is_limited && !config.passthru {
        considered =
            chosen.last().map_or(0, |last| considered.min(last + config.after_context + 1));
    }
    let (stopped, is_merged) = (is_limited, !config.invert);
    Selection { lines, chosen, alike, is_limited, considered, stopped, is_merged }
}

/// Every match that counts, in order.
fn matches(
    config: &SearchConfig,
    finder: &mut Finder,
    bytes: &[u8],
    lines: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len()
        && let Some(found) = finder.find_at(bytes, at)
        && (found.start < bytes.len() || is_open(config, bytes))
    {
        at = found.end.max(found.start + 1);
        if config.invert {
            let last = lines.iter().rev().find(|line| touches(config, bytes, line, &found));
            at = at.max(last.map_or(0, |line| line.end));
        }
        all.push(found);
        if !config.invert && config.max_matches.is_some_and(|most| all.len() as u64 >= most) {
            break;
        }
    }
    if !config.invert && config.max_matches == Some(0) { Vec::new() } else { all }
}

/// Whether a match touches the line at `line`. An empty match at the very end touches a last line
/// without terminator.
fn touches(config: &SearchConfig, bytes: &[u8], line: &Range<usize>, found: &Range<usize>) -> bool {
    let is_open_end = line.end == bytes.len() && is_open(config, bytes);
    if found.is_empty() {
        line.contains(&found.start) || (is_open_end && found.start == line.end)
    } else {
        found.start < line.end && found.end > line.start
    }
}

/// Whether the last line of `bytes` lacks its terminator.
fn is_open(config: &SearchConfig, bytes: &[u8]) -> bool {
    !bytes.ends_with(&[config.line_terminator])
}

impl Selection {
    /// The events of the lines.
    fn emit(&self, config: &SearchConfig, bytes: &[u8]) -> Emitted {
        let mut events: Vec<Caused> = Vec::new();
        let mut last = None;
        for i in 0..self.considered {
            let Some((kind, cause)) = self.kind_of(config, i) else { continue };
            let line = self.lines[i].clone();
            let has = |i: usize| self.chosen.contains(&i);
            let goes_on = self.is_merged && i > 0 && has(i - 1) && has(i);
            if let (true, Some((_, Event::Line { text, .. }))) = (goes_on, events.last_mut()) {
                text.extend(&bytes[line]);
            } else {
                let cause = self.lines[cause].start as u64;
                let has_context = config.before_context > 0 || config.after_context > 0;
                if has_context && last.is_some_and(|last| last + 1 < i) {
                    events.push((cause, Event::Gap));
                }
                let number = config.line_numbers.then_some(i as u64 + 1);
                let (offset, text) = (line.start as u64, bytes[line].to_vec());
                events.push((cause, Event::Line { kind, text, offset, number }));
            }
            last = Some(i);
        }
        let searched = self.lines.get(self.considered).map_or(bytes.len(), |line| line.start);
        Emitted { events, stopped: self.stopped, searched: searched as u64 }
    }

    /// The kind as which line `i` is emitted, and the line that causes it.
    fn kind_of(&self, config: &SearchConfig, i: usize) -> Option<(LineKind, usize)> {
        if self.chosen.contains(&i) {
            return Some((LineKind::Match, i));
        }
        let before = self.chosen.iter().rev().find(|c| **c < i);
        let after = self.chosen.iter().find(|c| **c > i);
        if before.is_some_and(|before| i - before <= config.after_context) {
            let is_alike = self.alike[i] && !config.passthru;
            let is_shown = self.is_limited && after.is_none() && is_alike;
            return Some((if is_shown { LineKind::Match } else { LineKind::After }, i));
        }
        if config.passthru {
            return Some((LineKind::Other, i));
        }
        let after = *after.filter(|after| **after - i <= config.before_context)?;
        Some((LineKind::Before, after))
    }
}
