//! Hyperlinks to printed paths: their format, and the values that depend on this host, such as its
//! name.

use std::{
    io::{self, Read},
    path::Path,
    process::Stdio,
};

use bstr::ByteSlice;
use heist_filter::path_bytes::{bytes_of, path_of};
use heist_printer::Hyperlink;

use crate::{
    contents::CommandOutput,
    run::{here::Here, programs},
    sys::{self, absolute, url_path},
    typed::TypedArgs,
};

/// The most bytes that a program may print: a name has at most 255.
const MAX_OUTPUT: u64 = 1 << 10;

/// The hyperlinks; `None` if their format is empty. The host name is looked up only if links use
/// it.
pub(crate) fn hyperlink(typed: &TypedArgs, here: &Here) -> Option<Hyperlink> {
    let format = typed.hyperlink_format.clone();
    if format.is_empty() {
        return None;
    }
    let host = format.names_host().then(|| hostname(typed.hostname_bin.as_deref())).flatten();
    let distribution = (here.variable)("WSL_DISTRO_NAME").and_then(|name| name.into_string().ok());
    Some(Hyperlink {
        format,
        host: host.unwrap_or_default(),
        wsl_prefix: distribution.map(|name| format!("wsl$/{name}")).unwrap_or_default(),
        locate,
    })
}

/// The absolute path of `path`; `None` for standard input and other names that are no path.
fn locate(path: &[u8]) -> Option<Vec<u8>> {
    let located = absolute(&path_of(path)).map_err(|error| {
        log::debug!("{}: cannot be linked: {error}", path.as_bstr());
    });
    Some(url_path(bytes_of(&located.ok()?).into_owned()))
}

/// This host's name: the first line that `command` prints, or the system's name if there is no
/// command or it fails, which is only logged.
fn hostname(command: Option<&Path>) -> Option<String> {
    let name = command.and_then(|command| {
        first_line_of(command).map_err(|why| log::debug!("{}: {why}", command.display())).ok()
    });
    name.or_else(|| sys::host_name().filter(|name| is_host_name(name)))
}

/// The first line that `command` prints.
fn first_line_of(command: &Path) -> io::Result<String> {
    let mut command = programs::to_run(&programs::command(command)?);
    let mut output =
        CommandOutput::spawn(&mut command, Stdio::null(), "no host name: ".to_owned())?;
    let mut text = String::new();
    let mut limited = (&mut output).take(MAX_OUTPUT);
    limited.read_to_string(&mut text)?;
    match text.lines().next().map(str::trim) {
        _ if limited.limit() == 0 => Err(io::Error::other("no host name, too much was printed")),
        Some(name) if is_host_name(name) => Ok(name.to_owned()),
        Some(name) => Err(io::Error::other(format!("no host name: {name:?}"))),
        None => Err(io::Error::other("no host name, nothing was printed")),
    }
}

/// Whether this is a name or an address that a URL can have as it is. Whatever else a program
/// prints, such as control characters, must not become part of a link.
fn is_host_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]%".contains(&byte);
    !name.is_empty() && name.bytes().all(is_part)
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn without_a_working_command_the_name_is_that_of_the_system() {
        let name = hostname(None);
        assert!(name.is_some());
        assert_eq!(hostname(Some(Path::new("/no/such/program"))), name);
        assert_eq!(hostname(Some(Path::new("false"))), name);
        assert_eq!(hostname(Some(Path::new("true"))), name);
    }

    #[test]
    fn the_first_line_of_a_command_is_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("name");
        fs::write(&script, "#!/bin/sh\nprintf '  hoard.example \\nmore\\n'\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(hostname(Some(&script)).as_deref(), Some("hoard.example"));
    }
    #[test]
    fn only_names_become_part_of_links() {
        for name in ["host", "a-b.c_d", "10.0.0.1", "[fe80::1%25eth0]", "xn--mnchen-3ya.de"] {
            assert!(is_host_name(name), "{name}");
        }
        for name in ["", "a b", "ho\x1b]0;x\x07st", "a/b", "a?b", "a#b", "a@b", "h\u{f6}st", "a\tb"]
        {
            assert!(!is_host_name(name), "{name:?}");
        }
    }
}
