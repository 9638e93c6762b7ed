//! The protocol of one worker's blocks: the owner in the newest one, thieves in the others.
//!
//! A ring has a power of two of blocks, each with the same number of slots. Blocks are numbered in
//! the order in which the owner enters them; a number stands for the place that its lowest bits
//! name. The blocks from `oldest` to `newest` are *granted*: thieves may take from them. Block
//! `newest` is the owner's, and no thief reads or writes its slots.
//!
//! ```text
//!            oldest                            newest
//!   ·  ·  ·  [· · 3 4]  [5 6 7 8]  [9 . . .]  [10 11 · ·]  ·  ·  ·
//!                 ^ thieves claim from here           ^ the owner pushes and pops here
//! ```
//!
//! Each block has two words that several threads write. `claims` is `round:48 | pos:8 | end:8`:
//! thieves may claim the slots from `pos` to `end`, and none if they are equal. `done` counts the
//! slots that thieves have finished copying. What else there is to know of a block, only its owner
//! knows: `front`, where its own items begin because thieves have claimed all slots before, and
//! `back`, where they end.
//!
//! | step | what happens | ordering |
//! |---|---|---|
//! | push, pop | slot `back`, or the one before it; no atomic operation | |
//! | grant | `claims` = (new round, front, back) | Release |
//! | take over | `claims` swapped for one with `pos = end`; the old `pos` is `front` | Relaxed |
//! | claim | compare-and-swap of `claims`: `pos + k`; then the slots are read | Acquire |
//! | finish | `done + k` | Release |
//! | reuse | if `done = front` and no item is left, the block begins anew | Acquire |
//!
//! The owner grants a block when it is full, or to expose its items, and enters the next. It takes
//! the one before over when its own is empty. Neither waits for a thief.
//!
//! # No item is taken twice, and none is lost
//!
//! All changes of `claims` but the grant are read-modify-writes, and the owner grants a block only
//! after it has taken it over, or has entered it anew. So of a thief and an owner that want the
//! same block, one comes first: the owner finds in the old value which items are left to it, or the
//! thief's compare-and-swap fails.
//!
//! It fails also if the owner has granted the block again meanwhile, even with the same positions,
//! because each grant of a worker has a new round, which returns after 2⁴⁸ grants. So a claim is of
//! the grant that the thief has looked at. A claim of another one would be as sound here, since it
//! acquires what it claims; without both it is a data race, the fault of stdexec (decision 0176).
//!
//! # No slot is reached by two threads at once
//!
//! A claim reads a grant, or a claim that continues the grant's release sequence, so the thief sees
//! what the owner has written before the grant. The owner writes a slot again in one of two ways.
//! Above `front`, no thief has claimed the slot since the block began: either it was never granted,
//! or the owner has taken it over. Below, the block has begun anew, for which the owner has read
//! that `done` is `front`, and so has seen all copying end.
//!
//! # What thieves look at
//!
//! `range` is a copy of `oldest` and `newest`, written after a grant and after a block is taken
//! over. It is only a hint where to look: a thief that reads an old one misses blocks, or finds
//! some that have nothing. A publisher that grants, fences and reads a flag, and a sleeper that
//! sets the flag, fences and looks, cannot both miss the other, because both stores of the grant
//! come before the fence.
//!
//! # Sources
//!
//! Wang and others, "`BWoS`: Formally Verified Block-based Work Stealing for Parallel Processing",
//! OSDI 2023. What differs, and why, is in decision 0176.

use std::mem::MaybeUninit;
use std::sync::Arc;

use crossbeam_utils::CachePadded;

use crate::config::StealAmount;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, UnsafeCell};

/// The most items in a block: positions in it have eight bits, and a hidden item waits.
pub(super) const MAX_BLOCK: usize = 64;

/// The value of `claims`.
#[derive(Clone, Copy)]
struct Claims(u64);

