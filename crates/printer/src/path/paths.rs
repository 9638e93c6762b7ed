//! Printed paths, and the printer that prints only paths.

use std::ops::Range;

use crate::{
    NameMatch, PrinterConfig,
    path::linker::Linker,
    value::{color::Style, escape::ControlEscaper},
};

/// How a path is printed: its style, separators and link.
#[derive(Clone, Debug)]
pub(crate) struct PathLook {
    style: Style,
    /// The style for matches in it, if it is searched.
    matched: Option<Style>,
    separator: Option<u8>,
    linker: Option<Linker>,
    /// `None` if paths are printed as they are.
    visible: Option<ControlEscaper>,
}

impl PathLook {
    pub(crate) fn new(config: &PrinterConfig) -> PathLook {
        PathLook {
            style: config.colors.as_ref().map(|c| Style::new(&c.path)).unwrap_or_default(),
            matched: config
                .colors
                .as_ref()
                .filter(|_| config.names)
                .map(|c| Style::new(&c.matched)),
            separator: config.path_separator,
            linker: Linker::new(config),
            visible: ControlEscaper::new(config),
        }
    }

    /// Where links to `path` lead; `None` if it is not linked.
    pub(crate) fn target(&self, path: &[u8]) -> Option<Vec<u8>> {
        self.linker.as_ref().and_then(|linker| linker.target(path))
    }

    /// Appends `path` to `out`, as a link if it is one.
    pub(crate) fn append(&self, out: &mut Vec<u8>, path: &[u8]) {
        let target = self.target(path);
        self.append_linked(out, target.as_deref(), |out| {
            self.append_styled(out, path);
        });
    }

    /// Appends what `append` appends, as a link to `target` if there is one.
    pub(crate) fn append_linked(
        &self,
        out: &mut Vec<u8>,
        target: Option<&[u8]>,
        append: impl FnOnce(&mut Vec<u8>),
    ) {
        match (&self.linker, target) {
            (Some(linker), Some(target)) => {
                linker.open(out, target, None, None);
                append(out);
                out.extend_from_slice(Linker::LINK_END);
            }
            _ => append(out),
        }
    }

    /// Appends `path` to `out` without a link. Returns how many appended bytes are escape
    /// sequences.
    pub(crate) fn append_styled(&self, out: &mut Vec<u8>, path: &[u8]) -> usize {
        self.append_part(out, path, &self.style)
    }

    /// Appends the path of a file with a name that matches, and styles the matches. Returns how
    /// many appended bytes are escape sequences.
    pub(crate) fn append_name(&self, out: &mut Vec<u8>, name: &NameMatch<'_>) -> usize {
        let (mut at, mut escapes) = (0, 0);
        let mut part = |range: Range<usize>, style: &Style| {
            if !range.is_empty() {
                escapes += self.append_part(out, &name.path[range], style);
            }
        };
        if let Some(matched) = &self.matched {
            for span in name.spans {
                part(at..span.start, &self.style);
                part(span.clone(), matched);
                at = span.end;
            }
        }
        part(at..name.path.len(), &self.style);
        escapes
    }

    /// Appends a path or a part of one in `style`.
    fn append_part(&self, out: &mut Vec<u8>, path: &[u8], style: &Style) -> usize {
        let Style { open, close } = style;
        let mut escapes = open.len() + close.len();
        out.extend_from_slice(open);
        let start = out.len();
        out.extend_from_slice(path);
        self.translate(&mut out[start..]);
        if let Some(visible) = &self.visible {
            let path = out.split_off(start);
            escapes += visible.append_name(out, &path);
        }
        out.extend_from_slice(close);
        escapes
    }

    fn translate(&self, path: &mut [u8]) {
        if let Some(separator) = self.separator {
            for byte in path.iter_mut().filter(|b| is_separator(**b)) {
                *byte = separator;
            }
        }
    }
}

fn is_separator(byte: u8) -> bool {
    byte == b'/' || cfg!(windows) && byte == b'\\'
}

