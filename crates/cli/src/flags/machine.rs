//! Flags on how the search runs: threads, queues, memory.

use heist_queue::{IdleKind, QueueKind, UnknownName};
use heist_walk::Reader;

use super::{
    Category::Search,
    Flag, ValueError,
    ValueKind::{OneOf, Value},
};

pub(super) const FLAGS: &[&Flag] =
    &[&REGEX_SIZE_LIMIT, &DFA_SIZE_LIMIT, &THREADS, &MMAP, &QUEUE, &IDLE, &READER];

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
    manual: "Use at most NUM threads, and at most 56. With 0, the default, there are as many as \
             there are processor cores, but at most 12; where directories have to be fetched from a \
             disk, up to eight for each core. A single file of less than 8 MiB is searched \
             by one thread.",
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
    manual: "Search files through memory maps where that is possible, instead of reading them. \
             What is found is the same. A file that is cut short meanwhile is reported; what was \
             found before stays.",
    set: |given, typed| {
        typed.mmap = given.is_on();
        Ok(())
    },
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
    use super::super::tests::parse;
    use super::*;

    #[test]
    fn numbers_and_sizes() {
        assert_eq!(parse(["-j3", "-j=4"]).threads, 4);
        assert_eq!(parse(["--regex-size-limit=1K"]).regex_size_limit, Some(1024));
        assert_eq!(parse(["--dfa-size-limit", "2M"]).dfa_size_limit, Some(2 << 20));
        assert!(parse(["--no-mmap", "--mmap"]).mmap);
        assert!(!parse(["--mmap", "--no-mmap"]).mmap);
    }

    #[test]
    fn queues_and_readers_by_name() {
        assert_eq!(parse(["--queue", "stack"]).queue, QueueKind::Stack);
        assert_eq!(parse(["--queue", "stack", "--queue=deque"]).queue, QueueKind::Deque);
        assert_eq!(parse(["--idle", "biased-event"]).idle, IdleKind::BiasedEvent);
        assert_eq!(parse(["--reader", "portable"]).reader, Reader::Portable);
    }
}
