//! The messages about a list of files (`--files --json`): a `file` for each one, and a `summary`.

use std::{io::Write as _, time::Duration};

use crate::{
    PrinterConfig,
    value::{decimal, escape::escape_json, json_text::append_data},
};

/// Prints a message for each file in a list, in place of the line that [`Paths`](crate::Paths)
/// prints.
///
/// # Examples
///
/// ```
/// use heist_printer::{FileMessages, PrinterConfig};
///
/// let mut messages = FileMessages::new(&PrinterConfig::default());
/// let mut out = Vec::new();
/// messages.write_path(&mut out, b"./src/", b"main.rs");
/// assert_eq!(out, b"{\"type\":\"file\",\"data\":{\"path\":{\"text\":\"./src/main.rs\"}}}\n");
/// assert_eq!(messages.count(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct FileMessages {
    /// Escape what a terminal would interpret.
    visible: bool,
    /// The path that is being printed.
    path: Vec<u8>,
    count: u64,
}

impl FileMessages {
    /// Returns a printer that uses only `visible` from `config`: programs read paths as they are,
    /// without colours, links and other separators.
    #[must_use]
    pub fn new(config: &PrinterConfig) -> FileMessages {
        FileMessages { visible: config.visible, path: Vec::new(), count: 0 }
    }

    /// Appends the message for one path to `out`. `dir` is empty or ends with a separator.
    pub fn write_path(&mut self, out: &mut Vec<u8>, dir: &[u8], name: &[u8]) {
        self.count += 1;
        self.path.clear();
        self.path.extend_from_slice(dir);
        self.path.extend_from_slice(name);
        let start = out.len();
        out.extend_from_slice(br#"{"type":"file","data":{"path":"#);
        append_data(out, &self.path);
        out.extend_from_slice(b"}}\n");
        if self.visible {
            escape_json(out, start);
        }
    }

    /// How many messages there are so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Appends the message that ends a list of `files` files to `out`, with its line feed. `total`
    /// is the time since the program started.
    pub fn append_summary(out: &mut Vec<u8>, files: u64, total: Duration) {
        // Writing to a Vec cannot fail.
        let _ = write!(
            out,
            r#"{{"type":"summary","data":{{"elapsed_total":{{"secs":{},"nanos":{},"human":"{:.6}s"}},"files":"#,
            total.as_secs(),
            total.subsec_nanos(),
            total.as_secs_f64(),
        );
        decimal::append(out, files);
        out.extend_from_slice(b"}}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(config: &PrinterConfig, dir: &[u8], name: &[u8]) -> String {
        let mut out = Vec::new();
        FileMessages::new(config).write_path(&mut out, dir, name);
        String::from_utf8(out).expect("JSON is text")
    }

    #[test]
    fn paths_are_text_or_base64() {
        let config = PrinterConfig::default();
        let file = |path: &str| format!("{{\"type\":\"file\",\"data\":{{\"path\":{path}}}}}\n");
        for (dir, name, path) in [
            (&b""[..], &b"a"[..], r#"{"text":"a"}"#),
            (b"./b/", b"\"\n", r#"{"text":"./b/\"\n"}"#),
            // Neither part is UTF-8 alone.
            (b"\xc3", b"\xa9", r#"{"text":"é"}"#),
            (b"b/", b"\xff", r#"{"bytes":"Yi//"}"#),
        ] {
            assert_eq!(listed(&config, dir, name), file(path));
        }
    }

    #[test]
    fn what_a_terminal_would_interpret_is_escaped() {
        let config = PrinterConfig { visible: true, ..PrinterConfig::default() };
        assert!(listed(&config, b"", "\u{9b}1m".as_bytes()).contains(r#""\u009b1m""#));
        assert!(listed(&PrinterConfig::default(), b"", "\u{9b}".as_bytes()).contains('\u{9b}'));
    }

    #[test]
    fn nothing_but_escapes_changes_paths() {
        let config = PrinterConfig {
            path_separator: Some(b'!'),
            null: true,
            colors: Some(crate::ColorSpecs::default()),
            ..PrinterConfig::default()
        };
        assert_eq!(listed(&config, b"b/", b"a"), listed(&PrinterConfig::default(), b"b/", b"a"));
    }

    #[test]
    fn a_summary_states_files_and_time() {
        let mut out = Vec::new();
        FileMessages::append_summary(&mut out, 12_345, Duration::new(1, 5_000));
        assert_eq!(
            String::from_utf8(out).expect("JSON is text"),
            "{\"type\":\"summary\",\"data\":{\"elapsed_total\":{\"secs\":1,\"nanos\":5000,\
             \"human\":\"1.000005s\"},\"files\":12345}}\n"
        );
    }
}
