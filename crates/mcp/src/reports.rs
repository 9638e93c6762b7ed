//! What `hs` reports on standard error, as a client can use it: about parameters in place of flags,
//! and within bounds.

use std::borrow::Cow;

use crate::{arguments::in_one_line, params};

/// How many messages an answer may have.
const MAX_MESSAGES: usize = 20;

/// How many bytes a message may have.
const MAX_MESSAGE: usize = 400;

/// How many bytes an error may have that ends a call.
const MAX_ERROR: usize = 4 << 10;

/// The bytes that messages may have in any answer, however few are requested.
const LEAST_ROOM: usize = 240;

/// The program's name, with which its messages begin.
const MESSAGE_PREFIX: &str = "hs: ";

/// Splits standard error into messages, which may have several lines each.
pub(crate) fn split(stderr: &str) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for line in stderr.lines() {
        match (line.strip_prefix(MESSAGE_PREFIX), messages.last_mut()) {
            (None, Some(last)) => {
                last.push('\n');
                last.push_str(line);
            }
            (message, _) => messages.push(message.unwrap_or(line).to_owned()),
        }
    }
    messages
}

/// The error that a failed call returns.
pub(crate) fn error(messages: &[String]) -> String {
    let messages: Vec<String> = messages
        .iter()
        .map(|message| {
            let message = in_parameters(&without_globs(message));
            // Where a pattern has a mistake is shown below it.
            message.lines().map(in_one_line).collect::<Vec<_>>().join("\n")
        })
        .collect();
    match messages.is_empty() {
        true => "hs has failed without a message".to_owned(),
        false => cut(&messages.join("\n"), MAX_ERROR).into_owned(),
    }
}

/// The messages for an answer with at most `bytes` bytes. They take a quarter at most.
pub(crate) fn bounded(messages: &[String], bytes: usize) -> Vec<String> {
    let mut room = (bytes / 4).max(LEAST_ROOM);
    let mut kept = Vec::new();
    for message in messages.iter().take(MAX_MESSAGES) {
        let message = in_parameters(&without_globs(message));
        let message = cut(&in_one_line(&message), MAX_MESSAGE).into_owned();
        let Some(left) = room.checked_sub(message.len()) else { break };
        room = left;
        kept.push(message);
    }
    if kept.len() < messages.len() {
        kept.push(format!("… and {} more messages", messages.len() - kept.len()));
    }
    kept
}

/// As much of the beginning of `text` as fits into `most` bytes.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let end = text.floor_char_boundary(most.saturating_sub("…".len()));
    format!("{}…", &text[..end]).into()
}

/// A message about a line in an ignore file, without that line. It may come from a file that is no
/// ignore file, such as one that a link has led to.
fn without_globs(message: &str) -> Cow<'_, str> {
    const GLOB: &str = "error parsing glob '";
    let Some((place, rest)) = message.split_once(GLOB).filter(|(place, _)| is_line(place)) else {
        return message.into();
    };
    // What kind of mistake it is follows the glob, which may contain anything.
    let kind = rest.rsplit_once("': ").map_or("a mistake", |(_, kind)| kind);
    format!("{place}not a valid glob: {kind}").into()
}

