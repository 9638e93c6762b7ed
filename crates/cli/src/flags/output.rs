//! Flags that select the lines and fields to print.

use super::{
    record::{Flag, ValueKind::Value, flags, set},
    value::ValueError,
};
use crate::typed::{ContextLines, ContextSeparator};

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "after-context",
        short: Some('A'),
        value: Value("NUM"),
        summary: "Print NUM lines after each match.",
        manual: "Print NUM lines after each matching line. This flag overrides --context for the \
                 lines after a match. If both this flag and --passthru are given, the last one \
                 wins.",
        set: set!(|value, typed| {
            let after = Some(value.number()?);
            typed.context = ContextLines { after, passthru: false, ..typed.context };
        }),
    },
    Flag {
        long: "before-context",
        short: Some('B'),
        value: Value("NUM"),
        summary: "Print NUM lines before each match.",
        manual: "Print NUM lines before each matching line. This flag overrides --context for the \
                 lines before a match. If both this flag and --passthru are given, the last one \
                 wins.",
        set: set!(|value, typed| {
            let before = Some(value.number()?);
            typed.context = ContextLines { before, passthru: false, ..typed.context };
        }),
    },
    Flag {
        long: "context",
        short: Some('C'),
        value: Value("NUM"),
        summary: "Print NUM lines before and after each match.",
        manual: "Print NUM lines before and after each matching line. --before-context and \
                 --after-context override this flag, wherever they are. If both this flag and \
                 --passthru are given, the last one wins.",
        set: set!(|value, typed| {
            let both = Some(value.number()?);
            typed.context = ContextLines { both, passthru: false, ..typed.context };
        }),
    },
    Flag {
        long: "passthru",
        aliases: &["passthrough"],
        summary: "Print all lines, matching or not.",
        manual: "Print all lines, those that do not match as context. If this flag is given \
                 together with --context, --before-context or --after-context, the last one wins.",
        set: set!(|_, typed| typed.context = PASSTHRU),
    },
    Flag {
        long: "context-separator",
        negation: Some("no-context-separator"),
        value: Value("TEXT"),
        summary: "Set the separator between context groups.",
        manual: "Print TEXT on a line of its own between groups of lines that are not adjacent, if \
                 there is any context. The default is --. An empty TEXT prints an empty line. Use \
                 --no-context-separator to print no line at all. TEXT can contain the escapes \\0, \
                 \\t, \\n, \\r, \\\\ and \\xHH.",
        set: set!(|value, typed| typed.context_separator = match value.is_on() {
            true => ContextSeparator::Text(value.separator()?),
            false => ContextSeparator::Disabled,
        }),
    },
    Flag {
        long: "field-match-separator",
        value: Value("TEXT"),
        summary: "Set the field separator of matching lines.",
        manual: "Print TEXT after the path, the line number and each other field of a matching \
                 line. The default is a colon. TEXT can contain the escapes \\0, \\t, \\n, \\r, \
                 \\\\ and \\xHH.",
        set: set!(|value, typed| typed.field_match_separator = Some(value.separator()?)),
    },
    Flag {
        long: "field-context-separator",
        value: Value("TEXT"),
        summary: "Set the field separator of context lines.",
        manual: "Print TEXT after the path, the line number and each other field of a context \
                 line. The default is a hyphen. TEXT can contain the escapes \\0, \\t, \\n, \\r, \
                 \\\\ and \\xHH.",
        set: set!(|value, typed| typed.field_context_separator = Some(value.separator()?)),
    },
    Flag {
        long: "line-number",
        short: Some('n'),
        summary: "Print line numbers.",
        manual: "Print the number of each line, starting from 1. This is the default on a terminal \
                 unless only standard input is searched, and with --column, --vimgrep and --json. \
                 If both this flag and --no-line-number are given, the last one wins.",
        set: set!(|_, typed| typed.line_number = Some(true)),
    },
    Flag {
        long: "no-line-number",
        short: Some('N'),
        summary: "Do not print line numbers.",
        manual: "Do not print line numbers. This is the default if output does not go to a \
                 terminal. If both this flag and --line-number are given, the last one wins.",
        set: set!(|_, typed| typed.line_number = Some(false)),
    },
    Flag {
        long: "column",
        negation: Some("no-column"),
        summary: "Print the column of the first match.",
        manual: "Print the column of the first match in each matching line, in bytes, starting \
                 from 1. This flag implies --line-number unless --no-line-number is given.",
        set: set!(|value, typed| typed.column = Some(value.is_on())),
    },
    Flag {
        long: "byte-offset",
        short: Some('b'),
        negation: Some("no-byte-offset"),
        summary: "Print the byte offset of each line.",
        manual: "Print the offset of each line in its file, in bytes; with --only-matching or \
                 --vimgrep, the offset of each match. Offsets refer to the decoded text (see \
                 --encoding).",
        set: set!(|value, typed| typed.byte_offset = value.is_on()),
    },
    Flag {
        long: "with-filename",
        short: Some('H'),
        summary: "Print the path with each line.",
        manual: "Print the path of the file with each line, or above its lines with --heading. \
                 This is the default unless a single file is searched. If both this flag and \
                 --no-filename are given, the last one wins.",
        set: set!(|_, typed| typed.with_filename = Some(true)),
    },
    Flag {
        long: "no-filename",
        short: Some('I'),
        summary: "Do not print paths with lines.",
        manual: "Do not print paths with lines. This is the default if a single file is searched. \
                 If both this flag and --with-filename are given, the last one wins.",
        set: set!(|_, typed| typed.with_filename = Some(false)),
    },
    Flag {
        long: "heading",
        negation: Some("no-heading"),
        summary: "Print the path above the lines of each file.",
        manual: "Print the path of each file on a line of its own above its results, instead of on \
                 each line. This is the default on a terminal. This flag has no effect with \
                 --vimgrep.",
        set: set!(|value, typed| typed.heading = Some(value.is_on())),
    },
    Flag {
        long: "null",
        short: Some('0'),
        summary: "Print a NUL byte after each path.",
        manual: "Print a NUL byte after each path, instead of the separator or the line \
                 terminator. A program such as xargs -0 can then process paths that contain any \
                 character.",
        set: set!(|_, typed| typed.null = true),
    },
    Flag {
        long: "only-matching",
        short: Some('o'),
        summary: "Print only the matched parts of lines.",
        manual: "Print only the matched parts of lines, each match on a line of its own. An empty \
                 match prints an empty line. With --count, this is --count-matches.",
        set: set!(|_, typed| typed.only_matching = true),
    },
    Flag {
        long: "replace",
        short: Some('r'),
        value: Value("TEXT"),
        summary: "Print TEXT instead of each match.",
        manual: "Print TEXT instead of each match. Files are not changed. In TEXT, $0 stands for \
                 the match, $1 or ${1} for the first group of the pattern, $name or ${name} for a \
                 named group, and $$ for a dollar sign. A group that does not exist is empty. A \
                 name is as long as possible: $1a refers to a group named 1a, ${1}a to the first \
                 group.\n\n\
                 With --only-matching, only the replacements are printed. With --passthru, all of \
                 the text is printed, with its matches replaced.\n\n    \
                 hs -r '$2 $1' '(\\w+), (\\w+)' names.txt",
        set: set!(|value, typed| typed.replacement = Some(value.text()?.to_owned())),
    },
    Flag {
        long: "max-columns",
        short: Some('M'),
        value: Value("NUM"),
        summary: "Omit lines longer than NUM bytes.",
        manual: "Print a note instead of each line that is longer than NUM bytes, including its \
                 line terminator. The default is 0, which means no limit.",
        set: set!(
            |value, typed| typed.max_columns = Some(value.number()?).filter(|&limit| limit > 0)
        ),
    },
    Flag {
        long: "max-columns-preview",
        negation: Some("no-max-columns-preview"),
        summary: "Print the beginning of omitted lines.",
        manual: "Print the beginning of each line that exceeds the limit of --max-columns, \
                 followed by a note about the rest.",
        set: set!(|value, typed| typed.max_columns_preview = value.is_on()),
    },
    Flag {
        long: "trim",
        negation: Some("no-trim"),
        summary: "Remove leading whitespace from lines.",
        manual: "Remove leading whitespace from each printed line. Columns and offsets still refer \
                 to the whole line.",
        set: set!(|value, typed| typed.trim = value.is_on()),
    },
    Flag {
        long: "path-separator",
        value: Value("TEXT"),
        summary: "Set the separator in printed paths.",
        manual: "Print TEXT, which must be a single byte, between the components of paths. The \
                 default, which an empty TEXT restores, is that of the platform. TEXT can contain \
                 the escapes \\0, \\t, \\n, \\r, \\\\ and \\xHH.",
        set: set!(|value, typed| {
            let separator = value.separator()?;
            typed.path_separator = match *separator.as_slice() {
                [] => None,
                [byte] => Some(byte),
                _ => {
                    return Err(ValueError(format!(
                        "A path separator must be exactly one byte, but the given separator is {} \
                     bytes: {}",
                        separator.len(),
                        value.text()?
                    )));
                }
            }
        }),
    },
    Flag {
        long: "vimgrep",
        summary: "Print one line per match, for editors.",
        manual: "Print one line per match, with its path, line number and column, in the format \
                 that editors parse. A line with several matches is printed once for each of them.",
        set: set!(|_, typed| typed.vimgrep = true),
    },
];

