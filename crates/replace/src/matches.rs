//! The matches in a file, and what replaces them, as edits.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use heist_matcher::{Finder, Matcher};
use heist_printer::{Admission, LineMatches, PrinterConfig};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, SearchConfig, Searcher, Sink, Wants};

use crate::{
    Edit, Error, FileEdits, Roots,
    utf16::{byte_edits, order_of},
};

/// How a file begins that stands for one in Git LFS.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/";

/// The bytes at the beginning of a file that decide whether it is edited.
const HEAD_BYTES: u64 = 64;

/// How much of a file is read at a time, to look for a NUL byte.
const SCAN_BYTES: usize = 128 << 10;

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Searches files, and turns the matches that a search prints into edits.
///
/// ```
/// use heist_matcher::Matcher;
/// use heist_printer::PrinterConfig;
/// use heist_replace::{MatchEditor, Roots};
/// use heist_searcher::{BinaryPolicy, SearchConfig};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// let path = dir.path().join("inn.txt");
/// std::fs::write(&path, "a beer, a bear\n")?;
/// let matcher = Matcher::new(["be(.)r"], &Default::default())?;
/// let printer = PrinterConfig { replacement: Some(b"$1".to_vec()), ..Default::default() };
/// let mut editor = MatchEditor::new(&matcher, &SearchConfig::default(), &printer);
/// let (mut file, roots) = (std::fs::File::open(&path)?, Roots::new([&path])?);
/// let edits = editor.edits(&path, &mut file, BinaryPolicy::Quit, false, &roots)?;
/// let edits = edits.expect("there are matches");
/// assert_eq!((edits.edits()[1].at, &edits.edits()[1].new[..]), (10, &b"a"[..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MatchEditor {
    finder: Finder,
    searcher: Searcher,
    matches: LineMatches,
    /// Whether a search can end before the file does.
    stops_early: bool,
}

impl MatchEditor {
    /// Replaces what `matcher` finds in a search with this configuration by the replacement of the
    /// printer's. Lines of context are not looked at.
    #[must_use]
    pub fn new(matcher: &Matcher, search: &SearchConfig, printer: &PrinterConfig) -> MatchEditor {
        MatchEditor {
            finder: matcher.finder(),
            searcher: Searcher::new(search.without_context()),
            matches: LineMatches::new(printer),
            stops_early: search.max_matches.is_some() || search.stop_on_nonmatch,
        }
    }

    /// The searcher, for what it takes besides its configuration.
    pub fn searcher(&mut self) -> &mut Searcher {
        &mut self.searcher
    }

    /// The edits of `file`, which has been opened at `path`; `None` if no text would change. With
    /// `is_named`, a file that stands for one in Git LFS is edited like others.
    ///
    /// # Errors
    /// The file cannot be read or has matches and may not be written: it is binary and not searched
    /// as text, its text is encoded in another way than UTF-8 and UTF-16, or [`FileEdits::new`]
    /// refuses it.
    pub fn edits(
        &mut self,
        path: &Path,
        file: &mut File,
        binary: BinaryPolicy,
        is_named: bool,
        roots: &Roots,
    ) -> Result<Option<FileEdits>, Error> {
        self.admitted_edits(path, file, binary, is_named, roots, &mut || Admission::Print)
    }

    /// The [`edits`](MatchEditor::edits) of those lines that `admit` admits, which is called for
    /// each one with a match before its matches are found.
    ///
    /// # Errors
    /// As with [`edits`](MatchEditor::edits).
    pub fn admitted_edits(
        &mut self,
        path: &Path,
        file: &mut File,
        binary: BinaryPolicy,
        is_named: bool,
        roots: &Roots,
        admit: &mut dyn FnMut() -> Admission,
    ) -> Result<Option<FileEdits>, Error> {
        let failed = |error| Error::failed(path, "cannot be searched", error);
        let metadata = file.metadata().map_err(failed)?;
        let (head, mark) = begin(file).map_err(failed)?;
        self.searcher.set_binary(binary);
        let mut sink = EditSink {
            matches: &mut self.matches,
            admit,
            shift: mark.len() as u64,
            edits: Vec::new(),
            has_nul: false,
            encoding: None,
        };
        self.searcher.search_file(&mut self.finder, file, &mut sink).map_err(failed)?;
        let EditSink { edits, has_nul, encoding, .. } = sink;
        if edits.is_empty() {
            return Ok(None);
        }
        let refuse = |why| Err(Error::refused(path, why));
        if let Some((order, mark_bytes)) = order_of(&head, encoding) {
            file.seek(SeekFrom::Start(mark_bytes)).map_err(failed)?;
            let mut text = BufReader::with_capacity(SCAN_BYTES, file);
            let edits = byte_edits(&mut text, order, mark_bytes, &edits).map_err(failed)?;
            return match edits {
                Some(edits) => FileEdits::new(path, &metadata, roots, edits).map(Some),
                None => refuse("a match is not of whole characters, or its new text is no UTF-8"),
            };
        }
        if encoding.is_some() {
            return refuse("its text is encoded in another way than UTF-8 and UTF-16");
        }
        let is_text = binary == BinaryPolicy::Text;
        if !is_text && (has_nul || self.stops_early && contains_nul(file).map_err(failed)?) {
            return refuse("it is binary: it contains a NUL byte");
        }
        if head.starts_with(LFS_POINTER) && !is_named {
            return refuse("it stands for a file in Git LFS");
        }
        FileEdits::new(path, &metadata, roots, edits).map(Some)
    }
}

/// The first bytes of `file`, and the mark of UTF-8 among them, which the search leaves out.
fn begin(file: &mut File) -> io::Result<(Vec<u8>, &'static [u8])> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    file.rewind()?;
    let mark = if head.starts_with(UTF8_MARK) { UTF8_MARK } else { b"" };
    Ok((head, mark))
}

/// Whether `file` has a NUL byte anywhere.
fn contains_nul(file: &mut File) -> io::Result<bool> {
    file.rewind()?;
    let mut file = BufReader::with_capacity(SCAN_BYTES, file);
    loop {
        let bytes = match file.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() || bytes.contains(&0) {
            return Ok(!bytes.is_empty());
        }
        let len = bytes.len();
        file.consume(len);
    }
}

/// Turns the matches in lines into edits.
struct EditSink<'m> {
    matches: &'m mut LineMatches,
    /// Decides about the next line with a match.
    admit: &'m mut dyn FnMut() -> Admission,
    /// The bytes of the file before the text.
    shift: u64,
    edits: Vec<Edit>,
    has_nul: bool,
    encoding: Option<&'static str>,
}

impl Sink for EditSink<'_> {
    fn wants(&self) -> Wants {
        Wants::default()
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        let admission = (self.admit)();
        match admission {
            Admission::Print | Admission::PrintLast => {}
            Admission::Omit => return Flow::Continue(()),
            Admission::Stop => return Flow::Break(()),
        }
        self.matches.find(finder, line)?;
        for (index, span) in self.matches.spans().iter().enumerate() {
            let (old, new) = (&line.bytes[span.clone()], self.matches.replacement(index));
            let new = new.unwrap_or_default();
            if old != new {
                let at = line.offset + span.start as u64 + self.shift;
                self.edits.push(Edit { at, old: old.to_vec(), new: new.to_vec() });
            }
        }
        match admission {
            Admission::PrintLast => Flow::Break(()),
            _ => Flow::Continue(()),
        }
    }

    fn binary(&mut self, _: u64) -> Flow {
        self.has_nul = true;
        Flow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        self.has_nul |= finish.binary_offset.is_some();
        self.encoding = finish.encoding;
    }
}
