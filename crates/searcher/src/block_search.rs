//! Searches a haystack block by block: the line buffer and the line search take turns.

use std::io::{self, Read};

use heist_matcher::{BlockScan, Finder};

use crate::{
    Flow, SearchConfig, Sink,
    line_buffer::{Filled, LineBuffer, LongLines},
    line_search::{LineSearch, failure_as_error},
};

/// Searches everything that `reader` returns. An error from the reader or the engine comes after
/// the last event.
pub(crate) fn search_blocks<S: Sink>(
    config: &SearchConfig,
    line_buffer: &mut LineBuffer,
    finder: &mut Finder,
    reader: &mut dyn Read,
    long: Option<&mut LongLines<'_>>,
    sink: &mut S,
) -> io::Result<()> {
    search_first(config, line_buffer, finder, reader, long, u64::MAX, sink).map(drop)
}

/// As [`search_blocks`], but searches only the blocks that begin in the first `until` bytes, unless
/// they are all. If more may follow, the sink has not got the last event.
pub(crate) fn search_first<S: Sink>(
    config: &SearchConfig,
    line_buffer: &mut LineBuffer,
    finder: &mut Finder,
    reader: &mut dyn Read,
    long: Option<&mut LongLines<'_>>,
    until: u64,
    sink: &mut S,
) -> io::Result<Searched> {
    line_buffer.restart();
    let mut search = LineSearch::new(config, finder, sink);
    if search.begin_if_wanted().is_continue() {
        match pass_blocks(config, line_buffer, &mut search, reader, long, until) {
            Ok(Searched::All) => {}
            Ok(Searched::Part) => return Ok(Searched::Part),
            Err(error) => {
                search.abandon(line_buffer.nul());
                return Err(error);
            }
        }
    }
    failure_as_error(search.finish(line_buffer.nul()))?;
    Ok(Searched::All)
}

/// How far a search block by block has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Searched {
    /// The haystack is over, or no more of it is wanted.
    All,
    /// Everything up to the requested position; more may follow.
    Part,
}

/// Passes blocks to `search` until `until` bytes of the text have been searched or it is over.
pub(crate) fn pass_blocks<S: Sink>(
    config: &SearchConfig,
    line_buffer: &mut LineBuffer,
    search: &mut LineSearch<'_, S>,
    reader: &mut dyn Read,
    mut long: Option<&mut LongLines<'_>>,
    until: u64,
) -> io::Result<Searched> {
    while search.searched_to() < until {
        let consumed = search.roll(line_buffer.lines());
        let had_nul = line_buffer.nul().is_some();
        let filled = line_buffer.fill(consumed, reader, config, long.as_deref_mut());
        search.add_converted(&mut line_buffer.converted);
        let mut flow = Flow::Continue(());
        if let (false, Some(offset)) = (had_nul, line_buffer.nul()) {
            flow = search.binary(offset);
        }
        if let (Some(line), Some(long), true) = (line_buffer.passed(), &long, flow.is_continue()) {
            flow = search.pass_over_line(line, long.file, long.start)?;
        }
        if filled? != Filled::Lines || flow.is_break() {
            return Ok(Searched::All);
        }
        if search.pass(&mut BlockScan::new(line_buffer.lines())).is_break() {
            return Ok(Searched::All);
        }
    }
    Ok(Searched::Part)
}
