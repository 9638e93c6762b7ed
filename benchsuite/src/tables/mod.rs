//! A record as Markdown: the templates `*.md.jinja`, and what they are filled with.
//!
//! | module | holds |
//! |---|---|
//! | `suite` | comparisons of whole programs, and the best walk of each corpus |
//! | `queues` | queues and policies on synthetic loads |
//! | `hunt` | the slowest of random command lines |
//! | `summary` | all tools of a record in one table, for `docs/speed.md` |
//! | `groups` | searches with an index, by how much they find |

mod groups;
mod hunt;
mod queues;
mod suite;
mod summary;

use std::io::{self, Write};

use rustix::termios::{isatty, tcgetwinsize};

use crate::markdown::narrow;
use crate::record::{Record, RecordKind};
use crate::verdict::answer;

pub(crate) use groups::groups;
pub(crate) use hunt::least_ratio;
pub(crate) use summary::{ratios, summary};

/// The whole record; `as_published` adds what the harnesses of the documents would have reported.
pub(crate) fn print(record: &Record, as_published: bool) -> String {
    match record.kind {
        RecordKind::Queues => queues::print(record, as_published),
        RecordKind::Hunt => hunt::print(record),
        RecordKind::Walk | RecordKind::Search | RecordKind::Index => suite::print(record),
    }
}

/// Prints the whole record. In a terminal, tables are no wider than that, and the answer comes once
/// more at the end, where it is seen.
pub(crate) fn show(record: &Record, as_published: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut text = print(record, as_published);
    if isatty(&out) {
        let width = tcgetwinsize(&out).map_or(0, |size| usize::from(size.ws_col));
        text = narrow(&text, if width == 0 { 80 } else { width });
        text += &answer(record).map(|answer| format!("\n{answer}\n")).unwrap_or_default();
    }
    out.write_all(text.as_bytes())
}
