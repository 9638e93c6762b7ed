//! The values of `--hyperlink-format`. Names, formats and messages are ripgrep's, read in
//! grep-printer 0.3.1 and confirmed by running it.

use std::{fmt, str::FromStr};

use crate::value::braces::{self, BraceError, BracePart};

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormatPiece {
    Text(String),
    Host,
    WslPrefix,
    Path,
    Line,
    Column,
}

impl FormatPiece {
    fn variable(name: &str) -> Result<FormatPiece, HyperlinkError> {
        Ok(match name {
            "host" => FormatPiece::Host,
            "wslprefix" => FormatPiece::WslPrefix,
            "path" => FormatPiece::Path,
            "line" => FormatPiece::Line,
            "column" => FormatPiece::Column,
            _ => return Err(HyperlinkError::Variable(name.to_owned())),
        })
    }
}

/// A parsed link format: an address with variables in braces, or the name of an
/// [alias](HYPERLINK_ALIASES). The default is the empty format, which makes no links.
///
/// # Examples
///
/// ```
/// use heist_printer::HyperlinkFormat;
///
/// let format: HyperlinkFormat = "vscode://file{path}:{line}".parse()?;
/// assert!(!format.is_empty());
/// assert!("vscode://file".parse::<HyperlinkFormat>().is_err(), "has no variable");
/// # Ok::<(), heist_printer::HyperlinkError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HyperlinkFormat {
    pieces: Vec<FormatPiece>,
}

impl HyperlinkFormat {
    /// Whether this format makes no links.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether links contain the name of this host.
    #[must_use]
    pub fn names_host(&self) -> bool {
        self.pieces.contains(&FormatPiece::Host)
    }

    pub(crate) fn pieces(&self) -> &[FormatPiece] {
        &self.pieces
    }

    fn check(self) -> Result<HyperlinkFormat, HyperlinkError> {
        let has = |piece| self.pieces.contains(&piece);
        if self.is_empty() {
            return Ok(self);
        }
        if self.pieces.iter().all(|piece| matches!(piece, FormatPiece::Text(_))) {
            return Err(HyperlinkError::NoVariable);
        }
        if !has(FormatPiece::Path) {
            return Err(HyperlinkError::NoPath);
        }
        if has(FormatPiece::Column) && !has(FormatPiece::Line) {
            return Err(HyperlinkError::NoLine);
        }
        let scheme = match self.pieces.first() {
            Some(FormatPiece::Text(text)) => text.split_once(':').map_or("", |(scheme, _)| scheme),
            _ => "",
        };
        let is_valid = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        if scheme.is_empty() || !scheme.bytes().all(is_valid) {
            return Err(HyperlinkError::Scheme);
        }
        Ok(self)
    }
}

impl FromStr for HyperlinkFormat {
    type Err = HyperlinkError;

    fn from_str(text: &str) -> Result<HyperlinkFormat, HyperlinkError> {
        let alias = HYPERLINK_ALIASES.iter().find(|alias| alias.name == text);
        let mut pieces = Vec::new();
        for part in braces::parts(alias.map_or(text, |alias| alias.format)) {
            pieces.push(match part? {
                BracePart::Text(text) => FormatPiece::Text(text),
                BracePart::Variable(name) => FormatPiece::variable(name)?,
            });
        }
        HyperlinkFormat { pieces }.check()
    }
}

/// How printed paths are linked. Without colours, or with an empty format, they are not.
#[derive(Clone, Debug)]
pub struct Hyperlink {
    /// The format of links.
    pub format: HyperlinkFormat,
    /// The name of this host, for `{host}`.
    pub host: String,
    /// For `{wslprefix}`: `wsl$/` and the name of the distribution, in the Windows Subsystem for
    /// Linux.
    pub wsl_prefix: String,
    /// Returns the target of a path as it was searched: an absolute path without `.`, `..` and
    /// symbolic links, which begins with a slash and has slashes as separators. `None` for what has
    /// no target (`<stdin>`). Called once per printed path.
    pub locate: fn(&[u8]) -> Option<Vec<u8>>,
}

/// The reason why a `--hyperlink-format` is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HyperlinkError {
    /// The format has no variable and is no alias.
    NoVariable,
    /// The format has no `{path}`.
    NoPath,
    /// The format has `{column}`, but no `{line}`.
    NoLine,
    /// The format does not begin with a scheme and a colon.
    Scheme,
    /// The variable is unknown.
    Variable(String),
    /// A `}` has no `{` before it.
    NotOpened,
    /// A `{` has no `}` after it.
    NotClosed,
}

