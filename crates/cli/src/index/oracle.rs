//! Which files need not be read, because an index proves that they contain no match.

use std::{
    env, fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use heist_index::{CandidateRange, Candidates, Error, Plan, Scope, Stamp, Verdict};
use heist_matcher::Matcher;
use heist_searcher::{BinaryPolicy, Encoding};
use heist_walk::{Entry, FileId, Root};

use super::{
    coverage::Skip,
    freshness::{Numbered, stamp_of},
    home::{advice, reason},
    opened::{OpenIndex, OpenIndexes, canonical_dir},
    skippable::SkippableFiles,
    snapshot::KnownTree,
    spared::{Spared, SparedCounts},
};
use crate::{
    contents::Contents,
    resolved::ResolvedArgs,
    texts::messages::Messages,
    typed::{IndexUse, SearchMode},
};

/// What indexes prove about the files of a search. All workers share one.
pub(crate) struct Oracle {
    indexes: Vec<Covered>,
    /// What gives numbers to files.
    known_tree: Option<Arc<KnownTree>>,
    /// Whether a search takes files with early NUL bytes to be binary, and reads none of them.
    skips_binary: bool,
    /// The file that output is written to, which no worker may skip as if it were read.
    output: Option<FileId>,
    /// Whether a file can be searched by searching parts of it.
    reads_ranges: bool,
    /// Counts what is spared, if that is reported.
    counts: Option<SparedCounts>,
}

/// What is known about a file.
pub(crate) enum Known {
    /// Nothing that spares reading it.
    Nothing,
    /// The file contains no match.
    NoMatch {
        /// How many bytes the file has.
        len: u64,
    },
    /// The file contains no match outside of these parts.
    Ranges {
        /// How many bytes the file has.
        len: u64,
        /// The parts, in their order.
        ranges: Vec<CandidateRange>,
    },
}

/// How many bytes a file must have to be read in parts, if its stamp has to be taken for that,
/// which takes as long as to read 32 KB.
const MIN_BYTES_STAMPED: u64 = 64 << 10;
/// How many bytes a file must have to be read in parts, if its stamp need not be taken.
const MIN_BYTES_KNOWN: u64 = 16 << 10;
/// How many bytes are read in parts at most: if it is more, several workers read the whole file.
const MAX_RANGE_BYTES: u64 = 8 << 20;

/// Whether it is faster to read `ranges` than the whole file, which has `len` bytes.
fn are_few(ranges: &[CandidateRange], len: u64) -> bool {
    let bytes: u64 = ranges.iter().map(|range| range.len).sum();
    bytes <= MAX_RANGE_BYTES && bytes <= len / 2
}

/// The parts that may match in a file with `len` bytes, if it is faster to read only these.
fn few(
    ranges: Result<Option<Vec<CandidateRange>>, Error>,
    len: u64,
) -> Option<Vec<CandidateRange>> {
    // A part of the index that cannot be read is not used.
    ranges.ok().flatten().filter(|ranges| are_few(ranges, len))
}

/// What one index proves.
struct Covered {
    index: Arc<OpenIndex>,
    candidates: Arc<Candidates>,
}

/// The question to each index.
struct Question {
    plan: Plan,
    scope: Scope,
    /// Whether something is reported of a file without a match that depends on its bytes.
    includes_special: bool,
    /// Whether files count as changed that were changed shortly before they were indexed.
    is_strict: bool,
}

/// Why no index is used.
#[derive(Debug)]
enum Refusal {
    /// The search is of another kind than indexes are for.
    Unfit(String),
    /// There is no index that covers this directory, or none at all.
    Absent(Option<PathBuf>),
    /// An index covers it, but cannot be used.
    Unusable(PathBuf, Error),
}

impl Oracle {
    /// Finds the indexes for this search; `None` if none is used.
    pub(super) fn new(
        args: &ResolvedArgs,
        mode: SearchMode,
        matcher: &Matcher,
        messages: &Messages,
    ) -> Option<Oracle> {
        match Oracle::find(args, mode, matcher) {
            Ok(oracle) => return Some(oracle),
            Err(refusal @ Refusal::Unusable(..)) => {
                messages.warn(format_args!("{refusal}; searching without it"));
            }
            Err(refusal) => log::debug!("{refusal}"),
        }
        None
    }

    /// Finds the indexes for this search.
    ///
    /// # Errors
    /// The reason why none is used.
    pub(super) fn required(
        args: &ResolvedArgs,
        mode: SearchMode,
        matcher: &Matcher,
    ) -> Result<Oracle, String> {
        Oracle::find(args, mode, matcher).map_err(|refusal| refusal.to_string())
    }

    fn find(args: &ResolvedArgs, mode: SearchMode, matcher: &Matcher) -> Result<Oracle, Refusal> {
        let none = || Refusal::Absent(None);
        // Almost always there is no index at all, which is found out first.
        let indexes = args.indexes.as_ref().ok_or_else(none)?;
        match indexes.check() {
            Ok(()) => {}
            Err(Error::Absent) => return Err(none()),
            Err(error) => return Err(Refusal::Unusable(indexes.path().to_owned(), error)),
        }
        let plan = plan(args, matcher)?;
        let scope = match matcher.spans_lines() || args.searcher.line_terminator != b'\n' {
            true => Scope::File,
            false => Scope::Line,
        };
        let (includes_special, is_strict) =
            (reports_unmatched(args, mode), args.index == IndexUse::Strict);
        let question = Question { plan, scope, includes_special, is_strict };
        let reads_ranges = scope == Scope::Line && can_read_ranges(args);
        let mut oracle = Oracle {
            indexes: Vec::new(),
            known_tree: args.coverage.as_ref().map(|coverage| Arc::clone(coverage.tree())),
            skips_binary: scope == Scope::Line && skips_binary(args),
            output: args.walk.skip,
            reads_ranges,
            counts: (args.states_index || log::log_enabled!(log::Level::Debug))
                .then(SparedCounts::default),
        };
        let mut refusal = Refusal::Unfit("no directory is searched".to_owned());
        // Before the walk, nothing is known about the paths in a list.
        let is_only_list = args.walk.roots.is_empty() && args.walk.more_roots.is_some();
        let here = (is_only_list && args.index == IndexUse::Require).then_some(&Root::Here);
        for dir in args.walk.roots.iter().chain(here).filter_map(directory) {
            if oracle.indexes.iter().any(|covered| dir.starts_with(covered.index.root())) {
                continue;
            }
            match Covered::find(indexes, &dir, &question) {
                Ok(covered) => oracle.indexes.push(covered),
                Err(Refusal::Unfit(why)) if args.index != IndexUse::Require => {
                    refusal = Refusal::Unfit(why);
                }
                Err(refusal) => return Err(refusal),
            }
        }
        if oracle.indexes.is_empty() && args.walk.more_roots.is_some() {
            // Roots become known as the walk goes on, and their indexes with them.
            for index in indexes.opened() {
                oracle.indexes.push(Covered::of(index, &question)?);
            }
        }
        if oracle.indexes.is_empty() { Err(refusal) } else { Ok(oracle) }
    }

    /// What the walk skips, if the snapshot of `tree` belongs to the only index. With `all`, this
    /// is everything that cannot match; otherwise it is files that cannot match, once their stamps
    /// have been taken.
    pub(super) fn skip(&self, tree: &KnownTree, all: bool) -> Option<Skip> {
        let Covered { candidates, .. } = self.only_of(tree)?;
        match all {
            true => Skip::unneeded(tree.tree()?, candidates, self.skips_binary, self.output),
            false => {
                let files = SkippableFiles::new(candidates, self.skips_binary, self.output);
                Some(Skip::UnchangedFiles(files))
            }
        }
    }

    /// The only index, if the snapshot of `tree` belongs to it.
    fn only_of(&self, tree: &KnownTree) -> Option<&Covered> {
        let [covered] = &self.indexes[..] else { return None };
        tree.index().is_some_and(|index| Arc::ptr_eq(index, &covered.index)).then_some(covered)
    }

    /// Returns what is known of `file`.
    pub(crate) fn look_up(&self, file: &Entry<'_>) -> Known {
        let known = self.look_up_uncounted(file);
        if let Some(counts) = &self.counts {
            match known {
                Known::Nothing => {}
                Known::NoMatch { .. } => counts.note_unread(),
                Known::Ranges { .. } => counts.note_in_part(),
            }
        }
        known
    }

    /// What was spared, if that is reported.
    pub(super) fn spared(&self) -> Option<Spared> {
        let sum = |count: &dyn Fn(&Covered) -> u64| self.indexes.iter().map(count).sum();
        let may_match = sum(&|covered| covered.candidates.blocks().into());
        let blocks = sum(&|covered| covered.index.index.blocks().into());
        Some(self.counts.as_ref()?.total(may_match, blocks))
    }

    fn look_up_uncounted(&self, file: &Entry<'_>) -> Known {
        if let Some(number) = file.number()
            && let Some(index) = self.known_tree.as_ref().and_then(|tree| tree.index())
            && let Some(covered) = self.indexes.iter().find(|it| Arc::ptr_eq(&it.index, index))
        {
            return self.look_up_known(covered, number, file);
        }
        self.look_up_stamp(file)
    }

    /// Returns what is known of the file with this number. Its stamp is taken only if the file need
    /// not be searched otherwise.
    fn look_up_known(&self, covered: &Covered, number: u32, file: &Entry<'_>) -> Known {
        let verdict = covered.candidates.verdict_of(number, self.skips_binary);
        let Some((verdict, then)) = verdict else { return Known::Nothing };
        let freshness = &covered.index.freshness;
        let look = || file.file_metadata();
        let is_unchanged = || freshness.is_unchanged(Numbered::File(number), &then, look);
        match verdict {
            Verdict::MayMatch if self.reads_ranges => {
                let smallest =
                    if freshness.changes.is_some() { MIN_BYTES_KNOWN } else { MIN_BYTES_STAMPED };
                if then.size < smallest || self.is_output(&then) {
                    return Known::Nothing;
                }
                let ranges = few(covered.candidates.ranges_of(number), then.size);
                match ranges {
                    Some(ranges) if is_unchanged() => Known::Ranges { len: then.size, ranges },
                    _ => Known::Nothing,
                }
            }
            Verdict::CannotMatch if is_unchanged() && !self.is_output(&then) => {
                Known::NoMatch { len: then.size }
            }
            _ => Known::Nothing,
        }
    }

    /// Whether output may be written to the file that had this stamp.
    fn is_output(&self, then: &Stamp) -> bool {
        self.output.is_some_and(|output| output.inode == then.inode)
    }

    fn look_up_stamp(&self, file: &Entry<'_>) -> Known {
        let Ok(metadata) = file.file_metadata() else { return Known::Nothing };
        if self.output == Some(metadata.id) {
            return Known::Nothing;
        }
        let (stamp, len) = (stamp_of(&metadata), metadata.size);
        for covered in &self.indexes {
            if covered.index.freshness.device != metadata.id.device {
                continue;
            }
            let verdict = match self.skips_binary {
                true => covered.candidates.verdict_without_binary(&stamp),
                false => covered.candidates.verdict(&stamp),
            };
            match verdict {
                Verdict::CannotMatch => return Known::NoMatch { len },
                Verdict::MayMatch if self.reads_ranges && len >= MIN_BYTES_KNOWN => {
                    return match few(covered.candidates.ranges(&stamp), len) {
                        Some(ranges) => Known::Ranges { len, ranges },
                        None => Known::Nothing,
                    };
                }
                Verdict::MayMatch => return Known::Nothing,
                Verdict::NotCovered => {}
            }
        }
        Known::Nothing
    }
}

impl Covered {
    /// Finds the index that covers `dir`, and evaluates `plan`.
    fn find(indexes: &OpenIndexes, dir: &Path, question: &Question) -> Result<Covered, Refusal> {
        let unusable = |error| Refusal::Unusable(dir.to_owned(), error);
        let index = match indexes.covering(dir) {
            Ok(index) => index,
            Err(Error::Absent) => {
                return Err(Refusal::Absent(Some(dir.to_owned())));
            }
            Err(error) => return Err(unusable(error)),
        };
        Covered::of(index, question)
    }

    /// Evaluates `plan`.
    fn of(index: Arc<OpenIndex>, question: &Question) -> Result<Covered, Refusal> {
        let Question { plan, scope, .. } = question;
        let unusable = |error| Refusal::Unusable(index.root().to_owned(), error);
        let mut candidates = index.index.candidates(plan, *scope).map_err(unusable)?;
        if question.includes_special {
            candidates = candidates.with_special_files();
        }
        if question.is_strict {
            candidates = candidates.without_young_files();
        }
        log::debug!(
            "index of {}: {plan}: {} of {} blocks may match",
            index.root().display(),
            candidates.blocks(),
            index.index.blocks(),
        );
        Ok(Covered { index, candidates: Arc::new(candidates) })
    }
}

/// The directory that is searched, as a canonical path; `None` if the root is none. What is wrong
/// with the root is for the walk to report.
pub(super) fn directory(root: &Root) -> Option<PathBuf> {
    match root {
        // The system returns it without symbolic links.
        Root::Here => env::current_dir().ok(),
        Root::Path(path) => canonical_dir(path),
        Root::Stdin => None,
    }
}

/// Whether something is reported about a file without a match that depends on its bytes: whether it
/// is binary, or how many bytes were searched.
pub(super) fn reports_unmatched(args: &ResolvedArgs, mode: SearchMode) -> bool {
    let is_mode = match mode {
        SearchMode::FilesWithoutMatch | SearchMode::Json => true,
        SearchMode::Count | SearchMode::CountMatches => args.printer.include_zero,
        SearchMode::Standard | SearchMode::FilesWithMatches => false,
    };
    is_mode || args.names.is_some() || args.printer.stats || log::log_enabled!(log::Level::Debug)
}

/// Whether searching a file's parts emits the same lines as searching the whole file.
fn can_read_ranges(args: &ResolvedArgs) -> bool {
    let config = &args.searcher;
    let has_context =
        config.before_context > 0 || config.after_context > 0 || config.surroundings.is_some();
    let is_limited = args.limits.is_some() || config.max_matches.is_some();
    !has_context && !is_limited && !args.per_file && !config.stop_on_nonmatch
}

/// What a file must contain for this search to find something in it.
fn plan(args: &ResolvedArgs, matcher: &Matcher) -> Result<Plan, Refusal> {
    let unfit = |why: &str| Err(Refusal::Unfit(why.to_owned()));
    if args.searcher.invert {
        return unfit("lines without a match are printed");
    }
    if args.searcher.passthru {
        return unfit("all lines are printed");
    }
    if !matches!(args.contents, Contents::Plain) {
        return unfit("other bytes are searched than those of the files");
    }
    if matches!(args.searcher.encoding, Encoding::Always(_) | Encoding::Guess) {
        return unfit("files are searched in another encoding");
    }
    let required = matcher.requirements();
    if required.is_empty() {
        return unfit(match matcher.expression() {
            Some(_) => "no pattern has to match in every line that meets the condition",
            None => "nothing is known of patterns of PCRE2",
        });
    }
    let plan = Plan::of_all(required);
    if plan.is_anything() {
        return unfit("there are no three characters that every match contains");
    }
    Ok(plan)
}

/// Whether a file with a NUL byte among its first 64 KiB is taken to be binary, so that none of it
/// is searched and nothing is reported.
fn skips_binary(args: &ResolvedArgs) -> bool {
    args.binary.walked == BinaryPolicy::Quit && !args.mmap
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unfit(why) => write!(f, "no index is used: {why}"),
            Refusal::Absent(None) => {
                write!(f, "no index is used: there is no index; {}", advice())
            }
            Refusal::Absent(Some(dir)) => {
                let dir = dir.display();
                write!(f, "no index is used: {dir}: there is no index; {}", advice())
            }
            Refusal::Unusable(dir, error) => f.write_str(&reason(dir, error)),
        }
    }
}
