//! Whether a file that was not searched, or not to its end, would match, and what stands in the
//! way.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    time::Instant,
};

use heist_matcher::{Finder, Matcher};
use heist_searcher::{
    BinaryPolicy, Encoding, End, SearchConfig, Searcher, Source, Stop, unmarked_encoding,
};

use crate::{
    contents::{Contents, Opened, Opener, is_compressed_name},
    resolved::ResolvedArgs,
    visit::first_match::FirstMatch,
};

/// What keeps a search of a file from finding a match in it, if the file is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hurdle {
    /// Nothing.
    Nothing,
    /// A NUL byte before the match.
    Binary,
    /// The file is in this encoding, UTF-16 or UTF-32, and has no byte order mark.
    Unmarked(&'static str),
    /// The file is compressed.
    Compressed,
    /// Lines end in `\r\n`, and the pattern has the end of a line.
    LineEnds,
}

impl Hurdle {
    /// The words for it, with the flag that removes it.
    pub(super) fn words(self) -> Option<String> {
        match self {
            Hurdle::Nothing => None,
            Hurdle::Binary => Some("binary, see --text".to_owned()),
            Hurdle::Unmarked(encoding) => {
                Some(format!("{encoding} without a mark, see --no-binary"))
            }
            Hurdle::Compressed => Some("compressed, see --search-zip".to_owned()),
            Hurdle::LineEnds => Some(r"its lines end in \r\n, see --crlf".to_owned()),
        }
    }
}

/// How many bytes of a file show its encoding.
const HEAD_BYTES: u64 = 4 << 10;

/// Files are decompressed.
static DECOMPRESSED: Contents = Contents::Decompressed;

/// One worker's search for a match in a file, whatever stands in the way.
pub(super) struct Probe<'a> {
    finder: Finder,
    searcher: Searcher,
    config: SearchConfig,
    decoders: Opener<'a>,
    /// Whether the run decompresses files itself.
    decompresses: bool,
    binary: BinaryPolicy,
    until: Instant,
}

/// The configuration of `args` for a search that prints nothing.
pub(super) fn quiet_search(args: &ResolvedArgs) -> SearchConfig {
    SearchConfig {
        binary: match args.binary.walked {
            BinaryPolicy::Text => BinaryPolicy::Text,
            BinaryPolicy::Quit | BinaryPolicy::Convert => BinaryPolicy::Convert,
        },
        ..args.searcher.without_context()
    }
}

/// Ends a search of a long file at `until`.
pub(super) fn stop_at(until: Instant) -> Stop {
    Stop::new(move || Instant::now() > until)
}

impl Probe<'_> {
    /// Prepares to search files until `until`.
    pub(super) fn new(args: &ResolvedArgs, matcher: &Matcher, until: Instant) -> Probe<'static> {
        let config = quiet_search(args);
        let mut searcher = Searcher::new(config.clone());
        searcher.set_stop(Some(stop_at(until)));
        Probe {
            finder: matcher.finder(),
            searcher,
            config,
            decoders: Opener::new(&DECOMPRESSED),
            decompresses: matches!(args.contents, Contents::Decompressed),
            binary: args.binary.walked,
            until,
        }
    }

    /// Returns what stands between the search and a match in the file at `path`; `None` if nothing
    /// in it matches.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn hurdle(&mut self, path: &[u8], mut file: File) -> io::Result<Option<Hurdle>> {
        if self.decompresses && is_compressed_name(path) {
            return Ok(self.matches_decoded(path, file)?.then_some(Hurdle::Nothing));
        }
        let mut met = FirstMatch::or_nul();
        self.searcher.search_file(&mut self.finder, &file, &mut met)?;
        if met.is_found {
            // A NUL byte behind the match, but near it, ends a search too.
            let ends_early = self.binary == BinaryPolicy::Quit;
            let is_binary = ends_early && !self.finds(&mut file, BinaryPolicy::Quit)?;
            return Ok(Some(if is_binary { Hurdle::Binary } else { Hurdle::Nothing }));
        }
        if let Some(encoding) = self.unmarked(&mut file, met.nul)? {
            return Ok(Some(Hurdle::Unmarked(encoding)));
        }
        if is_compressed_name(path) {
            file.seek(SeekFrom::Start(0))?;
            return Ok(self.matches_decoded(path, file)?.then_some(Hurdle::Compressed));
        }
        Ok(None)
    }

    /// Returns whether the decompressed contents of `file` match.
    pub(super) fn matches_decoded(&mut self, path: &[u8], file: File) -> io::Result<bool> {
        let mut met = FirstMatch::default();
        let Opened::Decoded(mut decoder) = self.decoders.open(path, file)? else {
            return Ok(false);
        };
        let source = Source { reader: &mut decoder, end: End::EmptyRead };
        // What is damaged is searched as far as it goes.
        let _ = self.searcher.search(&mut self.finder, source, &mut met);
        self.decoders.close(decoder);
        Ok(met.is_found)
    }

    /// Returns the encoding of a file with a NUL byte at `nul`, if it is one that `--binary` leaves
    /// undecoded, and the file matches as decoded.
    pub(super) fn unmarked(
        &mut self,
        file: &mut File,
        nul: Option<u64>,
    ) -> io::Result<Option<&'static str>> {
        if nul.is_none() || self.config.encoding != Encoding::Marked {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(0))?;
        let mut head = Vec::new();
        Read::by_ref(file).take(HEAD_BYTES).read_to_end(&mut head)?;
        let Some(name) = unmarked_encoding(&head) else { return Ok(None) };
        file.seek(SeekFrom::Start(0))?;
        let encoding = Encoding::Auto;
        let mut searcher = Searcher::new(SearchConfig { encoding, ..self.config.clone() });
        searcher.set_stop(Some(stop_at(self.until)));
        let mut met = FirstMatch::default();
        searcher.search_file(&mut self.finder, file, &mut met)?;
        Ok(met.is_found.then_some(name))
    }

    /// Returns whether a search under `policy` finds a match in `file`.
    pub(super) fn finds(&mut self, file: &mut File, policy: BinaryPolicy) -> io::Result<bool> {
        file.seek(SeekFrom::Start(0))?;
        let mut met = FirstMatch::default();
        let own = self.config.binary;
        self.searcher.set_binary(policy);
        let searched = self.searcher.search_file(&mut self.finder, file, &mut met);
        self.searcher.set_binary(own);
        searched.map(|()| met.is_found)
    }
}
