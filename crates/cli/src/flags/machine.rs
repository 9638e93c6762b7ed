//! Flags that control how the search runs: threads, queues, memory.

use heist_queue::{IdleKind, QueueKind};
use heist_walk::Reader;

use super::record::{
    Flag,
    ValueKind::{OneOf, Value},
    flags, set,
};

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "regex-size-limit",
        value: Value("SIZE"),
        summary: "Limit the size of compiled patterns.",
        manual: "Reject patterns whose compiled form takes more than SIZE bytes. The default is \
                 100M. SIZE can end in K, M or G.",
        set: set!(|value, typed| typed.regex_size_limit = Some(value.size()?)),
    },
    Flag {
        long: "dfa-size-limit",
        value: Value("SIZE"),
        summary: "Limit the size of the regex cache.",
        manual: "Limit the cache of the regex engine to SIZE bytes. The default is 1000M. A larger \
                 cache can speed up the search for large patterns and does not change the results. \
                 SIZE can end in K, M or G.",
        set: set!(|value, typed| typed.dfa_size_limit = Some(value.size()?)),
    },
    Flag {
        long: "threads",
        short: Some('j'),
        value: Value("NUM"),
        summary: "Set the number of threads; 0 is automatic.",
        manual: "Use at most NUM threads. NUM is limited to 56. With 0, the default, hs uses as \
                 many threads as there are processor cores, but at most 12. While directories are \
                 read from a disk instead of memory, it uses up to eight threads per core. A \
                 single file of less than 8 MiB is searched by one thread.",
        set: set!(|value, typed| typed.threads = value.number()?),
    },
    Flag {
        long: "mmap",
        negation: Some("no-mmap"),
        summary: "Search files through memory maps.",
        manual: "Search files through memory maps where possible, instead of reading them. The \
                 results are the same. If a file is truncated during the search, an error is \
                 reported and the results so far are kept. By default, no file is mapped.",
        set: set!(|value, typed| typed.mmap = value.is_on()),
    },
    Flag {
        long: "queue",
        value: OneOf("NAME", QueueKind::NAMES),
        summary: "Choose how threads share the walk.",
        manual: "Choose the queue through which threads share the directories that remain to be \
                 walked. The results are the same with each of them; speed, memory usage and the \
                 order of results can differ.\n\n\
                 deque, the default, gives each thread a lock-free queue. The thread takes the \
                 newest directory first, so that the walk goes depth first, and idle threads steal \
                 the oldest half. chase-lev is another queue of that kind, written for this \
                 program. st3-lifo has queues of a fixed capacity and a shared queue for what does \
                 not fit; in st3-fifo, each thread takes its oldest directory first, so that the \
                 walk goes breadth first.\n\n\
                 sharded gives each thread a queue with a lock. The thread takes its oldest \
                 directory first, and idle threads take the newest half. In sharded-lifo, the two \
                 ends are exchanged.\n\n\
                 stack is a single stack with a lock. channel is a single channel and injector a \
                 single lock-free queue; the oldest directory is taken first. biased is a channel \
                 from which each thread takes up to 20 directories at a time.",
        set: set!(|value, typed| typed.queue = value.parse()?),
    },
    Flag {
        long: "idle",
        value: OneOf("NAME", IdleKind::NAMES),
        summary: "Choose how idle threads wait.",
        manual: "Choose how idle threads wait, and which of them is woken for new work. \
                 biased-event wakes the first sleeper, fifo-event the one that has slept longest, \
                 and biased-chain the next one after the waker. yield-condvar looks for work for a \
                 long time before it sleeps, and poll-1ms looks every millisecond. This flag \
                 serves to measure the cost of queues and wake-ups separately.",
        hidden: true,
        set: set!(|value, typed| typed.idle = value.parse()?),
    },
    Flag {
        long: "reader",
        value: OneOf("NAME", &["linux", "portable"]),
        summary: "Choose how directories are read.",
        manual: "Choose how directories are read: linux uses system calls directly, portable the \
                 standard library. This flag serves to test hs itself.",
        hidden: true,
        set: set!(|value, typed| typed.reader = value.one_of(READERS)?),
    },
];

const READERS: &[(&str, Reader)] = &[("linux", Reader::Native), ("portable", Reader::Portable)];

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
