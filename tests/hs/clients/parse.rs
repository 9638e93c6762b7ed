//! Reads the output of `hs` as clients do.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Hit, hit};

/// The text without escape sequences that set colors.
pub(super) fn strip_colors(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').expect("the end of a color").1)
}

/// `path:line:column:text`, as clients of `--column` read it, or `path:line:text`.
pub(super) fn split_lines(text: &str, has_columns: bool) -> BTreeSet<Hit> {
    let number = |text: &str| text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.splitn(if has_columns { 4 } else { 3 }, ':').collect();
            match fields[..] {
                [path, line, column, text] => hit(path, number(line), number(column), text),
                [path, line, text] => hit(path, number(line), 0, text),
                _ => panic!("invalid output: {line}"),
            }
        })
        .collect()
}

/// The messages of `--json` that are of a kind.
pub(super) fn messages(text: &str, kind: &str) -> Vec<Value> {
    let parse = |line| serde_json::from_str::<Value>(line).expect("JSON");
    let messages = text.lines().filter(|line| !line.trim().is_empty()).map(parse);
    messages
        .filter(|message| message["type"] == kind)
        .map(|message| message["data"].clone())
        .collect()
}

/// The matches of `--json`, as most clients read them.
pub(super) fn matches(text: &str) -> BTreeSet<Hit> {
    let parse = |data: Value| {
        hit(
            data["path"]["text"].as_str().expect("a path"),
            data["line_number"].as_u64().expect("a number"),
            data["submatches"][0]["start"].as_u64().expect("an offset") + 1,
            data["lines"]["text"].as_str().expect("a line"),
        )
    };
    messages(text, "match").into_iter().map(parse).collect()
}

/// The paths of a list, with this separator.
pub(super) fn paths(text: &str, separator: char) -> BTreeSet<String> {
    let paths = text.split(separator).filter(|path| !path.is_empty());
    paths.map(|path| hit(path, 0, 0, "").0).collect()
}
