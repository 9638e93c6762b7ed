//! Patterns, matched against bytes in memory.

use std::sync::Arc;

use heist::LineCursor;
use napi::bindgen_prelude::{Either, Float64Array};
use napi_derive::napi;

use crate::{options::Reading, problem::Failure};

/// Lines that are looked for at a time.
const LINES_PER_CALL: usize = 4096;

/// A compiled pattern.
#[napi]
pub struct NativePattern {
    pub(crate) compiled: Arc<heist::Pattern>,
}

/// How far a search of bytes has come.
#[napi]
pub struct NativeLines {
    pattern: Arc<heist::Pattern>,
    cursor: LineCursor,
}

/// Compiles `pattern`.
#[napi(catch_unwind)]
pub fn compile(pattern: String, reading: Reading) -> Either<NativePattern, Failure> {
    match reading.compile(&pattern) {
        Ok(matcher) => {
            let compiled = Arc::new(heist::Pattern::with_matcher(matcher));
            Either::A(NativePattern { compiled })
        }
        Err(problem) => Either::B(problem.into()),
    }
}

#[napi]
impl NativePattern {
    /// Whether any line of `bytes` matches.
    #[napi(catch_unwind)]
    pub fn is_match(&self, bytes: &[u8]) -> bool {
        self.compiled.is_match(bytes)
    }

    /// The beginning of a search of bytes.
    #[napi]
    pub fn lines(&self) -> NativeLines {
        NativeLines { pattern: Arc::clone(&self.compiled), cursor: LineCursor::default() }
    }

    /// The groups of the match in `line` that begins at the byte `at`, from the first on: where
    /// each begins and ends, -1 for one that took no part.
    #[napi(catch_unwind)]
    pub fn groups(&self, line: &[u8], at: u32) -> Vec<i64> {
        let groups = self.compiled.groups(line, at as usize).into_iter().skip(1);
        let ends = groups
            .map(|group| group.map_or([-1, -1], |group| [group.start as i64, group.end as i64]));
        ends.flatten().collect()
    }

    /// The names of the groups, from the first on.
    #[napi]
    pub fn group_names(&self) -> Vec<Option<String>> {
        let names = self.compiled.matcher().group_names();
        names.into_iter().skip(1).map(|name| name.map(|name| name.to_string())).collect()
    }
}

#[napi]
impl NativeLines {
    /// The next lines of `bytes` that match, none at the end. Each is its number, where it begins
    /// and ends, how many matches it has, and where each of those begins and ends.
    ///
    /// # Errors
    /// The pattern is one that cannot be searched for further.
    #[napi(catch_unwind)]
    pub fn next(&mut self, bytes: &[u8]) -> napi::Result<Float64Array> {
        let found = self.pattern.next_lines(bytes, &mut self.cursor, LINES_PER_CALL);
        let found = found.map_err(|error| napi::Error::from_reason(error.to_string()))?;
        let mut numbers = Vec::with_capacity(found.len() * 6);
        for line in found {
            let head = [line.range.start, line.range.end, line.matches.len()];
            numbers.push(line.number as f64);
            numbers.extend(head.map(|number| number as f64));
            let ends = line.matches.iter().flat_map(|span| [span.start, span.end]);
            numbers.extend(ends.map(|end| end as f64));
        }
        Ok(numbers.into())
    }
}
