//! Advice for other programs' flags, such as grep's `-R` and `--include`, that are none here.

use std::ffi::OsStr;

/// Spellings of flags that do not exist, and what does the same. `@` stands for the value that was
/// given, or for the example behind the bar.
const HABITS: &[(&str, &str)] = &[
    ("--recursive", "Directories are searched anyway."),
    ("-R --dereference-recursive", "Directories are searched anyway; -L follows symbolic links."),
    (
        "--no-recursive --no-recurse --norecurse",
        "--max-depth 1 searches no directories in a directory.",
    ),
    ("--include", "--only @ or -g @ selects files; -t selects them by type.|*.rs"),
    ("--ext --extension", "--only '*.@' selects files; -t selects them by type.|rs"),
    (
        "--exclude-dir --ignore-dir",
        "--exclude @ leaves out directories, and so does -g '!NAME'.|target",
    ),
    ("--exclude-from", "--ignore-file @ reads globs from a file.|FILE"),
    (
        "-G --basic-regexp",
        "Patterns are extended regular expressions: a|b and (a), not a\\|b and \\(a\\).",
    ),
    ("--extended-regexp", "Patterns are extended regular expressions already."),
    ("--perl-regexp", "-P (--pcre2) searches with the regular expressions of Perl."),
    ("-Q --literal", "-F (--fixed-strings) searches for text literally."),
    ("-Z", "-0 (--null) ends each path with a NUL byte."),
    ("-y", "-i (--ignore-case) ignores case."),
    ("--no-ignore-case", "-s (--case-sensitive) respects case."),
    (
        "-1 -2 -3 -4 -5 -6 -7 -8 -9",
        "-C (--context) shows lines around each match; -e is in front of a pattern with a dash.",
    ),
    ("--group-separator", "--context-separator @ separates groups of lines.|TEXT"),
    ("--no-group-separator", "--no-context-separator joins groups of lines."),
    ("--devices --directories", "Directories are searched anyway, devices and pipes if named."),
    ("--silent", "-q (--quiet) prints nothing."),
    ("--no-color --no-colour --nocolor", "--color never disables colors."),
    ("--colour", "--color chooses when there are colors."),
    ("--binary-files", "-a (--text) searches binary files as text, --binary until they match."),
    ("--changed-within --changed-after --newermt", "--newer @ selects files by their time.|2h"),
    ("--changed-before", "--older @ selects files by their time.|2h"),
    ("--size", "--min-filesize and --max-filesize select files by their size."),
    ("-?", "Run `hs -h` for a list of all flags, or `hs --help` for details on each."),
];

/// What to use in place of `spelling`, which is no flag; `None` if no known program has it.
///
/// Example: for `--include` with the value `*.c`, the advice names `--only '*.c'`.
pub(super) fn advice(spelling: &str, value: Option<&OsStr>) -> Option<String> {
    let (_, text) = HABITS.iter().find(|(names, _)| names.split(' ').any(|n| n == spelling))?;
    let (text, example) = text.split_once('|').filter(|_| text.contains('@')).unwrap_or((text, ""));
    // An argument must not be able to make up lines of advice, or words on a command line.
    let is_plain = |value: &&str| !value.contains(|c: char| c.is_control() || c == '\'');
    let value = value.and_then(OsStr::to_str).filter(is_plain).unwrap_or(example);
    if text.contains("*.@") {
        let extension = value.trim_start_matches('.');
        let is_extension =
            !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
        return Some(text.replace('@', if is_extension { extension } else { example }));
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let value = match value.contains(|c: char| !is_word(c)) || value.is_empty() {
        true => format!("'{value}'"),
        false => value.to_owned(),
    };
    Some(crate::texts::name::adapt(&text.replace('@', &value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    #[test]
    fn advice_is_about_flags_that_do_not_exist_and_names_those_that_do() {
        let exists = |name: &str| {
            flags::all().any(|flag| {
                let mut long = flag.long_names().map(|name| format!("--{name}"));
                flag.short.is_some_and(|letter| name == format!("-{letter}"))
                    || long.any(|n| n == name)
            })
        };
        for (names, text) in HABITS {
            for name in names.split(' ') {
                assert!(!exists(name), "{name}");
                let advice = advice(name, None).expect("there is one");
                assert!(advice.ends_with('.') && !advice.contains(['@', '\n']), "{advice}");
            }
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            for flag in words.filter(|word| word.starts_with('-')) {
                assert!(exists(flag), "{flag} in the advice about {names}");
            }
        }
        assert_eq!(advice("--hiden", None), None);
    }

    #[test]
    fn an_extension_becomes_a_glob() {
        let advice = |value: &str| advice("--extension", Some(value.as_ref())).unwrap();
        for value in ["c", ".c"] {
            assert!(advice(value).starts_with("--only '*.c' selects "), "{value}");
        }
        for value in ["", "c,h", "*.c", "../c"] {
            assert!(advice(value).starts_with("--only '*.rs' selects "), "{value}");
        }
    }

    #[test]
    fn the_value_is_part_of_the_advice() {
        let advice = |value: &str| advice("--include", Some(value.as_ref())).unwrap();
        assert!(advice("*.c").starts_with("--only '*.c' or -g '*.c' "));
        assert!(advice("Makefile").starts_with("--only Makefile or "));
        for value in ["a\nb", "it's"] {
            assert!(advice(value).starts_with("--only '*.rs' or "), "{value}");
        }
    }
}
