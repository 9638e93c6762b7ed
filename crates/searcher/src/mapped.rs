//! A file searched through a memory map: nothing is copied, and nothing is read that the search does not look at.
//!
//! Everything is told as if the file had been read. What is special is a file that becomes shorter meanwhile: touching
//! a page of the map behind its new end raises SIGBUS, which ends a program that does not mind it. Here the rest of the
//! map is replaced by zeros (`unix`), no line is told any more, and the search ends with an error. Elsewhere nothing is
//! mapped (`portable`), and the caller reads.

#[cfg_attr(unix, path = "mapped/unix.rs")]
#[cfg_attr(not(unix), path = "mapped/portable.rs")]
mod system;

use std::{fs::File, io};

use heist_matcher::Finder;

use crate::{BinaryPolicy, Finish, Flow, Line, Searcher, Sink};
use system::Mapping;

impl Searcher {
    /// Search all of `file`, wherever it was read to, through a memory map. None: it cannot be mapped, and nothing was
    /// told; it can still be read. So it is with what is empty, or no regular file, and on systems that are not Unix.
    ///
    /// What is told is what [`search`](Searcher::search) tells. The map is of this thread: the sink may hand its bytes to
    /// others only while the file cannot become shorter.
    ///
    /// # Errors
    /// A file that became shorter, or could not be read: lines before that place have been told, lines behind it have
    /// not. Failures of the engine. Both after `abandon` if anything was told.
    pub fn search_file_mapped<S: Sink>(
        &mut self,
        finder: &mut Finder,
        file: &File,
        binary: BinaryPolicy,
        sink: &mut S,
    ) -> Option<io::Result<()>> {
        let mapping = Mapping::of(file)?;
        let mut until_cut =
            UntilCut { sink, told_nul: None, is_gap_held: false, is_stopped: false, ended: None };
        let (searched, is_cut) =
            mapping.with(|bytes| self.search_slice(finder, bytes, binary, &mut until_cut));
        let UntilCut { is_stopped, ended, .. } = until_cut;
        // A sink that has heard enough does not care about what came behind.
        let whole = if is_stopped { Ok(()) } else { check_whole(file, mapping.len(), is_cut) };
        match ended {
            Some(Some(finish)) if whole.is_ok() => sink.finish(&finish),
            Some(_) => sink.abandon(),
            None => {}
        }
        Some(whole.and(searched))
    }
}

/// Whether all of what was mapped was still there at the end. The part of the last page behind the end of a shorter file
/// reads as zeros without any signal, so its length is looked at too.
fn check_whole(file: &File, mapped: usize, is_cut: bool) -> io::Result<()> {
    let left = file.metadata()?.len();
    if left < mapped as u64 {
        let text = format!(
            "truncated while it was searched: {left} of {mapped} bytes are left, what followed is not searched"
        );
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
    }
    if is_cut {
        // What is on a bad sector, or was cut off and appended again.
        return Err(io::Error::other("could not be read to its end through a memory map"));
    }
    Ok(())
}

/// Stands before the sink and tells it nothing that is no more in the file, nor that the search is over, since only then
/// it shows whether the file was whole.
struct UntilCut<'a, S> {
    sink: &'a mut S,
    told_nul: Option<u64>,
    /// Lines were left out before the next one, which the sink has not heard yet.
    is_gap_held: bool,
    /// The sink wants to hear no more.
    is_stopped: bool,
    /// How the search ended, if it began: finished, or abandoned.
    ended: Option<Option<Finish>>,
}

impl<S: Sink> UntilCut<'_, S> {
    /// Tell the sink something, unless `line` was lost.
    fn tell(&mut self, line: &Line<'_>, tell: impl FnOnce(&mut S) -> Flow) -> Flow {
        if system::is_lost(line.bytes) {
            return Flow::Break(());
        }
        if std::mem::take(&mut self.is_gap_held) {
            let flow = self.sink.gap();
            self.note(flow)?;
        }
        let flow = tell(self.sink);
        self.note(flow)
    }

    fn note(&mut self, answer: Flow) -> Flow {
        self.is_stopped |= answer.is_break();
        answer
    }
}

impl<S: Sink> Sink for UntilCut<'_, S> {
    fn wants_unmatched(&self) -> bool {
        self.sink.wants_unmatched()
    }

    fn begin(&mut self) -> Flow {
        let flow = self.sink.begin();
        self.note(flow)
    }

    fn matched(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.tell(line, |sink| sink.matched(finder, line))
    }

    fn context(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.tell(line, |sink| sink.context(finder, line))
    }

    fn gap(&mut self) -> Flow {
        self.is_gap_held = true;
        Flow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        if system::is_cut() {
            return Flow::Break(());
        }
        self.told_nul = Some(offset);
        let flow = self.sink.binary(offset);
        self.note(flow)
    }

    fn finish(&mut self, finish: &Finish) {
        // A NUL byte that was not told was none of the file.
        self.ended = Some(Some(Finish { binary_offset: self.told_nul, ..*finish }));
    }

    fn abandon(&mut self) {
        self.ended = Some(None);
    }
}
