//! A search for one literal between assertions.

use memchr::memmem;
use regex_automata::util::look::{Look, LookMatcher};
use regex_syntax::hir::{self, Hir, HirKind};

/// Bytes of the longest character in UTF-8.
const MAX_CHAR: usize = 4;

/// One literal with assertions before and after it, such as `-w foo` and `^foo$`: no engine is
/// needed to verify them, and so no byte that an engine cannot cross.
#[derive(Clone, Debug)]
pub(crate) struct AnchoredLiteral {
    needle: memmem::Finder<'static>,
    before: Vec<Look>,
    after: Vec<Look>,
    looks: LookMatcher,
    line_terminator: u8,
}

impl AnchoredLiteral {
    /// What finds matches of `hir`, if it is of that kind.
    pub(crate) fn new(hir: &Hir, line_terminator: u8) -> Option<AnchoredLiteral> {
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
                    needle = Some(memmem::Finder::new(&literal.0).into_owned());
                }
                _ => return None,
            }
        }
        let needle = needle?;
        let looks = LookMatcher::new();
        Some(AnchoredLiteral { needle, before, after, looks, line_terminator })
    }

    /// Where the first match in `haystack[at..end]` begins; the assertions see all of `haystack`.
    pub(crate) fn find(&self, haystack: &[u8], mut at: usize, end: usize) -> Option<usize> {
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

    /// From where on the assertions may see `haystack` around `start`: the start of the line or the
    /// longest character before. An assertion that reads backwards through stray continuation bytes
    /// would otherwise take the terminator of the line before for the character that they end.
    fn view(&self, haystack: &[u8], start: usize) -> usize {
        let floor = start.saturating_sub(MAX_CHAR);
        let terminator = haystack[floor..start].iter().rposition(|&b| b == self.line_terminator);
        terminator.map_or(floor, |n| floor + n + 1)
    }
}

/// The same assertion in the words of the engine's crate.
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
