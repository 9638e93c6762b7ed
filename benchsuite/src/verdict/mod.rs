//! A comparison, and a whole record, in words: the same for tables and for the page.
//!
//! A sentence is as careful as the figures: two medians that are no further apart than both their
//! spreads are called level, and a row that is not ranked is named with its reason instead.
//!
//! | module | what |
//! |---|---|
//! | `comparison` | the findings of a comparison |
//! | `whole` | the findings of a record |
//! | `caveats` | what makes figures doubtful |

mod caveats;
mod comparison;
mod whole;

pub(crate) use caveats::caveats;
pub(crate) use comparison::of_comparison;
pub(crate) use whole::of_record;
