//! Line safety: expressions that match within one line only, and mean the same on a block of lines
//! as on each line alone.
//!
//! Without the terminator in any class or literal, a match cannot span lines. With line anchors in
//! place of haystack anchors, a block need not be split before it is searched: `\Afoo\s` becomes
//! `(?m:^)foo[\s--\n]`. What has no exact form for blocks is left out, and the line is then
//! searched again alone.

use std::borrow::Cow;

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Look, Repetition,
};

use crate::error::{Error, ErrorKind};
use crate::lines::LineEnds;

/// Refuses an expression that spells out a NUL byte, as a literal or as a class of nothing else.
pub(crate) fn ban_nul(hir: &Hir) -> Result<(), Error> {
    match hir.kind() {
        HirKind::Literal(literal) if literal.0.contains(&0) => Err(Error::new(ErrorKind::Nul)),
        HirKind::Repetition(repetition) => ban_nul(&repetition.sub),
        HirKind::Capture(capture) => ban_nul(&capture.sub),
        HirKind::Concat(subs) | HirKind::Alternation(subs) => subs.iter().try_for_each(ban_nul),
        // A class of one member became a literal when it was built.
        HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) | HirKind::Empty => Ok(()),
    }
}

/// Takes the line terminator out of every class.
///
/// # Errors
/// If a literal contains the terminator, even in a part that a match may leave out: its author
/// wants to match across lines.
pub(crate) fn exclude(hir: Hir, terminator: u8) -> Result<Hir, Error> {
    // To build thousands of classes anew takes milliseconds.
    if !may_hold(&hir, terminator) {
        return Ok(hir);
    }
    let mut is_wanted = false;
    let hir = rewrite(hir, &mut |leaf| match leaf {
        HirKind::Class(class) => Hir::class(class_without(class, terminator)),
        HirKind::Literal(literal) => {
            is_wanted |= literal.0.contains(&terminator);
            Hir::literal(literal.0)
        }
        other => kept(other),
    });
    match is_wanted {
        true => Err(Error::new(ErrorKind::LineTerminator(terminator))),
        false => Ok(hir),
    }
}

fn class_without(mut class: Class, byte: u8) -> Class {
    match &mut class {
        Class::Unicode(class) => {
            let c = char::from(byte);
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new(c, c)]));
        }
        Class::Bytes(class) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(byte, byte)]));
        }
    }
    class
}

/// Whether `class` has `byte`, which is ASCII.
pub(crate) fn class_has(class: &Class, byte: u8) -> bool {
    match class {
        Class::Unicode(class) => {
            class.iter().any(|r| (r.start()..=r.end()).contains(&char::from(byte)))
        }
        Class::Bytes(class) => class.iter().any(|r| (r.start()..=r.end()).contains(&byte)),
    }
}

/// Whether a match of `hir` may hold `byte`, which is ASCII.
pub(crate) fn may_hold(hir: &Hir, byte: u8) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&byte),
        HirKind::Class(class) => class_has(class, byte),
        HirKind::Repetition(repetition) => may_hold(&repetition.sub, byte),
        HirKind::Capture(capture) => may_hold(&capture.sub, byte),
        HirKind::Concat(subs) | HirKind::Alternation(subs) => {
            subs.iter().any(|sub| may_hold(sub, byte))
        }
        HirKind::Look(_) | HirKind::Empty => false,
    }
}

/// Whether haystacks have to be searched as a whole for `hir`, which may match line terminators.
///
/// Where `\n` ends lines, an anchor is enough, though it matches no byte. This is ripgrep's rule;
/// it shows where matches are counted instead of lines, and in `\A`, which is then the haystack's
/// start.
pub(crate) fn spans(hir: &Hir, terminator: u8) -> bool {
    let looks = hir.properties().look_set();
    let is_anchored = looks.contains_anchor_haystack() || looks.contains_anchor_line();
    may_hold(hir, terminator) || (terminator == b'\n' && is_anchored)
}

/// The expression for a block of lines, and whether it is exact: it matches in a line whenever
/// `hir` matches in that line alone, and if it is exact, only then.
pub(crate) fn for_blocks(hir: &Hir, ends: LineEnds) -> (Cow<'_, Hir>, bool) {
    // The place between `\r` and `\n` is none of the line alone, but an empty match may be there.
    let (properties, looks) = (hir.properties(), hir.properties().look_set());
    let fits_nowhere = properties.minimum_len().is_some_and(|n| n > 0);
    let mut exact = !ends.crlf || fits_nowhere || looks.is_empty();
    if looks.iter().all(|look| look_in_block(look, ends) == Some(look)) {
        return (Cow::Borrowed(hir), exact);
    }
    let hir = rewrite(hir.clone(), &mut |leaf| match leaf {
        HirKind::Look(look) => {
            let look = look_in_block(look, ends);
            exact &= look.is_some();
            look.map_or(Hir::empty(), Hir::look)
        }
        other => kept(other),
    });
    (Cow::Owned(hir), exact)
}

/// The assertion that holds at a place in a block where
/// `look` holds at that place in the line alone; `None` if there is none.
fn look_in_block(look: Look, ends: LineEnds) -> Option<Look> {
    let terminator = ends.terminator;
    match look {
        // A line alone begins after a `\n`, and has lost its end; a `\r` elsewhere has stayed.
        Look::Start | Look::StartLF if ends.crlf => Some(Look::StartLF),
        Look::StartCRLF | Look::EndCRLF if ends.crlf => Some(look),
        Look::End | Look::EndLF if ends.crlf => None,
        Look::Start | Look::StartLF if terminator == b'\n' => Some(Look::StartLF),
        Look::End | Look::EndLF if terminator == b'\n' => Some(Look::EndLF),
        // With another terminator, lines also begin and end where there is no `\n`. And `(?R)`
        // takes `\r\n` for one terminator, but a line alone has lost its `\n`.
        Look::Start | Look::End | Look::StartLF | Look::EndLF => None,
        Look::StartCRLF | Look::EndCRLF => None,
        // Word assertions see the terminator where the line alone has an edge. Both are no word
        // character and both are valid UTF-8, unless the terminator is a letter.
        _ if terminator.is_ascii_alphanumeric() || terminator == b'_' => None,
        word => Some(word),
    }
}

/// Rebuilds `hir` with `leaf` applied to every literal, class, assertion and empty expression.
/// Recursion is bounded by the nesting limit of the parser.
pub(crate) fn rewrite(hir: Hir, leaf: &mut impl FnMut(HirKind) -> Hir) -> Hir {
    let mut all = |subs: Vec<Hir>| subs.into_iter().map(|sub| rewrite(sub, leaf)).collect();
    match hir.into_kind() {
        HirKind::Concat(subs) => Hir::concat(all(subs)),
        HirKind::Alternation(subs) => Hir::alternation(all(subs)),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(rewrite(*repetition.sub, leaf));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => {
            let sub = Box::new(rewrite(*capture.sub, leaf));
            Hir::capture(Capture { sub, ..capture })
        }
        kind => leaf(kind),
    }
}

/// A literal, class or assertion as it is; the empty expression for other kinds.
pub(crate) fn kept(leaf: HirKind) -> Hir {
    match leaf {
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        _ => Hir::empty(),
    }
}
