//! Flags on what is told besides results.

use super::{Category::Logging, Flag};

pub(super) const FLAGS: &[&Flag] = &[&NO_MESSAGES, &NO_IGNORE_MESSAGES, &STATS, &DEBUG, &TRACE];

const NO_MESSAGES: Flag = Flag {
    long: "no-messages",
    negation: Some("messages"),
    category: Logging,
    summary: "Do not tell of files that cannot be read.",
    manual: "Print no messages about files and directories that cannot be opened or read, nor \
             about ignore files. The exit code still tells of errors. Messages about the \
             arguments are printed all the same.",
    set: |given, typed| {
        typed.no_messages = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_IGNORE_MESSAGES: Flag = Flag {
    long: "no-ignore-messages",
    negation: Some("ignore-messages"),
    category: Logging,
    summary: "Do not tell of mistakes in ignore files.",
    manual: "Print no messages about lines of ignore files that cannot be understood.",
    set: |given, typed| {
        typed.no_ignore_messages = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const STATS: Flag = Flag {
    long: "stats",
    negation: Some("no-stats"),
    category: Logging,
    summary: "Print figures about the search.",
    manual: "After the results, print how much was searched and found and how long it took. Every \
             match is looked for then, even with --quiet, which takes longer.",
    set: |given, typed| {
        typed.stats = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const DEBUG: Flag = Flag {
    long: "debug",
    category: Logging,
    summary: "Tell what hs does, and why files are left out.",
    manual: "Print what hs does to standard error: the configuration file it uses, why a file is \
             left out, and the like.",
    set: |_, typed| {
        typed.logging = Some(log::Level::Debug);
        Ok(())
    },
    ..Flag::NEW
};

const TRACE: Flag = Flag {
    long: "trace",
    category: Logging,
    summary: "Tell even more than --debug.",
    manual: "Print even more of what hs does to standard error than --debug. This can be a lot.",
    set: |_, typed| {
        typed.logging = Some(log::Level::Trace);
        Ok(())
    },
    ..Flag::NEW
};

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
    fn the_last_level_holds() {
        assert_eq!(parse(["--trace", "--debug"]).logging, Some(log::Level::Debug));
        assert_eq!(parse(["--debug", "--trace"]).logging, Some(log::Level::Trace));
    }

    #[test]
    fn figures_can_be_asked_for_and_declined() {
        assert!(parse(["--no-stats", "--stats"]).stats);
        assert!(!parse(["--stats", "--no-stats"]).stats);
    }
}
