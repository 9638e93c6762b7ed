//! The names of backends and idle policies, as on the command line.

use heist_ebr::named;

named! {
    "queue"
    /// The backends, selectable by value: see [`run_on`](crate::run_on) and
    /// [`with_backend`](crate::with_backend).
    ///
    /// ```
    /// use heist_queue::QueueKind;
    ///
    /// assert_eq!("st3-lifo".parse(), Ok(QueueKind::St3Lifo));
    /// assert_eq!(QueueKind::default().to_string(), "deque");
    /// ```
    QueueKind:
    #[default]
    /// A crossbeam deque per worker: the owner pops the newest item, thieves take the oldest half.
    Deque = "deque",
    /// A Chase–Lev deque of our own per worker, free of data races.
    ChaseLev = "chase-lev",
    /// One mutexed stack shared by all workers.
    Stack = "stack",
    /// A mutexed deque per worker: the owner pops the oldest item, thieves take the newest half.
    Sharded = "sharded",
    /// A mutexed deque per worker: the owner pops the newest item, thieves take the oldest half.
    ShardedLifo = "sharded-lifo",
    /// A bounded st3 ring per worker, newest first.
    St3Lifo = "st3-lifo",
    /// A bounded st3 ring per worker, oldest first.
    St3Fifo = "st3-fifo",
    /// One channel shared by all workers.
    Channel = "channel",
    /// One channel, from which each worker takes batches.
    Biased = "biased",
    /// One crossbeam injector shared by all workers.
    Injector = "injector",
}

named! {
    "idle policy"
    /// The idle policies, selectable by value: see
    /// [`IdleConfig::policy`](crate::IdleConfig::policy).
    IdleKind:
    #[default]
    /// Sleep on a futex, wake the lowest index, one wake-up in flight.
    BiasedEvent = "biased-event",
    /// Sleep on a futex, wake the worker that has been parked longest, one wake-up in flight.
    FifoEvent = "fifo-event",
    /// Sleep on a futex, wake the next worker above the waker, one wake-up in flight.
    BiasedChain = "biased-chain",
    /// Search for long, then sleep on a condition variable.
    YieldCondvar = "yield-condvar",
    /// Search again every millisecond.
    Poll1ms = "poll-1ms",
}
