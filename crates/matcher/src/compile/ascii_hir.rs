//! An expression's form for ASCII text: there it matches exactly what the expression matches, and
//! it is much smaller, since no class has a character with more than one byte. `\w+é|\d` becomes
//! `[0-9]`.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Look, Repetition,
};

/// The form of `hir` for ASCII text; `None` if no match of `hir` is all ASCII.
pub(crate) fn ascii_hir(hir: &Hir) -> Option<Hir> {
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

/// The assertion that holds in ASCII text where `look` does.
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
