//! Where and how to walk, and which files are wanted.

use std::{fs, io, num::NonZeroUsize};

use heist_filter::{Environment, Glob, TypeSelection};
use heist_queue::MAX_WORKERS;
use heist_searcher::LARGE;
use heist_walk::{Root, SortOrder, WalkConfig};

use crate::{
    contents::Contents,
    haystack,
    here::Here,
    typed::{Mode, TypedArgs},
};

/// More threads than this do not make a walk faster, but cost memory and wake-ups.
const MOST_THREADS: usize = 12;

/// How many threads there may be for each core where directories have to be fetched from a disk: a thread that waits for
/// one takes no core.
///
/// Perf (2026-11-21, 2 busy cores, a virtual disk, corpus `linux`, nothing in memory): 2 threads take 2.2 times as long as 16.
const THREADS_PER_CORE: usize = 8;

/// How long the rest of a directory must be to be shared where files are only listed. Printing a
/// name takes about as long as a thousandth of a wake-up; nobody measured which number is best.
const LISTED_SLICE: usize = 1024;

/// The length in bytes of the one file, or standard input, that is all that is searched. A stream may give anything. What
/// cannot be found counts as an empty file.
pub(super) fn len_of_one_file(roots: &[Root], here: &Here) -> Option<u64> {
    match roots {
        [Root::Stdin] => Some((here.stdin_len)()),
        [Root::Path(path)] => match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => None,
            Ok(metadata) if !metadata.is_file() => Some(u64::MAX),
            Ok(metadata) => Some(metadata.len()),
            // Longer than the system takes at once: the walk gets to a directory there, but to no file.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => None,
            Err(_) => Some(0),
        },
        _ => None,
    }
}

pub(super) fn walk(
    typed: &TypedArgs,
    contents: &Contents,
    roots: Vec<Root>,
    one_file: Option<u64>,
    order: Option<SortOrder>,
    here: &Here,
) -> WalkConfig {
    let is_search = matches!(typed.mode, Mode::Search(_));
    let (workers, extra_workers, cores) = match typed.threads {
        // Which of the roots is opened first, and whether the next is opened at all, shows where one has to be waited for.
        _ if typed.quiet && order.is_some() => (1, 0, None),
        // Less is no work for several.
        _ if one_file.is_some_and(|len| !is_search || len < LARGE) => (1, 0, None),
        0 => {
            let cores = (here.cores)();
            let enlisted = cores.min(MOST_THREADS);
            let workers = (cores * THREADS_PER_CORE).min(MAX_WORKERS);
            (workers, workers - enlisted, NonZeroUsize::new(cores))
        }
        // More do nothing.
        threads => (threads.min(MAX_WORKERS), 0, None),
    };
    let defaults = WalkConfig::default();
    WalkConfig {
        roots,
        workers,
        extra_workers,
        fds_per_visit: contents.fds_per_file(),
        max_deferred_files: if workers > 1 { max_deferred_files(typed) } else { 0 },
        cores,
        queue: typed.queue,
        idle: typed.idle,
        reader: typed.reader,
        follow: typed.follow,
        max_depth: typed.max_depth,
        same_file_system: typed.one_file_system,
        max_filesize: typed.max_filesize,
        // What is being written would never end.
        skip: if is_search { (here.stdout_file)() } else { None },
        explain: log::log_enabled!(log::Level::Debug),
        slice: match typed.mode {
            Mode::Search(_) if typed.pre.is_some() => 2,
            Mode::Search(_) => defaults.slice,
            _ => LISTED_SLICE,
        },
        order,
    }
}

/// How many files each of several workers may let wait for the disk: none where their order counts, where others read
/// them, or where they are only listed.
fn max_deferred_files(typed: &TypedArgs) -> usize {
    let is_read = matches!(typed.mode, Mode::Search(_));
    let by_others = typed.mmap || typed.search_zip || typed.pre.is_some();
    if is_read && !by_others && typed.sort.is_none() { haystack::MAX_DEFERRED } else { 0 }
}

pub(super) fn filter(
    typed: TypedArgs,
    types: TypeSelection,
    here: &Here,
) -> heist_filter::FilterConfig {
    let ignore_case = typed.glob_case_insensitive;
    let globs = typed.globs.into_iter().map(|text| Glob { text, ignore_case });
    let iglobs = typed.iglobs.into_iter().map(|text| Glob { text, ignore_case: true });
    heist_filter::FilterConfig {
        cwd: here.cwd.clone(),
        hidden: typed.hidden,
        dot: !typed.no_ignore_dot,
        vcs: !typed.no_ignore_vcs,
        exclude: !typed.no_ignore_vcs && !typed.no_ignore_exclude,
        global: !typed.no_ignore_vcs && !typed.no_ignore_global,
        parents: !typed.no_ignore_parent,
        require_git: !typed.no_require_git,
        ignore_case: typed.ignore_file_case_insensitive,
        ignore_files: if typed.no_ignore_files { Vec::new() } else { typed.ignore_files },
        globs: globs.chain(iglobs).collect(),
        types,
        environment: Environment::from_variables(here.variable),
    }
}
