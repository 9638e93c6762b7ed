//! Warnings about arguments that are valid but probably mistaken. Most appear only on a terminal;
//! those about globs that match nothing also reach a program, which would take the results for all,
//! and so do those that follow an error.

use std::{
    borrow::Cow,
    env,
    io::{self, IsTerminal},
    path::Path,
};

use bstr::ByteSlice;
use heist_filter::Glob;
use heist_matcher::Matcher;
use heist_walk::Root;

use crate::{
    resolved::ResolvedArgs,
    sys::{stdin_is_held_by_ancestor, stdin_is_silent},
    texts::{messages::Messages, name},
    typed::Mode,
    visit,
};

/// An error's message without the name of ripgrep's crate, where a person reads it. Programs look
/// for the name.
pub(crate) fn without_crate(message: &str) -> Cow<'_, str> {
    match io::stderr().is_terminal() {
        true => message.replacen("grep config error: ", "", 1).into(),
        false => message.into(),
    }
}

/// Warns about globs from `-g` that match nothing because of how they are written, if these roots
/// are searched.
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
/// that select: what does not match would look like what is not there. Returns whether it is.
fn check_no_file(args: &ResolvedArgs, messages: &Messages) -> bool {
    let filter = &args.filter;
    let is_right = |glob: &&Glob| mistake_in_glob(&glob.text, cwd).is_none();
    let selecting = filter.globs.iter().filter(|glob| !glob.text.starts_with('!'));
    let globs = selecting.filter(is_right).map(|glob| ("-g", glob));
    let globs: Vec<_> = globs.chain(filter.only.iter().map(|glob| ("--only", glob))).collect();
    let all = globs.iter().map(|(flag, glob)| format!("{flag} '{}'", glob.text));
    let all = all.collect::<Vec<_>>().join(", ");
    if !globs.is_empty() && messages.are_shown() {
        let better = visit::better_glob(args).map_or(String::new(), |better| format!("; {better}"));
        messages
            .warn(format_args!("no file was searched: no searchable file matches {all}{better}"));
    }
    !globs.is_empty()
}

/// Warns about a replacement that is hardly meant as one, and about references in it that stand for
/// no group of the pattern.
pub(crate) fn check_replacement(args: &ResolvedArgs, matcher: &Matcher, messages: &Messages) {
    let text = args.printer.replacement.as_deref().filter(|_| io::stderr().is_terminal());
    let Some(text) = text else { return };
    if args.replaces_by_letter && is_habit(args, text) {
        let text = text.as_bstr();
        messages.warn(format_args!(
            "-r replaces matches, here by '{text}'; directories are searched without it"
        ));
    }
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

/// The letters that stand beside grep's `-r`, as in `-rn`.
const GREP_SWITCHES: &[u8] = b"EFGHILPRUZahilnoqsvwxyz";

/// Whether `-r` seems to be grep's, which searches directories: other letters follow it, or what
/// would be the pattern is a path, as in `-r door .`.
fn is_habit(args: &ResolvedArgs, text: &[u8]) -> bool {
    let is_letters = matches!(text.len(), 1..=4) && text.iter().all(|c| GREP_SWITCHES.contains(c));
    let has_path = !args.path_is_implicit() && !args.stdin_is_implicit;
    let is_path = |pattern: &String| Path::new(pattern).exists();
    is_letters || !has_path && matches!(&args.patterns[..], [pattern] if is_path(pattern))
}

/// Explains why nothing was found: no file was searched, or on a terminal, a pattern has grep's
/// syntax.
pub(crate) fn explain_nothing(args: &ResolvedArgs, any_file: bool, messages: &Messages) {
    let is_explained = !any_file && check_no_file(args, messages);
    let is_read = messages.are_shown() && io::stderr().is_terminal();
    if is_explained || args.quiet || !is_read {
        return;
    }
    if !any_file {
        // These have been explained.
        let has_mistake =
            args.filter.globs.iter().any(|glob| mistake_in_glob(&glob.text, cwd).is_some());
        let is_explained = messages.has_failed() || has_mistake;
        let cause = if is_explained { None } else { visit::cause_in_flags(args) };
        if let Some(cause) = cause {
            messages.warn(format_args!("no file was searched: {cause}"));
        }
        return;
    }
    let patterns = args.patterns.iter().filter(|_| !args.searcher.invert);
    let syntax = match args.matcher.fixed_strings {
        true => literal_backslash,
        false => basic_syntax,
    };
    if let Some(why) = patterns.map(String::as_str).find_map(syntax) {
        messages.warn(format_args!("nothing was found; {why}"));
    }
}

/// A remark about an `-F` pattern with a backslash that would quote something elsewhere.
fn literal_backslash(pattern: &str) -> Option<&'static str> {
    let mut pairs = pattern.as_bytes().windows(2);
    let quotes = |pair: &[u8]| pair[0] == b'\\' && b".*+?()[]{}|^$\\".contains(&pair[1]);
    pairs.any(quotes).then_some("-F searches for backslashes too: 'a(' needs none")
}

