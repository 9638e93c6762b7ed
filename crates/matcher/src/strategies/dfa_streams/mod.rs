//! A search of ASCII text by an automaton that steps through several places of it at once.
//!
//! An automaton looks up one state per byte, and each look-up waits for the one before: four to
//! five cycles a byte, however small the table. A core can have several such chains under way. So
//! the text is cut at line ends into as many streams, and all of them take a step in turn; no match
//! crosses a line end, so none is lost at a seam.
//!
//! The table has a row of 128 states per state, a byte each, so that it stays in the first-level
//! cache and needs neither byte classes nor bounds checks. The state in which a match has ended
//! leads to itself: whether a stream got there is tested once per block of bytes, and only then
//! where.

mod automaton;
mod finder;
mod lazy;
mod long_line;

pub(crate) use finder::DfaStreams;
pub(crate) use long_line::StreamsInParts;