/// The longest prefix and the longest name, in most trees, that is copied without a call.
const SHORT_PREFIX: usize = 64;
const SHORT_NAME: usize = 32;

/// What is printed before each file name in a directory, see [`Paths::prefix`].
#[derive(Clone, Debug, Default)]
pub struct PathPrefix {
    /// With bytes that follow it.
    bytes: Vec<u8>,
    len: usize,
}

/// Appends the first `len` bytes of `text` to `out`. If they are no more than `SHORT`, it copies
/// `SHORT` bytes and removes the rest: a copy with a length that the compiler knows is a few
/// instructions, any other a call.
#[inline]
fn append_start<const SHORT: usize>(out: &mut Vec<u8>, text: &[u8], len: usize) {
    match text.first_chunk::<SHORT>() {
        Some(chunk) if len <= SHORT => {
            let end = out.len() + len;
            out.extend_from_slice(chunk);
            out.truncate(end);
        }
        _ => out.extend_from_slice(&text[..len]),
    }
}

/// Prints only paths (`--files`).
///
/// # Examples
///
/// ```
/// use heist_printer::{Paths, PrinterConfig};
///
/// let mut out = Vec::new();
/// Paths::new(&PrinterConfig::default()).write_path(&mut out, b"./src/", b"main.rs");
/// assert_eq!(out, b"./src/main.rs\n");
/// ```
#[derive(Clone, Debug)]
pub struct Paths {
    look: PathLook,
    /// The bytes after a path: its style's end and the terminator.
    after: Box<[u8]>,
}

impl Paths {
    /// Returns a printer that uses only the colours, `path_separator` and `null` from `config`: a
    /// listed path ends with a line feed or a NUL byte, whatever ends lines in haystacks.
    #[must_use]
    pub fn new(config: &PrinterConfig) -> Paths {
        let look = PathLook::new(config);
        let end: &[u8] = if config.null { b"\0" } else { b"\n" };
        let after = [&look.style.close, end].concat().into_boxed_slice();
        Paths { look, after }
    }

    /// Appends one path to `out`. `dir` is empty or ends with a separator.
    #[inline]
    pub fn write_path(&self, out: &mut Vec<u8>, dir: &[u8], name: &[u8]) {
        if self.look.linker.is_some() || self.look.visible.is_some() {
            return self.write_for_terminal(out, &[dir, name].concat());
        }
        out.reserve(self.look.style.open.len() + dir.len() + name.len() + self.after.len());
        out.extend_from_slice(&self.look.style.open);
        let start = out.len();
        out.extend_from_slice(dir);
        out.extend_from_slice(name);
        self.look.translate(&mut out[start..]);
        out.extend_from_slice(&self.after);
    }

    /// Replaces `prefix` by what is printed before the name of a file in the directory `dir`.
    /// Returns whether that depends on the directory alone, so that
    /// [`write_name`](Self::write_name) appends the same as [`write_path`](Self::write_path), with
    /// less work for each file.
    #[must_use]
    pub fn prefix(&self, dir: &[u8], prefix: &mut PathPrefix) -> bool {
        let is_plain = self.look.linker.is_none() && self.look.visible.is_none();
        let PathPrefix { bytes, len } = prefix;
        bytes.clear();
        if is_plain {
            bytes.extend_from_slice(&self.look.style.open);
            bytes.extend_from_slice(dir);
            let start = self.look.style.open.len();
            self.look.translate(&mut bytes[start..]);
        }
        *len = bytes.len();
        bytes.resize(*len + SHORT_PREFIX, 0);
        is_plain
    }

