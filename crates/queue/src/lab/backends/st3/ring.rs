//! A trait for what the two flavours of st3 have in common, which the crate itself lacks.

use st3::StealError;

use crate::backend::PopOrder;

/// An owner's end of a ring.
pub trait Ring<T>: Send + Sized {
    /// A thief's end.
    type Stealer: Send + Sync;

    /// The name of the backend made of such rings.
    const NAME: &'static str;

    /// Which of its items the owner pops first.
    const ORDER: PopOrder;

    /// A ring for `capacity` items, rounded up to a power of two.
    fn with_capacity(capacity: usize) -> Self;

    /// A thief's end of this ring.
    fn stealer(&self) -> Self::Stealer;

    /// Adds an item.
    ///
    /// # Errors
    ///
    /// The item, if the ring is full.
    fn push(&self, item: T) -> Result<(), T>;

    /// Adds items: at most [`spare`](Self::spare).
    fn extend(&self, items: impl ExactSizeIterator<Item = T>);

    /// Takes an item from the owner's end.
    fn pop(&self) -> Option<T>;

    /// Removes the oldest items into `sink`. `count` maps the length to the number to remove.
    ///
    /// # Errors
    ///
    /// If the ring was empty, or a thief is at work.
    fn drain_into(
        &self,
        count: impl FnMut(usize) -> usize,
        sink: impl FnMut(T),
    ) -> Result<(), StealError>;

    /// A lower bound of the number of items that fit.
    fn spare(&self) -> usize;

    /// Whether the owner would pop nothing.
    fn is_empty(&self) -> bool;

    /// A lower bound of the number of items a thief could take: 0 or 1 while a thief is at work.
    fn len(&self) -> usize {
        let mut there = 0;
        let result = self.drain_into(
            |len| {
                there = len;
                0
            },
            drop,
        );
        match result {
            Err(StealError::Busy) => usize::from(!self.is_empty()),
            Ok(()) | Err(StealError::Empty) => there,
        }
    }

    /// Steals the oldest items into `own`, except for the last, which is returned. `count` maps the
    /// length to the number to steal.
    ///
    /// # Errors
    ///
    /// If the ring was empty, or another thief is at work.
    fn steal_and_pop(
        victim: &Self::Stealer,
        own: &Self,
        count: impl FnMut(usize) -> usize,
    ) -> Result<Stolen<T>, StealError>;

    /// Whether a thief would find nothing, by a steal that takes none. Never `true` while another
    /// thief is at work. `nowhere` may be any other ring, and does not change.
    fn looks_empty(victim: &Self::Stealer, nowhere: &Self) -> bool {
        let mut there = 0;
        let result = Self::steal_and_pop(victim, nowhere, |len| {
            there = len;
            0
        });
        matches!(result, Err(StealError::Empty)) && there == 0
    }
}

/// The result of a steal.
pub struct Stolen<T> {
    /// The newest of the stolen items.
    pub item: T,
    /// How many others moved to the thief's own ring.
    pub moved: usize,
}

/// Implements the trait for one flavour.
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
            ) -> Result<Stolen<T>, StealError> {
                let (item, moved) = victim.steal_and_pop(own, count)?;
                Ok(Stolen { item, moved })
            }
        }
    };
}

ring!(lifo, "st3-lifo", NewestFirst);
ring!(fifo, "st3-fifo", OldestFirst);
