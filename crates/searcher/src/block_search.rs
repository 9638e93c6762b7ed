//! Searches a haystack block by block: the line buffer and the line search take turns.

use std::io::{self, Read};

use heist_matcher::BlockScan;

use crate::{
    Flow, Sink,
    line_buffer::{Filled, LineBuffer, LongLines},
    line_search::LineSearch,
    search::Search,
};

impl<S: Sink> Search<'_, S> {
    /// Searches everything that `reader` returns. An error from the reader or the engine comes
    /// after the last event.
    pub(crate) fn blocks(
        &mut self,
        reader: &mut dyn Read,
        long: Option<&mut LongLines<'_>>,
    ) -> io::Result<()> {
        self.first_blocks(u64::MAX, reader, long).map(drop)
    }

    /// Searches the blocks that begin in the first `until` bytes that `reader` returns. If more may
    /// follow, the sink has not got the last event.
    pub(crate) fn first_blocks(
        &mut self,
        until: u64,
        reader: &mut dyn Read,
        long: Option<&mut LongLines<'_>>,
    ) -> io::Result<Searched> {
        let line_buffer = &mut self.buffers.line_buffer;
        line_buffer.restart();
        let mut search = LineSearch::new(self.config, self.finder, self.sink);
        if search.begin_if_wanted().is_continue() {
            match search.pass_blocks(line_buffer, until, reader, long) {
                Ok(Searched::All) => {}
                Ok(Searched::Part) => return Ok(Searched::Part),
                Err(error) => {
                    search.abandon(line_buffer.nul());
                    return Err(error);
                }
            }
        }
        search.finish(line_buffer.nul()).map(|()| Searched::All)
    }
}

/// How far a search block by block has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Searched {
    /// The haystack is over, or no more of it is wanted.
    All,
    /// Everything up to the requested position; more may follow.
    Part,
}

impl<S: Sink> LineSearch<'_, S> {
    /// Passes on blocks until `until` bytes of the text have been searched or the search is over.
    pub(crate) fn pass_blocks(
        &mut self,
        line_buffer: &mut LineBuffer,
        until: u64,
        reader: &mut dyn Read,
        mut long: Option<&mut LongLines<'_>>,
    ) -> io::Result<Searched> {
        while self.searched_to() < until {
            let consumed = self.roll(line_buffer.lines());
            let had_nul = line_buffer.nul().is_some();
            let filled = line_buffer.fill(consumed, reader, self.config(), long.as_deref_mut());
            self.add_converted(&mut line_buffer.converted);
            let mut flow = Flow::Continue(());
            if let (false, Some(offset)) = (had_nul, line_buffer.nul()) {
                flow = self.binary(offset);
            }
            if let (Some(line), Some(long), true) =
                (line_buffer.passed(), &long, flow.is_continue())
            {
                flow = self.pass_over_line(line, long.file, long.start)?;
            }
            let is_over = filled? != Filled::Lines || flow.is_break();
            if is_over || self.pass(&mut BlockScan::new(line_buffer.lines())).is_break() {
                return Ok(Searched::All);
            }
        }
        Ok(Searched::Part)
    }
}
