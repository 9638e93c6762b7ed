//! Parts of a patch in the colours of a search: what `--write` shows before it writes.
//!
//! ```text
//! --- a/inn.txt                  the style of paths
//! @@ -1,2 +1,2 @@                the style of line numbers
//!  a kept line
//! -a beer                        "-" and "beer" in the style of matches
//! +a tea                         "+" and "tea" likewise, in the colour of line numbers
//! ```

use std::ops::Range;

use heist_searcher::LineKind;

use crate::{
    ColorSpecs, PrinterConfig, Terminator,
    line::{out_buffer::OutBuffer, part::Hits, text::Text},
    value::color::Style,
};

/// Appends the lines of a patch, which end with a line feed whatever ends those that are searched.
///
/// # Examples
///
/// ```
/// use heist_printer::{ColorSpecs, PatchLook, PrinterConfig};
///
/// let config = PrinterConfig { colors: Some(ColorSpecs::default()), ..Default::default() };
/// let mut out = Vec::new();
/// PatchLook::new(&config).append_line(&mut out, b'-', b"a beer\n", &[2..6]);
/// let red = "\x1b[0m\x1b[1m\x1b[31m";
/// assert_eq!(out, format!("{red}-\x1b[0ma {red}beer\x1b[0m\n").into_bytes());
/// ```
#[derive(Clone, Debug)]
pub struct PatchLook {
    path: Style,
    place: Style,
    removed: LineLook,
    added: LineLook,
}

/// The look of lines of a kind.
#[derive(Clone, Debug)]
struct LineLook {
    sign: Style,
    text: Text,
}

impl LineLook {
    fn new(config: &PrinterConfig, colors: Option<ColorSpecs>) -> LineLook {
        let sign = colors.as_ref().filter(|colors| !colors.matched.is_none());
        let sign = sign.map(|colors| Style::new(&colors.matched)).unwrap_or_default();
        // A patch has whole lines.
        let config = PrinterConfig {
            colors,
            terminator: Terminator::Lf,
            trim: false,
            max_columns: None,
            excerpt: None,
            longest_line: None,
            only_matching: false,
            ..config.clone()
        };
        LineLook { sign, text: Text::new(&config) }
    }
}

impl PatchLook {
    /// Uses the colours in `config`, and whether it shows what a terminal would interpret.
    #[must_use]
    pub fn new(config: &PrinterConfig) -> PatchLook {
        let colors = config.colors.as_ref();
        let style = |spec: fn(&ColorSpecs) -> &termcolor::ColorSpec| {
            let styled = colors.map(spec).filter(|spec| !spec.is_none());
            styled.map(Style::new).unwrap_or_default()
        };
        let added = colors.map(|colors| {
            let mut colors = colors.clone();
            if let (Some(color), false) = (colors.line.fg(), colors.matched.is_none()) {
                let color = *color;
                colors.matched.set_fg(Some(color));
            }
            colors
        });
        PatchLook {
            path: style(|colors| &colors.path),
            place: style(|colors| &colors.line),
            removed: LineLook::new(config, config.colors.clone()),
            added: LineLook::new(config, added),
        }
    }

    /// Appends a line that names a file, such as `--- a/inn.txt`.
    pub fn append_path(&self, out: &mut Vec<u8>, line: &[u8]) {
        append_styled(out, &self.path, line);
    }

    /// Appends the line that states where the lines below it are: `@@ -1,2 +1,2 @@`.
    pub fn append_place(&self, out: &mut Vec<u8>, line: &[u8]) {
        append_styled(out, &self.place, line);
    }

    /// Appends a line of the text, in which `spans` are removed or added, as `sign` states.
    pub fn append_line(&self, out: &mut Vec<u8>, sign: u8, line: &[u8], spans: &[Range<usize>]) {
        let look = if sign == b'+' { &self.added } else { &self.removed };
        let style = Some(&look.sign).filter(|_| sign != b' ');
        out.extend_from_slice(style.map_or(b"", |style| &style.open));
        out.push(sign);
        out.extend_from_slice(style.map_or(b"", |style| &style.close));
        let kind = if sign == b' ' { LineKind::After } else { LineKind::Match };
        let hits = Hits { shown: spans, in_line: spans };
        look.text.append(&mut OutBuffer::new(out), line, hits, kind);
    }
}

/// Appends `line`, and a line feed if it lacks one, behind the style.
fn append_styled(out: &mut Vec<u8>, style: &Style, line: &[u8]) {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    out.extend([&style.open, line, &style.close, b"\n"].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A patch in the colours that `rules` make, with `\e` in place of escape characters.
    fn shown(rules: &[&str], visible: bool) -> String {
        let mut colors = ColorSpecs::default();
        for rule in rules {
            colors.apply(&rule.parse().unwrap());
        }
        let config =
            PrinterConfig { colors: Some(colors), visible, trim: true, ..PrinterConfig::default() };
        let (look, mut out) = (PatchLook::new(&config), Vec::new());
        look.append_path(&mut out, b"--- a/b\n");
        look.append_place(&mut out, b"@@ -1 +1 @@");
        look.append_line(&mut out, b' ', b"  x\x07\r\n", &[]);
        look.append_line(&mut out, b'-', b"old old\r\n", &[0..3, 4..7]);
        look.append_line(&mut out, b'+', b" new new", &[1..4, 5..8]);
        String::from_utf8(out).unwrap().replace("\x1b[", "\\")
    }

    #[test]
    fn colours_are_those_of_a_search() {
        let path = if cfg!(windows) { "\\36m" } else { "\\35m" };
        let expected = format!(
            "\\0m{path}--- a/b\\0m\n\\0m\\32m@@ -1 +1 @@\\0m\n   x\x07\r\n\
             \\0m\\1m\\31m-\\0m\\0m\\1m\\31mold\\0m \\0m\\1m\\31mold\\0m\r\n\
             \\0m\\1m\\32m+\\0m \\0m\\1m\\32mnew\\0m \\0m\\1m\\32mnew\\0m\n"
        );
        assert_eq!(shown(&[], false), expected);
        let blue = expected.replace("\\31m", "\\34m").replace("\\32m", "\\33m");
        assert_eq!(shown(&["match:fg:blue", "line:fg:yellow"], false), blue);
        let plain = "--- a/b\n@@ -1 +1 @@\n   x\x07\r\n-old old\r\n+ new new\n";
        assert_eq!(shown(&["path:none", "line:none", "match:none"], false), plain);
        // The line end of Windows is kept, other control characters are shown.
        assert!(shown(&["match:none"], true).contains("x\\7m\\x07\\27m\r\n-old old\r\n"));
    }
}
