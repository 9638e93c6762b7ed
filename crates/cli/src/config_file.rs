//! The configuration file: arguments that come before those on the command line.
//!
//! One argument per line. White space around a line is trimmed, in the sense of Unicode; empty
//! lines, lines that begin with `#` and a byte order mark are skipped. There is no quoting and no
//! expansion, so a flag and its value are `--flag=value`, or two lines:
//!
//! ```text
//! # Arguments of every run.
//! --smart-case
//! --glob
//! !*.min.js
//! ```

use std::{env, ffi::OsString, fs, io, path::PathBuf};

use bstr::ByteSlice;

use crate::{
    error::Error,
    flags,
    sys::{argument, config_home, is_pipe},
    texts::{messages::Messages, name},
    typed::TypedArgs,
};

/// The variable with the file's path. If it is empty, there is no file.
pub(crate) const VARIABLE: &str = "HEIST_CONFIG_PATH";

/// Read if [`VARIABLE`] is not set and the program was started as `rg`.
pub(crate) const RIPGREP_VARIABLE: &str = "RIPGREP_CONFIG_PATH";

/// The path of the file below the user's configuration directory, unless a variable names one. On
/// Windows that is the one for roaming data.
const DEFAULT_PLACE: [&str; 2] = ["heist", "config"];

/// The hint to an error about a line with a blank.
const ONE_ARGUMENT: &str =
    "A line is one argument: write --flag=value, or the flag and its value on two lines.";

/// The hint to an error about a value that the file ought to contain.
const NO_VALUE: &str = "The file ends before the value, so the next argument is taken for it.";

/// A configuration file's arguments, and where they come from.
#[derive(Debug, Default)]
pub(crate) struct Config {
    path: PathBuf,
    lines: Vec<ConfigLine>,
}

/// A line of the file: one argument.
#[derive(Debug)]
pub struct ConfigLine {
    /// The line's number; the first line is 1.
    pub number: usize,
    /// The line without the white space around it.
    pub argument: OsString,
}

