//! All strategies as one type.

use std::ops::Range;

use super::anchored_literal::AnchoredLiteral;
use super::ascii_skip::AsciiSkip;
use super::backoff::Backoff;
use super::bit_parallel::BitParallel;
use super::constant::{EveryLine, NoLine};
use super::engine::Engine;
use super::line_by_line::LineByLine;
use super::line_finder::{LineFinder, Step, Task, Traits};
use super::many::Many;
use super::packed::Packed;
use super::words::Words;
use crate::exact::ExactSearch;

macro_rules! strategies {
    ($($name:ident)*) => {
        /// Any of the strategies: to call one is a jump, and none is on the heap.
        #[derive(Clone, Debug)]
        #[expect(clippy::large_enum_variant, reason = "a worker has three at most")]
        #[cfg_attr(
            not(feature = "pcre2"),
            allow(dead_code, reason = "only PCRE2 goes line by line")
        )]
        pub(crate) enum Strategy { $($name($name)),* }

        impl Strategy {
            /// The name of its type.
            pub(crate) fn name(&self) -> &'static str {
                match self { $(Strategy::$name(_) => stringify!($name)),* }
            }
        }

        impl LineFinder for Strategy {
            fn traits(&self) -> Traits {
                match self { $(Strategy::$name(s) => s.traits()),* }
            }

            #[inline(always)]
            fn find(&mut self, haystack: &[u8], lines: Range<usize>) -> Option<usize> {
                match self { $(Strategy::$name(s) => s.find(haystack, lines)),* }
            }

            fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
                match self { $(Strategy::$name(s) => s.fill(task)),* }
            }

            fn count(
                &mut self,
                exact: &mut ExactSearch,
                backoff: &mut Backoff,
                haystack: &[u8],
                lines: Range<usize>,
            ) -> Option<(u64, usize)> {
                match self { $(Strategy::$name(s) => s.count(exact, backoff, haystack, lines)),* }
            }

            fn may_match(&mut self, haystack: &[u8], terminator: u8) -> bool {
                match self { $(Strategy::$name(s) => s.may_match(haystack, terminator)),* }
            }
        }
    };
}

strategies! {
    EveryLine NoLine AnchoredLiteral Packed Many BitParallel AsciiSkip Words Engine LineByLine
}

impl Strategy {
    /// Whether it can search a line part by part, without literals.
    pub(crate) fn searches_parts(&self) -> bool {
        match self {
            Strategy::BitParallel(_) => self.traits().is_exact,
            Strategy::AsciiSkip(_) => true,
            _ => false,
        }
    }
}
