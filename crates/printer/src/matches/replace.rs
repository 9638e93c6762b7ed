//! Replacement text (`-r`): parsed once, resolved against the pattern's groups once, then copied.

use std::ops::Range;

use bstr::ByteSlice as _;
use heist_matcher::{Captures, Matcher};

use super::replacement_form::ReplacementForm;

/// A part of the replacement as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reference {
    Text(Vec<u8>),
    Index(usize),
    Name(String),
}

/// Splits `text` at its references: `$1`, `$name`, `${1}`, `${name}`. `$$` is a dollar sign, and so
/// is a `$` that begins no reference. A name extends as far as possible; digits that fit into 32
/// bits are an index. (This is the syntax of the crates `regex` and `grep-matcher`.)
fn parse(text: &[u8]) -> Vec<Reference> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find_byte(b'$') {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some((reference, len)) = parse_reference(rest) {
            if !plain.is_empty() {
                pieces.push(Reference::Text(std::mem::take(&mut plain)));
            }
            pieces.push(reference);
            rest = &rest[len..];
        } else {
            plain.push(b'$');
            rest = rest.strip_prefix(b"$").unwrap_or(rest);
        }
    }
    plain.extend_from_slice(rest);
    if !plain.is_empty() {
        pieces.push(Reference::Text(plain));
    }
    pieces
}