impl Config {
    /// Reads the configuration file; without one, there are no arguments. If a file that is named
    /// cannot be read, that is reported, and it counts as empty.
    pub(crate) fn load(messages: &Messages) -> Config {
        let var = |name: &str| env::var_os(name);
        let stands_in = name::stands_in_for_ripgrep();
        if log::log_enabled!(log::Level::Debug)
            && !stands_in
            && var(VARIABLE).is_none()
            && let Some(path) = var(RIPGREP_VARIABLE).filter(|path| !path.is_empty())
        {
            let path = path.display();
            log::debug!(
                "{RIPGREP_VARIABLE} is read only under the name rg: set {VARIABLE}={path} to read \
                 that file"
            );
        }
        let Some(file) = locate(var, stands_in) else {
            log::debug!("no configuration file");
            return Config::default();
        };
        let path = file.path.display();
        match file.read() {
            Ok(None) => {
                log::debug!("no configuration file at {path}");
                return Config::default();
            }
            Ok(Some(bytes)) => {
                let lines = parse(&bytes);
                let arguments: Vec<_> = lines.iter().map(|line| &line.argument).collect();
                log::debug!("configuration file {path}: {arguments:?}");
                return Config { path: file.path, lines };
            }
            Err(err) => {
                let which = match file.variable {
                    Some(variable) => format!("file specified in {variable}"),
                    None => "configuration file".to_owned(),
                };
                messages.warn(format_args!("failed to read the {which}: {path}: {err}"));
            }
        }
        Config::default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = OsString> {
        self.lines.iter().map(|line| line.argument.clone())
    }

    /// `error` with the line it is about, if it is about a line in this file. The file's arguments
    /// came first.
    pub(crate) fn locate(&self, error: Error) -> Error {
        let Some(position) = error.position else { return error };
        let awaiting = || self.awaiting().filter(|_| position == self.lines.len());
        let (line, hint) = match self.lines.get(position) {
            Some(line) if line.argument.as_encoded_bytes().contains(&b' ') => (line, ONE_ARGUMENT),
            Some(line) => (line, ""),
            None => match awaiting() {
                Some(line) => (line, NO_VALUE),
                None => return error,
            },
        };
        Error {
            message: format!("{}:{}: {}", self.path.display(), line.number, error.message),
            literal: None,
            hint: if hint.is_empty() { error.hint } else { hint.to_owned() },
            ..error
        }
    }

    /// This file's arguments and then `args`, without those of the file that contradict `args` by
    /// `check`: what is typed overrides the file.
    ///
    /// # Errors
    /// This file's arguments contradict each other.
    pub(crate) fn yielding_to(
        &self,
        args: &[OsString],
        check: impl Fn(&TypedArgs) -> Result<(), Error>,
    ) -> Result<Vec<OsString>, Error> {
        let parsed =
            |own: &[OsString], args: &[OsString]| check(&flags::parse([own, args].concat())?);
        let all: Vec<_> = self.arguments().collect();
        if let Err(error) = parsed(&all, &[]) {
            let ends = (1..=all.len()).find(|&end| parsed(&all[..end], &[]).is_err());
            let position = ends.map(|end| end - 1);
            return Err(self.locate(Error { position, ..error }));
        }
        let mut kept = Vec::new();
        let starts = self.flags().map(|flag| flag.number);
        let starts: Vec<_> = starts.chain([usize::MAX]).collect();
        for bounds in starts.windows(2) {
            let lines =
                self.lines.iter().filter(|line| (bounds[0]..bounds[1]).contains(&line.number));
            let before = kept.len();
            kept.extend(lines.map(|line| line.argument.clone()));
            if parsed(&kept, args).is_err() {
                let (path, left_out) = (self.path.display(), kept.split_off(before));
                log::debug!("{path}:{}: overridden: {left_out:?}", bounds[0]);
            }
        }
        parsed(&kept, args).map(|()| [&kept, args].concat())
    }

    /// Warns about lines that are valid and probably mistaken.
    pub(crate) fn warn(&self, messages: &Messages) {
        self.warn_of_blanks(messages);
        self.warn_of_words(messages);
        self.warn_of_quotes(messages);
    }

    /// Warns about lines without a dash, such as `smart-case`, which are patterns or paths.
    fn warn_of_words(&self, messages: &Messages) {
        for line in self.flags() {
            let text = line.argument.to_string_lossy();
            if text.starts_with('-') || quoted_text(text.as_bytes()).is_some() {
                continue;
            }
            let name = text.split(['=', ' ']).next().unwrap_or_default();
            let advice = match flags::all().any(|flag| flag.long_names().any(|long| long == name)) {
                true => format!("; the flag is --{name}"),
                false => String::new(),
            };
            let (path, number) = (self.path.display(), line.number);
            messages.warn(format_args!(
                "{path}:{number}: {text:?} is not a flag, so it is taken for a pattern or a path\
                 {advice}"
            ));
        }
    }

    /// Warns about lines with quotes, such as `--glob='!*.md'`: the quotes are a part of the
    /// argument. Quotes around a pattern may be meant.
    fn warn_of_quotes(&self, messages: &Messages) {
        let mut awaiting = None;
        for line in &self.lines {
            let bytes = line.argument.as_encoded_bytes();
            if bytes == b"--" && awaiting.is_none() {
                break;
            }
            let (flag, value) = match (awaiting.take(), bytes.find_byte(b'=')) {
                (Some(flag), _) => (flag, bytes),
                (None, Some(at)) if bytes.starts_with(b"--") => (&bytes[..at], &bytes[at + 1..]),
                (None, _) => (&b""[..], bytes),
            };
            if flags::awaits_value(&line.argument) && value == bytes && flag.is_empty() {
                awaiting = Some(bytes);
            }
            let is_pattern = matches!(flag, b"-e" | b"--regexp");
            if let Some(inner) = quoted_text(value).filter(|_| !is_pattern) {
                let (path, number) = (self.path.display(), line.number);
                let inner = inner.as_bstr();
                messages.warn(format_args!(
                    "{path}:{number}: the quotes are part of the argument; write {inner} without them"
                ));
            }
        }
    }

    /// Warns about lines such as `-g foo`, which give `-g` the value ` foo`.
    fn warn_of_blanks(&self, messages: &Messages) {
        for line in self.flags() {
            if let [b'-', letter, b' ' | b'\t', ..] = *line.argument.as_encoded_bytes()
                && flags::all()
                    .any(|flag| flag.short == Some(char::from(letter)) && !flag.value.is_switch())
            {
                let (path, number) = (self.path.display(), line.number);
                let (letter, text) = (char::from(letter), line.argument.display());
                messages.warn(format_args!(
                    "{path}:{number}: {text:?} is one argument, so the value of -{letter} begins \
                     with a blank; write the flag and its value on two lines"
                ));
            }
        }
    }

    /// The last line, if it is a flag without its value. As in ripgrep, the value is then the first
    /// argument on the command line.
    fn awaiting(&self) -> Option<&ConfigLine> {
        let (last, flag) = (self.lines.last()?, self.flags().last()?);
        (flag.number == last.number && flags::awaits_value(&flag.argument)).then_some(flag)
    }

    /// The lines that are neither values for the flags before them nor behind `--`.
    fn flags(&self) -> impl Iterator<Item = &ConfigLine> {
        let (mut is_value, mut has_ended) = (false, false);
        self.lines.iter().filter(move |line| {
            let is_flag = !is_value && !has_ended;
            is_value = is_flag && flags::awaits_value(&line.argument);
            has_ended |= is_flag && line.argument == "--";
            is_flag
        })
    }
}

/// What stands between two equal quotes, if `bytes` begin and end with them.
fn quoted_text(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [first @ (b'\'' | b'"'), inner @ .., last] if first == last => Some(inner),
        _ => None,
    }
}

