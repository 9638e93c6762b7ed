//! From the patterns as typed to one expression: read, folded, joined and bounded.
//!
//! Patterns are joined in text (`(?:a)|(?:b)`) and parsed once, so that an error shows the whole
//! and a group's name is unique over all patterns. Plain text takes a shorter way: its expression
//! is built directly, which for thousands of patterns saves the printing and parsing.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look,
};

use crate::compile::line_safe;
use crate::compile::smart_case;
use crate::config::{Boundary, Case, Config};
use crate::error::{Error, ErrorKind};

/// How deep groups and brackets may nest.
const NEST_LIMIT: u32 = 250;

/// The expression for `patterns` under `config`, safe for lines unless they may be matched across. No
/// pattern gives one that matches nothing.
pub(crate) fn expression(patterns: &[&str], config: &Config) -> Result<Hir, Error> {
    if !config.line_terminator.is_ascii() {
        return Err(Error::new(ErrorKind::WideTerminator(config.line_terminator)));
    }
    if patterns.is_empty() {
        return Ok(Hir::fail());
    }
    let is_text = config.fixed_strings || patterns.iter().all(|p| is_plain(p));
    let mut hir = if is_text { literals(patterns, config) } else { regex(patterns, config)? };
    // Text may hold a NUL even where files with one are binary: it just never matches. Only what
    // ripgrep has to read as a regex, for one reason or another, is taken for a mistake.
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

/// Whether `pattern` means the same as text and as a regex.
fn is_plain(pattern: &str) -> bool {
    !pattern.chars().any(regex_syntax::is_meta_character)
}

/// All `patterns` as one regex.
fn regex(patterns: &[&str], config: &Config) -> Result<Hir, Error> {
    let mut joined = String::with_capacity(patterns.iter().map(|p| p.len() + 5).sum());
    for (i, pattern) in patterns.iter().enumerate() {
        joined.push_str(if i == 0 { "(?:" } else { "|(?:" });
        joined.push_str(pattern);
        joined.push(')');
    }
    let ast = ParserBuilder::new()
        .nest_limit(NEST_LIMIT)
        .build()
        .parse(&joined)
        .map_err(|e| Error::syntax(&e))?;
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
        .translate(&joined, &ast)
        .map_err(|e| Error::syntax(&e))
}

/// All `patterns` as text.
fn literals(patterns: &[&str], config: &Config) -> Hir {
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

/// Every character that simple case folding makes equal to `c`.
fn folded_char(c: char) -> Hir {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    // This fails only where regex-syntax is built without its folding tables; the letter alone is
    // then the best there is.
    let _ = class.try_case_fold_simple();
    Hir::class(Class::Unicode(class))
}

/// The byte in both cases, if it is an ASCII letter.
fn folded_byte(byte: u8) -> Hir {
    let mut class = ClassBytes::new([ClassBytesRange::new(byte, byte)]);
    class.case_fold_simple();
    Hir::class(Class::Bytes(class))
}

/// `hir` with what `-w` or `-x` demand at both ends of the whole alternation. The half boundaries
/// look only outward, so that `-w -- -2` can match although `-` is no word character.
fn bounded(hir: Hir, config: &Config) -> Hir {
    let (before, after) = match (config.boundary, config.unicode) {
        (Boundary::None, _) => return hir,
        (Boundary::Line, _) if config.crlf => (Look::StartCRLF, Look::EndCRLF),
        (Boundary::Line, _) => (Look::StartLF, Look::EndLF),
        (Boundary::Word, true) => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
        (Boundary::Word, false) => (Look::WordStartHalfAscii, Look::WordEndHalfAscii),
    };
    Hir::concat(vec![Hir::look(before), hir, Hir::look(after)])
}
