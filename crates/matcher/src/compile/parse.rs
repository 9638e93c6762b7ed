//! Patterns to one expression: parsed, folded, joined and bounded.
//!
//! Each pattern is parsed alone, so that a comment at its end, a parenthesis too many or a group's
//! name concerns no other, and joined as an expression. Plain text takes a shorter way: its
//! expression is built directly, so that thousands of patterns need not be parsed.

use std::fmt::Display;

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, Span};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look,
};

use crate::compile::group_names::{self, GroupNames};
use crate::compile::line_safe;
use crate::compile::smart_case::{self, Typed};
use crate::config::{Boundary, Case, MatcherConfig};
use crate::error::{Error, ErrorKind, SyntaxError};

/// How deep groups and brackets may nest.
const NEST_LIMIT: u32 = 250;

/// The expression for `patterns` under `config`, safe for lines unless matches may span them. For
/// no pattern, it matches nothing. Where several patterns have groups with names, the expression
/// has lost the names, which are the second value.
pub(crate) fn expression(
    patterns: &[&str],
    config: &MatcherConfig,
) -> Result<(Hir, Option<GroupNames>), Error> {
    if !config.line_terminator.is_ascii() {
        return Err(Error::new(ErrorKind::NonAsciiTerminator(config.line_terminator)));
    }
    if patterns.is_empty() {
        return Ok((Hir::fail(), None));
    }
    let is_text = config.fixed_strings || patterns.iter().all(|p| is_plain(p));
    let (mut hir, names) = match is_text {
        true => (literals(patterns, config), None),
        false => regex(patterns, config)?,
    };
    #[cfg(feature = "accents")]
    if config.fold_accents {
        hir = crate::compile::accents::fold(&hir);
    }
    // Plain text may hold a NUL even where files with one are binary: it never matches. As in
    // ripgrep, only a regex with one is a mistake, and text that matches in either case counts as a
    // regex.
    if config.ban_nul && !(is_text && config.case == Case::Sensitive) {
        line_safe::ban_nul(&hir)?;
    }
    if !config.multiline {
        if config.crlf {
            hir = line_safe::exclude(hir, b'\r')?;
        }
        hir = line_safe::exclude(hir, config.line_terminator)?;
    }
    Ok((bounded(hir, config), names))
}

/// The expression of each of `patterns`, as it is part of the [`expression`] for all.
pub(crate) fn expressions(patterns: &[&str], config: &MatcherConfig) -> Result<Vec<Hir>, Error> {
    let case = case(patterns, config)?;
    let config = MatcherConfig { case, ban_nul: false, ..config.clone() };
    patterns.iter().map(|pattern| Ok(expression(&[pattern], &config)?.0)).collect()
}

/// How case counts in `patterns`, all of which together decide under smart case.
pub(crate) fn case(patterns: &[&str], config: &MatcherConfig) -> Result<Case, Error> {
    Ok(match config.case {
        Case::Smart if folds(patterns, config)? => Case::Insensitive,
        Case::Smart => Case::Sensitive,
        case => case,
    })
}

/// Whether smart case makes `patterns` insensitive.
fn folds(patterns: &[&str], config: &MatcherConfig) -> Result<bool, Error> {
    if config.fixed_strings || patterns.iter().all(|p| is_plain(p)) {
        return Ok(smart_case::folds_literals(patterns.iter().copied()));
    }
    let mut typed = Typed::default();
    for pattern in patterns {
        typed.add_all(&syntax_tree(pattern)?);
    }
    Ok(typed.folds())
}

/// Whether `pattern` means the same as text and as a regex.
fn is_plain(pattern: &str) -> bool {
    !pattern.chars().any(regex_syntax::is_meta_character)
}

/// All `patterns` as one regex, and the names of their groups if that has lost them.
fn regex(patterns: &[&str], config: &MatcherConfig) -> Result<(Hir, Option<GroupNames>), Error> {
    let fold = match config.case {
        Case::Sensitive => false,
        Case::Insensitive => true,
        Case::Smart => folds(patterns, config)?,
    };
    let mut builder = TranslatorBuilder::new();
    builder
        .utf8(false)
        .multi_line(true)
        .dot_matches_new_line(config.multiline && config.dot_matches_new_line)
        .crlf(config.crlf)
        .unicode(config.unicode)
        .case_insensitive(fold);
    let translated = patterns.iter().map(|pattern| {
        let ast = syntax_tree(pattern)?;
        // A translator keeps the flags at the end of a pattern.
        let translated = builder.build().translate(pattern, &ast);
        translated.map_err(|e| syntax_error(&e, e.pattern(), e.span(), e.kind()))
    });
    let hirs: Vec<Hir> = translated.collect::<Result<_, Error>>()?;
    match <[Hir; 1]>::try_from(hirs) {
        Ok([hir]) => Ok((hir, None)),
        Err(hirs) => Ok(group_names::joined(hirs)),
    }
}

/// `pattern` parsed.
fn syntax_tree(pattern: &str) -> Result<Ast, Error> {
    let parser = ParserBuilder::new().nest_limit(NEST_LIMIT).build().parse(pattern);
    parser.map_err(|e| syntax_error(&e, e.pattern(), e.span(), e.kind()))
}

fn syntax_error(error: &dyn Display, pattern: &str, span: &Span, kind: &dyn Display) -> Error {
    Error::new(ErrorKind::Syntax(SyntaxError {
        pattern: pattern.to_owned(),
        span: span.start.offset..span.end.offset,
        reason: kind.to_string(),
        message: error.to_string(),
    }))
}

/// All `patterns` as text.
fn literals(patterns: &[&str], config: &MatcherConfig) -> Hir {
    let fold = match config.case {
        Case::Sensitive => false,
        Case::Insensitive => true,
        Case::Smart => smart_case::folds_literals(patterns.iter().copied()),
    };
    Hir::alternation(
        patterns
            .iter()
            .map(|pattern| match (fold, config.unicode) {
                (false, _) => Hir::literal(pattern.as_bytes()),
                (true, true) => Hir::concat(pattern.chars().map(folded_char).collect()),
                (true, false) => Hir::concat(pattern.bytes().map(folded_byte).collect()),
            })
            .collect(),
    )
}

/// The characters that simple case folding makes equal to `c`.
fn folded_char(c: char) -> Hir {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    // This fails only if regex-syntax is built without its folding tables. Then the letter alone
    // has to do.
    let _ = class.try_case_fold_simple();
    Hir::class(Class::Unicode(class))
}

/// The byte in both cases, if it is an ASCII letter.
fn folded_byte(byte: u8) -> Hir {
    let mut class = ClassBytes::new([ClassBytesRange::new(byte, byte)]);
    class.case_fold_simple();
    Hir::class(Class::Bytes(class))
}

/// `hir` between the assertions of `config.boundary`. Half boundaries look only outwards, so that
/// `-2` can match as a word although `-` is no word character.
fn bounded(hir: Hir, config: &MatcherConfig) -> Hir {
    let (before, after) = match (config.boundary, config.unicode) {
        (Boundary::None, _) => return hir,
        (Boundary::Line, _) if config.crlf => (Look::StartCRLF, Look::EndCRLF),
        (Boundary::Line, _) => (Look::StartLF, Look::EndLF),
        (Boundary::Word, true) => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
        (Boundary::Word, false) => (Look::WordStartHalfAscii, Look::WordEndHalfAscii),
    };
    Hir::concat(vec![Hir::look(before), hir, Hir::look(after)])
}
