//! The name under which the program was started. As `rg`, a link to it stands in for ripgrep in programs that start
//! that: messages, the configuration file's variable and the version are then ripgrep's.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    sync::OnceLock,
};

/// The version of ripgrep whose command line this program has.
const RIPGREP_VERSION: &str = "15.2.0";

/// Set once, before anything is printed: messages come from everywhere, the logger of the libraries included.
static STANDS_IN: OnceLock<bool> = OnceLock::new();

/// Take the name from the first of the program's arguments. To be called once, first of all.
pub(crate) fn take_from(program: Option<&OsString>) {
    // A second call would change nothing, which is as well.
    let _ = STANDS_IN.set(program.is_some_and(|program| is_ripgrep(program)));
}

fn is_ripgrep(program: &OsStr) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name == "rg")
}

/// Whether the program stands in for ripgrep.
pub(crate) fn stands_in_for_ripgrep() -> bool {
    STANDS_IN.get().copied().unwrap_or_default()
}

/// What stands before messages.
pub(crate) fn program() -> &'static str {
    if stands_in_for_ripgrep() { "rg" } else { "hs" }
}

/// What the program calls itself in a sentence.
pub(crate) fn in_words() -> &'static str {
    if stands_in_for_ripgrep() { "ripgrep" } else { "hs" }
}

/// `text`, a text of this program about itself, with the program's name in place of each word `hs`.
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

/// Name and version in the shape that tools take apart: a word, a blank, a version, perhaps more in brackets.
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
