//! From an expression to operations on bits.

use regex_syntax::hir::{self, Hir, HirKind, Look, Repetition};

use super::class::Class;
use super::line_ends::LineEndOps;
use super::ops::{Gate, Id, Op, Ops};
use super::program::Bits;

/// Operations of an expression at most.
const MAX_OPS: usize = 48;
/// Places that marks are moved by at most.
const MAX_MOVE: u32 = 32;

/// Where a part of the expression may begin or end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    Everywhere,
    At(Id),
}

/// The operations so far.
struct Compiler {
    ops: Vec<Op>,
    gates: Vec<Gate>,
    terminator: u8,
}

impl Bits {
    /// Compiles `hir`, an expression for blocks of lines that `terminator` ends and for ASCII text.
    /// `None` if it would take too many operations, or others than there are.
    pub(crate) fn new(hir: &Hir, terminator: u8) -> Option<Bits> {
        let mut compiler = Compiler { ops: Vec::new(), gates: Vec::new(), terminator };
        let whole = Fragment { is_last: true, is_all: true };
        let Marks::At(end) = compiler.expression(hir, Marks::Everywhere, whole)? else {
            return None;
        };
        let Compiler { ops: mut list, mut gates, .. } = compiler;
        let ends = LineEndOps::append(&mut list, end, terminator);
        gates.resize(list.len(), Gate::Open);
        Some(Bits { ops: Ops { list, gates, terminator }, end, ends, reference: None })
    }
}

/// A fragment of the program: where a part of the expression stands.
#[derive(Clone, Copy)]
struct Fragment {
    /// Nothing follows, so that only its shortest matches count.
    is_last: bool,
    /// Every match has a match of it.
    is_all: bool,
}

impl Compiler {
    /// The ends of `hir`, if it begins at `from`; `None` if it cannot be compiled.
    fn expression(&mut self, hir: &Hir, from: Marks, part: Fragment) -> Option<Marks> {
        match hir.kind() {
            HirKind::Empty => Some(from),
            HirKind::Literal(literal) => literal.0.iter().try_fold(from, |marks, &byte| {
                let class = self.class(|other| other == byte)?;
                self.advance(marks, class, 1, part)
            }),
            HirKind::Class(class) => {
                let class = self.class_of(class)?;
                self.advance(from, class, 1, part)
            }
            HirKind::Look(look) => {
                let places = self.look(*look)?;
                match from {
                    Marks::Everywhere => Some(Marks::At(places)),
                    Marks::At(marks) => self.marks(Op::And(marks, places), part),
                }
            }
            HirKind::Repetition(repetition) => self.repetition(repetition, from, part),
            HirKind::Capture(capture) => self.expression(&capture.sub, from, part),
            HirKind::Concat(subs) => {
                let last = subs.len() - 1;
                subs.iter().enumerate().try_fold(from, |marks, (n, sub)| {
                    let is_last = part.is_last && n == last;
                    self.expression(sub, marks, Fragment { is_last, ..part })
                })
            }
            HirKind::Alternation(subs) => {
                let part = Fragment { is_all: false, ..part };
                let (first, rest) = subs.split_first()?;
                let first = self.expression(first, from, part)?;
                rest.iter().try_fold(first, |all, sub| {
                    let more = self.expression(sub, from, part)?;
                    self.either(all, more)
                })
            }
        }
    }

    fn repetition(
        &mut self,
        repetition: &Repetition,
        from: Marks,
        part: Fragment,
    ) -> Option<Marks> {
        let Repetition { min, max, sub, .. } = repetition;
        let max = if part.is_last { Some(*min) } else { *max };
        let single = match sub.kind() {
            HirKind::Class(class) => Some(self.class_of(class)?),
            HirKind::Literal(literal) if literal.0.len() == 1 => {
                Some(self.class(|byte| byte == literal.0[0])?)
            }
            _ => None,
        };
        let mut marks = from;
        match single {
            Some(class) => marks = self.advance(marks, class, *min, part)?,
            None => {
                for _ in 0..*min {
                    // What follows is at least the end of the repetition.
                    let next = self.expression(sub, marks, Fragment { is_last: false, ..part })?;
                    if next == marks {
                        // So would all further ones be, and there may be millions.
                        break;
                    }
                    marks = next;
                }
            }
        }
        let part = Fragment { is_all: false, ..part };
        match (max, single, marks) {
            (_, _, Marks::Everywhere) => {}
            (None, Some(class), Marks::At(at)) => {
                marks = self.marks(Op::Star { marks: at, class }, part)?;
            }
            (None, None, _) => return None,
            (Some(max), _, _) => {
                let mut more = marks;
                for _ in *min..max {
                    more = match single {
                        Some(class) => self.advance(more, class, 1, part)?,
                        None => self.expression(sub, more, part)?,
                    };
                    let all = self.either(marks, more)?;
                    if all == marks {
                        break;
                    }
                    marks = all;
                }
            }
        }
        Some(marks)
    }

