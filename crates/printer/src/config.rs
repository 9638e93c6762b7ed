//! How results look: plain values, no builder, since nothing here can fail.

use crate::{ColorSpecs, Hyperlink};

/// How a reported line is spread over lines of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// OutBuffer once.
    Once,
    /// OutBuffer once per match.
    PerMatch,
    /// Each match is printed instead.
    OnlyMatches,
}

/// What ends the lines of a haystack and every line that a printer has to end itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terminator {
    /// A line feed.
    #[default]
    Lf,
    /// Carriage return and line feed are written, a lone line feed is understood too (`--crlf`).
    CrLf,
    /// A NUL byte (`--null-data`).
    Nul,
}

impl Terminator {
    /// The bytes that are written.
    #[must_use]
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            Terminator::Lf => b"\n",
            Terminator::CrLf => b"\r\n",
            Terminator::Nul => b"\0",
        }
    }

    /// The byte without which a line is not ended.
    pub(crate) fn last_byte(self) -> u8 {
        match self {
            Terminator::Lf | Terminator::CrLf => b'\n',
            Terminator::Nul => b'\0',
        }
    }

    /// Whether `line` is ended.
    pub(crate) fn ends(self, line: &[u8]) -> bool {
        line.last() == Some(&self.last_byte())
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

/// How results look. The default is the plainest: matching lines and nothing else, no colour.
#[derive(Clone, Debug)]
pub struct PrinterConfig {
    /// What ends lines.
    pub terminator: Terminator,
    /// Print the path before lines and counts; without it only the modes whose answer is a path
    /// print paths.
    pub with_path: bool,
    /// Print the path once, on a line of its own, above the lines of its file (`--heading`).
    pub heading: bool,
    /// Print line numbers (the searcher must count them).
    pub line_numbers: bool,
    /// Print where in its line the first match begins: in bytes, the first being 1.
    pub column: bool,
    /// Print how many bytes stand before the line, or before the match if matches are printed one
    /// by one.
    pub byte_offset: bool,
    /// Print matches instead of lines (`-o`).
    pub only_matching: bool,
    /// Print a line once per match in it (`--vimgrep`).
    pub per_match: bool,
    /// The searcher reports lines that do not match: matches are then found in context lines.
    pub invert: bool,
    /// Leave out lines with more bytes than this, the terminator included.
    pub max_columns: Option<u64>,
    /// Show the beginning of a line that is too long.
    pub max_columns_preview: bool,
    /// Leave out blanks at the beginning of lines.
    pub trim: bool,
    /// Print a NUL byte after paths instead of what stands there otherwise (`-0`).
    pub null: bool,
    /// What separates the components of printed paths instead of the system's own separator.
    pub path_separator: Option<u8>,
    /// Between the fields of a matching line.
    pub field_match_separator: Vec<u8>,
    /// Between the fields of a context line.
    pub field_context_separator: Vec<u8>,
    /// The line between groups of context lines, without its terminator; None leaves the line out.
    pub context_separator: Option<Vec<u8>>,
    /// Context lines were asked for, so that files are set apart as groups within a file are.
    /// Showing every line (`--passthru`) is not context in this sense.
    pub context: bool,
    /// Colours, if results are coloured.
    pub colors: Option<ColorSpecs>,
    /// Links, if printed paths are to be links; they are only where results are coloured.
    pub hyperlink: Option<Hyperlink>,
    /// Show control characters in paths and lines as text, instead of having a terminal obey them.
    pub visible: bool,
    /// Print counts of zero.
    pub include_zero: bool,
    /// What stands in the place of each match (`-r`), with `$1` and `${name}` for groups.
    pub replacement: Option<Vec<u8>>,
    /// Count what is found (`--stats`): every match is found then, and nothing ends early. [`Json`](crate::Json) counts
    /// anyway.
    pub stats: bool,
}

impl PrinterConfig {
    /// How a reported line is spread over lines of output.
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
            byte_offset: false,
            only_matching: false,
            per_match: false,
            invert: false,
            max_columns: None,
            max_columns_preview: false,
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
            include_zero: false,
            replacement: None,
            stats: false,
        }
    }
}
