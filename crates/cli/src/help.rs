//! Help and version, out of the flags' records.

use std::fmt::Write;

use crate::{
    config_file,
    flags::{self, Category, Flag},
    name,
    typed::EarlyMode,
};

/// Columns that help may take.
const WIDTH: usize = 80;

/// Where summaries begin in the short help.
const SUMMARY_COLUMN: usize = 34;

pub(crate) const ABOUT: &str = "Find text in trees of files. Files that git ignores, hidden files and binary \
                     files are left out.";

pub(crate) const USAGE: &[&str] = &[
    "hs [FLAGS] PATTERN [PATH...]",
    "hs [FLAGS] -e PATTERN... [PATH...]",
    "hs [FLAGS] -f PATTERNFILE... [PATH...]",
    "hs [FLAGS] --files [PATH...]",
    "hs [FLAGS] --type-list",
    "command | hs [FLAGS] PATTERN",
];

/// Name and text of what is no flag.
pub(crate) const ARGUMENTS: &[(&str, &str)] = &[
    (
        "PATTERN",
        "The regex to search for. One that begins with a dash is given with -e, or after --, which \
         ends the flags.",
    ),
    (
        "PATH",
        "A file or directory to search; - is standard input. Ignore files, globs and the like \
         leave out what is found in directories, never a path that is named. Without any path, \
         standard input is searched if it is a file or a pipe, else the current directory.",
    ),
];

pub(crate) const ENVIRONMENT: &[(&str, &str)] = &[
    (
        config_file::VARIABLE,
        "The configuration file; none if the variable is empty. If it is not set, the file is \
         $XDG_CONFIG_HOME/heist/config or ~/.config/heist/config, where that exists. Each line of \
         it is one argument, as if it stood before those on the command line. Nothing is quoted: a \
         flag and its value are --flag=value, or two lines. Empty lines and lines that begin with \
         # are skipped.",
    ),
    (
        config_file::RIPGREP_VARIABLE,
        "Counts where the variable above is not set and hs was started by the name rg: a link of \
         that name stands in for ripgrep.",
    ),
    ("NO_COLOR", "If set, colors are used only with --color always."),
    ("TERM", "If unset or dumb, colors are used only with --color always."),
];

pub(crate) const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "There is a match, and no error; with --quiet, there is a match."),
    ("1", "There is no match, and no error."),
    ("2", "There was an error: nothing was searched, or not everything could be."),
];

/// The text that `mode` asks for.
pub(crate) fn early(mode: EarlyMode) -> String {
    match mode {
        EarlyMode::ShortHelp => short_help(),
        EarlyMode::LongHelp => long_help(),
        EarlyMode::ShortVersion => name_and_version(),
        EarlyMode::LongVersion => long_version(),
        EarlyMode::Pcre2Version => heist_matcher::pcre2_version() + "\n",
    }
}

/// A line for each flag.
fn short_help() -> String {
    let mut text = name_and_version();
    wrap(&mut text, ABOUT, 0);
    text.push_str("\nUsage: hs [FLAGS] PATTERN [PATH...]\n");
    text.push_str("All there is to say about each flag is told by --help.\n");
    for category in Category::ALL {
        line(&mut text, format_args!("\n{}:", category.title()));
        for flag in shown(category) {
            let names = names(flag, false);
            let gap = SUMMARY_COLUMN.saturating_sub(names.len() + 2).max(2);
            line(&mut text, format_args!("  {names}{:gap$}{}", "", flag.summary));
        }
    }
    text
}

fn long_help() -> String {
    let mut text = name_and_version();
    wrap(&mut text, ABOUT, 0);
    text.push_str("\nUsage:\n");
    for usage in USAGE {
        line(&mut text, format_args!("    {usage}"));
    }
    section(&mut text, "Arguments", ARGUMENTS);
    for category in Category::ALL {
        line(&mut text, format_args!("\n{}:", category.title()));
        for (index, flag) in shown(category).enumerate() {
            if index > 0 {
                text.push('\n');
            }
            line(&mut text, format_args!("    {}", names(flag, true)));
            entry(&mut text, flag);
        }
    }
    section(&mut text, "Environment", ENVIRONMENT);
    section(&mut text, "Exit codes", EXIT_CODES);
    text
}

fn shown(category: Category) -> impl Iterator<Item = &'static Flag> {
    flags::all().filter(move |flag| flag.category == category && !flag.hidden)
}

/// A flag's names and what follows them, all of them if `with_aliases`.
fn names(flag: &Flag, with_aliases: bool) -> String {
    let mut names = String::new();
    if let Some(letter) = flag.short {
        names.push('-');
        names.push(letter);
        names.push_str(", ");
    }
    names.push_str("--");
    names.push_str(flag.long);
    for alias in flag.aliases.iter().filter(|_| with_aliases) {
        names.push_str(", --");
        names.push_str(alias);
    }
    if let Some(value) = flag.value.name() {
        names.push('=');
        names.push_str(value);
    }
    names
}

/// What there is to say about a flag, below its names.
fn entry(text: &mut String, flag: &Flag) {
    for (index, paragraph) in manual(flag).split("\n\n").enumerate() {
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

/// The paragraphs about a flag, with what follows from its record. Lines that begin with four
/// spaces are to be shown as they are.
pub(crate) fn manual(flag: &Flag) -> String {
    let mut text = flag.manual.to_owned();
    if let Some(negation) = flag.negation {
        let _ = write!(text, "\n\n--{negation} takes it back.");
    }
    text
}

fn section(text: &mut String, title: &str, entries: &[(&str, &str)]) {
    line(text, format_args!("\n{title}:"));
    for (name, what) in entries {
        line(text, format_args!("    {name}"));
        wrap(text, what, 8);
    }
}

/// Append `paragraph` in lines of at most [`WIDTH`], indented by `indent`.
fn wrap(text: &mut String, paragraph: &str, indent: usize) {
    let mut column = 0;
    for word in paragraph.split_ascii_whitespace() {
        if column > 0 && column + 1 + word.len() > WIDTH {
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

/// Names of vector instructions and whether they are there.
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

/// Where the processor is not asked, the build has what every processor of its kind has.
#[cfg(not(target_arch = "x86_64"))]
fn simd_of_machine() -> Simd {
    simd_of_build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_help_has_one_line_per_flag_and_fits() {
        let text = short_help();
        for flag in flags::all() {
            let lines = text.lines().filter(|line| line.ends_with(flag.summary)).count();
            let is_shown = !flag.hidden;
            assert_eq!(lines > 0, is_shown, "--{}", flag.long);
        }
        let widest = text.lines().max_by_key(|line| line.len()).unwrap();
        assert!(widest.len() <= WIDTH, "{widest}");
    }

    #[test]
    fn long_help_has_every_name_and_fits() {
        let text = long_help();
        for flag in flags::all().filter(|flag| !flag.hidden) {
            assert!(text.contains(&format!("    {}\n", names(flag, true))), "--{}", flag.long);
            if let Some(negation) = flag.negation {
                assert!(text.contains(&format!("--{negation} takes it back.")), "{negation}");
            }
        }
        assert!(!text.contains("--reader"), "what is hidden is not shown");
        let widest = text.lines().max_by_key(|line| line.len()).unwrap();
        assert!(widest.len() <= WIDTH, "{widest}");
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
}
