//! The lines in git's attribute files, as far as they concern the attribute `diff`.
//!
//! ```text
//! *.inc          text diff=php      the files of a glob, and the states of attributes
//! "a b.inc"      -diff              a glob in quotes
//! [attr]source   diff=cpp text      a macro: `source` sets both
//! ```

use std::collections::HashMap;

use crate::{
    git_quotes::unquoted_start,
    glob::{Glob, LetterCase, git_tokens},
};

/// How many bytes a line may have. Git ignores longer ones.
const MAX_LINE_BYTES: usize = 2048;

/// A line of an attribute file: a pattern, and the states that it gives to the attributes of files
/// that match.
#[derive(Debug)]
pub(crate) struct AttributeLine {
    glob: Glob,
    /// Whether the pattern is for paths, not for names alone.
    is_path: bool,
    states: Vec<AttributeState>,
}

/// The state that a line gives an attribute.
#[derive(Clone, Debug)]
struct AttributeState {
    attribute: Vec<u8>,
    value: Value,
}

/// An attribute's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// As if no line mentioned it: `!diff`.
    Unspecified,
    /// `diff`.
    Set,
    /// `-diff`.
    Unset,
    /// `diff=php`.
    Text(Vec<u8>),
}

/// A repository's macros, by their names.
#[derive(Debug)]
pub(crate) struct Macros(HashMap<Vec<u8>, Vec<AttributeState>>);

/// Looks for the value of `diff` for one file, in the lines that outrank others first.
pub(crate) struct DiffSearch<'a> {
    macros: &'a Macros,
    /// The macros that a line has set or unset. Only the first line that mentions one counts.
    known: Vec<&'a [u8]>,
}

impl Macros {
    /// The macro that git itself defines.
    pub(crate) fn new() -> Macros {
        let binary = states(b"-diff -merge -text").unwrap_or_default();
        Macros(HashMap::from([(b"binary".to_vec(), binary)]))
    }

    /// Adds the macros that the attribute file `text` defines. They replace macros with the same
    /// names.
    pub(crate) fn add(&mut self, text: &[u8]) {
        for ParsedLine { pattern, states, is_macro } in fields(text) {
            if is_macro {
                self.0.insert(pattern, states);
            }
        }
    }

    /// The lines in `text`, a file's, that may decide about `diff`.
    pub(crate) fn lines(&self, text: &[u8], case: LetterCase) -> Vec<AttributeLine> {
        let is_relevant = |state: &AttributeState| {
            state.attribute == b"diff" || self.0.contains_key(&state.attribute)
        };
        let line = |ParsedLine { pattern, mut states, is_macro }: ParsedLine| {
            states.retain(is_relevant);
            // A pattern with a slash at the end is for directories, which have no attributes.
            let is_for_files = !matches!(pattern.as_slice(), [b'!', ..] | [.., b'/']);
            (!is_macro && is_for_files && !states.is_empty()).then_some(())?;
            let is_path = pattern.contains(&b'/');
            let relative = pattern.strip_prefix(b"/").unwrap_or(&pattern);
            let glob = Glob::new(git_tokens(relative, is_path, case)?);
            Some(AttributeLine { glob, is_path, states })
        };
        fields(text).filter_map(line).collect()
    }
}

impl<'a> DiffSearch<'a> {
    pub(crate) fn new(macros: &'a Macros) -> DiffSearch<'a> {
        DiffSearch { macros, known: Vec::new() }
    }

    /// The value that `lines` give the file at `path`, which ends with `name`, if they mention
    /// `diff`. The last line that does decides.
    pub(crate) fn lines(
        &mut self,
        lines: &'a [AttributeLine],
        path: &[u8],
        name: &[u8],
    ) -> Option<Value> {
        lines.iter().rev().find_map(|line| {
            let is_match = line.glob.is_match(if line.is_path { path } else { name });
            is_match.then(|| self.states(&line.states)).flatten()
        })
    }

    fn states(&mut self, states: &'a [AttributeState]) -> Option<Value> {
        states.iter().rev().find_map(|AttributeState { attribute, value }| {
            if attribute == b"diff" {
                return Some(value.clone());
            }
            let (name, meaning) = self.macros.0.get_key_value(attribute)?;
            if self.known.contains(&name.as_slice()) {
                return None;
            }
            // Macros in macros end, since each counts once.
            self.known.push(name);
            (*value == Value::Set).then(|| self.states(meaning)).flatten()
        })
    }
}

/// A line, split into its parts.
struct ParsedLine {
    /// The pattern, or a macro's name.
    pattern: Vec<u8>,
    states: Vec<AttributeState>,
    is_macro: bool,
}

/// The lines in a file that git accepts.
fn fields(text: &[u8]) -> impl Iterator<Item = ParsedLine> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.split(|&byte| byte == b'\n').filter_map(|line| {
        let line = &line[..memchr::memchr(0, line).unwrap_or(line.len())];
        let start = line.iter().position(|byte| !is_blank(byte))?;
        let content = &line[start..];
        if line.len() >= MAX_LINE_BYTES || content.starts_with(b"#") {
            return None;
        }
        let (pattern, rest) = unquoted_start(content).unwrap_or_else(|| {
            let (word, rest) = content.split_at(end_of_word(content));
            (word.to_vec(), rest)
        });
        let name = pattern.strip_prefix(b"[attr]").filter(|name| !name.is_empty());
        let is_macro = name.is_some_and(is_name);
        let states = (is_macro || name.is_none()).then(|| states(rest)).flatten()?;
        let pattern = name.map_or(pattern.clone(), <[u8]>::to_vec);
        Some(ParsedLine { pattern, states, is_macro })
    })
}

/// The states that a line gives attributes; `None` if a name is none, for which git ignores the
/// line.
fn states(text: &[u8]) -> Option<Vec<AttributeState>> {
    let words = text.split(is_blank).filter(|word| !word.is_empty());
    let state = |word: &[u8]| {
        let (mark, rest) = match word {
            [mark @ (b'-' | b'!'), rest @ ..] => (Some(mark), rest),
            _ => (None, word),
        };
        let equals = rest.iter().position(|&byte| byte == b'=');
        let attribute = rest[..equals.unwrap_or(rest.len())].to_vec();
        let value = match (mark, equals) {
            (Some(b'-'), _) => Value::Unset,
            (Some(_), _) => Value::Unspecified,
            (None, Some(at)) => Value::Text(rest[at + 1..].to_vec()),
            (None, None) => Value::Set,
        };
        is_name(&attribute).then_some(AttributeState { attribute, value })
    };
    words.map(state).collect()
}

/// Whether an attribute may have this name.
fn is_name(name: &[u8]) -> bool {
    let is_in_names = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
    !matches!(name, [] | [b'-', ..]) && name.iter().all(is_in_names)
}

fn end_of_word(text: &[u8]) -> usize {
    text.iter().position(is_blank).unwrap_or(text.len())
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
