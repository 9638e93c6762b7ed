//! Patterns to one expression: parsed, folded, joined and bounded.
//!
//! Patterns are joined as text, `(?:a)|(?:b)`, and parsed once, so that the name of a group is
//! unique over all of them. Plain text takes a shorter way: its expression is built directly, which
//! for thousands of patterns saves their printing and parsing.

use std::fmt::Display;

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, Span};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look,
};

use crate::compile::line_safe;
use crate::compile::smart_case;
use crate::config::{Boundary, Case, MatcherConfig};
use crate::error::{Error, ErrorKind, SyntaxError};

/// How deep groups and brackets may nest.
const NEST_LIMIT: u32 = 250;

/// The expression for `patterns` under `config`, safe for lines unless matches may span them. For
/// no pattern, it matches nothing.
pub(crate) fn expression(patterns: &[&str], config: &MatcherConfig) -> Result<Hir, Error> {
    if !config.line_terminator.is_ascii() {
        return Err(Error::new(ErrorKind::NonAsciiTerminator(config.line_terminator)));
    }
    if patterns.is_empty() {
        return Ok(Hir::fail());
    }
    let is_text = config.fixed_strings || patterns.iter().all(|p| is_plain(p));
    let mut hir = if is_text { literals(patterns, config) } else { regex(patterns, config)? };
    // Plain text may hold a NUL even where files with one are binary: it never matches. As in
    // ripgrep, only a regex with one is a mistake, and text whose case does not matter is one.
    if config.ban_nul && !(is_text && config.case == Case::Sensitive) {
        line_safe::ban_nul(&hir)?;
    }
    if !config.multiline {
        if config.crlf {
            hir = line_safe::exclude(hir, b'\r')?;
        }
        hir = line_safe::exclude(hir, config.line_terminator)?;
    }
    Ok(bounded(hir, config))
}

/// The expression of each of `patterns`, as it is part of the [`expression`] of all of them.
pub(crate) fn expressions(patterns: &[&str], config: &MatcherConfig) -> Result<Vec<Hir>, Error> {
    let case = match config.case {
        // All of them together decide.
        Case::Smart if folds(patterns, config)? => Case::Insensitive,
        Case::Smart => Case::Sensitive,
        case => case,
    };
    let config = MatcherConfig { case, ban_nul: false, ..config.clone() };
    patterns.iter().map(|pattern| expression(&[pattern], &config)).collect()
}

/// Whether smart case makes `patterns` insensitive.
fn folds(patterns: &[&str], config: &MatcherConfig) -> Result<bool, Error> {
    if config.fixed_strings || patterns.iter().all(|p| is_plain(p)) {
        return Ok(smart_case::folds_literals(patterns.iter().copied()));
    }
    let ast = syntax_tree(&joined(patterns).0);
    ast.map(|ast| smart_case::folds_ast(&ast)).map_err(|e| Error::new(ErrorKind::Syntax(e)))
}

/// Whether `pattern` means the same as text and as a regex.
fn is_plain(pattern: &str) -> bool {
    !pattern.chars().any(regex_syntax::is_meta_character)
}

/// All `patterns` as the text of one regex, and where each begins in it.
fn joined(patterns: &[&str]) -> (String, Vec<usize>) {
    let mut joined = String::with_capacity(patterns.iter().map(|p| p.len() + 5).sum());
    let mut starts = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        joined.push_str(if joined.is_empty() { "(?:" } else { "|(?:" });
        starts.push(joined.len());
        joined.push_str(pattern);
        joined.push(')');
    }
    (joined, starts)
}

/// All `patterns` as one regex.
fn regex(patterns: &[&str], config: &MatcherConfig) -> Result<Hir, Error> {
    let (joined, starts) = joined(patterns);
    translate(&joined, config).map_err(|error| {
        // What the caller sees is the pattern that is refused alone. Others are refused together
        // only: two with the same group, or one that nests as deep as may be.
        let alone = patterns.iter().find_map(|pattern| translate(pattern, config).err());
        let error = alone.unwrap_or_else(|| within(patterns, &starts, error));
        Error::new(ErrorKind::Syntax(error))
    })
}

/// `pattern` parsed.
fn syntax_tree(pattern: &str) -> Result<Ast, SyntaxError> {
    let parser = ParserBuilder::new().nest_limit(NEST_LIMIT).build().parse(pattern);
    parser.map_err(|e| syntax_error(&e, e.pattern(), e.span(), e.kind()))
}

/// `pattern` parsed and translated.
fn translate(pattern: &str, config: &MatcherConfig) -> Result<Hir, SyntaxError> {
    let ast = syntax_tree(pattern)?;
    let fold = match config.case {
        Case::Sensitive => false,
        Case::Insensitive => true,
        Case::Smart => smart_case::folds_ast(&ast),
    };
    TranslatorBuilder::new()
        .utf8(false)
        .multi_line(true)
        .dot_matches_new_line(config.multiline && config.dot_matches_new_line)
        .crlf(config.crlf)
        .unicode(config.unicode)
        .case_insensitive(fold)
        .build()
        .translate(pattern, &ast)
        .map_err(|e| syntax_error(&e, e.pattern(), e.span(), e.kind()))
}

fn syntax_error(
    error: &dyn Display,
    pattern: &str,
    span: &Span,
    kind: &dyn Display,
) -> SyntaxError {
    SyntaxError {
        pattern: pattern.to_owned(),
        span: span.start.offset..span.end.offset,
        reason: kind.to_string(),
        message: error.to_string(),
    }
}

/// `error`, which is about the joined patterns that begin at `starts`, in the one that it begins
/// in.
fn within(patterns: &[&str], starts: &[usize], error: SyntaxError) -> SyntaxError {
    let index = starts.partition_point(|start| *start <= error.span.start).saturating_sub(1);
    let (Some(&pattern), Some(start)) = (patterns.get(index), starts.get(index)) else {
        return error;
    };
    let place = |joined: usize| {
        let offset = joined.saturating_sub(*start).min(pattern.len());
        (0..=offset).rfind(|at| pattern.is_char_boundary(*at)).unwrap_or(0)
    };
    let span = place(error.span.start)..place(error.span.end);
    if pattern.contains('\n') {
        return SyntaxError { pattern: pattern.to_owned(), span, ..error };
    }
    let columns = |text: &str| text.chars().count();
    let indent = " ".repeat(columns(&pattern[..span.start]));
    let carets = "^".repeat(columns(&pattern[span.clone()]).max(1));
    let reason = &error.reason;
    let message =
        format!("regex parse error:\n    {pattern}\n    {indent}{carets}\nerror: {reason}");
    SyntaxError { pattern: pattern.to_owned(), span, message, ..error }
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
