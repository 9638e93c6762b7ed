//! The function that a line is in, where brackets, words or indentation show how a text is nested.
//!
//! `enclosing` looks upwards from a line. What is indented deeper than the lines seen so far is
//! beside the point, so that most lines cost no more than their indentation. A line that is less
//! indented begins what the line is in: its *statement*, which may take several lines, is reduced
//! to its skeleton (`statement`), without strings, comments and what brackets enclose, and tested
//! against the patterns of the language. Lines at the same indentation matter where they open or
//! close a block, so that code without indentation has functions too.
//!
//! ```text
//! function first(a = "{") {        tested: `function first() {`
//!   const inner = () => {          the same indentation, but its block is closed below
//!     x();                         deeper: passed over
//!   };
//!   needle();
//! }
//! ```
//!
//! `lexis` finds where strings and comments end, and `spans` finds those that reach over several
//! lines, which are no code. `extent` finds a function's lines, and `sections` finds them in texts
//! that have titles only.

mod code;
pub(crate) mod enclosing;
mod extent;
mod lexis;
mod sections;
mod spans;
mod statement;
mod statement_tests;
mod syntax;

pub use self::{
    lexis::{Lexis, LexisConfig},
    syntax::{NestedConfig, NestedFunctions, Nesting},
};
