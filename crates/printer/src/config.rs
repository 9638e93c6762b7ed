//! A printer's settings: plain values without a builder, since no combination is invalid.

use std::sync::Arc;

use heist_matcher::PatternSet;

use crate::{ColorSpecs, ColumnUnit, Hyperlink, ReplacementForm};

/// Which parts of a long line are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// How many characters are printed on both sides of where a match begins or ends.
    pub reach: usize,
    /// A line with at most this many characters is printed whole.
    pub whole: usize,
    /// A context line with at most this many characters is printed whole, if that is more.
    pub whole_context: usize,
}

/// How often an emitted line is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Once.
    Once,
    /// Once per match.
    PerMatch,
    /// Not at all; each match is printed instead.
    OnlyMatches,
}

/// What ends a haystack's lines, and printed lines that have no terminator of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terminator {
    /// A line feed.
    #[default]
    Lf,
    /// Carriage return and line feed are printed; a lone line feed is accepted too (`--crlf`).
    CrLf,
    /// A NUL byte (`--null-data`).
    Nul,
}

impl Terminator {
    /// The printed bytes.
    #[must_use]
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            Terminator::Lf => b"\n",
            Terminator::CrLf => b"\r\n",
            Terminator::Nul => b"\0",
        }
    }

    /// The byte that ends a line.
    pub(crate) fn last_byte(self) -> u8 {
        match self {
            Terminator::Lf | Terminator::CrLf => b'\n',
            Terminator::Nul => b'\0',
        }
    }

    /// Whether `line` has its terminator.
    pub(crate) fn ends(self, line: &[u8]) -> bool {
        line.last() == Some(&self.last_byte())
    }

    /// What ends `line` when it is printed, or a part of it: its own terminator if it has one.
    pub(crate) fn of(self, line: &[u8]) -> &'static [u8] {
        match self {
            Terminator::CrLf if line.ends_with(b"\n") && !line.ends_with(b"\r\n") => b"\n",
            _ => self.as_bytes(),
        }
    }

    /// `line` without its terminator.
    pub(crate) fn strip(self, line: &[u8]) -> &[u8] {
        let Some((&last, body)) = line.split_last() else {
            return line;
        };
        if last != self.last_byte() {
            return line;
        }
        match (self, body.split_last()) {
            (Terminator::CrLf, Some((&b'\r', body))) => body,
            _ => body,
        }
    }
}

