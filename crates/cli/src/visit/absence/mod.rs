//! The account of a run's results: what it left out, which of that would have matched, and what is
//! close to a literal that stands nowhere.
//!
//! A second walk gathers what the first one has left out: nothing is gathered while results can
//! still be found, which makes the account free of cost where there are some, and exact where an
//! index spares the first walk most of its way. All takes at most as long as the run itself did, or
//! [`MIN_TIME`].
//!
//! | file | holds |
//! |---|---|
//! | `left_out` | the walk that gathers what is left out |
//! | `look` | the search of what is left out |
//! | `again` | the second search of the files that were searched |
//! | `probe` | the search of one file, whatever stands in the way |
//! | `report` | the line and the message |

mod again;
mod left_out;
mod look;
mod probe;
mod report;

use std::time::{Duration, Instant};

use heist_filter::Filter;
use heist_matcher::Matcher;
use heist_searcher::BinaryPolicy;

pub(crate) use report::Account;
use report::{Named, Time};

use self::{
    again::{SearchedAgain, search_again},
    left_out::{Cause, Gathered, gather},
    look::{EntryKind, Looked, look},
    probe::Hurdle,
};
use super::{
    spellings::{Spellings, best},
    unsearched,
};
use crate::{contents::Contents, resolved::ResolvedArgs};

/// How long an account may take in any case. A debug build is slow, and its tests are not to depend
/// on how busy the machine is.
const MIN_TIME: Duration =
    if cfg!(debug_assertions) { Duration::from_secs(20) } else { Duration::from_millis(100) };

/// How much of the time that is left when the limit of `--timeout` comes is not used.
const TIME_TO_REPORT: Duration = Duration::from_millis(20);

/// The most close spellings that are named.
const MAX_NEAREST: usize = 3;

/// Where the time of a run goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunTime {
    /// When the program was started.
    pub(crate) started: Instant,
    /// Whether something was found.
    pub(crate) any_match: bool,
}

/// The account of a search for the patterns of `matcher`.
pub(crate) fn account(
    args: &ResolvedArgs,
    filter: &Filter,
    matcher: &Matcher,
    run: RunTime,
) -> Account {
    let clock = Clock::start(args, run.started);
    let mut account = Account::new(run.any_match);
    let gathered = match clock.is_up() {
        true => Gathered::default(),
        false => gather(args, filter, clock.end),
    };
    let spellings = if run.any_match { None } else { Spellings::of(args) };
    let is_searched_again = gathered.files > 0
        && (spellings.is_some()
            || args.binary.walked == BinaryPolicy::Quit
            || matches!(args.contents, Contents::Plain));
    let looks = unlookable(args).is_none();
    if looks {
        let until = if is_searched_again { clock.middle() } else { clock.end };
        let looked = look(args, matcher, &gathered.entries, until);
        account.add_looked(&gathered, looked);
        if is_searched_again {
            let again = search_again(args, filter, matcher, spellings.as_ref(), clock.end);
            account.add_again(again, gathered.files, spellings.is_some());
        }
    }
    account.add_gathered(args, &gathered);
    if let Some(what) = unlookable(args) {
        account.unlooked.push((what.to_owned(), None));
    }
    if gathered.files == 0 && gathered.is_complete {
        account.cause = unsearched::cause_within(args, clock.left());
        account.is_cause_known = args.path_is_implicit() || selects_by_glob(args);
    }
    account.time = clock.spent();
    account
}

/// What keeps an account from looking into files, if something does.
fn unlookable(args: &ResolvedArgs) -> Option<&'static str> {
    match args.contents {
        Contents::Preprocessed(_) => Some("what --pre would make of it"),
        _ if args.per_file => Some("what whole files must meet"),
        _ if args.names.is_some() => Some("the names of files"),
        Contents::Plain | Contents::Decompressed => None,
    }
}

/// The account of a list of files, which has no contents to look into.
pub(crate) fn account_of_list(args: &ResolvedArgs, filter: &Filter, run: RunTime) -> Account {
    let clock = Clock::start(args, run.started);
    let mut account = Account::new(run.any_match);
    let gathered = match clock.is_up() {
        true => Gathered::default(),
        false => gather(args, filter, clock.end),
    };
    account.add_gathered(args, &gathered);
    if gathered.files == 0 && gathered.is_complete {
        account.cause = unsearched::cause_within(args, clock.left());
    }
    account.is_list = true;
    account.time = clock.spent();
    account
}

