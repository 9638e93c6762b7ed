//! How a file that is visited is searched: as a whole, in parts, later, or not at all.

use std::{
    fs,
    io::{self, Read as _},
    ops::ControlFlow,
};

use bstr::ByteSlice;
use heist_searcher::{End, Source};
use heist_walk::{Entry, FileId, Helpers, OpenedFile};

use super::{Search, definitions::MAX_TEXT_BYTES};
use crate::{
    contents::Opened,
    index::Known,
    run::haystack::{DeferredFile, NonBlockingFirstRead},
};

/// How the end of `file` is recognized.
fn end_of(file: &OpenedFile) -> End {
    if file.short_read_is_eof { End::ShortRead } else { End::EmptyRead }
}

impl Search<'_> {
    /// Searches the name of the current file, if names are searched.
    pub(super) fn search_name(&mut self, file: &Entry<'_>) {
        if let Err(error) = self.engine.search_name(file) {
            self.messages.path_error(&self.engine.path, &error);
        }
    }

    /// Searches the current file, unless its contents need not be read.
    pub(super) fn search(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> io::Result<()> {
        if self.engine.is_decided_by_name() {
            self.engine.pass_over(0);
            return Ok(());
        }
        if file.is_explicit() {
            return self.search_explicit(file, helpers);
        }
        let oracle = self.oracle.for_next_file();
        match oracle.map_or(Known::Nothing, |oracle| oracle.look_up(file)) {
            Known::Nothing => {}
            Known::NoMatch { len } => {
                self.engine.pass_over(len);
                return Ok(());
            }
            Known::Ranges { len, ranges } => {
                let mut file = file.open()?;
                let may_defer = self.may_defer(&file);
                return match self.engine.search_ranges(&mut file, len, &ranges, may_defer) {
                    Err(error) if may_defer && error.kind() == io::ErrorKind::WouldBlock => {
                        self.search_or_defer(file, helpers)
                    }
                    searched => searched,
                };
            }
        }
        let file = file.open()?;
        if self.is_unlisted_output(&file)? {
            log::debug!("{}: ignored: output is written to it", self.engine.path.as_bstr());
            return Ok(());
        }
        if self.may_defer(&file) {
            return self.search_or_defer(file, helpers);
        }
        self.search_walked(file, helpers)
    }

    /// Searches a file that the command line names.
    fn search_explicit(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> io::Result<()> {
        // It may be a pipe, which earlier results must not wait for. A failed write shows at the
        // next one.
        let _ = self.engine.output().try_flush();
        if file.is_stdin() {
            return self.search_stdin(helpers);
        }
        let reader = file.open()?.file;
        let metadata = reader.metadata()?;
        let end = if metadata.is_file() { End::EmptyRead } else { End::Stream };
        let len = self.len_of_output(&metadata);
        self.search_contents(Source { reader, end }, len, helpers)
    }

    /// Searches a file that the walk found.
    fn search_walked(&mut self, file: OpenedFile, helpers: &mut dyn Helpers) -> io::Result<()> {
        let source = Source { end: end_of(&file), reader: file.file };
        self.search_contents(source, None, helpers)
    }

    /// Whether `file` may be deferred until the disk has read it.
    fn may_defer(&self, file: &OpenedFile) -> bool {
        self.run.deferred.is_open() && file.may_be_cold
    }

    /// Searches a file that the walk found if it is cached, and defers it otherwise.
    fn search_or_defer(&mut self, file: OpenedFile, helpers: &mut dyn Helpers) -> io::Result<()> {
        let end = end_of(&file);
        let mut reader = NonBlockingFirstRead::new(file, end);
        let searched = self.engine.search_file(Source { reader: &mut reader, end }, helpers);
        self.run.deferred.learn(&reader);
        if reader.is_cold() {
            let (path, name_at) = (&self.engine.path, self.engine.name_start());
            self.run.deferred.push(path, name_at, reader.into_inner());
            return Ok(());
        }
        searched
    }

    /// Searches a file that was deferred.
    pub(super) fn search_deferred(
        &mut self,
        waiting: DeferredFile,
        helpers: &mut dyn Helpers,
    ) -> ControlFlow<()> {
        let DeferredFile { path, name_at, file } = waiting;
        self.engine.binary = self.rules.binary.walked;
        self.engine.resume(path, name_at);
        let searched = self.search_walked(file, helpers);
        self.engine.print_pending_name(&searched);
        self.end_file(searched)
    }

    /// The length of the current file if output is written to it. The results are appended to it,
    /// and would be found again forever. ripgrep maps the file, and so searches what it was when it
    /// was opened.
    pub(super) fn len_of_output(&self, metadata: &fs::Metadata) -> Option<u64> {
        self.is_output(metadata).then_some(metadata.len())
    }

    fn is_output(&self, metadata: &fs::Metadata) -> bool {
        self.rules.stdout_file.is_some_and(|file| FileId::of(metadata) == Some(file))
    }

    /// Whether output is written to a file that the walk found under another number.
    fn is_unlisted_output(&self, file: &OpenedFile) -> io::Result<bool> {
        Ok(self.rules.stdout_file.is_some()
            && !file.is_as_listed()
            && self.is_output(&file.file.metadata()?))
    }
}

/// The search of a file for definitions.
impl Search<'_> {
    /// Whether one of the lines at `starts` of `file`, the current one, begins a function or a
    /// type. No command runs for that.
    #[cold]
    pub(super) fn any_head(&mut self, file: &Entry<'_>, starts: &[u64]) -> io::Result<bool> {
        let within = starts.partition_point(|&start| start < MAX_TEXT_BYTES);
        let Some(definitions) = &mut self.run.definitions else { return Ok(false) };
        let path = &self.engine.path;
        let Some(&last) = starts[..within].last() else { return Ok(false) };
        if self.contents.runs_command_for(path) {
            return Ok(false);
        }
        match self.contents.open(path, file.open()?.file)? {
            Opened::Plain(file) => definitions.read(file, last)?,
            Opened::Begun(start, file) => definitions.read(start.bytes().chain(file), last)?,
            Opened::Decoded(mut decoder) => {
                let read = definitions.read(&mut decoder, last);
                self.contents.close(decoder);
                read?;
            }
            Opened::Output(mut output) => return output.close().map(|()| false),
        }
        Ok(definitions.any_head(path, &starts[..within]))
    }
}
