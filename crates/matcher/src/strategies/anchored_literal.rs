//! One literal between assertions, such as `-w foo`, `^foo$` or `\bfoo`.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::util::look::{Look, LookMatcher};
use regex_syntax::hir::{self, Hir, HirKind};

use super::cost;
use super::expression::Expression;
use super::line_finder::{LineFinder, Traits};
use crate::exact::MAX_CHAR;
use crate::literals::needle::Needle;

/// Looks for the literal and tests the assertions around it. No engine has to confirm the line, and
/// so there is no byte that an engine cannot cross.
#[derive(Clone, Debug)]
pub(crate) struct AnchoredLiteral(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    needle: Needle,
    before: Vec<Look>,
    after: Vec<Look>,
    looks: LookMatcher,
    terminator: u8,
}

impl Parts {
    fn of(hir: &Hir, terminator: u8) -> Option<Parts> {
        let HirKind::Concat(subs) = hir.kind() else {
            return None;
        };
        let mut needle = None;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for sub in subs {
            match (sub.kind(), &needle) {
                (HirKind::Look(look), None) => before.push(engine_look(*look)),
                (HirKind::Look(look), Some(_)) => after.push(engine_look(*look)),
                (HirKind::Literal(literal), None) => {
                    needle = Some(Needle::new(&literal.0));
                }
                _ => return None,
            }
        }
        Some(Parts { needle: needle?, before, after, looks: LookMatcher::new(), terminator })
    }

    /// Where the first match in `haystack[at..end]` begins. The assertions see all of `haystack`.
    fn find(&self, haystack: &[u8], mut at: usize, end: usize) -> Option<usize> {
        while let Some(offset) = self.needle.find(&haystack[at..end]) {
            let start = at + offset;
            let stop = start + self.needle.needle().len();
            let view = self.view(haystack, start);
            let holds = |looks: &[Look], at: usize| {
                looks.iter().all(|&look| self.looks.matches(look, &haystack[view..], at - view))
            };
            if holds(&self.before, start) && holds(&self.after, stop) {
                return Some(start);
            }
            at = start + 1;
        }
        None
    }

    /// From where on the assertions may see `haystack` around `start`: where the line starts, or as
    /// far back as the longest character. An assertion that reads backwards through stray
    /// continuation bytes would otherwise take the previous line's terminator for the character
    /// that they end.
    fn view(&self, haystack: &[u8], start: usize) -> usize {
        let floor = start.saturating_sub(MAX_CHAR);
        let terminator = haystack[floor..start].iter().rposition(|&b| b == self.terminator);
        terminator.map_or(floor, |n| floor + n + 1)
    }
}

impl AnchoredLiteral {
    /// A search for the matches of `expression`; `None` if it is of another form.
    pub(super) fn new(expression: &Expression<'_>) -> Option<AnchoredLiteral> {
        let parts = expression.is_exact.then(|| Parts::of(expression.hir, expression.terminator));
        Some(AnchoredLiteral(Arc::new(parts??)))
    }
}

impl LineFinder for AnchoredLiteral {
    fn traits(&self) -> Traits {
        Traits { is_direct: true, least_spacing: cost::NEEDLE_SPACING, ..Traits::of(true) }
    }

    #[inline]
    fn find(&mut self, haystack: &[u8], lines: Range<usize>) -> Option<usize> {
        self.0.find(haystack, lines.start, lines.end)
    }
}

/// Turns an assertion of regex-syntax into the type that regex-automata has for it.
fn engine_look(look: hir::Look) -> Look {
    match look {
        hir::Look::Start => Look::Start,
        hir::Look::End => Look::End,
        hir::Look::StartLF => Look::StartLF,
        hir::Look::EndLF => Look::EndLF,
        hir::Look::StartCRLF => Look::StartCRLF,
        hir::Look::EndCRLF => Look::EndCRLF,
        hir::Look::WordAscii => Look::WordAscii,
        hir::Look::WordAsciiNegate => Look::WordAsciiNegate,
        hir::Look::WordUnicode => Look::WordUnicode,
        hir::Look::WordUnicodeNegate => Look::WordUnicodeNegate,
        hir::Look::WordStartAscii => Look::WordStartAscii,
        hir::Look::WordEndAscii => Look::WordEndAscii,
        hir::Look::WordStartUnicode => Look::WordStartUnicode,
        hir::Look::WordEndUnicode => Look::WordEndUnicode,
        hir::Look::WordStartHalfAscii => Look::WordStartHalfAscii,
        hir::Look::WordEndHalfAscii => Look::WordEndHalfAscii,
        hir::Look::WordStartHalfUnicode => Look::WordStartHalfUnicode,
        hir::Look::WordEndHalfUnicode => Look::WordEndHalfUnicode,
    }
}
