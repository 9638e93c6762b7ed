//! The format of results. Its defaults depend on the mode, the inputs and the terminal.

use heist_printer::{ColorSpecs, Excerpt, PrinterConfig, Template};
use heist_walk::Root;

use super::{links::hyperlink, search::shows_lines};
use crate::{
    error::Error,
    here::Here,
    output::MIN_PASSING,
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
        stats: typed.printer.stats || mode == Mode::Search(SearchMode::Json),
        ..typed.printer.clone()
    }
}

/// What `--format` cannot be combined with, if that is given.
fn contradiction_of_format(typed: &TypedArgs, mode: Mode) -> Option<(&'static str, &'static str)> {
    typed.format.as_ref()?;
    let other = match mode {
        Mode::Search(SearchMode::Json) => Some("--json"),
        Mode::Search(mode) => mode_flag(typed, mode),
        // There are no results of a search.
        _ => return None,
    };
    let TypedArgs { around, context, .. } = typed;
    let flags = [
        (typed.printer.compact, "--compact"),
        (typed.excerpt.is_some_and(|excerpt| excerpt.reach > 0), "--excerpt"),
        (typed.printer.max_columns.is_some(), "--max-columns"),
        (typed.printer.per_match, "--vimgrep"),
        (typed.printer.only_matching, "--only-matching"),
        (typed.printer.trim, "--trim"),
        (context.passthru, "--passthru"),
        (context.after.is_some_and(|lines| lines > 0), "--after-context"),
        (context.before.is_some_and(|lines| lines > 0), "--before-context"),
        (context.limits() != (0, 0), "--context"),
        (around.show_function, "--show-function"),
        (around.function_context, "--function-context"),
        (around.paragraph, "--paragraph"),
        (around.until.is_some(), "--until"),
    ];
    let given = || flags.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag);
    other.or_else(given).map(|other| ("--format", other))
}

/// Whether results state which pattern matches.
pub(super) fn which(typed: &TypedArgs, mode: Mode) -> bool {
    let is_wanted = typed.which || typed.format.as_ref().is_some_and(Template::has_patterns);
    is_wanted && shows_lines(typed, mode)
}

/// What `--which` cannot be combined with, if that is given.
fn contradiction_of_which(typed: &TypedArgs, mode: Mode) -> Option<(&'static str, &'static str)> {
    let Mode::Search(search_mode) = mode else { return None };
    let other = match search_mode {
        _ if !typed.which => None,
        _ if typed.searcher.invert => Some("--invert-match"),
        SearchMode::Standard | SearchMode::Json => {
            let has_no_place = typed.format.as_ref().is_some_and(|format| !format.has_patterns());
            has_no_place.then_some("--format without {pattern}")
        }
        other => mode_flag(typed, other),
    };
    other.map(|other| ("--which", other))
}

/// The flag of a mode that prints no lines.
fn mode_flag(typed: &TypedArgs, mode: SearchMode) -> Option<&'static str> {
    match mode {
        SearchMode::Standard | SearchMode::Json => None,
        SearchMode::Count | SearchMode::CountMatches if typed.printer.total => {
            Some("--count-total")
        }
        SearchMode::Count => Some("--count"),
        SearchMode::CountMatches => Some("--count-matches"),
        SearchMode::FilesWithMatches => Some("--files-with-matches"),
        SearchMode::FilesWithoutMatch => Some("--files-without-match"),
    }
}

/// Whether numbers are printed.
fn counts(mode: Mode) -> bool {
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

/// Fails if flags about the format contradict each other.
pub(super) fn check(typed: &TypedArgs, mode: Mode) -> Result<(), Error> {
    let is_json = mode == Mode::Search(SearchMode::Json);
    let compact = typed.printer.compact;
    let columns = typed.printer.max_columns.is_some() && excerpt(typed).is_some();
    let total = typed.printer.total && counts(mode);
    let limits = typed.limits;
    let contradiction =
        contradiction_of_format(typed, mode).or_else(|| contradiction_of_which(typed, mode));
    if let Some((flag, other)) = contradiction {
        return Err(Error::new(format!("{flag} cannot be combined with {other}")));
    }
    let is_search = matches!(mode, Mode::Search(_));
    let (flag, other) = match () {
        () if is_search && typed.names.is_some() && typed.searcher.invert => {
            ("--names", "--invert-match")
        }
        () if typed.printer.end_column && typed.column == Some(false) => {
            ("--end-column", "--no-column")
        }
        () if total && limits.results.is_some() => ("--count-total", "--max-results"),
        () if total && limits.files.is_some() => ("--count-total", "--max-files"),
        () if total && limits.offset > 0 => ("--count-total", "--offset"),
        () if columns && typed.excerpt.is_some() => ("--excerpt", "--max-columns"),
        () if columns => ("--compact", "--max-columns"),
        () if compact && typed.printer.per_match => ("--compact", "--vimgrep"),
        () if compact && typed.heading == Some(false) => ("--compact", "--no-heading"),
        () if compact && is_json => ("--compact", "--json"),
        () => return Ok(()),
    };
    Err(Error::new(format!("{flag} cannot be combined with {other}")))
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
