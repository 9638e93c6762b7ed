//! Expressions that no ASCII text matches, such as `\p{Greek}`: only other text is searched.

use super::budget::EnginePiece;
use super::expression::Expression;
use super::line_finder::{LineFinder, Step, Task, Traits};
use super::parts::{Least, Part};

/// Bytes that are looked at together.
const WINDOW_BYTES: usize = 96 << 10;

/// Passes over ASCII text and leaves the rest to the engine.
#[derive(Clone, Debug)]
pub(crate) struct AsciiSkip {
    is_exact: bool,
    /// How many bytes are left to the engine at least where ASCII ended sooner. In a text of
    /// another script, the engine would be called for each line otherwise.
    mixed: EnginePiece,
}

impl AsciiSkip {
    /// A search for the matches of `expression`; `None` if one may be all ASCII.
    pub(super) fn new(expression: &Expression<'_>) -> Option<AsciiSkip> {
        let is_exact = expression.is_exact;
        expression
            .ascii_hir()
            .is_none()
            .then_some(AsciiSkip { is_exact, mixed: EnginePiece::default() })
    }
}

impl LineFinder for AsciiSkip {
    fn traits(&self) -> Traits {
        Traits::of(self.is_exact)
    }

    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        let least = Least { ascii: self.mixed.last().max(1), mixed: self.mixed.last() };
        match Part::first(task, WINDOW_BYTES, least) {
            Part::Ascii(stop) => {
                self.mixed = EnginePiece::default();
                task.scan.pass(stop + 1);
                Step::Learned
            }
            Part::Mixed(stop) => {
                self.mixed.next();
                Step::Leave(stop)
            }
        }
    }
}
