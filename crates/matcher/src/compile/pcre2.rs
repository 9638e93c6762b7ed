//! PCRE2: patterns compiled as ripgrep's crate `grep-pcre2` compiles them, and the searches of one
//! worker.
//!
//! A backtracking engine may give up within a haystack. The failure is kept, and every further
//! search finds nothing until the caller takes it. So no search goes on as if nothing had happened.

use std::ops::Range;
use std::sync::Arc;

use pcre2::bytes::{CaptureLocations, Regex, RegexBuilder};

use crate::config::{Boundary, Case, MatcherConfig};
use crate::error::{Error, ErrorKind};

/// Bytes up to which the stack of compiled code may grow; the default is 32 KiB.
const JIT_STACK: usize = 10 << 20;
/// The same for one of many patterns: the default.
const MIN_JIT_STACK: usize = 32 << 10;

/// The version of PCRE2, and whether it compiles to machine code, as a sentence without a full
/// stop.
///
/// ```
/// assert!(heist_matcher::pcre2_version().starts_with("PCRE2 10."));
/// ```
#[must_use]
pub fn pcre2_version() -> String {
    let (major, minor) = pcre2::version();
    let jit = if has_jit() { "available" } else { "unavailable" };
    format!("PCRE2 {major}.{minor} is available (JIT is {jit})")
}

/// Whether PCRE2 compiles to machine code. On 32-bit systems that runs out of memory (see ripgrep).
fn has_jit() -> bool {
    cfg!(target_pointer_width = "64") && pcre2::is_jit_available()
}

/// Compiles `patterns`, joined as alternatives. For no pattern, the regex matches nothing.
pub(crate) fn compile(patterns: &[&str], config: &MatcherConfig) -> Result<Regex, Error> {
    build(&join(patterns, config.fixed_strings), config, JIT_STACK).map_err(|joined| {
        // The offset in the message is to be one of the caller's pattern.
        let unbounded = MatcherConfig { boundary: Boundary::None, ..config.clone() };
        let alone = patterns.iter().find_map(|pattern| build(pattern, &unbounded, JIT_STACK).err());
        let error = alone.filter(|_| !config.fixed_strings).unwrap_or(joined);
        Error::new(ErrorKind::Pcre2(error.to_string()))
    })
}

/// Compiles each of `patterns` so that it matches where it does as one of the alternatives.
pub(crate) fn compile_each(patterns: &[&str], config: &MatcherConfig) -> Result<Vec<Regex>, Error> {
    let folds = folds(&join(patterns, config.fixed_strings), config.case);
    let case = if folds { Case::Insensitive } else { Case::Sensitive };
    let config = MatcherConfig { case, ..config.clone() };
    // All of them together may use as much memory as one.
    let stack = (JIT_STACK / patterns.len().max(1)).max(MIN_JIT_STACK);
    let each = (0..patterns.len()).map(|index| {
        let refers = !config.fixed_strings && may_refer_to_groups(patterns[index]);
        let text = match refers {
            true => only(patterns, index),
            false => join(&patterns[index..=index], config.fixed_strings),
        };
        build(&text, &config, stack).map_err(|e| Error::new(ErrorKind::Pcre2(e.to_string())))
    });
    each.collect()
}

/// `patterns` as alternatives of which only the one with this index can match: the others are there
/// for the numbers of their groups.
fn only(patterns: &[&str], index: usize) -> String {
    let alternatives = patterns.iter().enumerate().map(|(other, pattern)| {
        let guard = if other == index { "" } else { "(?!)" };
        format!("(?:{guard}(?:{pattern}))")
    });
    alternatives.collect::<Vec<_>>().join("|")
}

