//! The patterns of a language, as one worker tests them.

use heist_matcher::{Finder, Matcher};

use super::syntax::NestedFunctions;

/// What one worker tests a language's statements with.
#[derive(Debug)]
pub(crate) struct StatementTests {
    pub(super) never: Option<Finder>,
    pub(super) functions: Option<Finder>,
    pub(super) locals: Option<Finder>,
    pub(super) containers: Option<Finder>,
    pub(super) anonymous: Option<Finder>,
    pub(super) sections: Option<Finder>,
    pub(super) opens: Option<Finder>,
    pub(super) closes: Option<Finder>,
    pub(super) wholes: Option<Finder>,
    pub(super) underlines: Option<Finder>,
    pub(super) signature: Option<Finder>,
    pub(super) skeleton: Vec<u8>,
}

impl StatementTests {
    pub(crate) fn new(language: &NestedFunctions) -> StatementTests {
        let finder = |matcher: &Option<Matcher>| matcher.as_ref().map(Matcher::finder);
        StatementTests {
            never: finder(&language.never),
            functions: finder(&language.functions),
            locals: finder(&language.locals),
            containers: finder(&language.containers),
            anonymous: finder(&language.anonymous),
            sections: finder(&language.sections),
            opens: finder(&language.opens),
            closes: finder(&language.closes),
            wholes: finder(&language.wholes),
            underlines: finder(&language.underlines),
            signature: finder(&language.signature),
            skeleton: Vec::new(),
        }
    }
}
