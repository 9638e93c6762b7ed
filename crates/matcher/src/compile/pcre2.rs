//! PCRE2: patterns compiled as ripgrep's crate `grep-pcre2` compiles them, and the searches of one
//! worker.
//!
//! A backtracking engine may give up within a haystack. The failure is kept, and every further
//! search finds nothing until the caller takes it. So no search goes on as if nothing had happened.

use std::hint::black_box;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use pcre2::bytes::{CaptureLocations, Regex, RegexBuilder};

use crate::compile::pcre2_text;
use crate::config::{Boundary, Case, MatcherConfig};
use crate::error::{Error, ErrorKind};

/// How many bytes the stack for compiled code may grow to; the default is 32 KiB.
const JIT_STACK: usize = 10 << 20;
/// How many bytes that stack may grow to for one of many patterns: the default.
const MIN_JIT_STACK: usize = 32 << 10;

/// The version of PCRE2, and whether it compiles to machine code, as a sentence without a full
/// stop.
///
/// ```
/// assert!(heist_matcher::pcre2_version().starts_with("PCRE2 10."));
/// ```
#[must_use]
pub fn pcre2_version() -> String {
    let (major, minor) = linked_version();
    let jit = if has_jit() { "available" } else { "unavailable" };
    format!("PCRE2 {major}.{minor} is available (JIT is {jit})")
}

/// The version of the library that is linked. [`pcre2::version`] returns the version of the header
/// that the bindings were made from.
fn linked_version() -> (u32, u32) {
    let is_at_least = |major: u32, minor: u32| {
        let pattern = format!("(?(VERSION>={major}.{minor:02})|(?!))");
        let regex = RegexBuilder::new().build(&pattern);
        regex.is_ok_and(|regex| regex.is_match(b"").unwrap_or(false))
    };
    // The condition takes two digits of the minor version.
    let last = |mut range: Range<u32>, is_reached: &dyn Fn(u32) -> bool| {
        let first = range.start;
        range.find(|number| !is_reached(number + 1)).unwrap_or(first)
    };
    let major = last(10..20, &|major| is_at_least(major, 0));
    (major, last(0..99, &|minor| is_at_least(major, minor)))
}

/// Whether PCRE2 compiles to machine code. On 32-bit systems that runs out of memory (see ripgrep).
fn has_jit() -> bool {
    cfg!(target_pointer_width = "64") && pcre2::is_jit_available()
}

/// Compiles `patterns`. Neighbours that do not depend on each other are joined as alternatives;
/// others are regexes of their own, in the patterns' order. Without a pattern, the regex matches
/// nothing.
pub(crate) fn compile(patterns: &[&str], config: &MatcherConfig) -> Result<Vec<Regex>, Error> {
    if config.fixed_strings || patterns.len() <= 1 {
        return Ok(vec![alone_or_text(patterns, config, JIT_STACK)?]);
    }
    let config = MatcherConfig { case: common_case(patterns, config), ..config.clone() };
    let joins = |pattern: &&str| pcre2_text::depends_on_nothing(pattern);
    let runs: Vec<_> = patterns.chunk_by(|a, b| joins(a) && joins(b)).collect();
    let stack = stack_of_each(runs.len());
    let mut regexes = Vec::with_capacity(runs.len());
    for run in runs {
        if run.len() > 1
            && let Ok(regex) = joined(&pcre2_text::alternatives(run), &config, stack)
        {
            regexes.push(regex);
            continue;
        }
        // One of them is no pattern, or they are too large together.
        for pattern in run {
            regexes.push(alone(pattern, &config, stack)?);
        }
    }
    Ok(regexes)
}

/// Compiles each of `patterns` so that it matches where it would among several.
pub(crate) fn compile_each(patterns: &[&str], config: &MatcherConfig) -> Result<Vec<Regex>, Error> {
    let config = MatcherConfig { case: common_case(patterns, config), ..config.clone() };
    let stack = stack_of_each(patterns.len());
    let each = patterns.iter().map(|pattern| alone_or_text(&[pattern], &config, stack));
    each.collect()
}

/// The stack for each of `count` regexes: all together may use as much memory as one.
fn stack_of_each(count: usize) -> usize {
    (JIT_STACK / count.max(1)).max(MIN_JIT_STACK)
}

/// How letter case counts in all of `patterns`, which decide it together.
fn common_case(patterns: &[&str], config: &MatcherConfig) -> Case {
    match folds(&join(patterns, config.fixed_strings), config.case) {
        true => Case::Insensitive,
        false => Case::Sensitive,
    }
}

/// Compiles a pattern, or any number of texts.
fn alone_or_text(patterns: &[&str], config: &MatcherConfig, stack: usize) -> Result<Regex, Error> {
    match patterns {
        [pattern] if !config.fixed_strings => alone(pattern, config, stack),
        _ => joined(&join(patterns, true), config, stack).map_err(|error| refused(&error)),
    }
}

