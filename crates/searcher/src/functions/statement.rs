//! Statements: what is left without strings, comments and what is in brackets.

use super::{
    lexis::{Lexis, line_end},
    syntax::NestedFunctions,
};

/// Bytes of a statement that are looked at.
const MAX_STATEMENT: usize = 4096;

/// Bytes of a skeleton.
const MAX_SKELETON: usize = 512;

/// Where a statement is taken to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementEnd {
    /// With the first line that ends with `{`, even within parentheses, or has no open bracket.
    Line,
    /// Where no bracket is open.
    Balanced,
}

/// Writes the skeleton of the statement that begins at `start` into `skeleton`, and returns where
/// the statement ends.
///
/// Blanks become one space, and an indented statement begins with one. Brackets that are closed are
/// empty, and strings are `""`:
///
/// ```text
/// public void go(int a,
///                String b = "x") throws E { // why
/// ```
///
/// becomes `public void go() throws E {`.
pub(super) fn skeleton(
    language: &NestedFunctions,
    text: &[u8],
    start: usize,
    extent: StatementEnd,
    skeleton: &mut Vec<u8>,
) -> usize {
    let lexis = &language.lexis;
    skeleton.clear();
    let text = &text[..text.len().min(start + MAX_STATEMENT)];
    let mut open: Vec<usize> = Vec::new();
    let mut at = start;
    while let Some(&byte) = text.get(at) {
        if skeleton.len() > MAX_SKELETON {
            return at;
        }
        if let Some(token) = lexis.token(text, at, 0) {
            if !token.is_comment {
                skeleton.extend_from_slice(b"\"\"");
            }
            at = token.end.max(at + 1);
            continue;
        }
        match byte {
            b'\n' | 0 => {
                if skeleton.last() == Some(&b'<') {
                    // Type parameters on lines of their own.
                    open.push(skeleton.len() - 1);
                }
                if ends(skeleton, &open, extent) && !continues(language, text, at + 1) {
                    break;
                }
                push_blank(skeleton);
            }
            b'>' if closes_types(skeleton, &open) => {
                skeleton.truncate(open.pop().map_or(0, |start| start + 1));
                skeleton.push(byte);
            }
            b' ' | b'\t' | b'\r' | b'\x0c' => push_blank(skeleton),
            b'(' | b'[' | b'{' => {
                if byte == b'{' && open.is_empty() && !is_closed_on_line(text, at) {
                    skeleton.push(byte);
                    break;
                }
                open.push(skeleton.len());
                skeleton.push(byte);
            }
            b')' | b']' | b'}' => {
                // What the statement did not open is the end of what it is in.
                let Some(start) = open.pop() else { break };
                skeleton.truncate(start + 1);
                skeleton.push(byte);
            }
            _ => skeleton.push(byte),
        }
        at += 1;
    }
    while skeleton.last() == Some(&b' ') {
        skeleton.pop();
    }
    at
}

/// Whether `>` behind `skeleton` closes type parameters.
fn closes_types(skeleton: &[u8], open: &[usize]) -> bool {
    open.last().is_some_and(|&start| skeleton[start] == b'<')
        && !matches!(skeleton.last(), Some(b'=' | b'-'))
}

/// Whether a statement ends with a line.
fn ends(skeleton: &[u8], open: &[usize], extent: StatementEnd) -> bool {
    let last = skeleton.trim_ascii_end();
    if last.is_empty() {
        return false;
    }
    if open.is_empty() {
        let goes_on: &[&[u8]] = &[b"=", b"=>", b"->"];
        let is_list = extent == StatementEnd::Balanced && last.ends_with(b",");
        return !is_list && !goes_on.iter().any(|end| last.ends_with(end));
    }
    extent == StatementEnd::Line && last.ends_with(b"{")
}

/// Whether the next line of code, from `at` on, continues the statement or begins its block.
fn continues(language: &NestedFunctions, text: &[u8], mut at: usize) -> bool {
    while at < text.len() {
        match text[at] {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'{' => return true,
            b'}' | b')' | b']' => return false,
            _ => match language.lexis.token(text, at, 0) {
                Some(token) if token.is_comment => at = token.end.max(at + 1),
                _ => return language.is_continuation(&text[at..line_end(text, at)]),
            },
        }
    }
    false
}

/// Whether a bracket that closes the one at `at` is on its line, as in `{ a, b }`.
fn is_closed_on_line(text: &[u8], at: usize) -> bool {
    let mut depth = 0usize;
    for &byte in &text[at..line_end(text, at)] {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return true;
        }
    }
    false
}

fn push_blank(skeleton: &mut Vec<u8>) {
    if skeleton.last() != Some(&b' ') {
        skeleton.push(b' ');
    }
}

/// The braces of a line that are closed but not opened in it, and those that are opened but not
/// closed.
pub(super) fn braces(lexis: &Lexis, line: &[u8]) -> (usize, usize) {
    let (mut closed, mut opened) = (0, 0);
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        if let Some(token) = lexis.token(line, at, 0) {
            at = token.end.max(at + 1);
            continue;
        }
        match byte {
            b'{' => opened += 1,
            b'}' if opened > 0 => opened -= 1,
            b'}' => closed += 1,
            _ => {}
        }
        at += 1;
    }
    (closed, opened)
}
