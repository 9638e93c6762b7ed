//! The document's biased queue: a channel with numbered receivers that wake one another.
//!
//! A receiver takes up to [`PRIVATE`] items without waiting. If it got that many, it is overloaded
//! and wakes the next receiver. If it got none, it sleeps: receiver 0 in the channel, the others
//! until the one before wakes them. The end goes down the same chain. So a receiver works only
//! while those before it are overloaded.
//!
//! Rebuilt from how `rocallahan/biased-work-queues` (2021) describes it, with what that implies: no
//! other receiver can do what one has taken, a receiver busy with a long item wakes no other, and
//! the chain ends at a receiver that panics. heist's own queue with that name is in `heist-queue`.

use crossbeam_channel::{Receiver, TryRecvError};
use crossbeam_utils::sync::{Parker, Unparker};

/// How many items a receiver takes for itself.
pub(super) const PRIVATE: usize = 20;

/// The end of one consumer.
pub(super) struct BiasedReceiver<T> {
    channel: Receiver<T>,
    /// Where this receiver parks, unless it is the first.
    bed: Option<Parker>,
    next: Option<Unparker>,
}

/// The receivers for `channel`, in their order.
pub(super) fn receivers<T>(channel: &Receiver<T>, count: usize) -> Vec<BiasedReceiver<T>> {
    let mut beds: Vec<_> = (0..count).map(|index| (index > 0).then(Parker::new)).collect();
    let nexts: Vec<_> =
        beds.iter().skip(1).map(|bed| bed.as_ref().map(|bed| bed.unparker().clone())).collect();
    let nexts = nexts.into_iter().chain([None]);
    let receiver = |(bed, next)| BiasedReceiver { channel: channel.clone(), bed, next };
    beds.drain(..).zip(nexts).map(receiver).collect()
}

impl<T> BiasedReceiver<T> {
    /// Waits until there is something to do in this receiver's place; `None` if all items are done
    /// and no more will come.
    pub(super) fn receive(&self) -> Option<Vec<T>> {
        let mut taken = Vec::new();
        loop {
            let over = self.fill(&mut taken);
            if taken.len() >= PRIVATE || (over && taken.is_empty()) {
                self.next.iter().for_each(Unparker::unpark);
            }
            if !taken.is_empty() {
                return Some(taken);
            }
            if over {
                return None;
            }
            match &self.bed {
                Some(bed) => bed.park(),
                // Takes more on the next round; there the end is noticed, too.
                None => taken.extend(self.channel.recv()),
            }
        }
    }

    /// Takes available items, up to a full batch. Returns whether the channel has ended.
    fn fill(&self, taken: &mut Vec<T>) -> bool {
        while taken.len() < PRIVATE {
            match self.channel.try_recv() {
                Ok(item) => taken.push(item),
                Err(end) => return end == TryRecvError::Disconnected,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_takes_a_batch_and_wakes_the_next() {
        let (send, receive) = crossbeam_channel::unbounded();
        let ends = receivers(&receive, 3);
        (0..45).for_each(|item| send.send(item).expect("receivers are there"));
        assert_eq!(ends[0].receive(), Some((0..20).collect()));
        // Woken by the first, so that this does not wait.
        ends[1].bed.as_ref().expect("the second sleeps on its own").park();
        assert_eq!(ends[1].receive(), Some((20..40).collect()));
        assert_eq!(ends[2].receive(), Some((40..45).collect()));
        drop(send);
        assert_eq!(ends[0].receive(), None);
        ends[1].bed.as_ref().expect("as above").park();
        assert_eq!(ends[1].receive(), None);
        assert_eq!(ends[2].receive(), None);
    }

    #[test]
    fn the_first_waits_for_items_and_the_last_wakes_nobody() {
        let (send, receive) = crossbeam_channel::unbounded();
        let [first] = <[_; 1]>::try_from(receivers(&receive, 1)).ok().expect("one receiver");
        let taken = std::thread::scope(|scope| {
            let first = scope.spawn(move || first.receive());
            send.send(7).expect("the receiver is there");
            first.join().expect("no panic")
        });
        assert_eq!(taken, Some(vec![7]));
    }
}
