//! How a file that is visited is searched: whole, in parts, later, or not at all.

use std::{fs, io, mem, ops::ControlFlow};

use bstr::ByteSlice;
use heist_index::CandidateRange;
use heist_searcher::{End, Finish, Sink, Source};
use heist_walk::{Entry, FileId, Helpers, OpenedFile};

use super::{Search, sink};
use crate::{
    haystack::{DeferredFile, NonBlockingFirstRead},
    index::Known,
    visit::{names::NameSearch, ranges::RangeSearch},
};

/// How the end of `file` is recognized.
fn end_of(file: &OpenedFile) -> End {
    if file.short_read_is_eof { End::ShortRead } else { End::EmptyRead }
}

impl Search<'_> {
    /// Searches the current file, unless its contents need not be read.
    pub(super) fn search(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> io::Result<()> {
        if self.is_decided_by_name() {
            self.pass_over(0);
            return Ok(());
        }
        if !file.is_explicit() {
            let oracle = self.oracle.for_next_file();
            match oracle.map_or(Known::Nothing, |oracle| oracle.look_up(file)) {
                Known::Nothing => {}
                Known::NoMatch { len } => {
                    self.pass_over(len);
                    return Ok(());
                }
                Known::Ranges { len, ranges } => {
                    let mut file = file.open()?;
                    let is_deferred = self.deferred.is_open() && file.may_be_cold;
                    let searched = self.search_ranges(&mut file, len, &ranges, is_deferred);
                    return match searched {
                        Err(error) if is_deferred && error.kind() == io::ErrorKind::WouldBlock => {
                            self.search_ready(file, helpers)
                        }
                        searched => searched,
                    };
                }
            }
            let file = file.open()?;
            if self.is_unlisted_output(&file)? {
                log::debug!("{}: ignored: output is written to it", self.path.as_bstr());
                return Ok(());
            }
            if self.deferred.is_open() && file.may_be_cold {
                return self.search_ready(file, helpers);
            }
            return self.search_walked(file, helpers);
        }
        // A path on the command line may be a pipe, which earlier results must not wait for. A
        // failed write shows at the next one.
        let _ = self.printer.output().try_flush();
        self.policy = self.binary.explicit;
        if file.is_stdin() {
            return self.search_stdin(helpers);
        }
        let reader = file.open()?.file;
        let metadata = reader.metadata()?;
        let end = if metadata.is_file() { End::EmptyRead } else { End::Stream };
        let len = self.len_of_output(&metadata);
        self.search_contents(Source { reader, end }, len, helpers)
    }

    /// Searches the name of the current file, if names are searched.
    pub(super) fn search_name(&mut self, file: &Entry<'_>) {
        let Some(names) = &mut self.names else { return };
        let searched = match file.is_stdin() {
            true => {
                names.clear();
                Ok(())
            }
            false => names.search(&self.path, file.depth()),
        };
        self.name_is_pending = names.found(&self.path).is_some();
        if let Err(error) = searched {
            self.messages.path_error(&self.path, &error);
        }
    }

    /// Whether the current file's contents make no difference to what is printed about it.
    fn is_decided_by_name(&self) -> bool {
        let is_only_searched = || self.config.max_matches == Some(0);
        self.names.is_some()
            && (is_only_searched() || self.name_is_pending && self.printer.is_decided_by_name())
    }

    /// Prints the name of the current file if it matches, and the file could not be searched.
    #[inline]
    pub(super) fn print_pending_name(&mut self, searched: &io::Result<()>) {
        if searched.is_err() && mem::take(&mut self.name_is_pending) {
            self.print_name();
        }
    }

    #[cold]
    fn print_name(&mut self) {
        let mut sink = sink(&mut self.printer, &self.path, self.names.as_deref(), self.policy);
        sink.finish_unsearched();
        self.found.any_match |= sink.sink().has_match();
    }

    /// Does what searching the current file would do, which has `len` bytes and no match.
    fn pass_over(&mut self, len: u64) {
        let policy = self.binary.walked;
        let mut sink = sink(&mut self.printer, &self.path, self.names.as_deref(), policy);
        if sink.wants().unmatched {
            sink.finish(&Finish { bytes_searched: len, binary_offset: None });
            self.found.any_match |= sink.sink().has_match();
        }
        self.name_is_pending = false;
    }

    /// Searches parts of the current file. Nothing matches outside of them. With `is_deferred`,
    /// fails with [`io::ErrorKind::WouldBlock`] before anything is found if it is not cached.
    fn search_ranges(
        &mut self,
        file: &mut OpenedFile,
        len: u64,
        ranges: &[CandidateRange],
        is_deferred: bool,
    ) -> io::Result<()> {
        let first = ranges.first().filter(|_| is_deferred);
        let search = self.range_search.get_or_insert_with(|| RangeSearch::new(self.config));
        if let Some(first) = first {
            search.read_ahead(file, first)?;
        }
        let finder = self.finder.get_or_insert_with(|| Box::new(self.matcher.finder()));
        let policy = self.binary.walked;
        let mut sink = sink(&mut self.printer, &self.path, self.names.as_deref(), policy);
        let searched = search.search(finder, &mut file.file, len, ranges, &mut sink);
        self.found.any_match |= sink.sink().has_match();
        if let Some(counts) = &self.counts {
            counts.add_bytes(ranges.iter().map(|range| range.len).sum());
        }
        self.name_is_pending = sink.sink().name_is_pending();
        searched
    }

    /// The length of the current file if output is written to it. The results are appended to it,
    /// and would be found again forever. ripgrep maps the file, and so searches what it was when it
    /// was opened.
    pub(super) fn len_of_output(&self, metadata: &fs::Metadata) -> Option<u64> {
        self.is_output(metadata).then_some(metadata.len())
    }

    fn is_output(&self, metadata: &fs::Metadata) -> bool {
        self.stdout_file.is_some_and(|file| FileId::of(metadata) == Some(file))
    }

    /// Whether output is written to a file that the walk found under another number.
    fn is_unlisted_output(&self, file: &OpenedFile) -> io::Result<bool> {
        Ok(self.stdout_file.is_some()
            && !file.is_as_listed()
            && self.is_output(&file.file.metadata()?))
    }

    /// Searches a file that the walk found.
    fn search_walked(&mut self, file: OpenedFile, helpers: &mut dyn Helpers) -> io::Result<()> {
        self.policy = self.binary.walked;
        let source = Source { end: end_of(&file), reader: file.file };
        self.search_contents(source, None, helpers)
    }

    /// Searches a file if it is cached, and defers it otherwise.
    fn search_ready(&mut self, file: OpenedFile, helpers: &mut dyn Helpers) -> io::Result<()> {
        self.policy = self.binary.walked;
        let end = end_of(&file);
        let mut reader = NonBlockingFirstRead::new(file, end);
        let searched = self.search_file(Source { reader: &mut reader, end }, helpers);
        self.deferred.learn(&reader);
        if reader.is_cold() {
            let name_at = self.names.as_deref().map_or(0, NameSearch::start);
            self.deferred.push(&self.path, name_at, reader.into_inner());
            return Ok(());
        }
        searched
    }

    /// Searches a deferred file.
    pub(super) fn search_deferred(
        &mut self,
        waiting: DeferredFile,
        helpers: &mut dyn Helpers,
    ) -> ControlFlow<()> {
        self.path = waiting.path;
        if let Some(names) = &mut self.names {
            // The failure of an engine has been reported.
            let _ = names.search_from(&self.path, waiting.name_at);
            self.name_is_pending = names.found(&self.path).is_some();
        }
        let searched = self.search_walked(waiting.file, helpers);
        self.print_pending_name(&searched);
        self.after(searched)
    }
}
