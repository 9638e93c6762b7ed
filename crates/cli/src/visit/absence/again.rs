//! The second pass over the files that were searched: matches behind a NUL byte, in UTF-16 without
//! a mark and in compressed files, and close spellings.

use std::{ops::ControlFlow, path::PathBuf, time::Instant};

use heist_filter::Filter;
use heist_matcher::{Finder, Matcher, MatcherConfig};
use heist_queue::Stop;
use heist_searcher::{BinaryPolicy, Flow, Line, SearchConfig, Searcher, Sink, Wants};
use heist_walk::{Entry, Error, Helpers, Visitor};

use super::{
    left_out::second_walk,
    probe::{Hurdle, Probe, quiet_search, stop_at},
};
use crate::{
    contents::{Contents, is_compressed_name},
    resolved::ResolvedArgs,
    visit::{
        file_pass::visit_files,
        spellings::{Spellings, Tally},
        tree::or_panic,
    },
};

/// The most matching files that one worker keeps.
const MAX_KEPT: usize = 1 << 14;

/// What came of the pass.
#[derive(Debug, Default)]
pub(super) struct SearchedAgain {
    /// How many files were searched.
    pub(super) files: u64,
    /// Files in which the search has missed a match.
    pub(super) missed: Vec<(PathBuf, Hurdle)>,
    /// How many files that is.
    pub(super) missing: u64,
    /// In how many files the search ended at a NUL byte.
    pub(super) binary: u64,
    pub(super) unreadable: u64,
    /// The close spellings, and how many files have each.
    pub(super) near: Tally,
    /// Whether all files were searched.
    pub(super) is_complete: bool,
}

/// Searches all files again until `until`, for what `spellings` finds too.
pub(super) fn search_again(
    args: &ResolvedArgs,
    filter: &Filter,
    matcher: &Matcher,
    spellings: Option<&Spellings>,
    until: Instant,
) -> SearchedAgain {
    let near = spellings.and_then(|spellings| spellings.matcher().ok());
    let spellings = spellings.filter(|_| near.is_some());
    let crlf = before_crlf(args).filter(|_| near.is_none());
    let wide = near.as_ref().or(crlf.as_ref()).unwrap_or(matcher);
    let walked = or_panic(visit_files(&second_walk(args), filter, || {
        let config = quiet_search(args);
        let config = SearchConfig { crlf: config.crlf || crlf.is_some(), ..config };
        let mut searcher = Searcher::new(config);
        searcher.set_stop(Some(stop_at(until)));
        Again {
            args,
            finder: wide.finder(),
            searcher,
            probe: Probe::new(args, matcher, until),
            spellings,
            is_before_crlf: crlf.is_some(),
            until,
            path: Vec::new(),
            found: SearchedAgain::default(),
        }
    }));
    let mut all = SearchedAgain { is_complete: walked.stop == Stop::Done, ..Default::default() };
    for Again { found, .. } in walked.visitors {
        all.files += found.files;
        all.missed.extend(found.missed);
        all.missing += found.missing;
        all.binary += found.binary;
        all.unreadable += found.unreadable;
        for (text, near) in found.near {
            all.near.entry(text).and_modify(|known| known.files += near.files).or_insert(near);
        }
    }
    all
}

/// The matcher that takes `\r\n` for the end of a line, if the search did not, and a pattern can
/// have the end of a line.
fn before_crlf(args: &ResolvedArgs) -> Option<Matcher> {
    let has_end = !args.matcher.fixed_strings && args.patterns.iter().any(|p| p.contains('$'));
    let is_possible = has_end && !args.searcher.crlf && args.searcher.line_terminator == b'\n';
    let config = MatcherConfig { crlf: true, ..args.matcher.clone() };
    // The patterns are valid without it, and need not be with it.
    is_possible.then(|| args.compile(&config).ok()).flatten()
}

