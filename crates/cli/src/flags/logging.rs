//! Flags that control messages and statistics.

use super::record::{Flag, flags, set};

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "no-messages",
        negation: Some("messages"),
        summary: "Suppress errors about unreadable files.",
        manual: "Suppress error messages about files and directories that cannot be opened or \
                 read, and messages about ignore files. Errors in arguments are still reported, \
                 and the exit code stays the same.",
        set: set!(|value, typed| typed.no_messages = value.is_on()),
    },
    Flag {
        long: "no-ignore-messages",
        negation: Some("ignore-messages"),
        summary: "Suppress errors in ignore files.",
        manual: "Suppress messages about lines of ignore files that cannot be parsed.",
        set: set!(|value, typed| typed.no_ignore_messages = value.is_on()),
    },
    Flag {
        long: "stats",
        negation: Some("no-stats"),
        summary: "Print statistics about the search.",
        manual: "Print statistics after the results: how much was searched and found, and how long \
                 it took. All matches are counted for this, even with --quiet, which makes the \
                 search slower.",
        set: set!(|value, typed| typed.stats = value.is_on()),
    },
    Flag {
        long: "debug",
        summary: "Print debug messages, e.g. on skipped files.",
        manual: "Print debug messages to standard error: which configuration file is used, which \
                 files and directories are skipped and by which rule, and other decisions. If both \
                 this flag and --trace are given, the last one wins.",
        set: set!(|_, typed| typed.logging = Some(log::Level::Debug)),
    },
    Flag {
        long: "trace",
        summary: "Print even more messages than --debug.",
        manual: "Print even more messages to standard error than --debug: also how each file is \
                 searched, and statistics of the work queue. If both this flag and --debug are \
                 given, the last one wins.",
        set: set!(|_, typed| typed.logging = Some(log::Level::Trace)),
    },
];

#[cfg(test)]
mod tests {
    use super::super::tests::parse;

    #[test]
    fn messages_on_and_off() {
        assert!(parse(["--no-messages"]).no_messages);
        assert!(!parse(["--no-messages", "--messages"]).no_messages);
        assert!(parse(["--ignore-messages", "--no-ignore-messages"]).no_ignore_messages);
    }

    #[test]
    fn the_last_level_wins() {
        assert_eq!(parse(["--trace", "--debug"]).logging, Some(log::Level::Debug));
        assert_eq!(parse(["--debug", "--trace"]).logging, Some(log::Level::Trace));
    }

    #[test]
    fn statistics_can_be_enabled_and_disabled() {
        assert!(parse(["--no-stats", "--stats"]).stats);
        assert!(!parse(["--stats", "--no-stats"]).stats);
    }
}
