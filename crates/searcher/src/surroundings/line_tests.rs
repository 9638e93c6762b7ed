//! What a worker needs to test lines: finders for each language that it has needed so far.

use std::sync::Arc;

use heist_matcher::{Finder, Matcher};

use crate::{
    FunctionLines, FunctionRules, Functions,
    functions::{
        NestedFunctions,
        enclosing::{Outline, Place, StatementTests},
    },
};

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
    /// The index of the current haystack's test.
    current: Option<usize>,
    /// Behind a pointer, as `until`. `None` before the first haystack that has nested functions.
    outline: Option<Box<Outline>>,
    /// Behind a pointer: each worker's searcher, in which this is, is moved when a run starts.
    until: Option<Box<Finder>>,
}

/// The tests of a language.
#[derive(Debug)]
enum FunctionTest {
    Lines(Arc<FunctionLines>, Vec<(Finder, bool)>),
    Nested(Arc<NestedFunctions>, Box<StatementTests>),
}

impl FunctionTest {
    fn new(functions: Functions) -> FunctionTest {
        match functions {
            Functions::Lines(lines) => {
                let steps = lines.steps.iter().map(|(step, begins)| (step.finder(), *begins));
                let steps = steps.collect();
                FunctionTest::Lines(lines, steps)
            }
            Functions::Nested(nested) => {
                let tests = Box::new(StatementTests::new(&nested));
                FunctionTest::Nested(nested, tests)
            }
        }
    }

    fn is_for(&self, functions: &Functions) -> bool {
        match (self, functions) {
            (FunctionTest::Lines(lines, ..), Functions::Lines(other)) => Arc::ptr_eq(lines, other),
            (FunctionTest::Nested(nested, _), Functions::Nested(other)) => {
                Arc::ptr_eq(nested, other)
            }
            _ => false,
        }
    }
}

impl LineTests {
    /// Begins the haystack `text` at `path`.
    pub(super) fn begin(&mut self, rules: Option<&dyn FunctionRules>, path: &[u8], text: &[u8]) {
        self.current = rules.map(|rules| self.look_up(&rules.functions_of(path, text)));
        if let Some(outline) = &mut self.outline {
            outline.begin();
        }
    }

    #[cold]
    fn look_up(&mut self, functions: &Functions) -> usize {
        let known = self.functions.iter().position(|test| test.is_for(functions));
        known.unwrap_or_else(|| {
            self.functions.push(FunctionTest::new(functions.clone()));
            self.functions.len() - 1
        })
    }

    /// Whether `line`, without its terminator, is a function line of the current haystack.
    pub(super) fn is_function(&mut self, line: &[u8]) -> bool {
        let test = self.current.map(|current| &mut self.functions[current]);
        let Some(FunctionTest::Lines(_, steps)) = test else { return false };
        // The first step that matches decides. From the last one on, only those are tried that can
        // change the answer, mostly one.
        steps.iter_mut().rev().fold(false, |answer, (step, begins)| match answer == *begins {
            true => answer,
            false => answer != step.is_match(line),
        })
    }

    /// What finds the nested functions of the current haystack, which is `text`.
    pub(super) fn nested<'a>(
        &'a mut self,
        text: &'a [u8],
        terminator: u8,
    ) -> Option<(&'a mut Outline, Place<'a>)> {
        match &mut self.functions[self.current?] {
            FunctionTest::Lines(..) => None,
            FunctionTest::Nested(language, tests) => {
                let place = Place { text, terminator, language, tests };
                Some((self.outline.get_or_insert_default(), place))
            }
        }
    }

    /// Whether `line`, without its terminator, ends the context after a match.
    pub(super) fn is_last(&mut self, until: &Matcher, line: &[u8]) -> bool {
        self.until.get_or_insert_with(|| Box::new(until.finder())).is_match(line)
    }
}
