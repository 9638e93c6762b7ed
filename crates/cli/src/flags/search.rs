//! Flags that control what matches.

use heist_matcher::{Boundary, Case, Engine};
use heist_searcher::Encoding;

use super::{
    encodings,
    record::{
        Flag,
        ValueKind::{OneOf, Suggested, Value},
        flags, set,
    },
    value::ValueError,
};
use crate::typed::{BinaryMode, LineEnd};

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "case-sensitive",
        short: Some('s'),
        summary: "Search case-sensitively (default).",
        manual: "Match letters only in the case in which the pattern has them. This is the \
                 default. If more than one of --case-sensitive, --ignore-case and --smart-case is \
                 given, the last one wins.",
        set: set!(|_, typed| typed.case = Case::Sensitive),
    },
    Flag {
        long: "ignore-case",
        short: Some('i'),
        summary: "Search case-insensitively.",
        manual: "Match letters regardless of case, by the simple case folding rules of Unicode, or \
                 for ASCII letters only with --no-unicode. If more than one of --case-sensitive, \
                 --ignore-case and --smart-case is given, the last one wins.",
        set: set!(|_, typed| typed.case = Case::Insensitive),
    },
    Flag {
        long: "smart-case",
        short: Some('S'),
        summary: "Ignore case if the pattern is all lowercase.",
        manual: "Ignore case if the patterns contain at least one letter and no uppercase letter. \
                 The letters of escapes such as \\S or \\pL do not count. If more than one of \
                 --case-sensitive, --ignore-case and --smart-case is given, the last one wins.",
        set: set!(|_, typed| typed.case = Case::Smart),
    },
    Flag {
        long: "fixed-strings",
        short: Some('F'),
        negation: Some("no-fixed-strings"),
        summary: "Treat patterns as literal text.",
        manual: "Treat all patterns as literal text instead of regular expressions, so that no \
                 character has a special meaning.",
        set: set!(|value, typed| typed.fixed_strings = value.is_on()),
    },
    Flag {
        long: "word-regexp",
        short: Some('w'),
        summary: "Match whole words only.",
        manual: "Report only matches that have no word character directly before or after them, as \
                 if each pattern were surrounded by \\b{start-half} and \\b{end-half}. If both \
                 this flag and --line-regexp are given, the last one wins.",
        set: set!(|_, typed| typed.boundary = Boundary::Word),
    },
    Flag {
        long: "line-regexp",
        short: Some('x'),
        summary: "Match whole lines only.",
        manual: "Report only matches that span a whole line, as if each pattern were surrounded by \
                 ^ and $. If both this flag and --word-regexp are given, the last one wins.",
        set: set!(|_, typed| typed.boundary = Boundary::Line),
    },
    Flag {
        long: "invert-match",
        short: Some('v'),
        negation: Some("no-invert-match"),
        summary: "Print the lines that do not match.",
        manual: "Report the lines that do not match. With --count-matches, lines are counted, \
                 because there are no matches.",
        set: set!(|value, typed| typed.invert_match = value.is_on()),
    },
    Flag {
        long: "max-count",
        short: Some('m'),
        value: Value("NUM"),
        summary: "Stop after NUM matching lines per file.",
        manual: "Stop searching a file after NUM matching lines. The context after the last of \
                 them is still printed. With --multiline, NUM limits the number of matches if they \
                 can span lines. With 0, nothing is searched. By default, there is no limit.",
        set: set!(|value, typed| typed.max_count = Some(value.number()?)),
    },
    Flag {
        long: "stop-on-nonmatch",
        summary: "Stop at the first non-match after a match.",
        manual: "Stop searching a file at the first non-matching line after a match. This saves \
                 time on sorted files, where matching lines are adjacent. If both this flag and \
                 --multiline are given, the last one wins.",
        set: set!(|_, typed| {
            typed.stop_on_nonmatch = true;
            typed.multiline = false;
        }),
    },
    Flag {
        long: "multiline",
        short: Some('U'),
        negation: Some("no-multiline"),
        summary: "Allow matches to span multiple lines.",
        manual: "Allow a match to span multiple lines, so that a pattern can contain \\n. Every \
                 line that a match touches is printed, and --count counts matches. A dot still \
                 matches no line terminator unless --multiline-dotall or (?s) is given. If both \
                 this flag and --stop-on-nonmatch are given, the last one wins.\n\n    \
                 hs -U 'struct \\w+ \\{\\n\\}'\n\n\
                 If the pattern can match a line terminator, pipes and files of less than 8 MiB \
                 are read into memory as a whole. Larger files are searched in pieces unless the \
                 pattern requires all of the file: if its matches have no foreseeable end, as with \
                 (?s)a.*b, if it contains \\A or \\z, or if PCRE2 is used.",
        set: set!(|value, typed| {
            typed.multiline = value.is_on();
            if value.is_on() {
                typed.stop_on_nonmatch = false;
            }
        }),
    },
    Flag {
        long: "multiline-dotall",
        negation: Some("no-multiline-dotall"),
        summary: "Let . match line terminators (with -U).",
        manual: "Let . match line terminators as well. In a pattern, (?s) does the same. This flag \
                 has no effect without --multiline.",
        set: set!(|value, typed| typed.multiline_dotall = value.is_on()),
    },
    Flag {
        long: "crlf",
        negation: Some("no-crlf"),
        summary: "Treat CRLF as a line terminator.",
        manual: "Treat a carriage return before a line feed as part of the line terminator, as is \
                 usual on Windows: $ matches before it. Lines that hs terminates itself, such as \
                 counts, end in CRLF too. If both this flag and --null-data are given, the last \
                 one wins.",
        set: set!(|value, typed| {
            if value.is_on() {
                typed.line_end = LineEnd::CrLf;
            } else if typed.line_end == LineEnd::CrLf {
                typed.line_end = LineEnd::Lf;
            }
        }),
    },
    Flag {
        long: "null-data",
        summary: "Treat NUL as the line terminator.",
        manual: "Terminate lines with a NUL byte instead of a line feed, both in the files and in \
                 the output. This flag implies --text. If both this flag and --crlf are given, the \
                 last one wins.",
        set: set!(|_, typed| typed.line_end = LineEnd::Nul),
    },
    Flag {
        long: "text",
        short: Some('a'),
        negation: Some("no-text"),
        summary: "Search binary files as if they were text.",
        manual: "Search and print files that contain NUL bytes like all other files. By default, \
                 the search of a file found in a directory stops at the first NUL byte, and for a \
                 file named on the command line hs only reports that it matches. If both this flag \
                 and --binary are given, the last one wins; the negation of either restores the \
                 default.",
        set: set!(|value, typed| typed.binary =
            if value.is_on() { BinaryMode::Text } else { BinaryMode::Auto }),
    },
    Flag {
        long: "encoding",
        short: Some('E'),
        negation: Some("no-encoding"),
        value: Suggested("ENCODING", encodings::names),
        summary: "Set the encoding of files.",
        manual: "Decode files from ENCODING before searching them. The default, auto, depends on \
                 the byte order mark of a file: UTF-16 is decoded, the mark of UTF-8 is skipped, \
                 and everything else is searched as it is. With none, byte order marks are \
                 searched like all other bytes.\n\n\
                 Any other ENCODING is a label of the WHATWG Encoding Standard, such as utf-16le, \
                 latin1, windows-1252, shift_jis, euc-kr or gbk. Files are decoded from it unless \
                 they begin with a byte order mark. Bytes that cannot be decoded become U+FFFD. \
                 Offsets and columns refer to the decoded text.\n\n\
                 Use --no-encoding to restore the default.",
        set: set!(|value, typed| typed.encoding =
            match value.is_on().then(|| value.text()).transpose()? {
                None | Some("auto") => Encoding::Auto,
                Some("none") => Encoding::None,
                Some(label) => {
                    let known = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
                    let unknown =
                        || ValueError(format!("grep config error: unknown encoding: {label}"));
                    Encoding::Always(known.ok_or_else(unknown)?)
                }
            }),
    },
    Flag {
        long: "pcre2",
        short: Some('P'),
        negation: Some("no-pcre2"),
        summary: "Use PCRE2: look-around and backreferences.",
        manual: "Use the PCRE2 regex engine, which supports look-around and backreferences. The \
                 time that it takes can grow out of proportion to the input. If more than one of \
                 --pcre2, --no-pcre2 and --engine is given, the last one wins.",
        set: set!(|value, typed| typed.engine =
            if value.is_on() { Engine::Pcre2 } else { Engine::Default }),
    },
    Flag {
        long: "engine",
        value: OneOf("ENGINE", &["default", "pcre2", "auto"]),
        summary: "Choose the regex engine.",
        manual: "Choose the regex engine. The default one, called default, takes time proportional \
                 to the input, whatever the pattern. pcre2 supports look-around and \
                 backreferences. auto uses pcre2 only for patterns that need it. If more than one \
                 of --pcre2, --no-pcre2 and --engine is given, the last one wins.",
        set: set!(|value, typed| typed.engine = value.one_of(ENGINES)?),
    },
    Flag {
        long: "auto-hybrid-regex",
        negation: Some("no-auto-hybrid-regex"),
        summary: "Deprecated: use --engine auto.",
        manual: "An old name of --engine auto.",
        hidden: true,
        set: set!(|value, typed| typed.engine =
            if value.is_on() { Engine::Auto } else { Engine::Default }),
    },
    Flag {
        long: "no-unicode",
        negation: Some("unicode"),
        summary: "Disable Unicode in patterns.",
        manual: "Disable Unicode in patterns. Classes such as \\w, case folding and word \
                 boundaries cover ASCII only, and . matches any byte but line terminators. This \
                 can make a search faster.",
        set: set!(|value, typed| typed.no_unicode = value.is_on()),
    },
    Flag {
        long: "no-pcre2-unicode",
        negation: Some("pcre2-unicode"),
        hidden: true,
        summary: "Deprecated: use --no-unicode.",
        manual: "An old name of --no-unicode.",
        set: set!(|value, typed| typed.no_unicode = value.is_on()),
    },
];