/// Whether `pattern` may refer to a group by its number or name: `\1`, `\g{1}`, `\k<x>`, `(?1)`.
fn may_refer_to_groups(pattern: &str) -> bool {
    let after = |sign: &str, kinds: &[u8]| {
        let ends = pattern.match_indices(sign).map(|(at, _)| at + sign.len());
        ends.filter_map(|end| pattern.as_bytes().get(end)).any(|byte| kinds.contains(byte))
    };
    after("\\", b"123456789gk") || after("(?", b"0123456789RP&+-(")
}

fn build(pattern: &str, config: &MatcherConfig, stack: usize) -> Result<Regex, pcre2::Error> {
    let mut builder = RegexBuilder::new();
    builder
        .multi_line(true)
        .caseless(folds(pattern, config.case))
        .utf(config.unicode)
        .ucp(config.unicode)
        .dotall(config.multiline && config.dot_matches_new_line)
        .crlf(config.crlf);
    if has_jit() {
        builder.jit_if_available(true).max_jit_stack_size(Some(stack));
    }
    let bounded = match config.boundary {
        Boundary::None => return builder.build(pattern),
        Boundary::Word => format!(r"(?<!\w)(?:{pattern})(?!\w)"),
        Boundary::Line => format!("(?m:^)(?:{pattern})(?m:$)"),
    };
    builder.build(&bounded)
}

/// `patterns` as alternatives; the text of each is escaped if they `are_text`.
pub(crate) fn join(patterns: &[&str], are_text: bool) -> String {
    if patterns.is_empty() {
        return r"[^\S\s]".into();
    }
    let alternatives = patterns.iter().map(|&pattern| match are_text {
        true => format!("(?:{})", pcre2::escape(pattern)),
        false => format!("(?:{pattern})"),
    });
    alternatives.collect::<Vec<_>>().join("|")
}

/// Whether the letters of `pattern` match in either case. As in ripgrep, smart case considers every
/// character that no backslash precedes, since nothing is known of the syntax: `\Sfoo` folds,
/// `\p{Lu}` does not.
pub(crate) fn folds(pattern: &str, case: Case) -> bool {
    let mut escaped = false;
    let mut is_typed_upper = |c: char| {
        let is_upper = !escaped && c.is_uppercase();
        escaped = !escaped && c == '\\';
        is_upper
    };
    match case {
        Case::Sensitive => false,
        Case::Insensitive => true,
        Case::Smart => !pattern.chars().any(&mut is_typed_upper),
    }
}

/// One worker's searches. The compiled patterns are shared, the room for a match is not.
#[derive(Debug)]
pub(crate) struct Search {
    regex: Arc<Regex>,
    room: CaptureLocations,
    failure: Option<Error>,
}

impl Search {
    pub(crate) fn new(regex: Arc<Regex>) -> Search {
        Search { room: regex.capture_locations(), regex, failure: None }
    }

    /// The leftmost match at or after `at`, which lies within `haystack`.
    pub(crate) fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        if self.failure.is_some() {
            return None;
        }
        let found = self.regex.captures_read_at(&mut self.room, haystack, at);
        keep_failure(found, &mut self.failure)
    }

    /// Puts the groups of that match into `groups`. Returns whether there is one.
    pub(crate) fn captures(
        &mut self,
        haystack: &[u8],
        at: usize,
        groups: &mut CaptureLocations,
    ) -> bool {
        if self.failure.is_some() {
            return false;
        }
        let found = self.regex.captures_read_at(groups, haystack, at);
        keep_failure(found, &mut self.failure).is_some()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }
}

/// The span of the match, unless the engine has given up.
fn keep_failure(
    found: Result<Option<pcre2::bytes::Match<'_>>, pcre2::Error>,
    failure: &mut Option<Error>,
) -> Option<Range<usize>> {
    match found {
        // `\K` is only allowed where no match can begin after its end. A library that is built
        // otherwise might allow it elsewhere, and then nothing is left of the match.
        Ok(found) => found.map(|m| m.start().min(m.end())..m.end()),
        Err(e) => {
            *failure = Some(Error::new(ErrorKind::Match(e.to_string())));
            None
        }
    }
}
