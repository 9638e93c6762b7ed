//! Flags on what matches.

use heist_matcher::{Boundary, Case, Engine};
use heist_searcher::Encoding;

use super::{
    Category::Search,
    Flag, ValueError,
    ValueKind::{OneOf, Suggested, Value},
    encodings,
};
use crate::typed::{BinaryMode, LineEnd};

pub(super) const FLAGS: &[&Flag] = &[
    &CASE_SENSITIVE,
    &IGNORE_CASE,
    &SMART_CASE,
    &FIXED_STRINGS,
    &WORD_REGEXP,
    &LINE_REGEXP,
    &INVERT_MATCH,
    &MAX_COUNT,
    &STOP_ON_NONMATCH,
    &MULTILINE,
    &MULTILINE_DOTALL,
    &CRLF,
    &NULL_DATA,
    &TEXT,
    &ENCODING,
    &PCRE2,
    &ENGINE,
    &AUTO_HYBRID_REGEX,
    &NO_UNICODE,
    &NO_PCRE2_UNICODE,
];

const CASE_SENSITIVE: Flag = Flag {
    long: "case-sensitive",
    short: Some('s'),
    category: Search,
    summary: "Upper and lower case differ (default).",
    manual: "A letter of the pattern matches only in the case it is typed. This is the default. \
             Of this flag, --ignore-case and --smart-case the last one holds.",
    set: |_, typed| {
        typed.case = Case::Sensitive;
        Ok(())
    },
    ..Flag::NEW
};

const IGNORE_CASE: Flag = Flag {
    long: "ignore-case",
    short: Some('i'),
    category: Search,
    summary: "Upper and lower case match each other.",
    manual: "Upper and lower case letters match each other, by the simple folding rules of \
             Unicode, or in ASCII only with --no-unicode. Of this flag, --case-sensitive and \
             --smart-case the last one holds.",
    set: |_, typed| {
        typed.case = Case::Insensitive;
        Ok(())
    },
    ..Flag::NEW
};

const SMART_CASE: Flag = Flag {
    long: "smart-case",
    short: Some('S'),
    category: Search,
    summary: "Ignore case unless patterns have upper case.",
    manual: "Ignore case if the patterns hold a letter and none in upper case; escapes such as \\S \
             or \\pL do not count. Of this flag, --case-sensitive and --ignore-case the last one \
             holds.",
    set: |_, typed| {
        typed.case = Case::Smart;
        Ok(())
    },
    ..Flag::NEW
};

