//! The name under which the program was started. Through a link named `rg`, it stands in for
//! ripgrep: messages, help, the variable of the configuration file and the version are adapted.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    sync::OnceLock,
};

/// This program has the command line of this version of ripgrep.
const RIPGREP_VERSION: &str = "15.2.0";

/// Set once, before anything is printed. It is static because all messages depend on it, including
/// log records of the libraries.
static STANDS_IN: OnceLock<bool> = OnceLock::new();

/// Takes the name from the first argument of the process. Must be called before all else.
pub(crate) fn take_from(program: Option<&OsString>) {
    // A second call has no effect.
    let _ = STANDS_IN.set(program.is_some_and(|program| is_ripgrep(program)));
}

fn is_ripgrep(program: &OsStr) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name == "rg")
}

/// Whether the program stands in for ripgrep.
pub(crate) fn stands_in_for_ripgrep() -> bool {
    STANDS_IN.get().copied().unwrap_or_default()
}

/// The name in front of messages.
pub(crate) fn program() -> &'static str {
    if stands_in_for_ripgrep() { "rg" } else { "hs" }
}

/// The name of the program in a sentence.
pub(crate) fn in_words() -> &'static str {
    if stands_in_for_ripgrep() { "ripgrep" } else { "hs" }
}

/// `text`, which is about this program, with the program's name in place of each word `hs`.
pub(crate) fn adapt(text: &str) -> String {
    if stands_in_for_ripgrep() { rename(text) } else { text.to_owned() }
}

fn rename(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let renamed = words.map(|word| match word.strip_prefix("hs") {
        Some(end) if !end.starts_with(char::is_alphanumeric) => format!("rg{end}"),
        _ => word.to_owned(),
    });
    renamed.collect()
}

/// Name and version in the format that tools parse: a word, a space, a version, and optionally more
/// in parentheses.
pub(crate) fn version() -> String {
    let own = env!("CARGO_PKG_VERSION");
    if stands_in_for_ripgrep() {
        format!("ripgrep {RIPGREP_VERSION} (rev heist-{own})")
    } else {
        format!("hs {own}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_about_the_program_are_renamed_by_the_word() {
        assert_eq!(rename("hs -a > _hs; hs.bash ~/hs"), "rg -a > _rg; rg.bash ~/rg");
        assert_eq!(rename("hsx HS_A xhs"), "hsx HS_A xhs");
    }

    #[test]
    fn the_last_part_of_the_path_counts() {
        for (program, expected) in
            [("rg", true), ("/usr/bin/rg", true), ("rg.exe", true), ("hs", false), ("rg/hs", false)]
        {
            assert_eq!(is_ripgrep(OsStr::new(program)), expected, "{program}");
        }
    }
}
