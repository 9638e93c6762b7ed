//! The words of comments and guides: no line over 100 columns, no word that the glossary rules out.

use std::collections::BTreeSet;

use crate::{File, check, files};

/// Columns that a line of a comment or of a guide may have.
const MOST_COLUMNS: usize = 100;

#[test]
fn comments_and_guides_fit_100_columns() {
    let mut faults = Vec::new();
    for file in written() {
        for (number, line) in prose(&file) {
            if line.whole.chars().count() > MOST_COLUMNS && !is_unbreakable(&file, line.whole) {
                faults.push(format!("{}:{number}: over {MOST_COLUMNS} columns", file.name));
            }
        }
    }
    check(faults);
}

#[test]
fn comments_in_other_languages_fit_100_columns() {
    let mut faults = Vec::new();
    for file in files() {
        let mark = match file.name.rsplit('.').next() {
            Some("js") => "//",
            Some("css") => "/*",
            Some("html") => "<!--",
            Some("toml" | "sh") => "#",
            _ => continue,
        };
        for (line, number) in file.text.lines().zip(1..) {
            let is_comment = line.trim_start().starts_with(mark);
            // An address cannot be broken.
            if is_comment && !line.contains("://") && line.chars().count() > MOST_COLUMNS {
                faults.push(format!("{}:{number}: over {MOST_COLUMNS} columns", file.name));
            }
        }
    }
    check(faults);
}

#[test]
fn comments_and_guides_use_the_words_of_the_glossary() {
    let banned = banned_words(&files());
    assert!(banned.len() > 20, "the glossary's list was not found");
    let mut faults = Vec::new();
    for file in written().iter().filter(|file| file.name != "docs/glossary.md") {
        for (number, line) in prose(file) {
            let text = without_code(&line.prose).to_lowercase();
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
            if let Some(word) = words.find(|word| banned.contains(*word)) {
                faults.push(format!("{}:{number}: `{word}`", file.name));
            }
        }
    }
    check(faults);
}

#[test]
fn code_in_a_line_is_not_prose() {
    assert_eq!(without_code("the flag `--ask` is read"), "the flag  is read");
    assert_eq!(without_code("one ` alone"), "one ` alone");
    let file = |name: &str, text: &str| File { name: name.to_string(), text: text.to_string() };
    let rust = file("a.rs", "let url = \"a://b\"; // why\n//! head\nlet a = \"// no\";\n");
    let found: Vec<_> = prose(&rust).map(|(number, line)| (number, line.prose)).collect();
    assert_eq!(found, [(1, " why".to_string()), (2, "! head".to_string())]);
    let guide = file("a.md", "text\n```\nhs --tell\n```\nmore\n");
    let found: Vec<_> = prose(&guide).map(|(number, line)| (number, line.whole)).collect();
    assert_eq!(found, [(1, "text"), (5, "more")]);
}

/// Sources and guides.
fn written() -> Vec<File> {
    let mut files = files();
    files.retain(|file| file.name.ends_with(".rs") || file.name.ends_with(".md"));
    files
}

/// A line that holds prose.
struct Line<'a> {
    whole: &'a str,
    /// The comment in it, or all of it.
    prose: String,
}

/// The lines of `file` that hold prose, with their numbers: the comments of a source, a guide
/// without its code blocks.
fn prose(file: &File) -> impl Iterator<Item = (usize, Line<'_>)> {
    let is_guide = file.name.ends_with(".md");
    let mut in_code = false;
    file.text.lines().zip(1..).filter_map(move |(whole, number)| {
        if !is_guide {
            let prose = comment(whole)?.to_string();
            return Some((number, Line { whole, prose }));
        }
        let is_fence = whole.trim_start().starts_with("```");
        in_code ^= is_fence;
        let line = Line { whole, prose: whole.to_string() };
        (!is_fence && !in_code).then_some((number, line))
    })
}

/// What follows the two slashes of a comment. Slashes behind anything but a blank, and those inside
/// of a string literal, begin none.
fn comment(line: &str) -> Option<&str> {
    line.match_indices("//").find_map(|(index, _)| {
        if !line[..index].ends_with([' ', '\t']) && index > 0 {
            return None;
        }
        let quotes = line[..index].replace("\\\"", "").replace("'\"'", "").matches('"').count();
        quotes.is_multiple_of(2).then(|| &line[index + 2..])
    })
}

/// Tables, markers for programs and lines with a link have no place to break.
fn is_unbreakable(file: &File, line: &str) -> bool {
    let line = line.trim_start();
    let is_whole = line.starts_with('|') || line.starts_with("<!--") || line.contains("](");
    is_whole && file.name.ends_with(".md")
}

/// `line` without what stands between backticks.
fn without_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return line.to_string();
    }
    parts.into_iter().step_by(2).collect()
}

/// The words that the last section of the glossary lists.
fn banned_words(files: &[File]) -> BTreeSet<String> {
    let glossary = files.iter().find(|file| file.name == "docs/glossary.md");
    let text = &glossary.expect("docs/glossary.md is there").text;
    let listed = text.lines().filter_map(|line| line.strip_prefix("> "));
    let words = listed.flat_map(|line| line.split([',', ' ']));
    words.filter(|word| !word.is_empty()).map(str::to_string).collect()
}
