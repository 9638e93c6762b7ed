//! Help and version, generated from the flag records and the texts in `help/`.

pub(crate) mod docs;

use std::fmt::Write;

use heist_filter::TypeDefinition;

use self::docs::Section;
use crate::{
    flags::{self, CATEGORIES, Flag},
    texts::name,
    typed::EarlyMode,
};

/// How wide a line may be, in columns.
const HELP_COLUMNS: usize = 80;

/// The column that summaries have in `-h`.
const SUMMARY_COLUMN: usize = 34;

pub(crate) const ABOUT: &str = "Search files for lines that match a regular expression. Directories \
    are searched recursively. Hidden files, binary files and files that git ignores are skipped.";

pub(crate) const USAGE_LINES: &[&str] = &[
    "hs [FLAGS] PATTERN [PATH...]",
    "hs [FLAGS] -e PATTERN... [PATH...]",
    "hs [FLAGS] -f PATTERNFILE... [PATH...]",
    "hs [FLAGS] --files [PATH...]",
    "hs [FLAGS] --why PATH...",
    "hs [FLAGS] --type-list",
    "hs [FLAGS] --index-update [DIRECTORY]",
    "hs --generate KIND",
    "command | hs [FLAGS] PATTERN",
];

/// Which flags `-h` lists first, by their long names.
const MOST_USED: &str = "ignore-case smart-case fixed-strings word-regexp invert-match \
    after-context before-context context line-number excerpt files-with-matches count only-matching \
    replace glob type hidden unrestricted multiline files why";

/// The text that `mode` prints.
pub(crate) fn early(mode: EarlyMode) -> String {
    match mode {
        EarlyMode::ShortHelp => name::adapt(&short_help()),
        EarlyMode::LongHelp => name::adapt(&long_help()),
        EarlyMode::ShortVersion => name_and_version(),
        EarlyMode::LongVersion => long_version(),
        EarlyMode::Pcre2Version => heist_matcher::pcre2_version() + "\n",
    }
}

/// One line per flag: the most used ones first, then the others by category.
fn short_help() -> String {
    let mut text = name_and_version();
    wrap(&mut text, ABOUT, 0);
    text.push_str("\nUsage: hs [FLAGS] PATTERN [PATH...]\n");
    text.push_str("Run `hs --help` for details on each flag.\n");
    let most_used: Vec<&str> = MOST_USED.split(' ').collect();
    let find = |name: &&str| flags::all().find(|flag| flag.long == *name);
    summaries(&mut text, "Most used", most_used.iter().filter_map(find));
    for category in &CATEGORIES {
        let rest = category.shown().filter(|flag| !most_used.contains(&flag.long));
        summaries(&mut text, category.title, rest);
    }
    text
}

fn summaries(text: &mut String, title: &str, flags: impl Iterator<Item = &'static Flag>) {
    line(text, format_args!("\n{title}:"));
    for flag in flags {
        let names = names(flag, false);
        let gap = SUMMARY_COLUMN.saturating_sub(names.len() + 2).max(2);
        line(text, format_args!("  {names}{:gap$}{}", "", docs::summary(flag.long)));
    }
}

fn long_help() -> String {
    let mut text = name_and_version();
    wrap(&mut text, ABOUT, 0);
    text.push_str("\nUsage:\n");
    for usage in USAGE_LINES {
        line(&mut text, format_args!("    {usage}"));
    }
    let (arguments, sections) = docs::sections();
    section(&mut text, &arguments);
    for category in &CATEGORIES {
        line(&mut text, format_args!("\n{}:", category.title));
        for (index, flag) in category.shown().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            line(&mut text, format_args!("    {}", names(flag, true)));
            entry(&mut text, flag);
        }
    }
    sections.for_each(|part| section(&mut text, &part));
    text
}

/// A flag's names and its value's, with its aliases if `with_aliases`: `-A, --after-context=NUM`.
fn names(flag: &Flag, with_aliases: bool) -> String {
    let mut names = flag.short.map_or_else(String::new, |letter| format!("-{letter}, "));
    names.push_str("--");
    names.push_str(flag.long);
    for alias in flag.aliases.iter().filter(|_| with_aliases) {
        names.push_str(", --");
        names.push_str(alias);
    }
    if let Some((open, value, close)) = flag.value.shown() {
        names.extend([open, value, close]);
    }
    names
}

/// Appends a flag's manual.
fn entry(text: &mut String, flag: &Flag) {
    for (index, paragraph) in manual(flag).iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        if paragraph.starts_with(' ') {
            for example in paragraph.lines() {
                line(text, format_args!("        {example}"));
            }
        } else {
            wrap(text, paragraph, 8);
        }
    }
}

/// The paragraphs in a flag's manual, including its negation. Paragraphs that begin with four
/// spaces are examples.
pub(crate) fn manual(flag: &Flag) -> Vec<String> {
    let mut paragraphs: Vec<String> = docs::manual(flag.long).collect();
    if let Some(negation) = flag.negation {
        let explanation = format!("Use --{negation} ");
        if !paragraphs.iter().any(|text| text.contains(&explanation)) {
            paragraphs.push(explanation + "to disable this flag.");
        }
    }
    paragraphs
}

fn section(text: &mut String, section: &Section) {
    line(text, format_args!("\n{}:", section.title));
    for (name, description) in &section.entries {
        line(text, format_args!("    {name}"));
        wrap(text, description, 8);
    }
}

