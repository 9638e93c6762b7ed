//! Colours: values for `--colors`, and the escape sequences they stand for.
//!
//! Sequences are made once per printer, by the crate `termcolor`, because it orders attributes as
//! ripgrep's clients parse them.

use std::{fmt, str::FromStr};

use termcolor::{Ansi, Color, ColorSpec, WriteColor as _};

/// The style that each kind of text has.
///
/// # Examples
///
/// ```
/// use heist_printer::{ColorRule, ColorSpecs};
///
/// let mut colors = ColorSpecs::default();
/// colors.apply(&"match:fg:blue".parse::<ColorRule>()?);
/// assert!("match:fg:bleu".parse::<ColorRule>().is_err());
/// # Ok::<(), heist_printer::ColorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColorSpecs {
    pub(crate) path: ColorSpec,
    pub(crate) line: ColorSpec,
    pub(crate) column: ColorSpec,
    pub(crate) matched: ColorSpec,
    pub(crate) highlight: ColorSpec,
}

impl Default for ColorSpecs {
    /// Magenta paths (cyan on Windows), green line numbers, bold red matches.
    fn default() -> ColorSpecs {
        let path = if cfg!(windows) { Color::Cyan } else { Color::Magenta };
        let plain = |color| ColorSpec::new().set_fg(Some(color)).clone();
        ColorSpecs {
            path: plain(path),
            line: plain(Color::Green),
            column: ColorSpec::new(),
            matched: plain(Color::Red).set_bold(true).clone(),
            highlight: ColorSpec::new(),
        }
    }
}

impl ColorSpecs {
    /// Applies `rule`, which changes one attribute; later rules build on earlier ones.
    pub fn apply(&mut self, rule: &ColorRule) {
        let spec = match rule.target {
            Target::Path => &mut self.path,
            Target::Line => &mut self.line,
            Target::Column => &mut self.column,
            Target::Match => &mut self.matched,
            Target::Highlight => &mut self.highlight,
        };
        match rule.change {
            Change::Clear => {
                spec.clear();
                spec
            }
            Change::Fg(color) => spec.set_fg(Some(color)),
            Change::Bg(color) => spec.set_bg(Some(color)),
            Change::Bold(on) => spec.set_bold(on),
            Change::Intense(on) => spec.set_intense(on),
            Change::Underline(on) => spec.set_underline(on),
            Change::Italic(on) => spec.set_italic(on),
        };
    }
}

/// A parsed `--colors` value: `TYPE:none`, `TYPE:fg:COLOR`, `TYPE:bg:COLOR` or `TYPE:style:STYLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColorRule {
    target: Target,
    change: Change,
}

/// The kind of text that a rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Path,
    Line,
    Column,
    Match,
    Highlight,
}

/// How a style changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Clear,
    Fg(Color),
    Bg(Color),
    Bold(bool),
    Intense(bool),
    Underline(bool),
    Italic(bool),
}

/// The reason why a `--colors` value is invalid. The messages are ripgrep's, which clients know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColorError {
    /// The value does not have the form `TYPE:ATTRIBUTE[:VALUE]`.
    Format(String),
    /// The kind of text is unknown.
    Target(String),
    /// The attribute is not `fg`, `bg`, `style` or `none`.
    Attribute(String),
    /// The style is unknown.
    Style(String),
    /// The colour is unknown; holds the complete message.
    Color(String),
}