/// Whether a message begins with a path and a line's number.
fn is_line(place: &str) -> bool {
    let number = place.strip_suffix(": ").and_then(|place| place.rsplit_once(": line "));
    number.is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A message that names parameters in place of flags.
pub(crate) fn in_parameters(message: &str) -> String {
    let mut text =
        message.replace("\nRunning with --debug will show why files are being skipped.", "");
    text = text.replace("--hidden, --dotfiles", "--dotfiles");
    text = text.replace(
        " (accepted: the types that --type-list prints",
        " (accepted: the types that `hs --type-list` prints",
    );
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some(at) = rest.find("--") {
        let (before, from) = rest.split_at(at);
        let is_quoted = before.ends_with(|char: char| char == '`' || char.is_alphanumeric())
            || before.ends_with("`hs ");
        let len = from[2..]
            .find(|char: char| !char.is_ascii_lowercase() && char != '-' && !char.is_ascii_digit());
        let (flag, after) = from.split_at(len.map_or(from.len(), |len| len + 2));
        out.push_str(before);
        match params::in_place_of(flag).filter(|_| !is_quoted) {
            Some(parameter) => {
                let what = out.trim_end().rsplit(' ').next() == Some("the");
                out.push_str(&parameter);
                rest = match after.strip_prefix(" flag") {
                    Some(after) if what => {
                        out.truncate(out.len() - parameter.len());
                        let end = out.trim_end().len() - "the".len();
                        out.truncate(end);
                        out.push_str(&parameter);
                        after
                    }
                    _ => after,
                };
            }
            None => {
                out.push_str(flag);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    without_advice(out)
}

/// A message without advice to use a flag that no parameter stands for, or its letter, as in
/// `(or -U for short)`.
fn without_advice(mut text: String) -> String {
    while let Some(at) = text.find(" (see --") {
        let Some(end) = text[at..].find(')') else { break };
        text.replace_range(at..=at + end, "");
    }
    for letter in [" (or -U for short)", " (or -a for short)"] {
        text = text.replace(letter, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_parameters() {
        for (message, expected) in [
            (
                ".env: ignored: hidden (see --hidden, --dotfiles)",
                ".env: ignored: hidden (see `hidden: true`)",
            ),
            ("a: ignored: symbolic link (see --follow)", "a: ignored: symbolic link"),
            (
                "searched, no line matches: not UTF-8 at offset 2, see --encoding",
                "searched, no line matches: not UTF-8 at offset 2, see `encoding`",
            ),
            (
                "it looks like Japanese, try --encoding shift_jis",
                "it looks like Japanese, try `encoding` shift_jis",
            ),
            ("it is binary, see --text", "it is binary, see `text: true`"),
            (
                "Consider enabling PCRE2 with the --pcre2 flag, which",
                "Consider enabling PCRE2 with `pcre2: true`, which",
            ),
            (
                "Consider enabling multiline mode with the --multiline flag (or -U for short).",
                "Consider enabling multiline mode with `multiline: true`.",
            ),
            (
                "Consider enabling text mode with the --text flag (or -a for short). Otherwise,",
                "Consider enabling text mode with `text: true`. Otherwise,",
            ),
            (
                "No files were searched.\nRunning with --debug will show why files are being skipped.",
                "No files were searched.",
            ),
            ("a--text.rs: gone", "a--text.rs: gone"),
        ] {
            assert_eq!(in_parameters(message), expected);
        }
    }

    #[test]
    fn lines_of_ignore_files_are_not_printed() {
        for (message, expected) in [
            (
                "/r/.ignore: line 2: error parsing glob 'curl -H \"x': y\" \\': dangling '\\'",
                "/r/.ignore: line 2: not a valid glob: dangling '\\'",
            ),
            ("error parsing glob '{': unclosed", "error parsing glob '{': unclosed"),
        ] {
            assert_eq!(without_globs(message), expected);
        }
    }

    #[test]
    fn messages_are_few_and_short() {
        let many: Vec<String> = (0..1000).map(|n| format!("{n}{}", "x".repeat(n))).collect();
        let kept = bounded(&many, 1 << 20);
        assert_eq!((kept.len(), kept[20].as_str()), (21, "… and 980 more messages"));
        let few = bounded(&many[500..], 1000);
        assert!(few.iter().map(String::len).sum::<usize>() < 300, "{few:?}");
        assert_eq!(bounded(&["ü".repeat(500)], 1 << 20)[0].len(), 399);
        assert_eq!(split("hs: a\nhs: b\n  c\n"), ["a", "b\n  c"]);
        assert_eq!(split("stray\n"), ["stray"]);
    }
}
