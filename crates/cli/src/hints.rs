//! Warnings about arguments that are valid but probably mistaken. Most appear only on a terminal;
//! those about globs that match nothing also reach a program, which would take the results for all.

use std::{
    borrow::Cow,
    env,
    io::{self, IsTerminal},
};

use heist_filter::{FilterConfig, Glob};
use heist_matcher::Matcher;
use heist_walk::Root;

use crate::messages::Messages;

/// The message of an error without the name of ripgrep's crate, where a person reads it. Programs
/// look for the name.
pub(crate) fn without_crate(message: &str) -> Cow<'_, str> {
    match io::stderr().is_terminal() {
        true => message.replacen("grep config error: ", "", 1).into(),
        false => message.into(),
    }
}

/// Warns about globs of `-g` that match nothing because of how they are written, in a search of
/// these roots.
pub(crate) fn check_globs(globs: &[Glob], roots: &[Root], messages: &Messages) {
    for glob in globs {
        if let Some(why) = mistake_in_glob(&glob.text, cwd).filter(|_| !lead_up(roots)) {
            messages.warn(format_args!("the glob '{}' matches nothing: {why}", glob.text));
        }
    }
}

/// Whether a path begins with `..`, as a glob can begin then.
fn lead_up(roots: &[Root]) -> bool {
    roots.iter().any(|root| matches!(root, Root::Path(path) if path.starts_with("..")))
}

fn cwd() -> Option<String> {
    Some(env::current_dir().ok()?.to_str()?.to_owned())
}

fn mistake_in_glob(glob: &str, cwd: impl Fn() -> Option<String>) -> Option<String> {
    let (sign, glob) = match glob.strip_prefix('!') {
        Some(glob) => ("!", glob),
        None => ("", glob),
    };
    if glob.starts_with("../") {
        return Some("globs are limited to the current directory".to_owned());
    }
    if let Some(rest) = glob.strip_prefix("./") {
        return Some(format!("paths have no ./ in front; use '{sign}/{rest}'"));
    }
    if ["/./", "{./", ",./"].iter().any(|part| glob.contains(part)) {
        return Some("paths have no ./ in them".to_owned());
    }
    let cwd = cwd().filter(|_| glob.starts_with('/'))?;
    let rest = glob.strip_prefix(&cwd).filter(|rest| rest.starts_with('/') && cwd != "/")?;
    Some(format!("a leading / stands for the current directory; use '{sign}{rest}'"))
}

/// Warns that no file was searched below the paths that were named, if that is because of globs
/// that select: what does not match would look like what is not there.
pub(crate) fn check_no_file(filter: &FilterConfig, messages: &Messages) {
    let is_right = |glob: &&Glob| mistake_in_glob(&glob.text, cwd).is_none();
    let selecting = filter.globs.iter().filter(|glob| !glob.text.starts_with('!'));
    let globs = selecting.filter(is_right).map(|glob| ("-g", glob));
    let globs: Vec<_> = globs.chain(filter.only.iter().map(|glob| ("--only", glob))).collect();
    let all = globs.iter().map(|(flag, glob)| format!("{flag} '{}'", glob.text));
    let all = all.collect::<Vec<_>>().join(", ");
    if !globs.is_empty() {
        messages.warn(format_args!("no file was searched: no searchable file matches {all}"));
    }
}

/// Warns about references in the replacement that stand for no group of the pattern.
pub(crate) fn check_replacement(text: Option<&[u8]>, matcher: &Matcher, messages: &Messages) {
    let Some(text) = text.filter(|_| io::stderr().is_terminal()) else { return };
    for group in heist_printer::missing_groups(text, matcher) {
        messages
            .warn(format_args!("the pattern has no group {group}, so it is replaced by nothing"));
    }
    let mut pairs = text.windows(2);
    if let Some([_, digit]) = pairs.find(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit()) {
        let digit = char::from(*digit);
        messages
            .warn(format_args!("a group in the replacement is written as ${digit}, not \\{digit}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_that_cannot_match_are_explained() {
        let mistake = |glob| mistake_in_glob(glob, || Some("/home/me".to_owned()));
        for glob in
            ["*.rs", "src/*.rs", "/src", "!/src", "/home/meow/x", "/home/me", "..rs", ".git"]
        {
            assert_eq!(mistake(glob), None, "{glob}");
        }
        for (glob, ending) in [
            ("./src/*.rs", "use '/src/*.rs'"),
            ("!./src", "use '!/src'"),
            ("/home/me/src/*.rs", "use '/src/*.rs'"),
            ("../src", "the current directory"),
            ("src/./*.rs", "no ./ in them"),
            ("{./src,./lib}/*.rs", "no ./ in them"),
        ] {
            assert!(mistake(glob).is_some_and(|text| text.ends_with(ending)), "{glob}");
        }
    }
}
