//! An expression without its assertions about words in Unicode, which only the slow engines can
//! test in text that is not ASCII. For `\bfoo\s+bar` it is `foo\s+bar`.
//!
//! It matches wherever the expression does, and perhaps elsewhere. So a haystack that it does not
//! match need not be searched, and the expression's first match begins no earlier than its own.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::{Input, meta};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::line_safe;

/// Such an expression, compiled when the first haystack needs it.
#[derive(Debug)]
pub(crate) struct OverApprox {
    hir: Hir,
    config: meta::Config,
    regex: OnceLock<Option<meta::Regex>>,
}

impl OverApprox {
    /// Makes an over-approximation of `hir`, to be compiled under `config`. `None` if there is
    /// nothing to leave out, or if what is left matches everywhere.
    pub(crate) fn new(hir: &Hir, config: meta::Config) -> Option<OverApprox> {
        if !hir.properties().look_set().contains_word_unicode() {
            return None;
        }
        let hir = line_safe::rewrite(hir.clone(), &mut |leaf| match leaf {
            HirKind::Look(look) if is_of_words(look) => Hir::empty(),
            other => line_safe::kept(other),
        });
        let is_empty = hir.properties().minimum_len() == Some(0);
        (!is_empty).then(|| OverApprox { hir, config, regex: OnceLock::new() })
    }

    /// Where the first match in `range` of `haystack` starts: the expression has no match that
    /// begins earlier. `None` if there is none.
    pub(crate) fn first(
        &self,
        haystack: &[u8],
        range: Range<usize>,
        cache: &mut Option<meta::Cache>,
    ) -> Option<usize> {
        let from = range.start;
        let build =
            || meta::Builder::new().configure(self.config.clone()).build_from_hir(&self.hir).ok();
        let Some(regex) = self.regex.get_or_init(build) else { return Some(from) };
        let cache = cache.get_or_insert_with(|| regex.create_cache());
        regex.search_with(cache, &Input::new(haystack).range(range)).map(|m| m.start())
    }
}

/// Whether `look` is about words in Unicode.
fn is_of_words(look: Look) -> bool {
    match look {
        Look::WordUnicode
        | Look::WordUnicodeNegate
        | Look::WordStartUnicode
        | Look::WordEndUnicode
        | Look::WordStartHalfUnicode
        | Look::WordEndHalfUnicode => true,
        Look::Start
        | Look::End
        | Look::StartLF
        | Look::EndLF
        | Look::StartCRLF
        | Look::EndCRLF
        | Look::WordAscii
        | Look::WordAsciiNegate
        | Look::WordStartAscii
        | Look::WordEndAscii
        | Look::WordStartHalfAscii
        | Look::WordEndHalfAscii => false,
    }
}
