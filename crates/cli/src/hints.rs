//! Warnings about arguments that are valid but probably mistaken. They appear only on a terminal.

use std::{
    borrow::Cow,
    env,
    io::{self, IsTerminal},
};

use heist_matcher::Matcher;

use crate::messages::Messages;

/// The message of an error without the name of ripgrep's crate, where a person reads it. Programs
/// look for the name.
pub(crate) fn without_crate(message: &str) -> Cow<'_, str> {
    match io::stderr().is_terminal() {
        true => message.replacen("grep config error: ", "", 1).into(),
        false => message.into(),
    }
}

/// Warns about globs that match nothing because of how they begin.
pub(crate) fn check_globs<'a>(globs: impl Iterator<Item = &'a String>, messages: &Messages) {
    if !io::stderr().is_terminal() {
        return;
    }
    let cwd = || Some(env::current_dir().ok()?.to_str()?.to_owned());
    for glob in globs {
        if let Some(why) = mistake_in_glob(glob, cwd) {
            messages.warn(format_args!("the glob '{glob}' matches nothing: {why}"));
        }
    }
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
    let cwd = cwd().filter(|_| glob.starts_with('/'))?;
    let rest = glob.strip_prefix(&cwd).filter(|rest| rest.starts_with('/') && cwd != "/")?;
    Some(format!("a leading / stands for the current directory; use '{sign}{rest}'"))
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
        ] {
            assert!(mistake(glob).is_some_and(|text| text.ends_with(ending)), "{glob}");
        }
    }
}
