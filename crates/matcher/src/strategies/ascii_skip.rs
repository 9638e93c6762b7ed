//! Expressions that no ASCII text matches, such as `\p{Greek}`: only other text is searched.

use super::expression::{Expression, MANY};
use super::line_finder::{Fallback, LineFinder, Step, Task, Traits};
use super::parts::{Least, Part};

/// Bytes that are looked at together.
const WINDOW: usize = 96 << 10;

/// Passes over ASCII text and leaves the rest to the engine.
#[derive(Clone, Debug)]
pub(crate) struct AsciiSkip {
    is_exact: bool,
}

impl LineFinder for AsciiSkip {
    /// Not offered where needles that are not ASCII are searched for in the other text anyway: in
    /// ASCII text they are nowhere, and to search for them is no slower than to look for other
    /// text.
    fn cost(expression: &Expression<'_>) -> Option<f64> {
        let cost = expression.ascii_cost().filter(|_| expression.ascii_hir().is_none())?;
        let is_worse = expression.needles().is_some_and(|needles| {
            needles.cost < expression.engine_cost()
                && needles.set.len() < MANY
                && !needles.set.iter().any(|needle| needle.is_ascii())
        });
        (!is_worse).then_some(cost)
    }

    fn new(expression: &Expression<'_>) -> Option<AsciiSkip> {
        let is_exact = expression.is_exact;
        expression.ascii_hir().is_none().then_some(AsciiSkip { is_exact })
    }

    fn traits(&self) -> Traits {
        Traits { fallback: Fallback::Engine, ..Traits::of(self.is_exact) }
    }

    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        match Part::first(task, WINDOW, Least::LINE) {
            Part::Ascii(stop) => {
                task.scan.pass(stop + 1);
                Step::Learned
            }
            Part::Mixed(stop) => Step::Leave(stop),
        }
    }
}
