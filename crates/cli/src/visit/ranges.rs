//! Searches the parts of a file that an index could not rule out.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    mem,
    ops::ControlFlow,
};

use heist_index::CandidateRange;
use heist_matcher::Finder;
use heist_searcher::{Encoding, Finish, Flow, Line, SearchConfig, Searcher, Sink, Wants};
use heist_walk::OpenedFile;

/// Searches parts of files. A worker keeps one, and its buffers with it.
pub(super) struct RangeSearch {
    searcher: Searcher,
    bytes: Vec<u8>,
    /// How many bytes of the first part have been read ahead.
    ahead: usize,
}

impl RangeSearch {
    /// Prepares for searches with this configuration.
    pub(super) fn new(config: &SearchConfig) -> RangeSearch {
        // A part is not decoded, whatever it begins with: the file would be no candidate then.
        let config = SearchConfig { encoding: Encoding::None, ..config.clone() };
        RangeSearch { searcher: Searcher::new(config), bytes: Vec::new(), ahead: 0 }
    }

    /// Reads what is cached of the part that the next search begins with.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if that is nothing; `file` is at its beginning then.
    pub(super) fn read_ahead(
        &mut self,
        file: &mut OpenedFile,
        range: &CandidateRange,
    ) -> io::Result<()> {
        self.bytes.resize(range.len as usize, 0);
        file.file.seek(SeekFrom::Start(range.offset))?;
        self.ahead = match file.read_cached(&mut self.bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                file.file.rewind()?;
                return Err(error);
            }
            // Where this is not supported, the ordinary read reports what is wrong.
            read => read.unwrap_or(0),
        };
        Ok(())
    }

    /// Searches `ranges` of `file`, which has `len` bytes. Emits the same events as a search of the
    /// whole file.
    pub(super) fn search<S: Sink>(
        &mut self,
        finder: &mut Finder,
        file: &mut File,
        len: u64,
        ranges: &[CandidateRange],
        sink: &mut S,
    ) -> io::Result<()> {
        let mut shifted = Shifted { sink, range: None, flow: ControlFlow::Continue(()) };
        let mut reached = None;
        let searched = ranges.iter().try_for_each(|range| {
            if shifted.flow.is_break() {
                return Ok(());
            }
            shifted.range = Some(*range);
            reached = Some(*range);
            self.bytes.resize(range.len as usize, 0);
            let ahead = mem::take(&mut self.ahead);
            if ahead == 0 {
                file.seek(SeekFrom::Start(range.offset))?;
            }
            match file.read_exact(&mut self.bytes[ahead..]) {
                // Another program has just cut it short.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
                Err(error) => Err(error),
                Ok(()) => self.searcher.search_slice(finder, &self.bytes, &mut shifted),
            }
        });
        let (bytes_searched, is_abandoned) = match searched {
            Ok(()) => (len, false),
            Err(_) => (reached.map_or(0, |range| range.offset), true),
        };
        sink.finish(&Finish { bytes_searched, is_abandoned, ..Finish::default() });
        searched
    }
}

/// Passes on what is found in a part of a file as found in the whole.
struct Shifted<'s, S> {
    sink: &'s mut S,
    range: Option<CandidateRange>,
    /// `Break` once the sink wants no more.
    flow: Flow,
}

impl<S> Shifted<'_, S> {
    fn line<'a>(&self, line: &Line<'a>) -> Line<'a> {
        let (offset, lines) = self.range.map_or((0, 0), |range| (range.offset, range.lines_before));
        let number = line.number.map(|number| number + lines);
        Line { offset: line.offset + offset, number, ..*line }
    }
}

impl<S: Sink> Sink for Shifted<'_, S> {
    fn wants(&self) -> Wants {
        let Wants { lines, matches, .. } = self.sink.wants();
        Wants { lines, matches, ..Wants::default() }
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.flow = self.sink.matched_with(finder, &self.line(line));
        self.flow
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.flow = self.sink.counted(lines);
        self.flow
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.sink.take_error()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use heist_matcher::{Matcher, MatcherConfig};

    use super::*;

    /// Offsets and numbers of lines.
    #[derive(Default)]
    struct Places(Vec<(u64, Option<u64>, Vec<u8>)>);

    impl Sink for Places {
        fn matched(&mut self, line: &Line<'_>) -> Flow {
            self.0.push((line.offset, line.number, line.bytes.to_vec()));
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn lines_are_found_where_they_are_in_the_whole_file() {
        let mut file = tempfile::tempfile().unwrap();
        let mut ranges = Vec::new();
        let (mut offset, mut lines_before) = (0, 0);
        for part in 0..20 {
            // Byte order marks within a file mark nothing.
            let mark = if part == 0 { "" } else { "\u{feff}" };
            let text = format!("{mark}{part} gem\nluck\n{}", "rock\n".repeat(part));
            file.write_all(text.as_bytes()).unwrap();
            let len = text.len() as u64;
            ranges.push(CandidateRange { offset, len, lines_before });
            offset += len;
            lines_before += 2 + part as u64;
        }
        let matcher = Matcher::new(["gem"], &MatcherConfig::default()).unwrap();
        let config = SearchConfig { line_numbers: true, ..SearchConfig::default() };
        let (mut whole, mut parts) = (Places::default(), Places::default());
        file.rewind().unwrap();
        let mut finder = matcher.finder();
        Searcher::new(config.clone()).search_file(&mut finder, &file, &mut whole).unwrap();
        let mut search = RangeSearch::new(&config);
        search.search(&mut finder, &mut file, offset, &ranges, &mut parts).unwrap();
        assert_eq!(parts.0.len(), 20);
        assert_eq!(parts.0, whole.0);
    }
}