    /// Where `count` members of `class` end.
    fn advance(&mut self, from: Marks, class: Id, mut count: u32, part: Fragment) -> Option<Marks> {
        let mut from = from;
        while count > 0 {
            let by = count.min(MAX_MOVE);
            count -= by;
            from = match from {
                Marks::Everywhere => {
                    let run = self.run(class, by)?;
                    self.gate(run, part, Gate::Marks);
                    Marks::At(run)
                }
                Marks::At(marks) if by == 1 => self.marks(Op::Advance { marks, class }, part)?,
                Marks::At(marks) => {
                    let to = self.run(class, by)?;
                    self.gate(to, part, Gate::Piece);
                    self.marks(Op::Move { marks, by, to }, part)?
                }
            };
        }
        Some(from)
    }

    /// The places behind `count` members of `class`, one at least.
    fn run(&mut self, class: Id, count: u32) -> Option<Id> {
        let mut run = self.op(Op::After(class))?;
        let mut len = 1;
        while len < count {
            let by = len.min(count - len);
            run = self.op(Op::Move { marks: run, by, to: run })?;
            len += by;
        }
        Some(run)
    }

    /// The places where `look` holds; `None` for the kinds that are rare.
    fn look(&mut self, look: Look) -> Option<Id> {
        let terminator = self.terminator;
        let is_line = matches!(look, Look::StartLF | Look::EndLF);
        if is_line && terminator != b'\n' {
            return None;
        }
        match look {
            Look::StartLF => {
                let ends = self.class(|byte| byte == terminator)?;
                self.op(Op::Starts(ends))
            }
            Look::EndLF => self.class(|byte| byte == terminator),
            Look::WordAscii => self.word_edge(Op::Xor),
            Look::WordAsciiNegate => {
                let edges = self.word_edge(Op::Xor)?;
                self.op(Op::Not(edges))
            }
            // A place has the bit of the byte behind it.
            Look::WordStartAscii => self.word_edge(|after, word| Op::AndNot(word, after)),
            Look::WordEndAscii => self.word_edge(Op::AndNot),
            Look::WordStartHalfAscii => {
                let word = self.word()?;
                let after = self.op(Op::After(word))?;
                self.op(Op::Not(after))
            }
            Look::WordEndHalfAscii => {
                let word = self.word()?;
                self.op(Op::Not(word))
            }
            _ => None,
        }
    }

    fn word_edge(&mut self, op: impl Fn(Id, Id) -> Op) -> Option<Id> {
        let word = self.word()?;
        let after = self.op(Op::After(word))?;
        self.op(op(after, word))
    }

    fn word(&mut self) -> Option<Id> {
        self.class(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    fn class_of(&mut self, class: &hir::Class) -> Option<Id> {
        // The expression is one for ASCII text: its classes are of bytes.
        let hir::Class::Bytes(class) = class else {
            return None;
        };
        self.class(|byte| class.iter().any(|range| (range.start()..=range.end()).contains(&byte)))
    }

    fn class(&mut self, is_member: impl Fn(u8) -> bool) -> Option<Id> {
        self.op(Op::Class(Class::new(is_member)))
    }

    fn either(&mut self, a: Marks, b: Marks) -> Option<Marks> {
        match (a, b) {
            (Marks::At(a), Marks::At(b)) if a == b => Some(Marks::At(a)),
            (Marks::At(a), Marks::At(b)) => Some(Marks::At(self.op(Op::Or(a, b))?)),
            _ => Some(Marks::Everywhere),
        }
    }

    fn marks(&mut self, op: Op, part: Fragment) -> Option<Marks> {
        let gate = match op {
            Op::Advance { .. } | Op::Move { .. } => Gate::Marks,
            _ => Gate::Piece,
        };
        let id = self.op(op)?;
        self.gate(id, part, gate);
        Some(Marks::At(id))
    }

    fn gate(&mut self, id: Id, part: Fragment, gate: Gate) {
        if part.is_all {
            self.gates[id] = self.gates[id].max(gate);
        }
    }

    /// The number of `op`, which is computed once.
    fn op(&mut self, op: Op) -> Option<Id> {
        if let Some(known) = self.ops.iter().position(|known| *known == op) {
            return Some(known);
        }
        self.ops.push(op);
        self.gates.push(Gate::Open);
        (self.ops.len() <= MAX_OPS).then_some(self.ops.len() - 1)
    }
}