/// How results look. By default only matching lines are printed, without colour.
#[derive(Clone, Debug)]
pub struct PrinterConfig {
    /// The line terminator.
    pub terminator: Terminator,
    /// Print the path before lines and counts. Without it, only the modes that print nothing but
    /// paths do so.
    pub with_path: bool,
    /// Print the path once, on a line of its own above its file's lines (`--heading`).
    pub heading: bool,
    /// Print line numbers (the searcher must count lines).
    pub line_numbers: bool,
    /// Print the first match's column: its position in the line in bytes, starting at 1.
    pub column: bool,
    /// Print the column behind the first match after its column, if that is printed.
    pub end_column: bool,
    /// What columns count.
    pub column_unit: ColumnUnit,
    /// Print the line's offset or, if matches are printed one by one, the match's.
    pub byte_offset: bool,
    /// Print matches, not lines (`-o`).
    pub only_matching: bool,
    /// Print a line once per match in it (`--vimgrep`).
    pub per_match: bool,
    /// The search is inverted, so that context lines are the ones with matches.
    pub invert: bool,
    /// Omit lines with more bytes than this, including the terminator.
    pub max_columns: Option<u64>,
    /// Print how lines begin that are too long.
    pub max_columns_preview: bool,
    /// Cut long lines to what is around their matches (`--excerpt`). Matches that are printed
    /// alone, or in place of lines, are not cut.
    pub excerpt: Option<Excerpt>,
    /// The longest line that is printed whole, in bytes, if their length is limited. Longer ones
    /// are printed as excerpts.
    pub longest_line: Option<usize>,
    /// How many bytes of a line an excerpt has at most, if that is limited.
    pub longest_excerpt: Option<usize>,
    /// Omit the empty line between files below headings (`--compact`).
    pub compact: bool,
    /// Omit blanks at the beginning of lines.
    pub trim: bool,
    /// Print a NUL byte after paths in place of the usual separator or terminator (`-0`).
    pub null: bool,
    /// The separator between components in printed paths, instead of the system's.
    pub path_separator: Option<u8>,
    /// The separator between the fields in a matching line.
    pub field_match_separator: Vec<u8>,
    /// The separator between the fields in a context line.
    pub field_context_separator: Vec<u8>,
    /// The line between groups of context lines, without its terminator; `None` omits it.
    pub context_separator: Option<Vec<u8>>,
    /// Context lines were requested, so that files are separated like groups within a file. Every
    /// line (`--passthru`) is not context in this sense.
    pub context: bool,
    /// The colours; `None` prints without.
    pub colors: Option<ColorSpecs>,
    /// How paths are linked; `None` prints no links. There are no links without colours.
    pub hyperlink: Option<Hyperlink>,
    /// Show bytes that a terminal would interpret, or could not show, as text; see
    /// [`visible_line`](crate::visible_line).
    pub visible: bool,
    /// Print no count, but [add them](crate::Printer::total).
    pub total: bool,
    /// Print counts that are zero.
    pub include_zero: bool,
    /// The replacement for each match (`-r`), with `$1` and `${name}` for groups.
    pub replacement: Option<Vec<u8>>,
    /// How the replacement is written: as typed, or as the match is.
    pub replacement_form: ReplacementForm,
    /// File names are searched too, so that matches in paths are styled as matches.
    pub names: bool,
    /// Print which patterns match, for lines behind the other fields (`--which`).
    pub patterns: Option<PatternLabels>,
    /// Collect statistics (`--stats`): all matches are found, and nothing ends early.
    /// [`Printer::json`](crate::Printer::json) always collects them.
    pub stats: bool,
}

impl PrinterConfig {
    /// How often an emitted line is printed.
    pub(crate) fn spread(&self) -> Spread {
        match self {
            PrinterConfig { only_matching: true, .. } => Spread::OnlyMatches,
            PrinterConfig { per_match: true, .. } => Spread::PerMatch,
            _ => Spread::Once,
        }
    }
}

impl Default for PrinterConfig {
    fn default() -> PrinterConfig {
        PrinterConfig {
            terminator: Terminator::Lf,
            with_path: false,
            heading: false,
            line_numbers: false,
            column: false,
            end_column: false,
            column_unit: ColumnUnit::Bytes,
            byte_offset: false,
            only_matching: false,
            per_match: false,
            invert: false,
            max_columns: None,
            max_columns_preview: false,
            excerpt: None,
            longest_line: None,
            longest_excerpt: None,
            compact: false,
            trim: false,
            null: false,
            path_separator: None,
            field_match_separator: b":".to_vec(),
            field_context_separator: b"-".to_vec(),
            context_separator: Some(b"--".to_vec()),
            context: false,
            colors: None,
            hyperlink: None,
            visible: false,
            total: false,
            include_zero: false,
            replacement: None,
            replacement_form: ReplacementForm::AsTyped,
            names: false,
            patterns: None,
            stats: false,
        }
    }
}

/// A pattern, as results name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternLabel {
    /// The label; `None` if the pattern stands for itself.
    pub label: Option<String>,
    /// The pattern.
    pub text: String,
}

/// The patterns that results are printed with.
#[derive(Clone, Debug)]
pub struct PatternLabels {
    pub(crate) set: PatternSet,
    pub(crate) labels: Arc<[PatternLabel]>,
}

impl PatternLabels {
    /// Labels the patterns in `set`, in their order.
    #[must_use]
    pub fn new(set: PatternSet, labels: Vec<PatternLabel>) -> PatternLabels {
        PatternLabels { set, labels: labels.into() }
    }
}