impl Claims {
    fn new(round: u64, pos: usize, end: usize) -> Claims {
        debug_assert!(pos <= end && end <= MAX_BLOCK, "{pos}..{end} in a block");
        Claims(round << 16 | (pos as u64) << 8 | end as u64)
    }

    fn pos(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    fn end(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// How many slots can be claimed.
    fn len(self) -> usize {
        self.end() - self.pos()
    }

    /// This value after `count` slots have been claimed.
    fn claimed(self, count: usize) -> Claims {
        Claims(self.0 + ((count as u64) << 8))
    }

    /// This value without slots to claim.
    fn closed(self) -> Claims {
        self.claimed(self.len())
    }
}

/// What several threads write of a block.
#[derive(Default)]
struct ItemBlock {
    claims: AtomicU64,
    done: AtomicUsize,
}

impl ItemBlock {
    fn claims(&self) -> Claims {
        // Ordering: Relaxed. A thief's claim acquires; the owner reads only what it has written
        // itself, apart from `pos`, which carries no data.
        Claims(self.claims.load(Ordering::Relaxed))
    }
}

/// What owner and thieves of one ring share.
pub(super) struct BlockRing<T> {
    /// `oldest` in the upper half, `newest` in the lower.
    range: CachePadded<AtomicU64>,
    blocks: Box<[CachePadded<ItemBlock>]>,
    /// The slots of all blocks.
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    /// Slots in a block.
    block: usize,
}

// SAFETY: a slot is reached by one thread at a time, as the head of this file argues, and its item
// moves from one thread to another.
unsafe impl<T: Send> Sync for BlockRing<T> {}

impl<T> BlockRing<T> {
    fn new(blocks: usize, block: usize) -> BlockRing<T> {
        let slot = |_| UnsafeCell::new(MaybeUninit::uninit());
        BlockRing {
            range: CachePadded::new(AtomicU64::new(0)),
            blocks: (0..blocks).map(|_| CachePadded::default()).collect(),
            slots: (0..blocks * block).map(slot).collect(),
            block,
        }
    }

    /// The place of the block with this number.
    fn place(&self, number: u32) -> usize {
        number as usize & (self.blocks.len() - 1)
    }

    /// The granted blocks, the oldest first.
    fn granted(&self) -> impl DoubleEndedIterator<Item = u32> + use<T> {
        // Ordering: Relaxed, a hint where to look. A caller that relies on it has made a fence.
        let range = self.range.load(Ordering::Relaxed);
        numbers((range >> 32) as u32, range as u32)
    }

    /// The granted blocks of worker `of`, to which this ring belongs, in the order in which a thief
    /// looks: from the block in which it last `found` something on, and then those before it. A
    /// thief that began at the oldest would pass by all that it has emptied.
    fn granted_from(&self, found: (usize, u32), of: usize) -> impl Iterator<Item = u32> + use<T> {
        // Ordering: Relaxed, as in `granted`.
        let range = self.range.load(Ordering::Relaxed);
        let (oldest, newest) = ((range >> 32) as u32, range as u32);
        let is_granted = found.1.wrapping_sub(oldest) < newest.wrapping_sub(oldest);
        let first = if found.0 == of && is_granted { found.1 } else { oldest };
        numbers(first, newest).chain(numbers(oldest, first))
    }

    /// Whether a thief would find nothing here.
    pub(super) fn is_empty(&self) -> bool {
        self.granted().all(|number| self.blocks[self.place(number)].claims().len() == 0)
    }

    /// Writes an item to a slot.
    ///
    /// # Safety
    ///
    /// The slot has no item, and belongs to the caller.
    unsafe fn write(&self, slot: usize, item: T) {
        // SAFETY: the slot belongs to the caller, so no other thread reaches it meanwhile.
        self.slots[slot].with_mut(|slot| unsafe { (*slot).write(item) });
    }

    /// Moves the item out of a slot.
    ///
    /// # Safety
    ///
    /// The slot has an item, and belongs to the caller, which never reads it again.
    unsafe fn read(&self, slot: usize) -> T {
        // SAFETY: the slot belongs to the caller, so no other thread writes it meanwhile, and it
        // has an item.
        self.slots[slot].with(|slot| unsafe { (*slot).assume_init_read() })
    }
}

impl<T> Drop for BlockRing<T> {
    /// Drops what thieves could claim. An owner's end grants its own items when it is dropped.
    fn drop(&mut self) {
        for place in 0..self.blocks.len() {
            let claims = self.blocks[place].claims();
            for slot in claims.pos()..claims.end() {
                // SAFETY: the slot was granted and is not claimed, so it has an item; no other
                // thread has the ring any more.
                drop(unsafe { self.read(place * self.block + slot) });
            }
        }
    }
}

/// The numbers from `oldest` to `newest`, which may have passed the largest number.
fn numbers(oldest: u32, newest: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..newest.wrapping_sub(oldest)).map(move |i| oldest.wrapping_add(i))
}

/// The result of an attempt to take items from another worker.
pub(super) enum Taken<T> {
    /// The newest of the stolen items.
    Item {
        item: T,
        /// How many older ones went to the thief's own block, which is granted.
        moved: usize,
        /// Whether the victim has items left that can be stolen.
        more: bool,
    },
    /// No block had anything to claim.
    Empty,
    /// Another thread changed the block first.
    Lost,
}

/// The owner's end of a ring.
pub(super) struct OwnerEnd<T> {
    own: Arc<BlockRing<T>>,
    oldest: u32,
    newest: u32,
    /// The owner's items are those from `front` to `back` in block `newest`. Both are the size of a
    /// block if the owner has not entered it.
    front: usize,
    back: usize,
    /// The first slot of block `newest`.
    base: usize,
    /// The `front` of each place, as of when the owner last knew it. A block that is entered again
    /// has room from there on, or everywhere if thieves have finished with these slots.
    fronts: Box<[u8]>,
    /// The number of grants.
    round: u64,
    /// Where this end, as a thief, last found something: a worker and the number of its block.
    found: (usize, u32),
}

/// All rings, and the owner's end of each.
pub(super) type Ends<T> = (Arc<[Arc<BlockRing<T>>]>, Vec<OwnerEnd<T>>);

/// Makes a ring for each of `workers` workers, for `capacity` items in blocks of `block`.
pub(super) fn rings<T: Send>(workers: usize, capacity: usize, block: usize) -> Ends<T> {
    let block = block.min(capacity).clamp(1, MAX_BLOCK);
    let blocks = (capacity / block).max(2).next_power_of_two();
    let rings: Arc<[Arc<BlockRing<T>>]> =
        (0..workers).map(|_| Arc::new(BlockRing::new(blocks, block))).collect();
    let own = |own: &Arc<BlockRing<T>>| OwnerEnd {
        own: Arc::clone(own),
        oldest: 0,
        newest: 0,
        front: 0,
        back: 0,
        base: 0,
        fronts: vec![0; blocks].into(),
        round: 0,
        found: (0, 0),
    };
    let ends = rings.iter().map(own).collect();
    (rings, ends)
}

impl<T> OwnerEnd<T> {
    /// Adds an item. `spill` receives what there is no room for: the items of the oldest block, or
    /// this item.
    #[inline]
    pub(super) fn push(&mut self, item: T, spill: impl FnMut(T)) {
        if self.back == self.own.block {
            return self.push_to_next(item, spill);
        }
        // SAFETY: the slot is in the owner's block, behind its items.
        unsafe { self.own.write(self.base + self.back, item) };
        self.back += 1;
    }

