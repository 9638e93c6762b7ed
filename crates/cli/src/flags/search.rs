//! Flags on what matches, and on how the search runs.

use heist_matcher::{Boundary, Case};
use heist_queue::{IdleKind, QueueKind, UnknownName};
use heist_walk::Reader;

use super::{
    Available,
    Category::Search,
    Flag, ValueError,
    ValueKind::{OneOf, Value},
};
use crate::typed::{BinaryMode, EncodingMode};

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
    &REGEX_SIZE_LIMIT,
    &DFA_SIZE_LIMIT,
    &THREADS,
    &MMAP,
    &QUEUE,
    &IDLE,
    &READER,
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
             the last of them is still printed. With 0 nothing is searched.",
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
             --stop-on-nonmatch off.",
    available: Available::Later,
    ..Flag::NEW
};

const MULTILINE_DOTALL: Flag = Flag {
    long: "multiline-dotall",
    negation: Some("no-multiline-dotall"),
    category: Search,
    summary: "With --multiline, let . match line ends too.",
    manual: "With --multiline, let the . of a pattern match line ends too.",
    available: Available::Later,
    ..Flag::NEW
};

const CRLF: Flag = Flag {
    long: "crlf",
    negation: Some("no-crlf"),
    category: Search,
    summary: "Lines may end in CRLF.",
    manual: "A carriage return before a line feed belongs to the end of the line, as is usual on \
             Windows: $ matches before it. Turns --null-data off.",
    available: Available::Later,
    ..Flag::NEW
};