/// The context with `--passthru`, which overrides the flags before it.
const PASSTHRU: ContextLines =
    ContextLines { passthru: true, before: None, after: None, both: None };

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::*;

    #[test]
    fn one_side_of_the_context_overrides_both() {
        for args in [&["-A2", "-C1"][..], &["-C1", "-A2"], &["-B1", "-A2"], &["-A=2", "-B", "1"]] {
            assert_eq!(parse(args).context.limits(), (1, 2), "{args:?}");
        }
        assert_eq!(parse(["-C3", "-C4"]).context.limits(), (4, 4));
    }

    #[test]
    fn context_and_passthru_disable_each_other() {
        assert_eq!(parse(["-C3", "--passthru"]).context, PASSTHRU);
        let typed = parse(["-C3", "--passthrough", "-A2"]);
        assert_eq!(typed.context.limits(), (0, 2), "--passthru discards the context before it");
    }

    #[test]
    fn separators_are_unescaped() {
        let typed = parse(["--context-separator", r"\t\x2d", "--field-match-separator="]);
        assert_eq!(typed.context_separator, ContextSeparator::Text(b"\t-".to_vec()));
        assert_eq!(typed.field_match_separator, Some(Vec::new()));
        let disabled = parse(["--no-context-separator"]).context_separator;
        assert_eq!(disabled, ContextSeparator::Disabled);
        assert_eq!(
            parse(["--field-context-separator", "é"]).field_context_separator.unwrap().len(),
            2
        );
    }

    #[test]
    fn a_path_separator_is_one_byte() {
        assert_eq!(parse(["--path-separator", "/"]).path_separator, Some(b'/'));
        assert_eq!(parse(["--path-separator", r"\x5c"]).path_separator, Some(b'\\'));
        assert_eq!(parse(["--path-separator=/", "--path-separator="]).path_separator, None);
        assert_eq!(
            error(["--path-separator", "abc"]),
            "error parsing flag --path-separator: A path separator must be exactly one byte, but \
             the given separator is 3 bytes: abc"
        );
    }

    #[test]
    fn fields_on_and_off() {
        let typed = parse(["-nN", "-IH", "--column", "--no-column", "-b0o", "--heading"]);
        assert_eq!(typed.line_number, Some(false));
        assert_eq!(typed.with_filename, Some(true));
        assert_eq!(typed.column, Some(false));
        assert_eq!(typed.heading, Some(true));
        assert!(typed.byte_offset && typed.null && typed.only_matching);
        assert!(!parse(["-b", "--no-byte-offset"]).byte_offset);
    }

    #[test]
    fn long_lines() {
        let typed = parse(["-M10", "--max-columns-preview", "--trim"]);
        assert_eq!(typed.max_columns, Some(10));
        assert!(typed.max_columns_preview && typed.trim);
        let typed = parse(["-M10", "-M0", "--no-max-columns-preview", "--no-trim"]);
        assert_eq!(typed.max_columns, None);
        assert!(!typed.max_columns_preview && !typed.trim);
    }
}