/// A remark about a part of `pattern` that is special in grep's basic regular expressions and
/// literal here, unless it is probably meant so, as in `main\(\)`.
fn basic_syntax(pattern: &str) -> Option<&'static str> {
    let bytes = pattern.as_bytes();
    let (mut at, mut in_class, mut opened) = (0, false, false);
    let mut before = None;
    while let Some(&byte) = bytes.get(at) {
        let escaped = bytes.get(at + 1).filter(|_| byte == b'\\');
        let rest = bytes.get(at + 2..).unwrap_or_default();
        // What can be repeated, other than a single character.
        let is_set =
            matches!(before, Some((_, b']' | b'.')) | Some((true, b'd' | b'w' | b's' | b')')));
        match escaped {
            Some(_) if in_class => {}
            Some(b'|') => return Some(r"\| is a literal |: alternatives are written a|b"),
            Some(b'(') => opened = true,
            Some(b')') if opened && is_repetition(rest) => {
                return Some(r"\( and \) are literal parentheses: a group is written (a)");
            }
            Some(b'{') if is_count(rest) => {
                return Some(r"\{ and \} are literal braces: a repetition is written a{2}");
            }
            Some(b'+') if is_set => return Some(r"\+ is a literal +: a repetition is written a+"),
            Some(b'?') if is_set => return Some(r"\? is a literal ?: an option is written a?"),
            Some(b'1'..=b'9') if opened => {
                return Some(r"\( and \) are literal parentheses: a group is written (a)");
            }
            Some(_) => {}
            None if byte == b'[' => in_class = true,
            None if byte == b']' => in_class = false,
            None => {}
        }
        before = Some(escaped.map_or((false, byte), |&escaped| (true, escaped)));
        at += if escaped.is_some() { 2 } else { 1 };
    }
    None
}

/// Whether a pattern goes on with a repetition, basic or extended.
fn is_repetition(rest: &[u8]) -> bool {
    [&b"*"[..], b"+", b"?", br"\+", br"\?", br"\{"].iter().any(|sign| rest.starts_with(sign))
}

/// Whether a pattern goes on with a repetition's numbers and `\}`.
fn is_count(rest: &[u8]) -> bool {
    let end = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b',').count();
    end > 0 && rest[end..].starts_with(br"\}")
}

/// The most words that are taken for a pattern without quotes. A program that passes more passes
/// paths.
const MAX_WORDS: usize = 12;