const NULL_DATA: Flag = Flag {
    long: "null-data",
    category: Search,
    summary: "Lines end in a NUL byte.",
    manual: "Lines end in a NUL byte instead of a line feed, in what is searched and in what is \
             printed. Implies --text and turns --crlf off.",
    available: Available::Later,
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
    value: Value("ENCODING"),
    category: Search,
    summary: "How files are encoded: auto or none.",
    manual: "How bytes become text. With auto, the default, a byte order mark decides: UTF-16 is \
             decoded, the mark of UTF-8 is left out, and everything else is searched as it is. \
             With none, byte order marks are searched like any other bytes.",
    available: Available::Only(&["auto", "none"]),
    set: |given, typed| {
        let none = given.is_on() && given.text()? == "none";
        typed.encoding = if none { EncodingMode::None } else { EncodingMode::Auto };
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
    manual: "Use the PCRE2 regex engine, which has look-around and backreferences.",
    available: Available::Later,
    ..Flag::NEW
};

const ENGINE: Flag = Flag {
    long: "engine",
    value: OneOf("ENGINE", &["default", "pcre2", "auto"]),
    category: Search,
    summary: "Which regex engine to use.",
    manual: "Which regex engine to use: default is fast whatever the pattern, pcre2 has \
             look-around and backreferences, auto takes pcre2 for patterns that need it.",
    available: Available::Only(&["default"]),
    ..Flag::NEW
};

const AUTO_HYBRID_REGEX: Flag = Flag {
    long: "auto-hybrid-regex",
    negation: Some("no-auto-hybrid-regex"),
    category: Search,
    summary: "The same as --engine auto (deprecated).",
    manual: "The same as --engine auto, which should be used instead.",
    hidden: true,
    available: Available::Later,
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

const REGEX_SIZE_LIMIT: Flag = Flag {
    long: "regex-size-limit",
    value: Value("SIZE"),
    category: Search,
    summary: "How much memory compiled patterns may take.",
    manual: "Refuse patterns whose compiled form takes more than SIZE bytes, 100M unless given. \
             SIZE may end in K, M or G.",
    set: |given, typed| {
        typed.regex_size_limit = Some(given.size()?);
        Ok(())
    },
    ..Flag::NEW
};

const DFA_SIZE_LIMIT: Flag = Flag {
    long: "dfa-size-limit",
    value: Value("SIZE"),
    category: Search,
    summary: "How much memory the search's cache may take.",
    manual: "Let the cache of the automaton that runs the search grow up to SIZE bytes, 1000M \
             unless given. More can make the search for large patterns faster; the results are \
             the same. SIZE may end in K, M or G.",
    set: |given, typed| {
        typed.dfa_size_limit = Some(given.size()?);
        Ok(())
    },
    ..Flag::NEW
};

const THREADS: Flag = Flag {
    long: "threads",
    short: Some('j'),
    value: Value("NUM"),
    category: Search,
    summary: "How many threads to use; 0 chooses.",
    manual: "Use about NUM threads. With 0, the default, there are as many as there are processor \
             cores, but at most 12. A single file is searched by one thread.",
    set: |given, typed| {
        typed.threads = given.number()?;
        Ok(())
    },
    ..Flag::NEW
};

const MMAP: Flag = Flag {
    long: "mmap",
    negation: Some("no-mmap"),
    category: Search,
    summary: "Search through memory maps.",
    manual: "Search files through memory maps where that is possible, instead of reading them.",
    available: Available::Later,
    ..Flag::NEW
};

const QUEUE: Flag = Flag {
    long: "queue",
    value: OneOf("NAME", QueueKind::NAMES),
    category: Search,
    summary: "How threads share the walk.",
    manual: "How threads share the directories that are yet to be walked. What is found is the \
             same with all of them; speed, memory and order may differ.\n\n\
             deque, the default, gives each thread a lock-free queue, in which it works depth \
             first and from which idle threads steal the oldest half. chase-lev is a queue of that \
             kind written for this program. st3-lifo has queues of a fixed size, and one for all \
             that takes what does not fit; with st3-fifo each thread begins with the oldest, so \
             that the walk goes breadth first.\n\n\
             sharded gives each thread a queue behind a lock, in which it begins with the oldest, \
             while idle threads take the newest half. sharded-lifo has the two ends exchanged.\n\n\
             stack is one stack for all, behind a lock. channel is one channel for all, and \
             injector one lock-free queue for all, both oldest first. biased is a channel from \
             which each thread takes up to 20 directories at a time.",
    set: |given, typed| {
        let kind = given.text()?.parse();
        typed.queue = kind.map_err(|err: UnknownName| ValueError(err.to_string()))?;
        Ok(())
    },
    ..Flag::NEW
};

const IDLE: Flag = Flag {
    long: "idle",
    value: OneOf("NAME", IdleKind::NAMES),
    category: Search,
    summary: "How idle threads wait.",
    manual: "How idle threads wait, and who is woken for new work: biased-event wakes the first \
             sleeper, fifo-event the one that slept longest, biased-chain the next one after the \
             waker; yield-condvar looks for long before it sleeps, and poll-1ms looks again every \
             millisecond. Meant for measuring what comes from the queue and what from the waking.",
    hidden: true,
    set: |given, typed| {
        let kind = given.text()?.parse();
        typed.idle = kind.map_err(|err: UnknownName| ValueError(err.to_string()))?;
        Ok(())
    },
    ..Flag::NEW
};

const READERS: &[(&str, Reader)] = &[("linux", Reader::Native), ("portable", Reader::Portable)];

const READER: Flag = Flag {
    long: "reader",
    value: OneOf("NAME", &["linux", "portable"]),
    category: Search,
    summary: "How directories are read.",
    manual: "How directories are read: linux calls the system directly, portable goes through the \
             standard library. Meant for tests of hs itself.",
    hidden: true,
    set: |given, typed| {
        typed.reader = given.one_of(READERS)?;
        Ok(())
    },
    ..Flag::NEW
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
    }

    #[test]
    fn text_and_binary_are_one_choice() {
        assert_eq!(parse(["--binary", "-a"]).binary, BinaryMode::Text);
        assert_eq!(parse(["-a", "--binary"]).binary, BinaryMode::Search);
        assert_eq!(parse(["-a", "--no-binary"]).binary, BinaryMode::Auto);
        assert_eq!(parse(["--binary", "--no-text"]).binary, BinaryMode::Auto);
    }

    #[test]
    fn numbers_and_sizes() {
        assert_eq!(parse(["-m", "0"]).max_count, Some(0));
        assert_eq!(parse(["-j3", "-j=4"]).threads, 4);
        assert_eq!(parse(["--regex-size-limit=1K"]).regex_size_limit, Some(1024));
        assert_eq!(parse(["--dfa-size-limit", "2M"]).dfa_size_limit, Some(2 << 20));
        assert_eq!(
            error(["-m", "-1"]),
            "error parsing flag -m: value is not a valid number: invalid digit found in string"
        );
    }

    #[test]
    fn the_default_may_be_asked_for() {
        let defaults = [
            "--no-mmap",
            "--no-pcre2",
            "--engine=default",
            "--no-auto-hybrid-regex",
            "--no-crlf",
            "--no-multiline",
            "--no-multiline-dotall",
            "--encoding=auto",
            "--no-encoding",
        ];
        assert_eq!(parse(defaults).encoding, EncodingMode::Auto);
        assert_eq!(parse(["-Enone"]).encoding, EncodingMode::None);
        assert_eq!(parse(["-Enone", "--no-encoding"]).encoding, EncodingMode::Auto);
        assert_eq!(
            error(["--engine", "auto"]),
            "flag --engine auto is not available in this version of hs yet"
        );
        assert_eq!(
            error(["--engine", "pcre3"]),
            "error parsing flag --engine: choice 'pcre3' is unrecognized"
        );
    }

    #[test]
    fn queues_and_readers_by_name() {
        assert_eq!(parse(["--queue", "stack"]).queue, QueueKind::Stack);
        assert_eq!(parse(["--queue", "stack", "--queue=deque"]).queue, QueueKind::Deque);
        assert_eq!(parse(["--idle", "biased-event"]).idle, IdleKind::BiasedEvent);
        assert_eq!(parse(["--reader", "portable"]).reader, Reader::Portable);
    }
}
