//! A haystack read block by block: the rolling buffer and the line search take turns.

use std::io::{self, Read};

use heist_matcher::{Finder, Scan};

use crate::{
    BinaryPolicy, Config, Sink,
    line_search::{LineSearch, failure_as_error},
    rolling::{Filled, RollingBuffer},
};

/// Search what `reader` gives. An error of the reader or of the engine comes after the end of what was told.
pub(crate) fn search_blocks<R: Read, S: Sink>(
    config: &Config,
    rolling: &mut RollingBuffer,
    finder: &mut Finder,
    mut reader: R,
    binary: BinaryPolicy,
    sink: &mut S,
) -> io::Result<()> {
    rolling.restart();
    let mut search = LineSearch::new(config, finder, sink);
    let mut flow = search.begin_if_wanted();
    while flow.is_continue() {
        let consumed = search.roll(rolling.lines());
        let had_nul = rolling.nul().is_some();
        let filled = rolling.fill(consumed, &mut reader, binary, config.line_terminator);
        if let (false, Some(offset)) = (had_nul, rolling.nul()) {
            flow = search.binary(offset);
        }
        match filled {
            Ok(Filled::Lines) if flow.is_continue() => {
                flow = search.pass(&mut Scan::new(rolling.lines()));
            }
            Ok(_) => break,
            Err(error) => {
                search.abandon();
                return Err(error);
            }
        }
    }
    failure_as_error(search.finish(rolling.nul()))
}
