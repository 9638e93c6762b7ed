//! The lines of a function.

use std::ops::Range;

use super::{
    code::Code,
    syntax::{Nesting, is_word},
};

/// The lines of the function that begins with the line at `start`, with the comments and attributes
/// above it. `blocks` returns how many blocks a line ends and begins. The function ends at or after
/// `least`.
pub(super) fn of(
    code: &mut Code<'_>,
    blocks: &mut dyn FnMut(&[u8]) -> (usize, usize),
    start: usize,
    least: usize,
) -> Range<usize> {
    let line = code.line_around(start);
    let Some((column, content)) = code.indentation(&line) else { return start..least };
    let begin = begin(code, start, column);
    let is_counted = code.language.config.nesting != Nesting::Indentation;
    let (_, mut depth) = blocks(content);
    let mut is_open = depth > 0;
    if code.language.config.nesting == Nesting::Words && !is_open {
        (depth, is_open) = (usize::from(!code.language.config.has_declarations), true);
    }
    let (mut at, mut end) = (line.end, line.end);
    while at < code.text.len() {
        let line = code.line_around(at);
        at = line.end;
        let Some((indented, content)) = code.indentation(&line) else { continue };
        code.spans.extend(&code.language.lexis, code.text, line.end);
        if indented > column || code.spans.around(line.start).is_some() {
            end = line.end;
            continue;
        }
        if code.is_no_code(&line, content) {
            continue;
        }
        let (closed, opened) = if is_counted { blocks(content) } else { (0, 0) };
        let is_continuation = code.language.is_continuation(content);
        if closed > 0 && opened == 0 && closed >= depth && indented == column {
            end = line.end;
            break;
        }
        if indented < column || !(is_open || is_continuation || opened > 0) {
            break;
        }
        depth = depth.saturating_sub(closed) + opened;
        is_open |= opened > 0;
        end = line.end;
    }
    begin..end.max(least)
}

/// The start of the comments, attributes and types that stand directly above the line at `start`.
fn begin(code: &Code<'_>, mut start: usize, column: usize) -> usize {
    let has_types = code.language.config.nesting == Nesting::Braces;
    let (mut at, mut uncommented) = (start, usize::MAX);
    while at > 0 {
        let line = code.line_above(at);
        let Some((indented, content)) = code.indentation(&line) else { break };
        let is_text = code.spans.around(line.start).is_some();
        let is_above = code.is_skipped(content)
            || is_text
            || (indented == column && (is_attribute(content) || (has_types && is_type(content))))
            || (indented > column && content.ends_with(b")"));
        if !is_above {
            if let Some(before) =
                code.comment_start(&line, &mut uncommented).filter(|&before| before < at)
            {
                (at, start) = (before, before);
                continue;
            }
            break;
        }
        (at, start) = (line.start, line.start);
    }
    start
}

/// Whether a line is a decorator, an annotation or an attribute.
fn is_attribute(content: &[u8]) -> bool {
    content.starts_with(b"@")
        || content.starts_with(b"#[")
        || content.starts_with(b"[")
        || content.starts_with(b"template")
        || content.ends_with(b"*/")
}

/// Whether a line has nothing but words, as the type that precedes the name of a function in C.
fn is_type(content: &[u8]) -> bool {
    let is_part = |&byte: &u8| is_word(byte) || b" *&<>,:".contains(&byte);
    content.iter().all(is_part) && !matches!(content.last(), Some(b':' | b','))
}
