//! PCRE2: patterns compiled as ripgrep's crate `grep-pcre2` compiles them, and the searches of one worker.
//!
//! A backtracking engine may give up in the middle of a haystack. Such a failure is remembered; until someone takes
//! it, every further search finds nothing, so that no haystack is searched on as if nothing had happened.

use std::ops::Range;
use std::sync::Arc;

use pcre2::bytes::{CaptureLocations, Regex, RegexBuilder};

use crate::config::{Boundary, Case, Config};
use crate::error::{Error, ErrorKind};

/// Bytes up to which the stack of compiled code may grow; 32 KiB without asking for more.
const JIT_STACK: usize = 10 << 20;

/// Which version of PCRE2 this is and whether it compiles to machine code, as a sentence without a full stop.
#[must_use]
pub fn pcre2_version() -> String {
    let (major, minor) = pcre2::version();
    let jit = if has_jit() { "available" } else { "unavailable" };
    format!("PCRE2 {major}.{minor} is available (JIT is {jit})")
}

/// Compiling to machine code runs out of memory on 32-bit systems, says ripgrep, and does without it there.
fn has_jit() -> bool {
    cfg!(target_pointer_width = "64") && pcre2::is_jit_available()
}

/// Compiles `patterns`, joined as alternatives. No pattern gives a regex that matches nothing.
pub(crate) fn compile(patterns: &[&str], config: &Config) -> Result<Regex, Error> {
    let joined = join(patterns, config.fixed_strings);
    let mut builder = RegexBuilder::new();
    builder
        .multi_line(true)
        .caseless(folds(&joined, config.case))
        .utf(config.unicode)
        .ucp(config.unicode)
        .dotall(config.multiline && config.dot_matches_new_line)
        .crlf(config.crlf);
    if has_jit() {
        builder.jit_if_available(true).max_jit_stack_size(Some(JIT_STACK));
    }
    let bounded = match config.boundary {
        Boundary::None => joined,
        Boundary::Word => format!(r"(?<!\w)(?:{joined})(?!\w)"),
        Boundary::Line => format!("(?m:^)(?:{joined})(?m:$)"),
    };
    builder.build(&bounded).map_err(|e| Error::new(ErrorKind::Pcre2(e.to_string())))
}

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

/// Whether the letters of `pattern` match in either case. Smart case looks at every character that no backslash
/// stands before, as ripgrep does: nothing tells it which of them are letters of the text that is sought.
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

/// One worker's searches: the compiled patterns are shared, the room for a match is not.
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
        remember(found, &mut self.failure)
    }

    /// The same with its groups, into `groups`. Whether there is a match.
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
        remember(found, &mut self.failure).is_some()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }
}

/// The span of what was found, if the engine got that far.
fn remember(
    found: Result<Option<pcre2::bytes::Match<'_>>, pcre2::Error>,
    failure: &mut Option<Error>,
) -> Option<Range<usize>> {
    match found {
        // `\K` may only stand where it cannot make a match begin after its end; a library built otherwise might let
        // it, and then nothing is left of the match.
        Ok(found) => found.map(|m| m.start().min(m.end())..m.end()),
        Err(e) => {
            *failure = Some(Error::new(ErrorKind::Match(e.to_string())));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::folds;
    use crate::config::Case;

    #[test]
    fn smart_case_looks_at_characters() {
        for (pattern, expected) in [
            ("foo", true),
            ("", true),
            ("Foo", false),
            (r"\Sfoo", true),
            (r"\\Sfoo", false),
            (r"\\\Sfoo", true),
            (r"\p{Lu}", false),
            ("Ä", false),
        ] {
            assert_eq!(folds(pattern, Case::Smart), expected, "{pattern}");
        }
    }
}
