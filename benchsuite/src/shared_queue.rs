//! A queue, perhaps with a way of sharing other than the usual one: `deque`, `deque reserve`.

use std::str::FromStr;

use heist_queue::{QueueKind, Sharing, UnknownName};

/// A queue and a way of sharing.
#[derive(Clone, Copy)]
pub(crate) struct SharedQueue {
    pub(crate) queue: QueueKind,
    /// `None`: the one that is usual where the queue is used.
    pub(crate) sharing: Option<Sharing>,
}

impl FromStr for SharedQueue {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<SharedQueue, UnknownName> {
        let (queue, sharing) = match text.split_once(' ') {
            Some((queue, sharing)) => (queue, Some(sharing.parse()?)),
            None => (text, None),
        };
        Ok(SharedQueue { queue: queue.parse()?, sharing })
    }
}