const FIXED_STRINGS: Flag = Flag {
    long: "fixed-strings",
    short: Some('F'),
    negation: Some("no-fixed-strings"),
    category: Search,
    summary: "Patterns are plain text, not regexes.",
    manual: "Take every pattern as the text to find: no character in it has a special meaning.",
    set: |given, typed| {
        typed.fixed_strings = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const WORD_REGEXP: Flag = Flag {
    long: "word-regexp",
    short: Some('w'),
    category: Search,
    summary: "A match must not touch more word characters.",
    manual: "Only find matches that have no word character directly before or after them, as if \
             the pattern stood between \\b{start-half} and \\b{end-half}. Of this flag and \
             --line-regexp the last one holds.",
    set: |_, typed| {
        typed.boundary = Boundary::Word;
        Ok(())
    },
    ..Flag::NEW
};

const LINE_REGEXP: Flag = Flag {
    long: "line-regexp",
    short: Some('x'),
    category: Search,
    summary: "A match must be the whole line.",
    manual: "Only find matches that are a whole line, as if the pattern stood between ^ and $. Of \
             this flag and --word-regexp the last one holds.",
    set: |_, typed| {
        typed.boundary = Boundary::Line;
        Ok(())
    },
    ..Flag::NEW
};

const INVERT_MATCH: Flag = Flag {
    long: "invert-match",
    short: Some('v'),
    negation: Some("no-invert-match"),
    category: Search,
    summary: "Find the lines that do not match.",
    manual: "Find the lines that do not match. With --count-matches lines are counted, since \
             there are no matches.",
    set: |given, typed| {
        typed.invert_match = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const MAX_COUNT: Flag = Flag {
    long: "max-count",
    short: Some('m'),
    value: Value("NUM"),
    category: Search,
    summary: "Stop each file after NUM matching lines.",
    manual: "Stop searching a file after NUM of its lines have matched; the context that follows \
             the last of them is still printed. Where matches may span lines (--multiline), NUM \
             counts matches. With 0 nothing is searched.",
    set: |given, typed| {
        typed.max_count = Some(given.number()?);
        Ok(())
    },
    ..Flag::NEW
};

const STOP_ON_NONMATCH: Flag = Flag {
    long: "stop-on-nonmatch",
    category: Search,
    summary: "Stop a file at its first miss after a match.",
    manual: "Once a line of a file has matched, stop at the next line of it that does not. This \
             saves time on sorted files. Turns --multiline off.",
    set: |_, typed| {
        typed.stop_on_nonmatch = true;
        typed.multiline = false;
        Ok(())
    },
    ..Flag::NEW
};

const MULTILINE: Flag = Flag {
    long: "multiline",
    short: Some('U'),
    negation: Some("no-multiline"),
    category: Search,
    summary: "Let a match span several lines.",
    manual: "Let a match span several lines, so that a pattern may hold \\n. Turns \
             --stop-on-nonmatch off.\n\n\
             A file is then read into memory as a whole, if the pattern can match a line end at \
             all. Every line that a match touches is printed; --count counts matches.\n\n    \
             hs -U 'struct \\w+ \\{\\n\\}'",
    set: |given, typed| {
        typed.multiline = given.is_on();
        if given.is_on() {
            typed.stop_on_nonmatch = false;
        }
        Ok(())
    },
    ..Flag::NEW
};

const MULTILINE_DOTALL: Flag = Flag {
    long: "multiline-dotall",
    negation: Some("no-multiline-dotall"),
    category: Search,
    summary: "With --multiline, let . match line ends too.",
    manual: "With --multiline, let the . of a pattern match line ends too.",
    set: |given, typed| {
        typed.multiline_dotall = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const CRLF: Flag = Flag {
    long: "crlf",
    negation: Some("no-crlf"),
    category: Search,
    summary: "Lines may end in CRLF.",
    manual: "A carriage return before a line feed belongs to the end of the line, as is usual on \
             Windows: $ matches before it. Lines that hs ends itself, such as counts, end so too. \
             Turns --null-data off.",
    set: |given, typed| {
        if given.is_on() {
            typed.line_end = LineEnd::CrLf;
        } else if typed.line_end == LineEnd::CrLf {
            typed.line_end = LineEnd::Lf;
        }
        Ok(())
    },
    ..Flag::NEW
};

const NULL_DATA: Flag = Flag {
    long: "null-data",
    category: Search,
    summary: "Lines end in a NUL byte.",
    manual: "Lines end in a NUL byte instead of a line feed, in what is searched and in what is \
             printed. Implies --text and turns --crlf off.",
    set: |_, typed| {
        typed.line_end = LineEnd::Nul;
        Ok(())
    },
    ..Flag::NEW
};

const TEXT: Flag = Flag {
    long: "text",
    short: Some('a'),
    negation: Some("no-text"),
    category: Search,
    summary: "Search binary files as if they were text.",
    manual: "Search and print files with NUL bytes like any other. Without this flag a file that \
             was found in a directory is left when a NUL byte turns up, and of a file that was \
             named only the fact that it matches is told. Of this flag and --binary the last one \
             holds; either's negation goes back to the default.",
    set: |given, typed| {
        typed.binary = if given.is_on() { BinaryMode::Text } else { BinaryMode::Auto };
        Ok(())
    },
    ..Flag::NEW
};

const ENCODING: Flag = Flag {
    long: "encoding",
    short: Some('E'),
    negation: Some("no-encoding"),
    value: Suggested("ENCODING", encodings::names),
    category: Search,
    summary: "How files are encoded.",
    manual: "How bytes become text. With auto, the default, a byte order mark decides: UTF-16 is \
             decoded, the mark of UTF-8 is left out, and everything else is searched as it is. \
             With none, byte order marks are searched like any other bytes.\n\n\
             Any other ENCODING is a label of the WHATWG Encoding Standard, such as utf-16le, \
             latin1, windows-1252, shift_jis, euc-kr or gbk: files are decoded from it unless they \
             begin with a byte order mark. What cannot be decoded becomes U+FFFD; offsets and \
             columns count the decoded text.",
    set: |given, typed| {
        typed.encoding = match given.is_on().then(|| given.text()).transpose()? {
            None | Some("auto") => Encoding::Auto,
            Some("none") => Encoding::None,
            Some(label) => {
                let known = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
                let unknown =
                    || ValueError(format!("grep config error: unknown encoding: {label}"));
                Encoding::Always(known.ok_or_else(unknown)?)
            }
        };
        Ok(())
    },
    ..Flag::NEW
};

const PCRE2: Flag = Flag {
    long: "pcre2",
    short: Some('P'),
    negation: Some("no-pcre2"),
    category: Search,
    summary: "Use PCRE2: look-around and backreferences.",
    manual: "Use the PCRE2 regex engine, which has look-around and backreferences. Of this flag, \
             its negation and --engine the last one holds.",
    set: |given, typed| {
        typed.engine = if given.is_on() { Engine::Pcre2 } else { Engine::Default };
        Ok(())
    },
    ..Flag::NEW
};

const ENGINES: &[(&str, Engine)] =
    &[("default", Engine::Default), ("pcre2", Engine::Pcre2), ("auto", Engine::Auto)];

const ENGINE: Flag = Flag {
    long: "engine",
    value: OneOf("ENGINE", &["default", "pcre2", "auto"]),
    category: Search,
    summary: "Which regex engine to use.",
    manual: "Which regex engine to use: default is fast whatever the pattern, pcre2 has \
             look-around and backreferences, auto takes pcre2 for patterns that need it.",
    set: |given, typed| {
        typed.engine = given.one_of(ENGINES)?;
        Ok(())
    },
    ..Flag::NEW
};

const AUTO_HYBRID_REGEX: Flag = Flag {
    long: "auto-hybrid-regex",
    negation: Some("no-auto-hybrid-regex"),
    category: Search,
    summary: "The same as --engine auto (deprecated).",
    manual: "The same as --engine auto, which should be used instead.",
    hidden: true,
    set: |given, typed| {
        typed.engine = if given.is_on() { Engine::Auto } else { Engine::Default };
        Ok(())
    },
    ..Flag::NEW
};

const NO_UNICODE: Flag = Flag {
    long: "no-unicode",
    negation: Some("unicode"),
    category: Search,
    summary: "Classes, case and words know ASCII only.",
    manual: "Let classes such as \\w, the folding of case and the notion of a word know ASCII \
             only, and let . match any byte. It can make a search faster.",
    set: |given, typed| {
        typed.no_unicode = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_PCRE2_UNICODE: Flag = Flag {
    long: "no-pcre2-unicode",
    negation: Some("pcre2-unicode"),
    hidden: true,
    summary: "The same as --no-unicode (deprecated).",
    manual: "The same as --no-unicode, which should be used instead.",
    ..NO_UNICODE
};

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::*;

    #[test]
    fn the_last_case_and_boundary_hold() {
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
            "error parsing flag -m: value is not a valid number: invalid digit found in string"
        );
    }

    #[test]
    fn the_default_may_be_asked_for() {
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