/// Where the file is.
#[derive(Debug, PartialEq, Eq)]
struct ConfigFile {
    path: PathBuf,
    /// The variable that names the file; `None` for the default place, where there may be none.
    variable: Option<&'static str>,
}

impl ConfigFile {
    /// The contents; `None` if no variable names the file and there is none.
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        if self.variable.is_none() {
            let metadata = match fs::metadata(&self.path) {
                // `HOME` is often another user's, or `/dev/null` for users without one.
                Err(err) if matches!(err.kind(), NotFound | NotADirectory | PermissionDenied) => {
                    return Ok(None);
                }
                metadata => metadata?,
            };
            // Opening it would wait for a writer.
            if is_pipe(&metadata) {
                let why = format!("a pipe is not waited for unless {VARIABLE} names it");
                return Err(io::Error::other(why));
            }
        }
        fs::read(&self.path).map(Some)
    }
}

fn locate(var: impl Fn(&str) -> Option<OsString>, stands_in: bool) -> Option<ConfigFile> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let variables = [Some(VARIABLE), stands_in.then_some(RIPGREP_VARIABLE)];
    for variable in variables.into_iter().flatten() {
        if let Some(path) = var(variable) {
            let file = ConfigFile { path: path.into(), variable: Some(variable) };
            return Some(file).filter(|file| !file.path.as_os_str().is_empty());
        }
    }
    // ripgrep has no default place, and scripts that call `rg` rely on that.
    if stands_in {
        return None;
    }
    // The XDG base directory specification: a relative path is to be ignored. A relative `HOME`
    // would make a searched tree's file the user's.
    let absolute = |name: &str| set(name).filter(|path| path.is_absolute());
    let directory = absolute("XDG_CONFIG_HOME").or_else(|| config_home(absolute))?;
    Some(ConfigFile {
        path: directory.join(DEFAULT_PLACE[0]).join(DEFAULT_PLACE[1]),
        variable: None,
    })
}