/// Whether globs select files. That none matches is reported in any case.
fn selects_by_glob(args: &ResolvedArgs) -> bool {
    let mut globs = args.filter.globs.iter();
    !args.filter.only.is_empty() || globs.any(|glob| !glob.text.starts_with('!'))
}

/// The time that an account may take.
struct Clock {
    start: Instant,
    end: Instant,
}

impl Clock {
    fn start(args: &ResolvedArgs, started: Instant) -> Clock {
        let start = Instant::now();
        let mut time = start.saturating_duration_since(started).max(MIN_TIME);
        if let Some(limit) = args.limits.and_then(|limits| limits.time) {
            let left = limit.saturating_sub(start.saturating_duration_since(started));
            time = time.min(left.saturating_sub(TIME_TO_REPORT));
        }
        Clock { start, end: start + time }
    }

    fn is_up(&self) -> bool {
        Instant::now() >= self.end
    }

    /// When half of the time is over.
    fn middle(&self) -> Instant {
        self.start + (self.end - self.start) / 2
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// The whole time, if it is over.
    fn spent(&self) -> Time {
        Time { allowed: self.end - self.start, is_over: self.is_up() }
    }
}

impl Account {
    /// Adds what was gathered.
    fn add_gathered(&mut self, args: &ResolvedArgs, gathered: &Gathered) {
        self.searched = gathered.files;
        self.is_gathered = gathered.is_complete;
        self.left_out = gathered.counts.iter().map(|(cause, count)| (*cause, *count)).collect();
        if let Some((_, others)) = args.listed.as_ref().map(|listed| listed.taken())
            && others > 0
        {
            self.unlooked.push(("paths of a list".to_owned(), Some((others, others))));
        }
        let kept = gathered.entries.len() as u64;
        let all: u64 = gathered.counts.values().sum();
        if all > kept {
            self.unlooked.push(("further entries".to_owned(), Some((all - kept, all))));
        }
        if !gathered.is_complete {
            self.unlooked.push(("the rest of the directories".to_owned(), None));
        }
    }

    /// Adds what was found in what was left out.
    fn add_looked(&mut self, gathered: &Gathered, looked: Looked) {
        self.matching += looked.matching;
        self.unreadable += looked.unreadable;
        for overlooked in looked.overlooked {
            let entry = &gathered.entries[overlooked.entry];
            let mut why = match entry.path == overlooked.path {
                true => entry.why.clone(),
                false => format!("{}: {}", entry.path.display(), entry.why),
            };
            if let Some(words) = overlooked.hurdle.words() {
                why = format!("{why}; {words}");
            }
            self.note_advice(entry.cause);
            self.named.push(Named { path: overlooked.path, why });
        }
        for ((cause, kind), count) in looked.unlooked {
            if cause == Cause::VersionControl {
                self.unlooked_vcs += count;
                continue;
            }
            let of = gathered.counts.get(&cause).copied().unwrap_or(count);
            let noun = match kind {
                EntryKind::File => "entries",
                EntryKind::Dir => "directories",
            };
            let what = match cause {
                Cause::Link => "symbolic links".to_owned(),
                Cause::FileSystem => "directories on other file systems".to_owned(),
                cause => format!("{} {noun}", cause.noun()),
            };
            self.unlooked.push((what, Some((count, of))));
        }
    }

    /// Adds what was found in the second search of `files` files.
    fn add_again(&mut self, again: SearchedAgain, files: u64, has_spellings: bool) {
        self.matching += again.missing;
        self.unreadable += again.unreadable;
        self.binary = again.binary;
        for (path, hurdle) in again.missed {
            let why = hurdle.words().unwrap_or_default();
            debug_assert_ne!(hurdle, Hurdle::Nothing);
            self.named.push(Named { path, why });
        }
        let near = best(&again.near, MAX_NEAREST).into_iter();
        self.nearest = near.map(|(text, near)| (text.to_owned(), near.files)).collect();
        self.is_nearest_exact = again.is_complete;
        if !again.is_complete {
            let what = match has_spellings {
                true => "close spellings and binary data in searched files",
                false => "binary data in searched files",
            };
            let missing = files.saturating_sub(again.files);
            self.unlooked.push((what.to_owned(), Some((missing, files))));
        }
    }

    fn note_advice(&mut self, cause: Cause) {
        match cause {
            Cause::Ignored => self.any_ignored = true,
            Cause::Hidden => self.any_hidden = true,
            Cause::Link => self.any_link = true,
            _ => {}
        }
    }
}
