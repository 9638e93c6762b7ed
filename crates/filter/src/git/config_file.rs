//! The syntax that git's configuration has, and the variables that concern ignore rules and
//! attributes.

/// What one variable sets, as far as it concerns ignore rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// `core.excludesFile`. An empty value means that there is no such file, not even at the
    /// default place.
    ExcludesFile(Vec<u8>),
    /// `core.ignoreCase`.
    IgnoreCase(bool),
    /// `core.bare`: the repository has no worktree but linked ones.
    Bare(bool),
    /// `core.worktree`, relative to the repository's directory.
    Worktree(Vec<u8>),
    /// `include.path`: another file is read here.
    Include(Vec<u8>),
    /// `includeIf.condition.path`: likewise, if the condition holds.
    IncludeIf { condition: Vec<u8>, path: Vec<u8> },
    /// `extensions.worktreeConfig`: the working tree has its own configuration.
    WorktreeConfig(bool),
    /// `remote.name.url`, which a condition may mention.
    RemoteUrl(Vec<u8>),
    /// `core.attributesFile`.
    AttributesFile(Vec<u8>),
    /// `diff.driver.xfuncname`, which is extended, or `diff.driver.funcname`.
    FunctionName { driver: Vec<u8>, patterns: Vec<u8>, is_extended: bool },
}

impl Setting {
    /// Returns the setting of a variable that is given by its whole name, such as
    /// `core.excludesFile`. `None` if it does not concern ignore rules.
    pub(crate) fn named(name: &[u8], value: Option<Vec<u8>>) -> Option<Setting> {
        let key = memchr::memrchr(b'.', name)?;
        let (section, subsection) = match memchr::memchr(b'.', &name[..key]) {
            Some(dot) => (&name[..dot], Some(&name[dot + 1..key])),
            None => (&name[..key], None),
        };
        Section::new(section, subsection.map(<[u8]>::to_vec)).setting(&name[key + 1..], value)
    }
}

/// The settings in one file, in order. Lines that git would reject are skipped.
///
/// ```text
/// [core]
///     ignorecase = true
///     excludesFile = ~/ignore    # a comment
/// [includeIf "gitdir:~/job/"]
///     path = job.config
/// ```
pub(super) struct Settings<'a> {
    rest: &'a [u8],
    section: Section,
}

impl<'a> Settings<'a> {
    pub(super) fn of(config: &'a [u8]) -> Settings<'a> {
        let rest = config.strip_prefix(b"\xef\xbb\xbf").unwrap_or(config);
        Settings { rest, section: Section::Other }
    }
}

impl Iterator for Settings<'_> {
    type Item = Setting;

    fn next(&mut self) -> Option<Setting> {
        loop {
            let rest = self.rest.trim_ascii_start();
            if rest.is_empty() {
                return None;
            }
            let setting;
            if let Some(header) = rest.strip_prefix(b"[") {
                // A variable may follow on the same line.
                (self.section, self.rest) = section(header);
                continue;
            } else if let Some((key, text)) = variable(rest) {
                let value;
                (value, self.rest) = read_value(text);
                setting = self.section.setting(key, Some(value));
            } else {
                // A comment, or a variable without a value.
                let line;
                (line, self.rest) = split_line(rest);
                setting = self.section.setting(line.trim_ascii_end(), None);
            }
            if setting.is_some() {
                return setting;
            }
        }
    }
}

/// A section in a configuration.
enum Section {
    Core,
    Include,
    /// With this condition.
    IncludeIf(Vec<u8>),
    Extensions,
    Remote,
    /// With a driver's name.
    Diff(Vec<u8>),
    Other,
}

impl Section {
    fn new(name: &[u8], subsection: Option<Vec<u8>>) -> Section {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match subsection {
            None if is("core") => Section::Core,
            None if is("include") => Section::Include,
            None if is("extensions") => Section::Extensions,
            Some(condition) if is("includeif") => Section::IncludeIf(condition),
            Some(_) if is("remote") => Section::Remote,
            Some(driver) if is("diff") => Section::Diff(driver),
            _ => Section::Other,
        }
    }