/// Compiles `pattern`. The offset in an error is one in the pattern as it is, whatever stands
/// around it.
fn alone(pattern: &str, config: &MatcherConfig, stack: usize) -> Result<Regex, Error> {
    let builder = builder(pattern, config, stack);
    if config.boundary == Boundary::None {
        return builder.build(pattern).map_err(|error| refused(&error));
    }
    let check = || builder.clone().jit(false).build(pattern).map_err(|error| refused(&error));
    // A parenthesis might end the group around the pattern.
    if pattern.contains(')') {
        check()?;
    }
    let build = |end| builder.build(&pcre2_text::bounded(pattern, config.boundary, end));
    build("").or_else(|error| {
        check()?;
        let mut built = pcre2_text::ENDS.iter().filter_map(|end| build(end).ok());
        built.next().ok_or_else(|| refused(&error))
    })
}

/// Compiles alternatives that are known to end where they do.
fn joined(alternatives: &str, config: &MatcherConfig, stack: usize) -> Result<Regex, pcre2::Error> {
    let bounded = pcre2_text::bounded(alternatives, config.boundary, "");
    builder(alternatives, config, stack).build(&bounded)
}

fn refused(error: &pcre2::Error) -> Error {
    Error::new(ErrorKind::Pcre2(error.to_string()))
}

/// The settings for `pattern`. Its letters decide smart case.
fn builder(pattern: &str, config: &MatcherConfig, stack: usize) -> RegexBuilder {
    let mut builder = RegexBuilder::new();
    builder
        .multi_line(true)
        .caseless(folds(pcre2_text::split_settings(pattern).1, config.case))
        .utf(config.unicode)
        .ucp(config.unicode)
        .dotall(config.multiline && config.dot_matches_new_line)
        .crlf(config.crlf);
    if has_jit() {
        builder.jit_if_available(true).max_jit_stack_size(Some(stack));
    }
    builder
}

/// `patterns` as alternatives; their letters decide smart case. Each is escaped if they `are_text`.
/// Without any, what matches nothing.
pub(crate) fn join(patterns: &[&str], are_text: bool) -> String {
    if patterns.is_empty() {
        return r"[^\S\s]".into();
    }
    let alternatives = patterns.iter().map(|&pattern| match are_text {
        true => format!("(?:{})", pcre2::escape(pattern)),
        false => format!("(?:{})", pcre2_text::split_settings(pattern).1),
    });
    alternatives.collect::<Vec<_>>().join("|")
}

/// Whether the letters of `pattern` match in either case. As in ripgrep, smart case considers every
/// character that no backslash precedes, since the syntax is not known: `\Sfoo` folds, `\p{Lu}`
/// does not.
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
    /// `None` if there is no memory for it.
    room: Option<CaptureLocations>,
    failure: Option<Error>,
}

impl Search {
    pub(crate) fn new(regex: Arc<Regex>) -> Search {
        Search { room: room(&regex), regex, failure: None }
    }

    /// The leftmost match at or after `at`, which lies within `haystack`.
    pub(crate) fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        if self.failure.is_some() {
            return None;
        }
        let Some(room) = &mut self.room else {
            self.failure = Some(no_memory());
            return None;
        };
        let found = self.regex.captures_read_at(room, haystack, at);
        keep_failure(found, &mut self.failure)
    }

    /// Puts the groups of that match into `groups`. Returns whether there is one.
    pub(crate) fn captures(
        &mut self,
        haystack: &[u8],
        at: usize,
        groups: &mut Option<CaptureLocations>,
    ) -> bool {
        if self.failure.is_some() {
            return false;
        }
        let Some(groups) = groups else {
            self.failure = Some(no_memory());
            return false;
        };
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

/// The room for matches of `regex`; `None` if there is no memory for it.
///
/// The crate panics if it gets no stack for compiled code. So more memory than that is reserved
/// first, by one thread at a time, and released again.
pub(crate) fn room(regex: &Regex) -> Option<CaptureLocations> {
    /// Leaves other threads something. (glibc changes how it allocates after a block of up to
    /// 32 MiB is released.)
    const RESERVE: usize = JIT_STACK + (24 << 20);
    static ALLOCATES: Mutex<()> = Mutex::new(());
    let _lock = ALLOCATES.lock().unwrap_or_else(PoisonError::into_inner);
    // A vector need not be allocated if nothing uses its memory.
    let mut reserve = Vec::<u8>::new();
    let has_memory = !has_jit() || reserve.try_reserve_exact(RESERVE).is_ok();
    drop(black_box(reserve));
    has_memory.then(|| regex.capture_locations())
}

fn no_memory() -> Error {
    Error::new(ErrorKind::Match("there is not enough memory for the stack of PCRE2".to_owned()))
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