    /// Appends the path of a file in the directory that has this [`prefix`](Self::prefix). The
    /// file's name is the first `len` bytes of `names`, without a separator. It takes less time if
    /// some bytes follow it there, whatever they are.
    ///
    /// # Panics
    /// If `names` has fewer bytes.
    #[inline]
    pub fn write_name(&self, out: &mut Vec<u8>, prefix: &PathPrefix, names: &[u8], len: usize) {
        append_start::<SHORT_PREFIX>(out, &prefix.bytes, prefix.len);
        append_start::<SHORT_NAME>(out, names, len);
        match *self.after {
            // Almost always; a call for one byte would cost more.
            [end] => out.push(end),
            _ => out.extend_from_slice(&self.after),
        }
    }

    #[cold]
    fn write_for_terminal(&self, out: &mut Vec<u8>, path: &[u8]) {
        self.look.append(out, path);
        out.extend_from_slice(&self.after[self.look.style.close.len()..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColorSpecs, Terminator};

    fn listed(config: &PrinterConfig) -> Vec<u8> {
        let mut out = Vec::new();
        let paths = Paths::new(config);
        paths.write_path(&mut out, b"./src/", b"a\xff");
        paths.write_path(&mut out, b"", b"b/c");
        let mut by_prefix = b"before".to_vec();
        let mut prefix = PathPrefix::default();
        assert!(paths.prefix(b"other/", &mut prefix) && paths.prefix(b"./src/", &mut prefix));
        paths.write_name(&mut by_prefix, &prefix, b"a\xffother", 2);
        assert!(out.starts_with(&by_prefix[6..]) && by_prefix.len() > 6);
        out
    }

    #[test]
    fn a_terminal_is_shown_what_it_would_obey() {
        let config = PrinterConfig { visible: true, ..PrinterConfig::default() };
        let mut out = Vec::new();
        let paths = Paths::new(&config);
        assert!(!paths.prefix(b"dir/", &mut PathPrefix::default()), "it depends on the name");
        paths.write_path(&mut out, b"di\x1br/", b"a\nb");
        assert_eq!(out, b"di\\x1br/a\\nb\n");
    }

    #[test]
    fn names_of_any_length_are_appended_to_prefixes_of_any_length() {
        let (paths, text) = (Paths::new(&PrinterConfig::default()), [b'x'; 200]);
        for dir_len in [0, 1, SHORT_PREFIX - 1, SHORT_PREFIX, SHORT_PREFIX + 1, 150] {
            let mut prefix = PathPrefix::default();
            assert!(paths.prefix(&text[..dir_len], &mut prefix));
            for len in [0, 1, SHORT_NAME - 1, SHORT_NAME, SHORT_NAME + 1, 100] {
                let name = vec![b'n'; len];
                let mut expected = b"before".to_vec();
                paths.write_path(&mut expected, &text[..dir_len], &name);
                for more in [0, 1, SHORT_NAME, 100] {
                    let mut out = b"before".to_vec();
                    let names = [&name[..], &text[..more]].concat();
                    paths.write_name(&mut out, &prefix, &names, len);
                    assert_eq!(out, expected, "{dir_len}, {len} and {more}");
                }
            }
        }
    }

    #[test]
    fn paths_alone() {
        // Verified against ripgrep 15.2.
        let config = PrinterConfig { terminator: Terminator::CrLf, ..PrinterConfig::default() };
        assert_eq!(listed(&config), b"./src/a\xff\nb/c\n");
        let config = PrinterConfig { null: true, ..PrinterConfig::default() };
        assert_eq!(listed(&config), b"./src/a\xff\0b/c\0");
        let config = PrinterConfig {
            path_separator: Some(b'+'),
            colors: Some(ColorSpecs::default()),
            ..PrinterConfig::default()
        };
        // Magenta, and cyan on Windows.
        let expected: &[u8] = if cfg!(windows) {
            b"\x1b[0m\x1b[36m.+src+a\xff\x1b[0m\n\x1b[0m\x1b[36mb+c\x1b[0m\n"
        } else {
            b"\x1b[0m\x1b[35m.+src+a\xff\x1b[0m\n\x1b[0m\x1b[35mb+c\x1b[0m\n"
        };
        assert_eq!(listed(&config), expected);
    }
}