    #[inline(never)]
    fn push_to_next(&mut self, item: T, mut spill: impl FnMut(T)) {
        self.expose();
        if self.granted() == self.own.blocks.len() {
            self.give_up_oldest(&mut spill);
        }
        self.enter();
        if self.back == self.own.block && !self.pass_over() {
            return spill(item);
        }
        // SAFETY: the slot is in the owner's block, behind its items, and there is room for it.
        unsafe { self.own.write(self.base + self.back, item) };
        self.back += 1;
    }

    /// Takes the newest item.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        if self.front == self.back && !self.take_over() {
            return None;
        }
        self.back -= 1;
        // SAFETY: the slot is in the owner's block and has the newest of its items.
        Some(unsafe { self.own.read(self.base + self.back) })
    }

    /// Grants the owner's block with what is in it. Returns whether that was anything.
    #[inline]
    pub(super) fn expose(&mut self) -> bool {
        let has_items = self.front < self.back;
        if has_items {
            self.grant();
        }
        has_items
    }

    /// How many items thieves can see, at least, and one more if the owner has one that they cannot
    /// see. Counts the newest blocks, up to the size of one or to an empty one. Older blocks may
    /// have items, since a thief begins where it last found some.
    #[inline]
    pub(super) fn surplus(&self) -> usize {
        let mut visible = 0;
        for number in numbers(self.oldest, self.newest).rev() {
            let here = self.own.blocks[self.own.place(number)].claims().len();
            visible += here;
            if here == 0 || visible >= self.own.block {
                break;
            }
        }
        visible + usize::from(visible > 0 && self.front < self.back)
    }

    /// Grants the owner's block, which has items, and goes to the next without entering it.
    #[inline]
    fn grant(&mut self) {
        self.round += 1;
        let claims = Claims::new(self.round, self.front, self.back);
        let place = self.own.place(self.newest);
        // Ordering: Release pairs with the Acquire of a claim: the thief sees the items.
        self.own.blocks[place].claims.store(claims.0, Ordering::Release);
        self.newest = self.newest.wrapping_add(1);
        (self.front, self.back) = (self.own.block, self.own.block);
        if self.own.blocks[self.own.place(self.oldest)].claims().len() == 0 {
            self.skip_exhausted();
        }
        self.show_range();
    }

    /// Takes blocks in which nothing is left out of the range, so that thieves need not look there.
    #[cold]
    fn skip_exhausted(&mut self) {
        while self.oldest != self.newest {
            let place = self.own.place(self.oldest);
            let claims = self.own.blocks[place].claims();
            if claims.len() > 0 {
                break;
            }
            self.fronts[place] = claims.end() as u8;
            self.oldest = self.oldest.wrapping_add(1);
        }
    }

    /// Shows thieves which blocks are granted.
    fn show_range(&self) {
        let range = u64::from(self.oldest) << 32 | u64::from(self.newest);
        // Ordering: Relaxed, a hint where to look; see the head of this file.
        self.own.range.store(range, Ordering::Relaxed);
    }

    /// How many blocks are granted.
    fn granted(&self) -> usize {
        self.newest.wrapping_sub(self.oldest) as usize
    }

    /// Enters the block after `newest`, which thieves are still copying whole, so that it is not
    /// granted. Returns `false` if there is no other block, or no room in it either.
    #[cold]
    fn pass_over(&mut self) -> bool {
        if self.granted() + 1 == self.own.blocks.len() {
            return false;
        }
        self.newest = self.newest.wrapping_add(1);
        self.show_range();
        self.enter();
        self.back < self.own.block
    }

    /// Enters block `newest`, which has no items and is not granted. It has no room if thieves are
    /// still copying all of it.
    #[inline]
    fn enter(&mut self) {
        let place = self.own.place(self.newest);
        let mut front = usize::from(self.fronts[place]);
        let done = &self.own.blocks[place].done;
        // Ordering: Acquire pairs with the Release of the thieves: they have read the slots.
        if front > 0 && done.load(Ordering::Acquire) == front {
            // Ordering: Relaxed. No thief writes it before the next grant, which is a release.
            done.store(0, Ordering::Relaxed);
            self.fronts[place] = 0;
            front = 0;
        }
        self.base = place * self.own.block;
        (self.front, self.back) = (front, front);
    }

    /// Closes a granted block. What is left in it is the owner's: returns where that begins and
    /// ends.
    #[inline]
    fn close(&mut self, number: u32) -> (usize, usize) {
        let place = self.own.place(number);
        let block = &self.own.blocks[place];
        let mut claims = block.claims();
        if claims.len() > 0 {
            // Ordering: Relaxed. The owner itself has written what is left, and `done` shows when
            // it may overwrite what is not.
            claims = Claims(block.claims.swap(claims.closed().0, Ordering::Relaxed));
        }
        self.fronts[place] = claims.pos() as u8;
        (claims.pos(), claims.end())
    }

    /// Takes over the newest granted block that has items. Returns `false` if none has.
    #[inline(never)]
    fn take_over(&mut self) -> bool {
        if self.oldest == self.newest {
            return false;
        }
        while self.oldest != self.newest && self.front == self.back {
            self.newest = self.newest.wrapping_sub(1);
            (self.front, self.back) = self.close(self.newest);
            self.base = self.own.place(self.newest) * self.own.block;
        }
        self.show_range();
        self.front < self.back
    }

    /// Takes what is left in the oldest granted block out of the ring.
    #[cold]
    fn give_up_oldest(&mut self, spill: &mut impl FnMut(T)) {
        let (front, back) = self.close(self.oldest);
        let base = self.own.place(self.oldest) * self.own.block;
        for slot in front..back {
            // SAFETY: the block is closed, so its items are the owner's. Each is read once, and the
            // block is entered with `front` as its end.
            spill(unsafe { self.own.read(base + slot) });
        }
        self.oldest = self.oldest.wrapping_add(1);
        self.show_range();
    }

    /// How many items fit into the owner's block if the end is empty, and otherwise 0: a thief that
    /// has items of its own takes one, or older items would come behind newer ones.
    pub(super) fn room(&mut self) -> usize {
        if self.front < self.back || self.oldest != self.newest {
            return 0;
        }
        self.enter();
        self.own.block - self.back
    }

    /// Steals the oldest items of worker `of`, the `victim`: `amount` of the block they are in.
    pub(super) fn steal(
        &mut self,
        victim: &BlockRing<T>,
        of: usize,
        amount: StealAmount,
    ) -> Taken<T> {
        let mut granted = victim.granted_from(self.found, of);
        while let Some(number) = granted.next() {
            let place = victim.place(number);
            let block = &victim.blocks[place];
            let claims = block.claims();
            let len = claims.len();
            if len == 0 {
                continue;
            }
            let count = amount.take(len).min(self.room() + 1);
            let next = claims.claimed(count);
            // Ordering: Acquire pairs with the Release of the grant.
            let swap = block.claims.compare_exchange(
                claims.0,
                next.0,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if swap.is_err() {
                return Taken::Lost;
            }
            let first = place * victim.block + claims.pos();
            let moved = count - 1;
            for slot in 0..moved {
                // SAFETY: the claim gives the slot to this thread, the grant has put an item there,
                // and it is read once. The destination is in the thief's own block, behind its
                // items, where `room` has counted it.
                unsafe { self.own.write(self.base + self.back, victim.read(first + slot)) };
                self.back += 1;
            }
            // SAFETY: as above.
            let item = unsafe { victim.read(first + moved) };
            // Ordering: Release pairs with the Acquire in `enter`: the slots have been read.
            block.done.fetch_add(count, Ordering::Release);
            self.expose();
            self.found = (of, number);
            let mut left = granted.map(|number| victim.blocks[victim.place(number)].claims().len());
            return Taken::Item { item, moved, more: len > count || left.any(|len| len > 0) };
        }
        Taken::Empty
    }
}

impl<T> Drop for OwnerEnd<T> {
    /// Leaves the owner's items to thieves, or to the drop of the ring.
    fn drop(&mut self) {
        self.expose();
    }
}
