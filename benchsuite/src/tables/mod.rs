//! A record as Markdown.
//!
//! | module | holds |
//! |---|---|
//! | `facts` | where, when and how it was measured, and on what |
//! | `suite` | comparisons of whole programs |
//! | `queues` | queues and policies on synthetic loads |
//! | `hunt` | the slowest of random command lines |
//! | `summary` | all tools of a record in one table, for the README |

mod facts;
mod hunt;
mod queues;
mod suite;
mod summary;

use crate::record::{Kind, Record};

pub(crate) use hunt::ratio;
pub(crate) use summary::summary;

/// The whole record; `as_published` adds what the harnesses of the documents would have reported.
pub(crate) fn print(record: &Record, as_published: bool) -> String {
    match record.kind {
        Kind::Queues => queues::print(record, as_published),
        Kind::Hunt => hunt::print(record),
        Kind::Walk | Kind::Search => {
            let reports = record.comparisons.iter();
            let reports = reports.map(|one| suite::report(one, record.machine.cores));
            let facts = facts::facts(record);
            reports.fold(facts, |text, report| text + "\n" + &report)
        }
    }
}
