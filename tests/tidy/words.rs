//! The words of comments and guides: no line over 100 columns, no word that the glossary rules out.

use std::collections::{BTreeMap, BTreeSet};

use crate::{File, check, files, is_test_file, lines_without_tests, rust_files};

/// How many columns a line in a comment or a guide may have.
const MAX_COLUMNS: usize = 100;

/// How no doc comment begins: where rustdoc shows it alone, these words stand for nothing.
const HEADS_WITHOUT_SUBJECT: [&str; 9] =
    ["The same", "Likewise", "It", "Its", "Those", "That of", "They", "Theirs", "Who"];

/// Names of constants that several files may have, although they state neither what is named nor
/// its unit: those of a trait or a type, which are read behind it, as in `Stamp::NONE`.
const NAMES_OF_TYPES: [&str; 10] = [
    "ALL",
    "DIRECTORIES",
    "LINKS",
    "LISTINGS",
    "NAME",
    "NAMES",
    "NONE",
    "ORDER",
    "UNKNOWN",
    "WHOLE",
];

#[test]
fn comments_and_guides_fit_100_columns() {
    let mut faults = Vec::new();
    for file in written() {
        for (number, line) in prose(&file) {
            if line.whole.chars().count() > MAX_COLUMNS && !is_unbreakable(&file, line.whole) {
                faults.push(format!("{}:{number}: over {MAX_COLUMNS} columns", file.name));
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
            if is_comment && !line.contains("://") && line.chars().count() > MAX_COLUMNS {
                faults.push(format!("{}:{number}: over {MAX_COLUMNS} columns", file.name));
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
fn doc_comments_name_their_subject() {
    let mut faults = Vec::new();
    for file in rust_files() {
        for (number, head) in heads(&file.text) {
            if let Some(words) = HEADS_WITHOUT_SUBJECT.iter().find(|words| begins(head, words)) {
                faults.push(format!("{}:{number}: begins with `{words}`", file.name));
            }
        }
    }
    check(faults);
}

#[test]
fn doc_comments_begin_with_whole_words() {
    let text = "/// It is.\n/// Its.\nconst A: u8 = 0;\n    /// Item.\n";
    assert_eq!(heads(text).collect::<Vec<_>>(), [(1, "It is."), (4, "Item.")]);
    assert!(
        begins("It is.", "It")
            && begins("That of `a`", "That of")
            && begins("The same.", "The same")
    );
    assert!(!begins("Item.", "It") && !begins("That often", "That of"));
}

#[test]
fn constants_of_one_word_are_in_one_file() {
    let mut places = BTreeMap::<String, BTreeSet<String>>::new();
    for file in rust_files() {
        if !file.name.contains("/src/") || is_test_file(&file.name) {
            continue;
        }
        for name in lines_without_tests(&file.text).filter_map(constant) {
            if !name.contains('_') && !NAMES_OF_TYPES.contains(&name) {
                places.entry(name.to_string()).or_default().insert(file.name.clone());
            }
        }
    }
    let several = places.into_iter().filter(|(_, files)| files.len() > 1);
    let list = |files: BTreeSet<String>| files.into_iter().collect::<Vec<_>>().join(", ");
    check(several.map(|(name, files)| format!("{name}: {}", list(files))));
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

/// The first lines of the doc comments in `text`, with their numbers.
fn heads(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_within = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let doc = line.trim_start().strip_prefix("///");
        let head = doc.filter(|_| !is_within).map(|head| (number, head.trim_start()));
        is_within = doc.is_some();
        head
    })
}

/// Whether `text` begins with `words` as whole words.
fn begins(text: &str, words: &str) -> bool {
    let rest = text.strip_prefix(words);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// The name of the constant that a line declares.
fn constant(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let behind = line.strip_prefix("pub").map_or(line, |rest| {
        let rest =
            rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |it| it.1);
        rest.trim_start()
    });
    let (name, _) = behind.strip_prefix("const ")?.split_once(':')?;
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_').then_some(name)
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