/// Explains paths that do not exist: globs that the shell has not expanded, and words of a pattern
/// without quotes. To be called after an error.
pub(crate) fn explain_missing(args: &ResolvedArgs, messages: &Messages) {
    let is_search = matches!(args.mode, Mode::Search(_));
    if !is_search && args.mode != Mode::Files {
        return;
    }
    let paths = args.walk.roots.iter().filter_map(|root| match root {
        Root::Path(path) => path.to_str(),
        Root::Here | Root::Stdin => None,
    });
    let missing: Vec<&str> =
        paths.filter(|path| Path::new(path).symlink_metadata().is_err()).collect();
    let is_glob = |path: &&&str| path.contains(['*', '?', '[', '{']);
    if let Some(glob) = missing.iter().find(is_glob) {
        let glob = visit::quoted(glob);
        messages.warn(format_args!(
            "no file has the name {glob}; -g {glob} selects the files that match it"
        ));
        return;
    }
    let is_word = |path: &&str| path.chars().all(|c| c.is_alphanumeric() || "'!?,_-".contains(c));
    let are_words = (2..=MAX_WORDS).contains(&missing.len());
    let are_words = are_words && missing.len() == args.walk.roots.len();
    if let [pattern] = &args.patterns[..]
        && are_words
        && missing.iter().all(is_word)
    {
        let program = name::program();
        let text = visit::quoted(&format!("{pattern} {}", missing.join(" ")));
        messages.warn(format_args!("a pattern that contains blanks is quoted: {program} {text}"));
    }
}

const STDIN_HINT: &str = "no path was given, so standard input is searched, but nothing has arrived from there yet.\n\
    To search files, give a path such as .";

/// Waits until standard input is readable, but not for long. Returns the hint to print if an
/// ancestor of this process leaves it open without writing to it, or with `--debug`, if it is
/// silent for any reason.
///
/// Without a path, `hs` searches the pipe and waits forever. A slow pipeline typed into a shell
/// waits as well, but without need for a hint. The writer distinguishes the two: a shell closes its
/// own ends of the pipes that it creates, so the writer is this process's sibling, while a program
/// that starts `hs` holds the other end itself. On Linux, the files that this process's ancestors
/// have open show which case it is.
pub(crate) fn await_stdin() -> Option<&'static str> {
    let debugs = log::log_enabled!(log::Level::Debug);
    let seconds = if debugs || io::stderr().is_terminal() { 1 } else { 3 };
    (stdin_is_silent(seconds) && (debugs || stdin_is_held_by_ancestor())).then_some(STDIN_HINT)
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

    #[test]
    fn syntax_of_grep_is_recognized() {
        for (pattern, begins) in [
            (r"foo\|bar", r"\| is"),
            (r"\(foo\|bar\)", r"\| is"),
            (r"\(ab\)*", r"\( and \)"),
            (r"\(ab\)\+", r"\( and \)"),
            (r"\(a\)\1", r"\( and \)"),
            (r"a\{2\}", r"\{ and \}"),
            (r"[ab]\{1,3\}", r"\{ and \}"),
            (r"[0-9]\+", r"\+ is"),
            (r".\+", r"\+ is"),
            (r"\d\+", r"\+ is"),
            (r"[a]\?", r"\? is"),
        ] {
            assert!(basic_syntax(pattern).is_some_and(|why| why.starts_with(begins)), "{pattern}");
        }
        for pattern in [
            "a|b",
            r"a\\|b",
            r"[\|]",
            r"main\(\)",
            r"fn main\(\) \{",
            r"C\+\+",
            r"a\+b",
            r"x\?",
            r"\bfoo\b",
            r"\{\}",
            r"\{2",
            r"\.\*",
            "",
            r"\",
            r"a\(",
            r"[^\]\|]",
        ] {
            assert_eq!(basic_syntax(pattern), None, "{pattern}");
        }
        for (pattern, is_remarked) in [
            (r"open\(", true),
            (r"a\.b", true),
            (r"C:\new", false),
            ("open(", false),
            (r"a\", false),
        ] {
            assert_eq!(literal_backslash(pattern).is_some(), is_remarked, "{pattern}");
        }
    }
}