impl From<BraceError> for HyperlinkError {
    fn from(error: BraceError) -> HyperlinkError {
        match error {
            BraceError::NotOpened => HyperlinkError::NotOpened,
            BraceError::NotClosed => HyperlinkError::NotClosed,
        }
    }
}

impl fmt::Display for HyperlinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid hyperlink format: ")?;
        match self {
            HyperlinkError::NoVariable => {
                f.write_str(
                    "at least a {path} variable is required in a hyperlink format, \
                     or otherwise use a valid alias: ",
                )?;
                let names: Vec<&str> = HYPERLINK_ALIASES.iter().map(|alias| alias.name).collect();
                f.write_str(&names.join(", "))
            }
            HyperlinkError::NoPath => {
                f.write_str("the {path} variable is required in a hyperlink format")
            }
            HyperlinkError::NoLine => f.write_str(
                "the hyperlink format contains a {column} variable, \
                 but no {line} variable is present",
            ),
            HyperlinkError::Scheme => f.write_str(
                "the hyperlink format must start with a valid URL scheme, i.e., [0-9A-Za-z+-.]+:",
            ),
            HyperlinkError::Variable(name) => write!(
                f,
                "invalid hyperlink format variable: '{name}', \
                 choose from: path, line, column, host, wslprefix"
            ),
            HyperlinkError::NotOpened => {
                f.write_str("unopened variable: found '}' without a corresponding '{' preceding it")
            }
            HyperlinkError::NotClosed => {
                f.write_str("unclosed variable: found '{' without a corresponding '}' following it")
            }
        }
    }
}

impl std::error::Error for HyperlinkError {}

/// A named format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HyperlinkAlias {
    /// The name, as a value of `--hyperlink-format`.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// The format it stands for.
    pub format: &'static str,
}

const fn alias(name: &'static str, summary: &'static str, format: &'static str) -> HyperlinkAlias {
    HyperlinkAlias { name, summary, format }
}

/// The default contains the host except on Windows, where programs do not expect one.
const DEFAULT_FORMAT: &str = if cfg!(windows) { "file://{path}" } else { "file://{host}{path}" };

/// All named formats, the special ones first.
pub const HYPERLINK_ALIASES: &[HyperlinkAlias] = &[
    alias("default", "a file: address as this system has them", DEFAULT_FORMAT),
    alias("none", "no links", ""),
    alias("cursor", "the editor Cursor", "cursor://file{path}:{line}:{column}"),
    alias("file", "a file: address with the host", "file://{host}{path}"),
    alias("grep+", "the program grep+", "grep+://{path}:{line}"),
    alias("kitty", "a file: address with host and line, for kitty", "file://{host}{path}#{line}"),
    alias("macvim", "MacVim", "mvim://open?url=file://{path}&line={line}&column={column}"),
    alias("textmate", "TextMate", "txmt://open?url=file://{path}&line={line}&column={column}"),
    alias("vscode", "VS Code", "vscode://file{path}:{line}:{column}"),
    alias("vscode-insiders", "VS Code Insiders", "vscode-insiders://file{path}:{line}:{column}"),
    alias("vscodium", "VSCodium", "vscodium://file{path}:{line}:{column}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<FormatPiece> {
        text.parse::<HyperlinkFormat>().unwrap().pieces
    }

    #[test]
    fn formats_are_cut_at_variables() {
        let text = |t: &str| FormatPiece::Text(t.to_owned());
        assert_eq!(parsed(""), []);
        assert_eq!(parsed("none"), []);
        assert_eq!(parsed("x+1-y.:{path}"), [text("x+1-y.:"), FormatPiece::Path]);
        assert_eq!(
            parsed("f:{{{path}}}{line}{host}/{wslprefix}é{column}"),
            [
                text("f:{"),
                FormatPiece::Path,
                text("}"),
                FormatPiece::Line,
                FormatPiece::Host,
                text("/"),
                FormatPiece::WslPrefix,
                text("é"),
                FormatPiece::Column
            ]
        );
        for alias in HYPERLINK_ALIASES {
            assert_eq!(parsed(alias.name), parsed(alias.format), "{}", alias.name);
        }
    }
}
