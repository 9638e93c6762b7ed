//! The format of results. Its defaults depend on the mode, the inputs and the terminal.

use heist_printer::{ColorSpecs, PrinterConfig};
use heist_walk::Root;

use super::{links::hyperlink, search::shows_lines};
use crate::{
    here::Here,
    typed::{Buffering, ColorMode, Mode, SearchMode, TypedArgs},
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
        heading: !per_match && typed.heading.unwrap_or(here.stdout_is_terminal),
        line_numbers: line_numbers(typed, mode, roots, here),
        column: typed.column.unwrap_or(per_match),
        invert: typed.searcher.invert,
        context: typed.context.limits() != (0, 0),
        // Without colours there are no links.
        hyperlink: colors.as_ref().and_then(|_| hyperlink(typed, here)),
        colors,
        visible: here.stdout_is_terminal && !typed.raw,
        stats: typed.printer.stats || mode == Mode::Search(SearchMode::Json),
        ..typed.printer.clone()
    }
}

fn line_numbers(typed: &TypedArgs, mode: Mode, roots: &[Root], here: &Here) -> bool {
    if !shows_lines(typed, mode) {
        return false;
    }
    let is_stdin = *roots == [Root::Stdin];
    let default = (here.stdout_is_terminal && !is_stdin)
        || typed.column == Some(true)
        || typed.printer.per_match
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
