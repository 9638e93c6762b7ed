//! The help's texts: one for each flag, and the sections around them.
//!
//! Both files are read only if help is printed. A section begins with `=== ` and its title. Lines
//! are joined into paragraphs, which empty lines separate; lines that begin with four spaces are
//! examples in `flags.txt`, and the description of the name above them in `sections.txt`.

use std::sync::LazyLock;

/// A sentence of at most 46 characters about each flag, for `-h`, and paragraphs, for `--help` and
/// the man page.
const FLAG_TEXTS: &str = include_str!("flags.txt");

/// The parts of `--help` and the man page that are not about flags.
const SECTION_TEXTS: &str = include_str!("sections.txt");

/// A part of `--help` and the man page that is not about flags.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// A name and its description.
    pub(crate) entries: Vec<(&'static str, String)>,
}

/// The section before the flags, and those after them.
pub(crate) fn sections() -> (Section, impl Iterator<Item = Section>) {
    let mut sections = split(SECTION_TEXTS).map(|(title, body)| {
        let entries = body.split("\n\n").filter_map(|entry| entry.split_once('\n'));
        let entries = entries.map(|(name, description)| (name, join(description)));
        Section { title, entries: entries.collect() }
    });
    let first = sections.next().unwrap_or(Section { title: "", entries: Vec::new() });
    (first, sections)
}

/// The sentence about the flag with the long name `flag`.
pub(crate) fn summary(flag: &str) -> &'static str {
    of_flag(flag).lines().next().unwrap_or_default()
}

/// The paragraphs about a flag, each a single line or an example.
pub(crate) fn manual(flag: &str) -> impl Iterator<Item = String> {
    of_flag(flag).split("\n\n").skip(1).map(|paragraph| match paragraph.starts_with(' ') {
        true => paragraph.to_owned(),
        false => join(paragraph),
    })
}

fn of_flag(name: &str) -> &'static str {
    static BY_NAME: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| split(FLAG_TEXTS).collect());
    BY_NAME.iter().find(|(title, _)| *title == name).map_or("", |(_, body)| body)
}

/// The sections in `text`, as titles and bodies.
fn split(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("=== ")
        .filter_map(|section| section.split_once('\n'))
        .map(|(title, body)| (title, body.trim_matches('\n')))
}

/// A paragraph's lines as one.
fn join(paragraph: &str) -> String {
    paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    #[test]
    fn every_flag_has_a_text_and_every_text_a_flag() {
        let texts: Vec<&str> = split(FLAG_TEXTS).map(|(title, _)| title).collect();
        let names: Vec<&str> = flags::all().map(|flag| flag.long).collect();
        assert_eq!(texts, names, "in the same order");
    }

    #[test]
    fn texts_are_sentences_and_examples() {
        for name in flags::all().map(|flag| flag.long) {
            let summary = summary(name);
            assert!(summary.ends_with('.') && summary.len() <= 46, "{name}");
            assert!(summary.starts_with(char::is_uppercase), "{name}");
            let manual: Vec<String> = manual(name).collect();
            assert!(manual[0].starts_with(char::is_uppercase), "{name}");
            for text in &manual {
                assert_eq!(text.trim_end(), text, "{name}");
                assert!(!text.is_empty(), "{name}");
                let example = text.lines().all(|line| line.starts_with("    "));
                let ends = text.ends_with(['.', ':']) || text.ends_with("one of");
                assert!(example || ends, "{name}: {text}");
                assert!(example || !text.contains("  "), "two blanks in --{name}: {text}");
            }
            assert!(!manual[manual.len() - 1].ends_with(':'), "{name}");
        }
    }
}
