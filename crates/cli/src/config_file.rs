//! The configuration file: arguments that come before those on the command line.
//!
//! One argument per line. Blanks around a line, all that Unicode knows, are trimmed; empty lines and lines that begin with
//! `#` are skipped. There is no quoting and no expansion, so a flag and its value are
//! `--flag=value`, or two lines.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::PathBuf,
};

use bstr::ByteSlice;

use crate::{messages::Messages, name};

/// Names the file. Set but empty, there is none.
pub(crate) const VARIABLE: &str = "HEIST_CONFIG_PATH";

/// Names the file where [`VARIABLE`] is not set and the program stands in for ripgrep.
pub(crate) const RIPGREP_VARIABLE: &str = "RIPGREP_CONFIG_PATH";

/// Where the file is, within the user's directory of configuration files, unless the variable says
/// otherwise.
const DEFAULT: &str = "heist/config";

/// The arguments in the configuration file, none if there is no file. A file that was named but
/// cannot be read is reported and then treated as if there were none.
pub(crate) fn arguments(messages: &Messages) -> Vec<OsString> {
    let var = |name: &str| env::var_os(name);
    let Some(file) = locate(var, name::stands_in_for_ripgrep()) else {
        return Vec::new();
    };
    let path = file.path.display();
    match file.read() {
        Ok(None) => Vec::new(),
        Ok(Some(bytes)) => {
            let arguments = parse(&bytes);
            log::debug!("{path}: arguments from the configuration file: {arguments:?}");
            arguments
        }
        Err(err) => {
            let which = match file.variable {
                Some(variable) => format!("file specified in {variable}"),
                None => "configuration file".to_owned(),
            };
            messages.warn(format_args!("failed to read the {which}: {path}: {err}"));
            Vec::new()
        }
    }
}

/// Where the file is.
#[derive(Debug, PartialEq, Eq)]
struct ConfigFile {
    path: PathBuf,
    /// Which variable says that there is a file; None where there may be one.
    variable: Option<&'static str>,
}

impl ConfigFile {
    /// None where nobody says that there is a file, and none can be seen.
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        if self.variable.is_none() {
            let metadata = match fs::metadata(&self.path) {
                // `HOME` is often left over from another user, or `/dev/null` for those who have none.
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

#[cfg(unix)]
fn is_pipe(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
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
    // A relative path here is to be ignored, by the XDG base directory specification.
    let xdg = set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let directory = xdg.or_else(|| set("HOME").map(|home| home.join(".config")))?;
    Some(ConfigFile { path: directory.join(DEFAULT), variable: None })
}

/// The arguments in a file of these bytes.
pub fn parse(bytes: &[u8]) -> Vec<OsString> {
    let lines = bytes.split(|&byte| byte == b'\n').map(ByteSlice::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")).map(argument).collect()
}

#[cfg(unix)]
fn argument(line: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(line).to_owned()
}

#[cfg(not(unix))]
fn argument(line: &[u8]) -> OsString {
    OsStr::new(&*String::from_utf8_lossy(line)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locate_with(vars: &[(&str, &str)]) -> Option<ConfigFile> {
        locate(lookup(vars), false)
    }

    fn lookup(vars: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        |name| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        }
    }

    #[test]
    fn the_variable_names_the_file_and_empty_means_none() {
        let home = ("HOME", "/home/me");
        let named = ConfigFile { path: "rc".into(), variable: Some(VARIABLE) };
        assert_eq!(locate_with(&[(VARIABLE, "rc"), home]), Some(named));
        assert_eq!(locate_with(&[(VARIABLE, ""), home]), None);
    }

    #[test]
    fn ripgreps_variable_counts_for_its_stand_in_only() {
        let theirs = (RIPGREP_VARIABLE, "theirs");
        let path = |vars: &[_], stands_in| locate(lookup(vars), stands_in).map(|file| file.path);
        assert_eq!(path(&[theirs], true), Some("theirs".into()));
        assert_eq!(path(&[theirs], false), None);
        assert_eq!(path(&[theirs, (VARIABLE, "ours")], true), Some("ours".into()));
        assert_eq!(path(&[theirs, (VARIABLE, "")], true), None);
    }

    #[test]
    fn the_default_follows_xdg_and_home() {
        let default = |path: &str| Some(ConfigFile { path: path.into(), variable: None });
        let home = ("HOME", "/home/me");
        assert_eq!(locate_with(&[home]), default("/home/me/.config/heist/config"));
        assert_eq!(
            locate_with(&[home, ("XDG_CONFIG_HOME", "/etc/me")]),
            default("/etc/me/heist/config")
        );
        for unusable in ["", "relative"] {
            let vars = [home, ("XDG_CONFIG_HOME", unusable)];
            assert_eq!(locate_with(&vars), default("/home/me/.config/heist/config"));
        }
        assert_eq!(locate_with(&[]), None);
    }

    #[test]
    fn a_line_is_an_argument() {
        let arguments =
            parse(b"# comment\n\n  --smart-case \t\r\n  # another\n-g\n!*.min js\n-A 1");
        assert_eq!(arguments, ["--smart-case", "-g", "!*.min js", "-A 1"]);
        assert!(parse(b"").is_empty());
    }

    #[test]
    fn blanks_are_those_of_unicode() {
        assert_eq!(parse("\u{a0}-i\u{2003}\n\x0b# comment\n\u{3000}\n".as_bytes()), ["-i"]);
    }

    #[cfg(unix)]
    #[test]
    fn arguments_may_be_any_bytes() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(parse(b"\xff\n"), [OsStr::from_bytes(b"\xff")]);
    }
}
