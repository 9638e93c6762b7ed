//! A comparison, and a whole record, in words: the same for tables and for the page.
//!
//! A sentence is as careful as the figures: two medians that are no further apart than both rows
//! are noisy are called level, and a row that is not ranked is named with its reason instead.
//!
//! | module | what |
//! |---|---|
//! | `answer` | the answer of a record in a sentence, and how `hs` compares with each rival |
//! | `comparison` | the findings of a comparison |
//! | `caveats` | what makes figures doubtful |

mod answer;
mod caveats;
mod comparison;

pub(crate) use answer::{answer, of_record};
pub(crate) use caveats::caveats;
pub(crate) use comparison::of_comparison;