impl fmt::Display for ColorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColorError::Format(text) => write!(
                f,
                "invalid color spec format: '{text}'. \
                 Valid format is '(path|line|column|match|highlight):(fg|bg|style):(value)'."
            ),
            ColorError::Target(text) => write!(
                f,
                "unrecognized output type '{text}'. \
                 Choose from: path, line, column, match, highlight."
            ),
            ColorError::Attribute(text) => {
                write!(f, "unrecognized spec type '{text}'. Choose from: fg, bg, style, none.")
            }
            ColorError::Style(text) => write!(
                f,
                "unrecognized style attribute '{text}'. Choose from: nobold, bold, nointense, \
                 intense, nounderline, underline, noitalic, italic."
            ),
            ColorError::Color(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ColorError {}

impl FromStr for ColorRule {
    type Err = ColorError;

    fn from_str(text: &str) -> Result<ColorRule, ColorError> {
        let format = || ColorError::Format(text.to_owned());
        let mut pieces = text.split(':');
        let (Some(target), Some(attribute), value, None) =
            (pieces.next(), pieces.next(), pieces.next(), pieces.next())
        else {
            return Err(format());
        };
        let target = target.parse()?;
        let color = || {
            let name = value.ok_or_else(format)?;
            name.parse::<Color>().map_err(|e| ColorError::Color(e.to_string()))
        };
        let change = match attribute.to_lowercase().as_str() {
            "none" => Change::Clear,
            "fg" => Change::Fg(color()?),
            "bg" => Change::Bg(color()?),
            "style" => style_change(value.ok_or_else(format)?)?,
            _ => return Err(ColorError::Attribute(attribute.to_owned())),
        };
        Ok(ColorRule { target, change })
    }
}

impl FromStr for Target {
    type Err = ColorError;

    fn from_str(text: &str) -> Result<Target, ColorError> {
        match text.to_lowercase().as_str() {
            "path" => Ok(Target::Path),
            "line" => Ok(Target::Line),
            "column" => Ok(Target::Column),
            "match" => Ok(Target::Match),
            "highlight" => Ok(Target::Highlight),
            _ => Err(ColorError::Target(text.to_owned())),
        }
    }
}

fn style_change(text: &str) -> Result<Change, ColorError> {
    match text.to_lowercase().as_str() {
        "bold" => Ok(Change::Bold(true)),
        "nobold" => Ok(Change::Bold(false)),
        "intense" => Ok(Change::Intense(true)),
        "nointense" => Ok(Change::Intense(false)),
        "underline" => Ok(Change::Underline(true)),
        "nounderline" => Ok(Change::Underline(false)),
        "italic" => Ok(Change::Italic(true)),
        "noitalic" => Ok(Change::Italic(false)),
        _ => Err(ColorError::Style(text.to_owned())),
    }
}

/// The escape sequences before and after a styled text; empty without colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) open: Box<[u8]>,
    pub(crate) close: Box<[u8]>,
}

impl Style {
    /// Even an empty `spec` has sequences (a reset before and after), as clients expect.
    pub(crate) fn new(spec: &ColorSpec) -> Style {
        let bytes = |spec: Option<&ColorSpec>| {
            let mut ansi = Ansi::new(Vec::new());
            // Writing to a Vec cannot fail.
            let _ = match spec {
                Some(spec) => ansi.set_color(spec),
                None => ansi.reset(),
            };
            ansi.into_inner().into_boxed_slice()
        };
        Style { open: bytes(Some(spec)), close: bytes(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(rules: &[&str]) -> String {
        let mut specs = ColorSpecs::default();
        for rule in rules {
            specs.apply(&rule.parse().unwrap());
        }
        String::from_utf8(Style::new(&specs.matched).open.into_vec()).unwrap()
    }

    #[test]
    fn sequences_are_those_of_ripgrep() {
        // Verified against ripgrep 15.2.
        assert_eq!(open(&[]), "\x1b[0m\x1b[1m\x1b[31m");
        assert_eq!(open(&["match:none"]), "\x1b[0m");
        assert_eq!(open(&["match:fg:blue"]), "\x1b[0m\x1b[1m\x1b[34m");
        assert_eq!(open(&["Match:FG:0x1F"]), "\x1b[0m\x1b[1m\x1b[38;5;31m");
        assert_eq!(open(&["match:fg:1,2,0x1"]), "\x1b[0m\x1b[1m\x1b[38;2;1;2;1m");
        assert_eq!(
            open(&["match:style:nobold", "match:fg:blue", "match:style:intense"]),
            "\x1b[0m\x1b[38;5;12m"
        );
        assert_eq!(
            open(&[
                "match:style:intense",
                "match:style:italic",
                "match:style:underline",
                "match:bg:4"
            ]),
            "\x1b[0m\x1b[1m\x1b[3m\x1b[4m\x1b[38;5;9m\x1b[48;5;4m"
        );
        assert_eq!(open(&["path:none", "highlight:bg:blue"]), open(&[]));
    }
}
