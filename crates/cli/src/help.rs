//! Help and version, generated from the flag records.

use std::fmt::Write;

use crate::{
    config_file,
    flags::{self, Category, Flag},
    name,
    typed::EarlyMode,
};

/// The maximum width of a line, in columns.
const WIDTH: usize = 80;

/// The column of the summaries in `-h`.
const SUMMARY_COLUMN: usize = 34;

pub(crate) const ABOUT: &str = "Search files for lines that match a regular expression. Directories \
    are searched recursively. Hidden files, binary files and files that git ignores are skipped.";

pub(crate) const USAGE: &[&str] = &[
    "hs [FLAGS] PATTERN [PATH...]",
    "hs [FLAGS] -e PATTERN... [PATH...]",
    "hs [FLAGS] -f PATTERNFILE... [PATH...]",
    "hs [FLAGS] --files [PATH...]",
    "hs [FLAGS] --type-list",
    "command | hs [FLAGS] PATTERN",
];

/// The long names of the flags that `-h` lists first.
const MOST_USED: &[&str] = &[
    "ignore-case",
    "smart-case",
    "fixed-strings",
    "word-regexp",
    "invert-match",
    "context",
    "files-with-matches",
    "count",
    "only-matching",
    "replace",
    "glob",
    "type",
    "hidden",
    "unrestricted",
    "multiline",
    "files",
];

/// A part of `--help` and of the man page that does not come from the flag records.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// A name and its description.
    pub(crate) entries: &'static [(&'static str, &'static str)],
}

/// The section before the flags.
pub(crate) const ARGUMENTS: Section = Section {
    title: "Arguments",
    entries: &[
        (
            "PATTERN",
            "The regular expression to search for. Use -e for a pattern that begins with a dash, \
             or write -- before it, which ends the flags.",
        ),
        (
            "PATH",
            "A file or directory to search; - is standard input. A file that is named is always \
             searched: ignore files, globs and the like apply to the contents of directories. \
             Without a path, standard input is searched if it is a file or a pipe, and the current \
             directory otherwise.",
        ),
    ],
};

/// The sections after the flags.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        title: "Regular expressions",
        entries: &[
            (".", "Any character except the line terminator."),
            ("[a-z] [^a-z] [[:alpha:]]", "One of these characters; none of them; a named class."),
            (
                "\\d \\s \\w \\pL \\p{Greek}",
                "A digit; whitespace; a word character; a letter; a character of a Unicode class. \
                 \\D, \\S, \\W and \\PL match all other characters.",
            ),
            ("ab a|b", "a followed by b; a or b."),
            (
                "a* a+ a? a{2} a{2,} a{2,5}",
                "Zero or more; one or more; zero or one; two; two or more; two to five. As many as \
                 possible are matched, or with ? appended, as few as possible.",
            ),
            ("^ $ \\b \\B", "The start and the end of a line; a word boundary; no word boundary."),
            ("(a) (?P<name>a) (?:a)", "A numbered group; a named group; a group without a number."),
            (
                "(?i) (?i:a) (?-u:a)",
                "Flags for the rest of the group, or for the group itself: i ignores case, s lets \
                 . match line terminators, x ignores whitespace and comments, u is Unicode; a dash \
                 disables a flag.",
            ),
            (
                "\\. \\t \\x7F \\u{e9}",
                "A literal dot, like any special character after a backslash; a tab; a character \
                 by its code.",
            ),
        ],
    },
    Section {
        title: "Environment",
        entries: &[
            (
                config_file::VARIABLE,
                "The path of the configuration file. If it is empty, no file is read.",
            ),
            (
                config_file::RIPGREP_VARIABLE,
                "Is used if the variable above is not set and the program was started under the \
                 name rg, as through a link that stands in for ripgrep.",
            ),
            ("HEIST_RESTRICT", "Enables --safe unless it is empty or 0."),
            ("NO_COLOR", "Disables colors unless it is empty. --color always overrides it."),
            ("CLICOLOR_FORCE", "Enables colors everywhere unless it is empty or 0."),
            ("TERM", "If unset or dumb, the terminal has no colors."),
        ],
    },
    Section {
        title: "Files",
        entries: &[
            (
                "$XDG_CONFIG_HOME/heist/config, ~/.config/heist/config",
                "The configuration file, if no variable names another one. Under the name rg, \
                 there is no such default. Each line of it is one \
                 argument, which precedes those on the command line. Nothing is quoted or \
                 expanded; a flag and its value are written as --flag=value or as two lines. Empty \
                 lines and lines that begin with # are skipped.",
            ),
            (
                ".gitignore, .ignore, .rgignore",
                "Globs of files to skip, in any directory that is searched or above it.",
            ),
        ],
    },
    Section {
        title: "Exit status",
        entries: &[
            ("0", "There was a match and no error, or with --quiet, there was a match."),
            ("1", "There was no match and no error."),
            ("2", "There was an error: nothing was searched, or not everything could be."),
        ],
    },
    Section {
        title: "Examples",
        entries: &[
            ("hs -i -trust 'fn (new|with_\\w+)' src", "Search Rust files below src for functions."),
            ("hs -l TODO -g '!vendor'", "List the files that contain TODO, except below vendor."),
            ("hs -C2 -F 'a[0].next' -- list.c", "Search for literal text, with two context lines."),
            ("hs --files --hidden -g '*.toml'", "List files by name, hidden ones included."),
            ("hs -U 'impl\\s+Drop\\s+for'", "Search for a pattern that can span lines."),
            ("hs --passthru -r '$2-$1' '(\\d+)/(\\d+)' log.txt", "Print a file with replacements."),
        ],
    },
    Section {
        title: "See also",
        entries: &[
            ("grep(1), find(1), gitignore(5)", "Related programs and formats."),
            ("GUIDE.md", "The guide, with examples of every task and the complete regex syntax."),
        ],
    },
];

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
    let find = |name: &&str| flags::all().find(|flag| flag.long == *name);
    summaries(&mut text, "Most used", MOST_USED.iter().filter_map(find));
    for category in Category::ALL {
        let rest = shown(category).filter(|flag| !MOST_USED.contains(&flag.long));
        summaries(&mut text, category.title(), rest);
    }
    text
}

