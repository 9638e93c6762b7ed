//! What a worker needs to test lines: a finder for each pattern that it has needed so far.

use std::sync::Arc;

use heist_matcher::{Finder, Matcher};

use crate::{FunctionLines, FunctionRules};

/// One worker's means of finding surroundings. They are created on first use and kept.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The path of the current haystack.
    pub(crate) path: Vec<u8>,
    pub(super) tests: LineTests,
}

/// The tests of lines.
#[derive(Debug, Default)]
pub(super) struct LineTests {
    functions: Vec<FunctionTest>,
    /// The index of the test of the current haystack, if it is known.
    current: Option<usize>,
    /// Behind a pointer: each worker's searcher, in which this is, is moved when a run starts.
    until: Option<Box<Finder>>,
}

/// Tests whether a line is a function line.
#[derive(Debug)]
struct FunctionTest {
    lines: Arc<FunctionLines>,
    included: Finder,
    excluded: Option<Finder>,
}

impl LineTests {
    /// Begins a haystack.
    pub(super) fn begin(&mut self) {
        self.current = None;
    }

    /// Whether `line`, without its terminator, is a function line of the haystack at `path`.
    pub(super) fn is_function(
        &mut self,
        rules: &dyn FunctionRules,
        path: &[u8],
        line: &[u8],
    ) -> bool {
        let current = match self.current {
            Some(current) => current,
            None => self.look_up(rules, path),
        };
        let test = &mut self.functions[current];
        test.included.is_match(line)
            && !test.excluded.as_mut().is_some_and(|excluded| excluded.is_match(line))
    }

    #[cold]
    fn look_up(&mut self, rules: &dyn FunctionRules, path: &[u8]) -> usize {
        let lines = rules.lines_of(path);
        let known = self.functions.iter().position(|test| Arc::ptr_eq(&test.lines, &lines));
        let current = known.unwrap_or_else(|| {
            let included = lines.included.finder();
            let excluded = lines.excluded.as_ref().map(Matcher::finder);
            self.functions.push(FunctionTest { lines, included, excluded });
            self.functions.len() - 1
        });
        self.current = Some(current);
        current
    }

    /// Whether `line`, without its terminator, ends the context after a match.
    pub(super) fn is_last(&mut self, until: &Matcher, line: &[u8]) -> bool {
        self.until.get_or_insert_with(|| Box::new(until.finder())).is_match(line)
    }
}
