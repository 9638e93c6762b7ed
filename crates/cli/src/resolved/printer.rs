//! How results are formatted. Defaults depend on the mode, the inputs and the terminal.

use heist_printer::{ColorSpecs, Excerpt, PrinterConfig, ReplacementForm, Template};
use heist_walk::Root;

use super::{links::hyperlink, search::shows_lines};
use crate::{
    output::MIN_PASSING,
    run::here::Here,
    typed::{Buffering, COMPACT_EXCERPT, ColorMode, Mode, SearchMode, TypedArgs},
};

pub(super) fn config(
    typed: &TypedArgs,
    mode: Mode,
    roots: &[Root],
    one_file: bool,
    here: &Here,
) -> PrinterConfig {
    let colors = colors(typed, here);
    let per_match = typed.printer.per_match;
    PrinterConfig {
        with_path: typed.with_filename.unwrap_or(per_match || !one_file),
        heading: !per_match
            && (typed.printer.compact || typed.heading.unwrap_or(here.stdout_is_terminal)),
        excerpt: excerpt(typed),
        longest_line: longest_line(typed),
        longest_excerpt: Some(2 << 10).max(excerpt(typed).map(|it| it.reach.saturating_mul(64))),
        line_numbers: line_numbers(typed, mode, roots, here),
        column: typed.column.unwrap_or(per_match || typed.printer.end_column),
        total: typed.printer.total && counts(mode) && !typed.quiet,
        invert: typed.searcher.invert,
        names: typed.names.is_some(),
        context: typed.context.limits() != (0, 0),
        // Without colours there are no links.
        hyperlink: colors.as_ref().and_then(|_| hyperlink(typed, here)),
        colors,
        visible: here.stdout_is_terminal && !typed.raw,
        replacement_form: replacement_form(typed),
        stats: typed.printer.stats || mode == Mode::Search(SearchMode::Json),
        ..typed.printer.clone()
    }
}

/// How replacements are written.
fn replacement_form(typed: &TypedArgs) -> ReplacementForm {
    match (typed.any_case, typed.preserve_case) {
        (_, Some(false)) | (false, None) => ReplacementForm::AsTyped,
        (true, _) => ReplacementForm::FormOfMatch,
        (false, Some(true)) => ReplacementForm::LettersOfMatch,
    }
}

/// Whether results state which pattern matches.
pub(super) fn which(typed: &TypedArgs, mode: Mode) -> bool {
    let is_wanted = typed.which || typed.format.as_ref().is_some_and(Template::has_patterns);
    is_wanted && shows_lines(typed, mode)
}

/// Whether numbers are printed.
pub(super) fn counts(mode: Mode) -> bool {
    matches!(mode, Mode::Search(SearchMode::Count | SearchMode::CountMatches))
}

/// Which parts of lines are printed; `None` if all are.
fn excerpt(typed: &TypedArgs) -> Option<Excerpt> {
    let default = typed.printer.compact.then_some(COMPACT_EXCERPT);
    typed.excerpt.or(default).filter(|excerpt| excerpt.reach > 0)
}

/// The longest line that is printed whole if the bytes of output are limited: several results are
/// to fit, however long their lines are.
fn longest_line(typed: &TypedArgs) -> Option<usize> {
    let most = typed.limits.output.filter(|&most| most >= MIN_PASSING)?;
    usize::try_from(most / 4).ok()
}

fn line_numbers(typed: &TypedArgs, mode: Mode, roots: &[Root], here: &Here) -> bool {
    if !shows_lines(typed, mode) {
        return false;
    }
    let is_stdin = *roots == [Root::Stdin];
    let default = (here.stdout_is_terminal && !is_stdin)
        || typed.column == Some(true)
        || typed.printer.per_match
        || typed.printer.compact
        || typed.format.as_ref().is_some_and(Template::has_lines)
        || typed.printer.end_column && typed.column != Some(false)
        || mode == Mode::Search(SearchMode::Json);
    typed.line_number.unwrap_or(default)
}

fn colors(typed: &TypedArgs, here: &Here) -> Option<ColorSpecs> {
    let wanted = match typed.color {
        ColorMode::Never => false,
        ColorMode::Always => true,
        ColorMode::Auto => {
            here.forces_colors || here.stdout_is_terminal && here.terminal_has_colors
        }
    };
    if !wanted {
        return None;
    }
    let mut specs = ColorSpecs::default();
    for rule in &typed.colors {
        specs.apply(rule);
    }
    Some(specs)
}

pub(super) fn line_buffered(typed: &TypedArgs, here: &Here) -> bool {
    match typed.buffering {
        Buffering::Auto => here.stdout_is_terminal,
        Buffering::Line => true,
        Buffering::Block => false,
    }
}
