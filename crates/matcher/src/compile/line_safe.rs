//! Line safety: an expression that went through here can match inside one line only, and means the
//! same on a block of lines as on each line alone.
//!
//! With the terminator gone from every class and literal, a match cannot span lines; with the
//! anchors of the haystack turned into anchors of the line, a block needs no splitting before it is
//! searched. What cannot be said of a block exactly is loosened, and the line is asked again alone.

use std::borrow::Cow;

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Look, Repetition,
};

use crate::error::{Error, ErrorKind};

/// Refuses an expression that spells out a NUL byte: as a literal, or as a class of nothing else.
pub(crate) fn ban_nul(hir: &Hir) -> Result<(), Error> {
    match hir.kind() {
        HirKind::Literal(literal) if literal.0.contains(&0) => Err(Error::new(ErrorKind::Nul)),
        HirKind::Repetition(repetition) => ban_nul(&repetition.sub),
        HirKind::Capture(capture) => ban_nul(&capture.sub),
        HirKind::Concat(subs) | HirKind::Alternation(subs) => subs.iter().try_for_each(ban_nul),
        // A class of one member was turned into a literal when it was built.
        HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) | HirKind::Empty => Ok(()),
    }
}

/// Takes the line terminator out of every class.
///
/// # Errors
/// A literal that contains the terminator, even in a part that a match may leave out: whoever
/// wrote it wants to match across lines.
pub(crate) fn exclude(hir: Hir, terminator: u8) -> Result<Hir, Error> {
    // To make thousands of classes anew takes milliseconds.
    if !may_hold(&hir, terminator) {
        return Ok(hir);
    }
    rewrite(hir, &mut |leaf| match leaf {
        HirKind::Literal(literal) if literal.0.contains(&terminator) => {
            Err(Error::new(ErrorKind::LineTerminator(terminator)))
        }
        HirKind::Literal(literal) => Ok(Hir::literal(literal.0)),
        HirKind::Class(class) => Ok(Hir::class(class_without(class, terminator))),
        HirKind::Look(look) => Ok(Hir::look(look)),
        _ => Ok(Hir::empty()),
    })
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

/// Whether a match of `hir` may hold `byte`, which is ASCII.
pub(crate) fn may_hold(hir: &Hir, byte: u8) -> bool {
    let c = char::from(byte);
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&byte),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|r| (r.start()..=r.end()).contains(&c))
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().any(|r| (r.start()..=r.end()).contains(&byte))
        }
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
/// Anchors ask for it too where `\n` ends lines, though they match no byte: this is ripgrep's rule, and shows
/// where matches are counted instead of lines, and in `\A`, which is then the start of the haystack.
pub(crate) fn spans(hir: &Hir, terminator: u8) -> bool {
    let looks = hir.properties().look_set();
    let is_anchored = looks.contains_anchor_haystack() || looks.contains_anchor_line();
    may_hold(hir, terminator) || (terminator == b'\n' && is_anchored)
}

/// The expression for a block of `lines`, and whether it is exact there: it matches in a line of the
/// block whenever `hir` matches in that line alone, and if exact only then.
pub(crate) fn for_blocks(hir: &Hir, lines: LineEnds) -> (Cow<'_, Hir>, bool) {
    // Between `\r` and `\n` there is no place of the line alone, but an empty match may fit in.
    let (properties, looks) = (hir.properties(), hir.properties().look_set());
    let fits_nowhere = properties.minimum_len().is_some_and(|n| n > 0);
    let mut exact = !lines.crlf || fits_nowhere || looks.is_empty();
    if looks.iter().all(|look| look_in_block(look, lines) == Some(look)) {
        return (Cow::Borrowed(hir), exact);
    }
    let result = rewrite(hir.clone(), &mut |leaf| -> Result<Hir, std::convert::Infallible> {
        Ok(match leaf {
            HirKind::Look(look) => match look_in_block(look, lines) {
                Some(look) => Hir::look(look),
                None => {
                    exact = false;
                    Hir::empty()
                }
            },
            HirKind::Literal(literal) => Hir::literal(literal.0),
            HirKind::Class(class) => Hir::class(class),
            _ => Hir::empty(),
        })
    });
    match result {
        Ok(hir) => (Cow::Owned(hir), exact),
        Err(never) => match never {},
    }
}

/// How lines end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEnds {
    pub(crate) terminator: u8,
    /// Whether `\r\n` ends a line too.
    pub(crate) crlf: bool,
}

/// What to ask at a place in a block to learn what `look` says at that place in the line alone;
/// None if no assertion tells.
fn look_in_block(look: Look, lines: LineEnds) -> Option<Look> {
    let terminator = lines.terminator;
    match look {
        // A line alone begins after a `\n`, and what ends it is gone; a `\r` elsewhere stayed.
        Look::Start | Look::StartLF if lines.crlf => Some(Look::StartLF),
        Look::StartCRLF | Look::EndCRLF if lines.crlf => Some(look),
        Look::End | Look::EndLF if lines.crlf => None,
        Look::Start | Look::StartLF if terminator == b'\n' => Some(Look::StartLF),
        Look::End | Look::EndLF if terminator == b'\n' => Some(Look::EndLF),
        // With another terminator the lines also begin and end where `\n` is not. And `(?R)`
        // treats `\r\n` as one, but a line alone has lost its `\n`.
        Look::Start | Look::End | Look::StartLF | Look::EndLF => None,
        Look::StartCRLF | Look::EndCRLF => None,
        // Word assertions see the terminator where the line alone has an edge; both are no word
        // characters and both are valid UTF-8, unless someone ends lines with a letter.
        _ if terminator.is_ascii_alphanumeric() || terminator == b'_' => None,
        word => Some(word),
    }
}

/// Rebuilds `hir` with every literal, class, look and empty expression sent through `leaf`.
/// Recursion is bounded by the nesting limit of the parser.
pub(crate) fn rewrite<E>(
    hir: Hir,
    leaf: &mut impl FnMut(HirKind) -> Result<Hir, E>,
) -> Result<Hir, E> {
    let all = |subs: Vec<Hir>, leaf: &mut _| -> Result<Vec<Hir>, E> {
        subs.into_iter().map(|sub| rewrite(sub, leaf)).collect()
    };
    Ok(match hir.into_kind() {
        HirKind::Concat(subs) => Hir::concat(all(subs, leaf)?),
        HirKind::Alternation(subs) => Hir::alternation(all(subs, leaf)?),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(rewrite(*repetition.sub, leaf)?);
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => {
            let sub = Box::new(rewrite(*capture.sub, leaf)?);
            Hir::capture(Capture { sub, ..capture })
        }
        kind => leaf(kind)?,
    })
}
