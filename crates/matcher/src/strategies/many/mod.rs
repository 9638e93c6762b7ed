//! A search for more needles at once than Teddy takes, or for needles in either case: from a few to
//! tens of thousands.
//!
//! A needle is known by its grams, which are blocks of two to eight bytes. A table has a bit for
//! each hash of a gram. The search probes every `step`th place of the text by itself: no probe
//! waits for another, so that the core has many under way, whereas an automaton takes one byte
//! after the other, and a window that slides (Wu and Manber 1994) has to know how far.
//!
//! Wherever a needle stands, one of `step` neighbouring places in it is probed. So one gram has to
//! be in the table for each remainder of its place by `step`, and that is the rarest; the words of
//! a list often begin alike. With a step of 2, the needle `kmalloc` may be known by `km` or `al` or
//! `lo` for even places, and by `ma` or `ll` or `oc` for odd ones.
//!
//! Short needles would make the grams of all short, so they have a table of their own, which comes
//! first. If the other one has to probe every place, it does so only in the lines that remain
//! (docs/decisions/0161-lines-of-short-needles.md).
//!
//! Without regard to case, grams are made of bytes whose bit `0x20` is set. What else becomes equal
//! by that, the comparison of whole needles finds out.

mod finder;
mod grams;
mod search;
mod table;

pub(crate) use finder::{LOOKAHEAD, Many};
pub(crate) use grams::{gram_and_step, hash};
pub(crate) use table::groups_by_length;
