//! The ASCII ascii_hir of an expression: on text that is all ASCII it matches exactly what the expression matches, and is much
//! smaller, since no class has a character of more than one byte.

use std::sync::OnceLock;

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Look, Repetition,
};

use crate::strategies::bit_parallel::Bits;
use crate::strategies::dfa_streams::Streams;

/// What to do with text that is all ASCII.
#[derive(Debug)]
pub(crate) enum Ascii {
    /// What is done with any other.
    Nothing,
    /// Pass over it: no match is all ASCII.
    Skip,
    /// Search it for the ascii_hir.
    Search(AsciiHir),
}

impl Ascii {
    /// What to do with blocks of lines that `terminator` ends, searched for `hir`.
    pub(crate) fn of(hir: &Hir, terminator: u8) -> Ascii {
        match ascii_hir(hir) {
            None => Ascii::Skip,
            Some(hir) => {
                let bits = if Bits::is_fast() { Bits::new(&hir, terminator) } else { None };
                let bits = bits.filter(|bits| bits.cost() < STREAMS_NS);
                Ascii::Search(AsciiHir { hir, terminator, bits, streams: OnceLock::new() })
            }
        }
    }

    /// What to do with whole haystacks, searched for `hir`.
    pub(crate) fn of_whole(hir: &Hir) -> Ascii {
        match ascii_hir(hir) {
            None => Ascii::Skip,
            Some(_) => Ascii::Nothing,
        }
    }

    /// Nanoseconds per byte of ASCII that it takes, if that is known.
    pub(crate) fn cost(&self) -> Option<f64> {
        match self {
            Ascii::Search(ascii_hir) => ascii_hir.bits().map(Bits::cost),
            Ascii::Skip => Some(SKIP_NS),
            Ascii::Nothing => None,
        }
    }
}

/// The ascii_hir of an expression. Its automaton is built when there is enough text to search: that takes some 0.2 ms, in which
/// the engine searches 100 KB.
#[derive(Debug)]
pub(crate) struct AsciiHir {
    hir: Hir,
    terminator: u8,
    bits: Option<Bits>,
    streams: OnceLock<Option<Streams>>,
}

/// Nanoseconds per byte that streams take.
///
/// Perf (2026-11, 2 cores, 600 MB of kernel sources, `\w{5}\s+\w{5}\s+\w{5}`): 0.46, while bits took 0.26.
const STREAMS_NS: f64 = 0.45;

/// The same to see that a text is all ASCII, with what it takes now and then to search one that is not.
const SKIP_NS: f64 = 0.1;

/// Bytes that a worker has left to the engine before the automaton is built.
const ENOUGH: usize = 256 << 10;

impl AsciiHir {
    /// The operations on bits, if they are few enough: the fastest way.
    pub(crate) fn bits(&self) -> Option<&Bits> {
        self.bits.as_ref()
    }

    /// The automaton, if it is worth it for a worker that has left `skimmed` bytes to the engine, and not too large.
    pub(crate) fn streams(&self, skimmed: usize) -> Option<&Streams> {
        if skimmed < ENOUGH {
            return self.streams.get()?.as_ref();
        }
        self.streams.get_or_init(|| Streams::new(&self.hir, self.terminator)).as_ref()
    }
}

/// The expression for ASCII text that means there what `hir` means; None if no match of `hir` is all ASCII.
fn ascii_hir(hir: &Hir) -> Option<Hir> {
    match hir.kind() {
        HirKind::Empty => Some(Hir::empty()),
        HirKind::Literal(literal) => literal.0.is_ascii().then(|| Hir::literal(literal.0.to_vec())),
        HirKind::Class(class) => class_of(class),
        HirKind::Look(look) => Some(Hir::look(look_of(*look))),
        HirKind::Repetition(repetition) => match ascii_hir(&repetition.sub) {
            Some(sub) => {
                Some(Hir::repetition(Repetition { sub: Box::new(sub), ..repetition.clone() }))
            }
            None => (repetition.min == 0).then(Hir::empty),
        },
        HirKind::Capture(capture) => {
            let sub = Box::new(ascii_hir(&capture.sub)?);
            Some(Hir::capture(Capture { sub, ..capture.clone() }))
        }
        HirKind::Concat(subs) => subs.iter().map(ascii_hir).collect::<Option<_>>().map(Hir::concat),
        HirKind::Alternation(subs) => {
            let subs: Vec<_> = subs.iter().filter_map(ascii_hir).collect();
            (!subs.is_empty()).then(|| Hir::alternation(subs))
        }
    }
}

/// The characters of `class` that are ASCII.
fn class_of(class: &Class) -> Option<Hir> {
    let class = match class {
        Class::Unicode(class) => {
            let mut class = class.clone();
            class.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]));
            let bytes = class.to_byte_class()?;
            (!bytes.ranges().is_empty()).then_some(bytes)
        }
        Class::Bytes(class) => {
            let mut class = class.clone();
            class.intersect(&ClassBytes::new([ClassBytesRange::new(0, 0x7F)]));
            (!class.ranges().is_empty()).then_some(class)
        }
    };
    class.map(|class| Hir::class(Class::Bytes(class)))
}

/// The assertion that says of ASCII text what `look` says.
fn look_of(look: Look) -> Look {
    match look {
        Look::WordUnicode => Look::WordAscii,
        Look::WordUnicodeNegate => Look::WordAsciiNegate,
        Look::WordStartUnicode => Look::WordStartAscii,
        Look::WordEndUnicode => Look::WordEndAscii,
        Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
        Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
        other => other,
    }
}
