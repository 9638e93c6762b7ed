//! The name of this host, for links.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use crate::{programs, sys};

/// The name of this host: the first line of the output of `command`, or the system's name if there
/// is no command or it fails, which is only logged.
pub(crate) fn hostname(command: Option<&Path>) -> Option<String> {
    let name = command.and_then(|command| {
        first_line_of(command).map_err(|why| log::debug!("{}: {why}", command.display())).ok()
    });
    name.or_else(|| sys::host_name().filter(|name| !name.is_empty()))
}

/// The first line of the output of `command`.
fn first_line_of(command: &Path) -> Result<String, String> {
    let output = programs::command(command)
        .and_then(|program| Command::new(program).stdin(Stdio::null()).output());
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("no host name, {}", output.status));
    }
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    match text.lines().next().map(str::trim) {
        Some(name) if !name.is_empty() => Ok(name.to_owned()),
        _ => Err("no host name, nothing was printed".to_owned()),
    }
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
}
