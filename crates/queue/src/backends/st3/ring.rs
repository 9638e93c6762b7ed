//! What the two flavours of st3 have in common, spelled out: the crate itself has no trait for it.

use st3::StealError;

use crate::backend::PopOrder;

/// An owner's end of a ring.
pub trait Ring<T>: Send + Sized {
    /// A thief's end.
    type Stealer: Send + Sync;

    /// The name of the backend made of such rings.
    const NAME: &'static str;

    /// What the owner pops first.
    const ORDER: PopOrder;

    /// A ring for `capacity` items or, if that is no power of two, more.
    fn with_capacity(capacity: usize) -> Self;

    /// A thief's end of this ring.
    fn stealer(&self) -> Self::Stealer;

    /// Adds an item, or gives it back if there is no room.
    ///
    /// # Errors
    ///
    /// The item, if the ring is full.
    fn push(&self, item: T) -> Result<(), T>;

    /// Adds items, which must not be more than [`spare`](Self::spare) says.
    fn extend(&self, items: impl ExactSizeIterator<Item = T>);

    /// Takes an item from the owner's end.
    fn pop(&self) -> Option<T>;

    /// Gives the oldest items to `sink`, as many as `count` makes of the number there is.
    ///
    /// # Errors
    ///
    /// Nothing was there, or a thief is at work.
    fn drain_into(
        &self,
        count: impl FnMut(usize) -> usize,
        sink: impl FnMut(T),
    ) -> Result<(), StealError>;

    /// How many items fit in: a lower bound.
    fn spare(&self) -> usize;

    /// Whether the owner would pop nothing.
    fn is_empty(&self) -> bool;

    /// How many items a thief could take: a lower bound. While one is at work, that is whether
    /// anything is left.
    fn len(&self) -> usize {
        let mut there = 0;
        let asked = self.drain_into(
            |len| {
                there = len;
                0
            },
            drop,
        );
        match asked {
            Err(StealError::Busy) => usize::from(!self.is_empty()),
            Ok(()) | Err(StealError::Empty) => there,
        }
    }

    /// Steals the oldest items, as many as `count` makes of the number there is, into `own`, except
    /// for the last, which is for the hand.
    ///
    /// # Errors
    ///
    /// Nothing was there, or another thief is at work.
    fn steal_and_pop(
        victim: &Self::Stealer,
        own: &Self,
        count: impl FnMut(usize) -> usize,
    ) -> Result<Theft<T>, StealError>;

    /// Whether a thief would find nothing: asks how much there is and takes none of it. Never `true`
    /// while another thief is at work. `nowhere` may be any other ring and stays as it is.
    fn looks_empty(victim: &Self::Stealer, nowhere: &Self) -> bool {
        let mut there = 0;
        let asked = Self::steal_and_pop(victim, nowhere, |len| {
            there = len;
            0
        });
        matches!(asked, Err(StealError::Empty)) && there == 0
    }
}

/// What a thief has got.
pub struct Theft<T> {
    /// The newest of what was stolen.
    pub item: T,
    /// How many others went to the thief's own ring.
    pub moved: usize,
}

/// Writes the same calls for either flavour.
macro_rules! ring {
    ($flavour:ident, $name:literal, $order:ident) => {
        impl<T: Send> Ring<T> for st3::$flavour::Worker<T> {
            type Stealer = st3::$flavour::Stealer<T>;

            const NAME: &'static str = $name;
            const ORDER: PopOrder = PopOrder::$order;

            fn with_capacity(capacity: usize) -> Self {
                Self::new(capacity)
            }

            fn stealer(&self) -> Self::Stealer {
                self.stealer()
            }

            fn push(&self, item: T) -> Result<(), T> {
                self.push(item)
            }

            fn extend(&self, items: impl ExactSizeIterator<Item = T>) {
                debug_assert!(items.len() <= self.spare_capacity(), "st3 would drop the rest");
                self.extend(items);
            }

            fn pop(&self) -> Option<T> {
                self.pop()
            }

            fn drain_into(
                &self,
                count: impl FnMut(usize) -> usize,
                sink: impl FnMut(T),
            ) -> Result<(), StealError> {
                self.drain(count).map(|oldest| oldest.for_each(sink))
            }

            fn spare(&self) -> usize {
                self.spare_capacity()
            }

            fn is_empty(&self) -> bool {
                self.is_empty()
            }

            fn steal_and_pop(
                victim: &Self::Stealer,
                own: &Self,
                count: impl FnMut(usize) -> usize,
            ) -> Result<Theft<T>, StealError> {
                let (item, moved) = victim.steal_and_pop(own, count)?;
                Ok(Theft { item, moved })
            }
        }
    };
}

ring!(lifo, "st3-lifo", NewestFirst);
ring!(fifo, "st3-fifo", OldestFirst);