fn summaries(text: &mut String, title: &str, flags: impl Iterator<Item = &'static Flag>) {
    line(text, format_args!("\n{title}:"));
    for flag in flags {
        let names = names(flag, false);
        let gap = SUMMARY_COLUMN.saturating_sub(names.len() + 2).max(2);
        line(text, format_args!("  {names}{:gap$}{}", "", flag.summary));
    }
}

fn long_help() -> String {
    let mut text = name_and_version();
    wrap(&mut text, ABOUT, 0);
    text.push_str("\nUsage:\n");
    for usage in USAGE {
        line(&mut text, format_args!("    {usage}"));
    }
    section(&mut text, &ARGUMENTS);
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
    for part in SECTIONS {
        section(&mut text, part);
    }
    text
}

/// The flags of `category` that help lists.
pub(crate) fn shown(category: Category) -> impl Iterator<Item = &'static Flag> {
    flags::in_category(category).filter(|flag| !flag.hidden)
}

/// The names of a flag and of its value, with its aliases if `with_aliases`.
fn names(flag: &Flag, with_aliases: bool) -> String {
    let mut names = flag.short.map_or_else(String::new, |letter| format!("-{letter}, "));
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

/// Appends the manual of a flag.
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

/// The manual of a flag, including its negation. Lines that begin with four spaces are examples.
pub(crate) fn manual(flag: &Flag) -> String {
    let mut text = flag.manual.to_owned();
    let unexplained = |negation: &&str| !text.contains(&format!("Use --{negation} "));
    if let Some(negation) = flag.negation.filter(unexplained) {
        let _ = write!(text, "\n\nUse --{negation} to disable this flag.");
    }
    text
}

fn section(text: &mut String, section: &Section) {
    line(text, format_args!("\n{}:", section.title));
    for (name, description) in section.entries {
        line(text, format_args!("    {name}"));
        wrap(text, description, 8);
    }
}

/// Appends `paragraph` in lines of at most [`WIDTH`] columns, indented by `indent`.
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

/// Names of vector instruction sets, and whether they are available.
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

/// Other processors are not examined at run time: the build uses what all of their kind support.
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
            assert_eq!(lines, usize::from(!flag.hidden), "--{}", flag.long);
        }
        let widest = text.lines().max_by_key(|line| line.len()).unwrap();
        assert!(widest.len() <= WIDTH, "{widest}");
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
