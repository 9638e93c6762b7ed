//! The syntax of git's configuration files, and the variables that concern ignore rules.

/// The variables of the section `core` that concern ignore rules, as one file sets them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Core {
    /// `core.excludesFile`. An empty value means that there is no such file, not even at the
    /// default place.
    pub(super) excludes_file: Option<Vec<u8>>,
    /// `core.ignoreCase`.
    pub(super) ignore_case: Option<bool>,
}

impl Core {
    /// Returns the last value of each variable in a file. Lines that git would reject are skipped,
    /// and included files are not read.
    ///
    /// ```text
    /// [core]
    ///     ignorecase = true
    ///     excludesFile = ~/ignore    # a comment
    /// ```
    pub(super) fn read(config: &[u8]) -> Core {
        let mut rest = config.strip_prefix(b"\xef\xbb\xbf").unwrap_or(config);
        let mut is_core = false;
        let mut core = Core::default();
        loop {
            rest = rest.trim_ascii_start();
            if rest.is_empty() {
                return core;
            } else if let Some(header) = rest.strip_prefix(b"[") {
                // A variable may follow on the same line.
                (is_core, rest) = section(header);
            } else if let Some((key, text)) = variable(rest) {
                let value;
                (value, rest) = read_value(text);
                if is_core {
                    core.set(key, value);
                }
            } else {
                // A comment, or a variable without a value.
                let line;
                (line, rest) = split_line(rest);
                if is_core && line.trim_ascii_end().eq_ignore_ascii_case(b"ignorecase") {
                    core.ignore_case = Some(true);
                }
            }
        }
    }

    fn set(&mut self, key: &[u8], value: Vec<u8>) {
        if key.eq_ignore_ascii_case(b"excludesfile") {
            self.excludes_file = Some(value);
        } else if key.eq_ignore_ascii_case(b"ignorecase") {
            self.ignore_case = boolean(&value).or(self.ignore_case);
        }
    }
}

/// Returns the truth of a value: a word, or a number, perhaps with a unit. Git rejects all others.
fn boolean(value: &[u8]) -> Option<bool> {
    let lower = value.to_ascii_lowercase();
    match lower.as_slice() {
        b"true" | b"yes" | b"on" => return Some(true),
        b"false" | b"no" | b"off" | b"" => return Some(false),
        _ => {}
    }
    let number = lower.strip_suffix(b"k").or(lower.strip_suffix(b"m")).or(lower.strip_suffix(b"g"));
    let number = number.unwrap_or(&lower);
    let digits = number.strip_prefix(b"-").or(number.strip_prefix(b"+")).unwrap_or(number);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().any(|digit| *digit != b'0'))
}

/// Reads a section header, whose `[` comes before `text`. Returns whether the section is `core`,
/// and what follows the header.
fn section(text: &[u8]) -> (bool, &[u8]) {
    let is_core = text.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"core]"));
    let mut is_quoted = false;
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' => drop(bytes.next()),
            b']' if !is_quoted => break,
            _ => {}
        }
    }
    (is_core, bytes.as_slice())
}

/// Returns the key of the variable that `text` begins with, if it has a value, and what follows the
/// `=`.
fn variable(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')?;
    let (key, rest) = text.split_at(end);
    Some((key, rest.trim_ascii_start().strip_prefix(b"=")?))
}

/// Returns a value without quotes, escapes, comment and surrounding blanks, and what follows its
/// line. A backslash at the end of a line continues it.
fn read_value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut value = Vec::new();
    // The length without unquoted blanks at the end.
    let mut kept = 0;
    let mut is_quoted = false;
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\n' => break,
            b'"' => is_quoted = !is_quoted,
            b'#' | b';' if !is_quoted => {
                bytes = split_line(bytes.as_slice()).1.iter();
                break;
            }
            b'\\' if bytes.as_slice().starts_with(b"\r\n") => drop(bytes.nth(1)),
            b'\\' => {
                value.extend(bytes.next().filter(|byte| **byte != b'\n').map(|byte| match byte {
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'b' => b'\x08',
                    other => *other,
                }));
            }
            byte if !is_quoted && value.is_empty() && byte.is_ascii_whitespace() => {}
            _ => value.push(byte),
        }
        if is_quoted || !byte.is_ascii_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    (value, bytes.as_slice())
}

/// Returns the first line of `text` without its newline, and what follows it.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    memchr::memchr(b'\n', text).map_or((text, b""), |end| (&text[..end], &text[end + 1..]))
}