const ENGINES: &[(&str, Engine)] =
    &[("default", Engine::Default), ("pcre2", Engine::Pcre2), ("auto", Engine::Auto)];

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::*;

    #[test]
    fn the_last_case_and_boundary_win() {
        assert_eq!(parse(["-i", "-s"]).case, Case::Sensitive);
        assert_eq!(parse(["-sS", "--ignore-case"]).case, Case::Insensitive);
        assert_eq!(parse(["-isS"]).case, Case::Smart);
        assert_eq!(parse(["-xw"]).boundary, Boundary::Word);
        assert_eq!(parse(["-wx"]).boundary, Boundary::Line);
    }

    #[test]
    fn switches_and_their_negations() {
        assert!(parse(["-F"]).fixed_strings);
        assert!(!parse(["-F", "--no-fixed-strings"]).fixed_strings);
        assert!(parse(["--no-invert-match", "-v"]).invert_match);
        assert!(parse(["--no-unicode"]).no_unicode);
        assert!(!parse(["--no-unicode", "--pcre2-unicode"]).no_unicode);
        assert!(parse(["--stop-on-nonmatch"]).stop_on_nonmatch);
        assert!(parse(["-U", "--multiline-dotall"]).multiline_dotall);
    }

    #[test]
    fn multiline_and_stop_on_nonmatch_exclude_each_other() {
        let both = |args: [&str; 2]| {
            let typed = parse(args);
            (typed.multiline, typed.stop_on_nonmatch)
        };
        assert_eq!(both(["-U", "--stop-on-nonmatch"]), (false, true));
        assert_eq!(both(["--stop-on-nonmatch", "-U"]), (true, false));
        assert_eq!(both(["--stop-on-nonmatch", "--no-multiline"]), (false, true));
        assert_eq!(both(["-U", "--no-multiline"]), (false, false));
    }

    #[test]
    fn the_engine_is_one_choice() {
        assert_eq!(parse(["-P", "--engine=auto"]).engine, Engine::Auto);
        assert_eq!(parse(["--engine=auto", "-P"]).engine, Engine::Pcre2);
        assert_eq!(parse(["--auto-hybrid-regex", "--engine", "pcre2"]).engine, Engine::Pcre2);
        for negation in ["--no-pcre2", "--no-auto-hybrid-regex", "--engine=default"] {
            assert_eq!(parse(["-P", negation]).engine, Engine::Default, "{negation}");
        }
    }

    #[test]
    fn line_ends_are_one_choice() {
        assert_eq!(parse(["--crlf", "--null-data"]).line_end, LineEnd::Nul);
        assert_eq!(parse(["--null-data", "--crlf"]).line_end, LineEnd::CrLf);
        assert_eq!(parse(["--crlf", "--no-crlf"]).line_end, LineEnd::Lf);
        assert_eq!(parse(["--null-data", "--no-crlf"]).line_end, LineEnd::Nul);
    }

    #[test]
    fn text_and_binary_are_one_choice() {
        assert_eq!(parse(["--binary", "-a"]).binary, BinaryMode::Text);
        assert_eq!(parse(["-a", "--binary"]).binary, BinaryMode::Search);
        assert_eq!(parse(["-a", "--no-binary"]).binary, BinaryMode::Auto);
        assert_eq!(parse(["--binary", "--no-text"]).binary, BinaryMode::Auto);
    }

    #[test]
    fn numbers() {
        assert_eq!(parse(["-m", "0"]).max_count, Some(0));
        assert_eq!(
            error(["-m", "-1"]),
            "error parsing flag -m: value is not a valid number: invalid digit found in string \
             (accepted: a whole number such as 3; given: '-1')"
        );
    }

    #[test]
    fn defaults_can_be_given_explicitly() {
        let defaults = [
            "--no-pcre2",
            "--engine=default",
            "--no-auto-hybrid-regex",
            "--no-crlf",
            "--no-multiline",
            "--no-multiline-dotall",
            "--encoding=auto",
            "--no-encoding",
        ];
        assert_eq!(parse(defaults).encoding, Encoding::Auto);
        assert_eq!(parse(["-Enone"]).encoding, Encoding::None);
        assert_eq!(parse(["-Enone", "--no-encoding"]).encoding, Encoding::Auto);
        assert_eq!(parse(["-E", "Latin1"]).encoding, Encoding::Always(encoding_rs::WINDOWS_1252));
        assert_eq!(
            error(["-E", "klingon"]),
            "error parsing flag -E: grep config error: unknown encoding: klingon"
        );
        assert_eq!(
            error(["--engine", "pcre3"]),
            "error parsing flag --engine: choice 'pcre3' is unrecognized \
             (accepted: default, pcre2, auto)"
        );
    }
}