/// One worker's part of the pass.
struct Again<'a> {
    args: &'a ResolvedArgs,
    /// Finds lines that match or have a close spelling.
    finder: Finder,
    searcher: Searcher,
    probe: Probe<'static>,
    spellings: Option<&'a Spellings>,
    /// Whether the finder takes `\r\n` for the end of a line, as the search did not.
    is_before_crlf: bool,
    until: Instant,
    path: Vec<u8>,
    found: SearchedAgain,
}

impl Again<'_> {
    /// Searches a file. Returns what has kept the search from finding a match in it.
    fn search(&mut self, file: &Entry<'_>) -> std::io::Result<Option<Hurdle>> {
        let mut opened = file.open()?.file;
        let is_compressed = is_compressed_name(&self.path);
        match &self.args.contents {
            Contents::Preprocessed(_) => return Ok(None),
            // The search has seen all of it.
            Contents::Decompressed if is_compressed => return Ok(None),
            Contents::Decompressed | Contents::Plain => {}
        }
        let mut events =
            Events { spellings: self.spellings, may_match: false, nul: None, near: Tally::new() };
        self.searcher.search_file(&mut self.finder, &opened, &mut events)?;
        let Events { may_match, nul, near, .. } = events;
        for (text, spelling) in near {
            let known = self.found.near.entry(text).or_insert(spelling);
            known.files += 1;
        }
        let binary = self.args.binary;
        let policy = if file.is_explicit() { binary.explicit } else { binary.walked };
        self.found.binary += u64::from(nul.is_some() && policy == BinaryPolicy::Quit);
        if may_match {
            let can_miss = policy == BinaryPolicy::Quit || self.is_before_crlf;
            if !can_miss || self.probe.finds(&mut opened, policy)? {
                return Ok(None);
            }
            let is_binary = policy == BinaryPolicy::Quit
                && self.probe.finds(&mut opened, BinaryPolicy::Convert)?;
            return Ok(match self.is_before_crlf {
                _ if is_binary => Some(Hurdle::Binary),
                true => Some(Hurdle::LineEnds),
                false => None,
            });
        }
        if let Some(encoding) = self.probe.unmarked(&mut opened, nul)? {
            return Ok(Some(Hurdle::Unmarked(encoding)));
        }
        if is_compressed {
            std::io::Seek::rewind(&mut opened)?;
            let matches = self.probe.matches_decoded(&self.path, opened)?;
            return Ok(matches.then_some(Hurdle::Compressed));
        }
        Ok(None)
    }
}

/// What a search of one file meets.
struct Events<'a> {
    spellings: Option<&'a Spellings>,
    /// Whether a line has a match, or the literal that is searched for.
    may_match: bool,
    /// The offset of the first NUL byte.
    nul: Option<u64>,
    near: Tally,
}

impl Sink for Events<'_> {
    fn wants(&self) -> Wants {
        let first_only = self.spellings.is_none();
        Wants { unmatched: true, matches: false, first_only, ..Wants::default() }
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        match self.spellings {
            Some(spellings) => {
                self.may_match |= spellings.find(finder, line.bytes, &mut self.near);
                Flow::Continue(())
            }
            None => {
                self.may_match = true;
                Flow::Break(())
            }
        }
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul = Some(offset);
        Flow::Continue(())
    }
}

impl Visitor for Again<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if Instant::now() > self.until {
            return ControlFlow::Break(());
        }
        let is_file = || file.metadata().is_ok_and(|metadata| metadata.is_file());
        if file.is_stdin() || file.is_explicit() && !is_file() {
            return ControlFlow::Continue(());
        }
        self.path.clear();
        file.path_into(&mut self.path);
        match self.search(file) {
            Ok(Some(hurdle)) => {
                self.found.missing += 1;
                if self.found.missed.len() < MAX_KEPT {
                    self.found.missed.push((file.path(), hurdle));
                }
            }
            Ok(None) => {}
            Err(_) => self.found.unreadable += 1,
        }
        if Instant::now() > self.until {
            return ControlFlow::Break(());
        }
        self.found.files += 1;
        ControlFlow::Continue(())
    }

    fn error(&mut self, _: Error) {
        self.found.unreadable += 1;
    }
}
