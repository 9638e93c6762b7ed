//! The format of results. Its defaults depend on the mode, the inputs and the terminal.

use heist_printer::{ColorSpecs, PrinterConfig, Terminator};

use heist_walk::Root;

use super::{links::hyperlink, search::shows_lines};
use crate::{
    here::Here,
    typed::{Buffering, ColorMode, ContextSeparator, LineEnd, Mode, SearchMode, TypedArgs},
};

pub(super) fn config(
    typed: &TypedArgs,
    mode: Mode,
    roots: &[Root],
    one_file: bool,
    here: &Here,
) -> PrinterConfig {
    let defaults = PrinterConfig::default();
    let colors = colors(typed, here);
    let (before, after) = typed.context.limits();
    PrinterConfig {
        terminator: match typed.line_end {
            LineEnd::Lf => Terminator::Lf,
            LineEnd::CrLf => Terminator::CrLf,
            LineEnd::Nul => Terminator::Nul,
        },
        with_path: typed.with_filename.unwrap_or(typed.vimgrep || !one_file),
        heading: !typed.vimgrep && typed.heading.unwrap_or(here.stdout_is_terminal),
        line_numbers: line_numbers(typed, mode, roots, here),
        column: typed.column.unwrap_or(typed.vimgrep),
        byte_offset: typed.byte_offset,
        only_matching: typed.only_matching,
        per_match: typed.vimgrep,
        invert: typed.invert_match,
        max_columns: typed.max_columns,
        max_columns_preview: typed.max_columns_preview,
        trim: typed.trim,
        null: typed.null,
        path_separator: typed.path_separator,
        field_match_separator: given(&typed.field_match_separator, defaults.field_match_separator),
        field_context_separator: given(
            &typed.field_context_separator,
            defaults.field_context_separator,
        ),
        context_separator: match &typed.context_separator {
            ContextSeparator::Default => defaults.context_separator,
            ContextSeparator::Disabled => None,
            ContextSeparator::Text(text) => Some(text.clone()),
        },
        context: before > 0 || after > 0,
        // Without colours there are no links.
        hyperlink: colors.as_ref().and_then(|_| hyperlink(typed, here)),
        colors,
        visible: here.stdout_is_terminal && !typed.raw,
        include_zero: typed.include_zero,
        replacement: typed.replacement.clone().map(String::into_bytes),
        stats: typed.stats || mode == Mode::Search(SearchMode::Json),
    }
}

fn given<T: Clone>(typed: &Option<T>, default: T) -> T {
    typed.clone().unwrap_or(default)
}

fn line_numbers(typed: &TypedArgs, mode: Mode, roots: &[Root], here: &Here) -> bool {
    if !shows_lines(typed, mode) {
        return false;
    }
    let is_stdin = *roots == [Root::Stdin];
    let default = (here.stdout_is_terminal && !is_stdin)
        || typed.column.unwrap_or(typed.vimgrep)
        || typed.vimgrep
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
