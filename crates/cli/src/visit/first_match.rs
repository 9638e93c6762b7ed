//! Whether anything matches in a haystack.

use std::ops::ControlFlow;

use heist_searcher::{Flow, Line, Sink, Wants};

/// What a search meets up to the first match.
#[derive(Debug, Default)]
pub(super) struct FirstMatch {
    pub(super) is_found: bool,
    /// The offset of the first NUL byte, if that is wanted.
    pub(super) nul: Option<u64>,
    /// Whether a haystack without a match is searched for NUL bytes.
    wants_nul: bool,
}

impl FirstMatch {
    /// A sink that also notes where the first NUL byte is.
    pub(super) fn or_nul() -> FirstMatch {
        FirstMatch { wants_nul: true, ..FirstMatch::default() }
    }
}

impl Sink for FirstMatch {
    fn wants(&self) -> Wants {
        let unmatched = self.wants_nul;
        Wants { unmatched, matches: false, first_only: true, ..Wants::default() }
    }

    fn matched(&mut self, _: &Line<'_>) -> Flow {
        self.is_found = true;
        ControlFlow::Break(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul = Some(offset);
        ControlFlow::Continue(())
    }
}