/// The arguments in a file with these bytes.
pub fn parse(bytes: &[u8]) -> Vec<ConfigLine> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').map(ByteSlice::trim).zip(1..);
    lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with(b"#"))
        .map(|(line, number)| ConfigLine { number, argument: argument(line) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    mod places {
        pub(super) const HOME: (&str, &str) = ("HOME", "/home/me");
        pub(super) const DEFAULT_PATH: &str = "/home/me/.config/heist/config";
        pub(super) const XDG: &str = "/etc/me";
        pub(super) const XDG_PATH: &str = "/etc/me/heist/config";
    }
    #[cfg(windows)]
    mod places {
        pub(super) const HOME: (&str, &str) = ("APPDATA", r"C:\me\Roaming");
        pub(super) const DEFAULT_PATH: &str = r"C:\me\Roaming\heist\config";
        pub(super) const XDG: &str = r"D:\me";
        pub(super) const XDG_PATH: &str = r"D:\me\heist\config";
    }
    use places::*;

    #[test]
    fn a_variable_names_the_file_unless_it_is_in_the_default_place() {
        let (home, xdg) = (HOME, "XDG_CONFIG_HOME");
        let (ours, theirs) = ((VARIABLE, "ours"), (RIPGREP_VARIABLE, "theirs"));
        let below_home = Some((DEFAULT_PATH, None));
        for (vars, stands_in, expected) in [
            (&[ours, home][..], false, Some(("ours", Some(VARIABLE)))),
            (&[(VARIABLE, ""), home], false, None),
            // The variable of ripgrep has a meaning only under the name `rg`.
            (&[theirs], true, Some(("theirs", Some(RIPGREP_VARIABLE)))),
            (&[theirs], false, None),
            (&[theirs, ours], true, Some(("ours", Some(VARIABLE)))),
            (&[theirs, (VARIABLE, "")], true, None),
            // Under that name, there is no default either.
            (&[home], true, None),
            (&[home], false, below_home),
            (&[home, (xdg, XDG)], false, Some((XDG_PATH, None))),
            (&[home, (xdg, "")], false, below_home),
            (&[home, (xdg, "relative")], false, below_home),
            (&[], false, None),
            (&[("HOME", "."), ("APPDATA", ".")], false, None),
            (&[("HOME", ""), ("APPDATA", "")], false, None),
            (&[("HOME", "me"), ("APPDATA", "me"), (xdg, "relative")], false, None),
            (&[("HOME", "."), (xdg, XDG)], false, Some((XDG_PATH, None))),
        ] {
            let var = |name: &str| {
                vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            };
            let expected =
                expected.map(|(path, variable)| ConfigFile { path: PathBuf::from(path), variable });
            assert_eq!(locate(var, stands_in), expected, "{vars:?}, rg: {stands_in}");
        }
    }

    fn arguments(bytes: &[u8]) -> Vec<OsString> {
        parse(bytes).into_iter().map(|line| line.argument).collect()
    }

    #[test]
    fn a_line_is_an_argument() {
        let text = b"# comment\n\n  --smart-case \t\r\n  # another\n-g\n!*.min js\n-A 1";
        assert_eq!(arguments(text), ["--smart-case", "-g", "!*.min js", "-A 1"]);
        let numbers: Vec<usize> = parse(text).iter().map(|line| line.number).collect();
        assert_eq!(numbers, [3, 5, 6, 7]);
        assert!(parse(b"").is_empty());
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(arguments(b"\xef\xbb\xbf-i\n-n"), ["-i", "-n"]);
        assert_eq!(arguments("-i\n\u{feff}-n".as_bytes()), ["-i", "\u{feff}-n"]);
    }

    #[test]
    fn blanks_are_those_of_unicode() {
        let text = "\u{a0}-i\u{2003}\n\x0b# comment\n\u{3000}\n";
        assert_eq!(arguments(text.as_bytes()), ["-i"]);
    }

    #[cfg(unix)]
    #[test]
    fn arguments_may_be_any_bytes() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        assert_eq!(arguments(b"\xff\n"), [OsStr::from_bytes(b"\xff")]);
    }
}