/// The reference after a dollar sign, and its length in bytes.
fn parse_reference(text: &[u8]) -> Option<(Reference, usize)> {
    let braced = text.strip_prefix(b"{");
    let body = braced.unwrap_or(text);
    let len = body.iter().position(|b| !is_name_byte(*b)).unwrap_or(body.len());
    // All bytes in names are ASCII.
    let name = std::str::from_utf8(&body[..len]).ok().filter(|name| !name.is_empty())?;
    let len = match braced {
        Some(_) if body.get(len) == Some(&b'}') => len + 2,
        Some(_) => return None,
        None => len,
    };
    let reference = match name.parse::<u32>() {
        Ok(index) => Reference::Index(index as usize),
        Err(_) => Reference::Name(name.to_owned()),
    };
    Some((reference, len))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Which references in `replacement` are to groups that the pattern of `matcher` does not have, as
/// in `$nope` or `$2`. They are replaced by nothing.
pub fn missing_groups(replacement: &[u8], matcher: &Matcher) -> Vec<String> {
    let groups = matcher.group_names().len();
    let missing = parse(replacement).into_iter().filter_map(|reference| match reference {
        Reference::Index(index) if index >= groups => Some(format!("${index}")),
        Reference::Name(name) if matcher.group_index(&name).is_none() => Some(format!("${name}")),
        _ => None,
    });
    missing.collect()
}

/// Whether `replacement` has references to groups or to the match, as `$1` or `$0`.
#[must_use]
pub fn has_references(replacement: &[u8]) -> bool {
    parse(replacement).iter().any(|reference| !matches!(reference, Reference::Text(_)))
}

/// A piece of the replacement with resolved groups.
#[derive(Clone, Debug)]
enum ReplacementPiece {
    Text(Box<[u8]>),
    /// The whole match.
    Whole,
    Group(usize),
}

/// A replacement resolved against one pattern's groups. Unknown names are replaced by nothing.
#[derive(Clone, Debug)]
struct Resolved {
    pieces: Vec<ReplacementPiece>,
    /// A match's groups, if any group but the whole match is needed: finding groups is slower than
    /// finding matches.
    captures: Option<Captures>,
}

impl Resolved {
    fn new(references: &[Reference], matcher: &Matcher) -> Resolved {
        let group = |index| {
            if index == 0 { ReplacementPiece::Whole } else { ReplacementPiece::Group(index) }
        };
        let pieces: Vec<ReplacementPiece> = references
            .iter()
            .filter_map(|reference| match reference {
                Reference::Text(text) => Some(ReplacementPiece::Text(text.as_slice().into())),
                Reference::Index(index) => Some(group(*index)),
                Reference::Name(name) => matcher.group_index(name).map(group),
            })
            .collect();
        let has_groups = pieces.iter().any(|piece| matches!(piece, ReplacementPiece::Group(_)));
        Resolved { captures: has_groups.then(|| matcher.captures()), pieces }
    }
}

/// Replaces the matches in one line after the other. Each worker has its own, for its buffers.
#[derive(Clone, Debug)]
pub(crate) struct Replacer {
    references: Vec<Reference>,
    /// How a replacement is written that has no references.
    form: ReplacementForm,
    /// Resolved when the pattern is first seen; a worker has only one.
    resolved: Option<Resolved>,
    /// The current line as far as it has been replaced.
    text: Vec<u8>,
    /// The replacements in `text`.
    spans: Vec<Range<usize>>,
    /// Up to where the line is in `text`.
    copied: usize,
}

impl Replacer {
    pub(crate) fn new(replacement: &[u8], form: ReplacementForm) -> Replacer {
        let references = parse(replacement);
        let form = match references.as_slice() {
            [Reference::Text(_)] => form,
            _ => ReplacementForm::AsTyped,
        };
        Replacer {
            references,
            form,
            resolved: None,
            text: Vec::new(),
            spans: Vec::new(),
            copied: 0,
        }
    }

    /// Begins a new line with matches that `matcher` has found.
    pub(crate) fn begin(&mut self, matcher: &Matcher) {
        self.text.clear();
        self.spans.clear();
        self.copied = 0;
        self.resolved.get_or_insert_with(|| Resolved::new(&self.references, matcher));
    }

    /// The next match's groups, if they have to be found.
    pub(crate) fn captures(&mut self) -> Option<&mut Captures> {
        self.resolved.as_mut().and_then(|resolved| resolved.captures.as_mut())
    }

    /// Replaces the next match. `span` is relative to the line, which begins at `start` in
    /// `haystack`, where the groups are.
    pub(crate) fn replace(&mut self, haystack: &[u8], start: usize, span: &Range<usize>) {
        let Some(resolved) = &self.resolved else {
            return;
        };
        let line = &haystack[start..];
        self.text.extend_from_slice(&line[self.copied..span.start]);
        self.copied = span.end;
        let from = self.text.len();
        for piece in &resolved.pieces {
            match piece {
                ReplacementPiece::Text(text) => self.text.extend_from_slice(text),
                ReplacementPiece::Whole => self.text.extend_from_slice(&line[span.clone()]),
                ReplacementPiece::Group(index) => {
                    let range = resolved.captures.as_ref().and_then(|c| c.get(*index));
                    if let Some(bytes) = range.and_then(|range| haystack.get(range)) {
                        self.text.extend_from_slice(bytes);
                    }
                }
            }
        }
        let written = self.form.write_bytes(&line[span.clone()], &self.text[from..]);
        if let Some(written) = written {
            self.text.truncate(from);
            self.text.extend_from_slice(written.as_bytes());
        }
        self.spans.push(from..self.text.len());
    }

    /// Ends `line`.
    pub(crate) fn finish(&mut self, line: &[u8]) {
        self.text.extend_from_slice(&line[self.copied..]);
    }

    /// The line with its matches replaced, if it has any.
    pub(crate) fn line(&self) -> Option<(&[u8], &[Range<usize>])> {
        (!self.spans.is_empty()).then_some((&self.text, &self.spans))
    }

    /// What replaces the match with this index.
    pub(crate) fn replacement(&self, index: usize) -> Option<&[u8]> {
        self.spans.get(index).map(|span| &self.text[span.clone()])
    }

    /// Discards the line: the next one has no match.
    pub(crate) fn clear(&mut self) {
        self.spans.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Reference::*, *};

    fn text(bytes: &str) -> Reference {
        Text(bytes.as_bytes().to_vec())
    }

    #[test]
    fn references_and_dollar_signs() {
        // Verified against ripgrep 15.2.
        let name = |n: &str| Name(n.to_owned());
        let cases: &[(&str, &[Reference])] = &[
            ("", &[]),
            ("a", &[text("a")]),
            ("$1", &[Index(1)]),
            ("$1a", &[name("1a")]),
            ("${1}a", &[Index(1), text("a")]),
            ("x$a_1-$0", &[text("x"), name("a_1"), text("-"), Index(0)]),
            ("$007", &[Index(7)]),
            ("$4294967295", &[Index(4_294_967_295)]),
            ("$4294967296", &[name("4294967296")]),
            ("$", &[text("$")]),
            ("$$", &[text("$")]),
            ("$$1", &[text("$1")]),
            ("$$$1", &[text("$"), Index(1)]),
            ("$-a$ b", &[text("$-a$ b")]),
            ("${", &[text("${")]),
            ("${}", &[text("${}")]),
            ("${a", &[text("${a")]),
            ("${a-b}", &[text("${a-b}")]),
            ("$é${é}", &[text("$é${é}")]),
            ("$${a}", &[text("${a}")]),
        ];
        for (typed, expected) in cases {
            assert_eq!(parse(typed.as_bytes()), *expected, "{typed}");
        }
    }
}