    /// Returns what the variable `key` sets in this section. Git rejects values with the wrong
    /// type, and a missing value unless it is a boolean.
    fn setting(&self, key: &[u8], value: Option<Vec<u8>>) -> Option<Setting> {
        let is = |known: &str| key.eq_ignore_ascii_case(known.as_bytes());
        match self {
            Section::Core if is("excludesfile") => value.map(Setting::ExcludesFile),
            Section::Core if is("attributesfile") => value.map(Setting::AttributesFile),
            Section::Core if is("ignorecase") => flag(value).map(Setting::IgnoreCase),
            Section::Core if is("bare") => flag(value).map(Setting::Bare),
            Section::Core if is("worktree") => value.map(Setting::Worktree),
            Section::Include if is("path") => value.map(Setting::Include),
            Section::IncludeIf(condition) if is("path") => {
                Some(Setting::IncludeIf { condition: condition.clone(), path: value? })
            }
            Section::Extensions if is("worktreeconfig") => flag(value).map(Setting::WorktreeConfig),
            Section::Remote if is("url") => value.map(Setting::RemoteUrl),
            Section::Diff(driver) if is("xfuncname") || is("funcname") => {
                let (driver, is_extended) = (driver.clone(), is("xfuncname"));
                Some(Setting::FunctionName { driver, patterns: value?, is_extended })
            }
            _ => None,
        }
    }
}

/// A variable without a value is true.
fn flag(value: Option<Vec<u8>>) -> Option<bool> {
    value.map_or(Some(true), |value| boolean(&value))
}

/// Returns whether a value means true: a word, or a number, perhaps with a unit. Git rejects all
/// others.
pub(crate) fn boolean(value: &[u8]) -> Option<bool> {
    let lower = value.to_ascii_lowercase();
    match lower.as_slice() {
        b"true" | b"yes" | b"on" => return Some(true),
        b"false" | b"no" | b"off" | b"" => return Some(false),
        _ => {}
    }
    Some(magnitude(&lower)? != 0)
}

/// Returns a number in lower case without its sign, as C's `strtol` reads it: after `0x` the base
/// is 16, after `0` it is 8. A unit may follow. Git rejects what 31 bits do not hold.
fn magnitude(number: &[u8]) -> Option<u64> {
    let (number, unit) = match number {
        [number @ .., b'k'] => (number, 1 << 10),
        [number @ .., b'm'] => (number, 1 << 20),
        [number @ .., b'g'] => (number, 1 << 30),
        _ => (number, 1),
    };
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'\x0b';
    let number = &number[number.iter().take_while(is_blank).count()..];
    let digits = number.strip_prefix(b"-").or(number.strip_prefix(b"+")).unwrap_or(number);
    let (digits, base) = match digits {
        [b'0', b'x', digits @ ..] => (digits, 16),
        [b'0', ..] => (digits, 8),
        _ => (digits, 10),
    };
    if digits.is_empty() {
        return None;
    }
    let add = |sum: u64, byte: &u8| {
        let digit = char::from(*byte).to_digit(base)?;
        sum.checked_mul(base.into())?.checked_add(digit.into())
    };
    let number = digits.iter().try_fold(0, add)?.checked_mul(unit)?;
    (number <= i32::MAX as u64).then_some(number)
}

/// Reads a section header. `text` begins behind its `[`. Returns the section and what follows the
/// header.
///
/// ```text
/// core]    remote "origin"]    remote.origin]
/// ```
fn section(text: &[u8]) -> (Section, &[u8]) {
    let mut is_quoted = false;
    let mut subsection: Option<Vec<u8>> = None;
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => {
                is_quoted = !is_quoted;
                subsection.get_or_insert_default();
            }
            b']' if !is_quoted => break,
            b'\\' => {
                if let (Some(&escaped), Some(subsection)) = (bytes.next(), &mut subsection) {
                    subsection.push(escaped);
                }
            }
            _ if is_quoted => subsection.get_or_insert_default().push(byte),
            _ => {}
        }
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let end = text.iter().position(|byte| !is_name(byte)).unwrap_or(text.len());
    let name = &text[..end];
    if subsection.is_none()
        && let Some(dot) = memchr::memchr(b'.', name)
    {
        let subsection = name[dot + 1..].to_ascii_lowercase();
        return (Section::new(&name[..dot], Some(subsection)), bytes.as_slice());
    }
    if subsection.is_none() && text.get(end) != Some(&b']') {
        return (Section::Other, bytes.as_slice());
    }
    (Section::new(name, subsection), bytes.as_slice())
}

/// Returns the key that `text` begins with, if it has a value, and what follows the `=`.
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

/// Returns the first line in `text` without its newline, and what follows it.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    memchr::memchr(b'\n', text).map_or((text, b""), |end| (&text[..end], &text[end + 1..]))
}
