//! A search for more needles at once than Teddy takes, or for needles in either case: from a few to
//! tens of thousands.
//!
//! A needle is known by its grams, which are blocks of two to eight bytes. A table has a bit for
//! each gram's hash. The search probes every `step`th place in the text by itself: no probe waits
//! for another, so that the core has many under way, whereas an automaton takes one byte after the
//! other, and a window that slides (Wu and Manber 1994) has to know how far.
//!
//! Wherever a needle stands, one of `step` neighbouring places in it is probed. So for each
//! remainder of a gram's place by `step`, one gram has to be in the table: the rarest, because the
//! words in a list often begin alike. With a step of 2, the needle `kmalloc` may be known by `km`
//! or `al` or `lo` for even places, and by `ma` or `ll` or `oc` for odd ones.
//!
//! Short needles would make all grams short, so they have their own table, which comes first. If
//! the other one has to probe every place, it does so only in the lines that remain
//! (docs/decisions/0161-lines-of-short-needles.md).
//!
//! Without regard to case, grams are made of bytes with the bit `0x20` set. What else becomes equal
//! by that is found out when whole needles are compared.

mod finder;
mod grams;
mod search;
mod table;

pub(crate) use finder::Many;
pub(crate) use grams::{gram_and_step, hash};
pub(crate) use table::groups_by_length;