/// Appends `paragraph` in lines of at most [`HELP_COLUMNS`] columns, indented by `indent`.
fn wrap(text: &mut String, paragraph: &str, indent: usize) {
    let mut column = 0;
    for word in paragraph.split_ascii_whitespace() {
        if column > 0 && column + 1 + word.len() > HELP_COLUMNS {
            text.push('\n');
            column = 0;
        }
        if column == 0 {
            let _ = write!(text, "{:indent$}{word}", "");
            column = indent + word.len();
        } else {
            text.push(' ');
            text.push_str(word);
            column += 1 + word.len();
        }
    }
    text.push('\n');
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

fn name_and_version() -> String {
    name::version() + "\n"
}

fn long_version() -> String {
    format!(
        "{}\nfeatures:+pcre2\nsimd(compile):{}\nsimd(runtime):{}\n\n{}\n",
        name_and_version(),
        simd_text(&simd_of_build()),
        simd_text(&simd_of_machine()),
        heist_matcher::pcre2_version(),
    )
}

/// Vector instruction sets by name, and whether they are available.
type Simd = Vec<(&'static str, bool)>;

fn simd_text(simd: &Simd) -> String {
    let sign = |(name, has): &(&str, bool)| format!("{}{name}", if *has { '+' } else { '-' });
    simd.iter().map(sign).collect::<Vec<_>>().join(",")
}

#[cfg(target_arch = "x86_64")]
fn simd_of_build() -> Simd {
    vec![
        ("SSE2", cfg!(target_feature = "sse2")),
        ("SSSE3", cfg!(target_feature = "ssse3")),
        ("AVX2", cfg!(target_feature = "avx2")),
    ]
}

#[cfg(target_arch = "x86_64")]
fn simd_of_machine() -> Simd {
    vec![
        ("SSE2", std::is_x86_feature_detected!("sse2")),
        ("SSSE3", std::is_x86_feature_detected!("ssse3")),
        ("AVX2", std::is_x86_feature_detected!("avx2")),
    ]
}

#[cfg(not(target_arch = "x86_64"))]
fn simd_of_build() -> Simd {
    vec![("NEON", cfg!(target_feature = "neon"))]
}

/// Other processors are not examined at run time: the build uses what all such processors support.
#[cfg(not(target_arch = "x86_64"))]
fn simd_of_machine() -> Simd {
    simd_of_build()
}

/// The lines that `--type-list` prints: every file type with its globs.
pub(crate) fn type_list(types: &[TypeDefinition]) -> String {
    let line = |one: &TypeDefinition| format!("{}: {}\n", one.name, one.globs.join(", "));
    types.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_file;

    #[test]
    fn short_help_has_one_line_per_flag_and_fits() {
        let text = short_help();
        for flag in flags::all() {
            let summary = docs::summary(flag.long);
            let lines = text.lines().filter(|line| line.ends_with(summary)).count();
            assert_eq!(lines, usize::from(!flag.hidden), "--{}", flag.long);
        }
        let widest = text.lines().max_by_key(|line| line.len()).unwrap();
        assert!(widest.len() <= HELP_COLUMNS, "{widest}");
        assert!(text.contains("\n\nMost used:\n  -i, --ignore-case"));
    }

    #[test]
    fn long_help_has_every_name_and_fits() {
        let text = long_help();
        for flag in flags::all().filter(|flag| !flag.hidden) {
            assert!(text.contains(&format!("    {}\n", names(flag, true))), "--{}", flag.long);
            if let Some(negation) = flag.negation {
                assert!(text.contains(&format!("--{negation} ")), "{negation}");
            }
        }
        assert!(!text.contains("--reader"), "hidden flags are omitted");
        for variable in [config_file::VARIABLE, config_file::RIPGREP_VARIABLE] {
            assert!(text.contains(&format!("    {variable}\n")), "{variable}");
        }
        let widest = text.lines().max_by_key(|line| line.len()).unwrap();
        assert!(widest.len() <= HELP_COLUMNS, "{widest}");
        assert!(text.lines().all(|line| line == line.trim_end()));
        assert!(!text.contains("\n\n\n"));
    }

    #[test]
    fn paragraphs_are_wrapped_between_words() {
        let mut text = String::new();
        let word = "x".repeat(39);
        wrap(&mut text, &format!("{word} {word} {word}"), 2);
        assert_eq!(text, format!("  {word}\n  {word}\n  {word}\n"));
        text.clear();
        wrap(&mut text, &format!("{word} {word}  z"), 1);
        assert_eq!(text, format!(" {word} {word}\n z\n"));
    }

    #[test]
    fn versions_have_the_shape_that_tools_parse() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(early(EarlyMode::ShortVersion), format!("hs {version}\n"));
        let long = early(EarlyMode::LongVersion);
        let lines: Vec<&str> = long.lines().collect();
        let [name, "", features, compile, runtime, "", pcre2] = lines[..] else {
            panic!("{long}");
        };
        assert_eq!(name, format!("hs {version}"));
        assert_eq!(features, "features:+pcre2");
        assert!(compile.starts_with("simd(compile):"));
        assert!(runtime.starts_with("simd(runtime):"));
        assert!(pcre2.starts_with("PCRE2 10."));
    }

    #[test]
    fn a_line_of_the_type_list_holds_name_and_globs() {
        let definition = |name: &str, globs: &[&str]| TypeDefinition {
            name: name.to_owned(),
            globs: globs.iter().map(ToString::to_string).collect(),
        };
        let types = [definition("c", &["*.[chH]", "*.cats"]), definition("md", &["*.md"])];
        assert_eq!(type_list(&types), "c: *.[chH], *.cats\nmd: *.md\n");
        assert_eq!(type_list(&[]), "");
    }
}
