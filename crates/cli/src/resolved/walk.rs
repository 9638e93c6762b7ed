//! How the walk and the filter are configured.

use std::{fs, io, num::NonZeroUsize, path::PathBuf, sync::Arc};

use heist_filter::{Environment, FilterConfig, Glob, TypeSelection};
use heist_queue::MAX_WORKERS;
use heist_searcher::LARGE;
use heist_walk::{Root, SortOrder, WalkConfig};

use crate::{
    contents::Contents,
    run::{haystack, here::Here},
    texts::messages::LogSkipped,
    typed::{Mode, TypedArgs},
};

/// The most threads for each core if directories are read from a disk: a thread that waits for one
/// uses no core.
///
/// Perf (2026-11-21, 2 busy cores, a virtual disk, corpus `linux`, nothing cached): 2 threads take
/// 2.2 times as long as 16.
const THREADS_PER_CORE: usize = 8;

/// How many files a slice has at least that is shared if files are only listed. Printing a name
/// takes about a thousandth of a wake-up; the best number has not been measured.
const LISTED_SLICE: usize = 1024;

/// The length in bytes of the only input, if that is a file or standard input. A stream counts as
/// infinite, and a missing file as empty.
pub(super) fn len_of_one_file(roots: &[Root], here: &Here) -> Option<u64> {
    match roots {
        [Root::Stdin] => Some((here.stdin_len)()),
        [Root::Path(path)] => match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => None,
            Ok(metadata) if !metadata.is_file() => Some(u64::MAX),
            Ok(metadata) => Some(metadata.len()),
            // A path beyond what one system call accepts: the walk reaches a directory there, but
            // no file.
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
    let is_read = is_search || matches!(typed.mode, Mode::Index(_));
    let (workers, extra_workers, cores) = match typed.threads {
        // Whether a root is opened at all is visible if it blocks, so roots are opened in order.
        _ if typed.quiet && order.is_some() => (1, 0, None),
        // If a file is to be visited once, its first path is the one that sorts first.
        _ if typed.walk.unique && order.is_some() => (1, 0, None),
        // A smaller input is not split.
        _ if one_file.is_some_and(|len| !is_search || len < LARGE) => (1, 0, None),
        0 => {
            let cores = (here.cores)();
            let initial = cores.min(WalkConfig::MAX_USEFUL_WORKERS);
            let workers = (cores * THREADS_PER_CORE).min(MAX_WORKERS);
            (workers, workers - initial, NonZeroUsize::new(cores))
        }
        // The queue supports no more.
        threads => (threads.min(MAX_WORKERS), 0, None),
    };
    WalkConfig {
        roots,
        workers,
        extra_workers,
        fds_per_visit: contents.fds_per_file(),
        max_deferred_files: if workers > 1 { max_deferred_files(typed) } else { 0 },
        cores,
        // To search its own output would never end.
        skip: if is_search { (here.stdout_file)() } else { None },
        on_skip: log::log_enabled!(log::Level::Debug).then(|| Arc::new(LogSkipped) as Arc<_>),
        slice: match typed.mode {
            Mode::Search(_) if typed.pre.is_some() => 2,
            _ if is_read => typed.walk.slice,
            _ => LISTED_SLICE,
        },
        order,
        skip_worktrees: skips_worktrees(typed),
        shard: typed.shard.map(|shard| shard.by(typed.shard_by.unwrap_or_default())),
        ..typed.walk.clone()
    }
}

/// Whether a repository's further worktrees are left out: by default for programs and where hidden
/// directories are searched, in which agents keep their worktrees.
fn skips_worktrees(typed: &TypedArgs) -> bool {
    let is_for_programs = typed.agent == Some(true) || typed.printer.compact;
    typed.no_worktrees.unwrap_or(is_for_programs || typed.filter.dotfiles)
}

/// How many files each worker may defer: none if results are sorted or counted by group, if the
/// searcher does not read files, or if they are only listed.
fn max_deferred_files(typed: &TypedArgs) -> usize {
    let is_read = matches!(typed.mode, Mode::Search(_));
    let by_others = typed.mmap || typed.search_zip || typed.pre.is_some();
    let is_surveyed = typed.sort.is_some() || typed.count_by.is_some();
    if is_read && !by_others && !is_surveyed { haystack::MAX_DEFERRED } else { 0 }
}

/// The paths that are searched, for globs that are relative to them; none if not all are known.
pub(super) fn known_roots(walk: &WalkConfig) -> Vec<PathBuf> {
    let path_of = |root: &Root| match root {
        Root::Path(path) => Some(path.clone()),
        Root::Here => Some(PathBuf::from(".")),
        Root::Stdin => None,
    };
    match walk.more_roots {
        Some(_) => Vec::new(),
        None => walk.roots.iter().filter_map(path_of).collect(),
    }
}

pub(super) fn filter(
    typed: TypedArgs,
    types: TypeSelection,
    walk: &WalkConfig,
    here: &Here,
) -> FilterConfig {
    let ignore_case = typed.glob_case_insensitive;
    let globs = typed.globs.into_iter().map(|text| Glob { text, ignore_case });
    let iglobs = typed.iglobs.into_iter().map(|text| Glob { text, ignore_case: true });
    let narrowing =
        |globs: Vec<String>| globs.into_iter().map(|text| Glob { text, ignore_case }).collect();
    let filter = typed.filter;
    FilterConfig {
        cwd: here.cwd.clone(),
        exclude: filter.vcs && filter.exclude,
        global: filter.vcs && filter.global,
        ignore_files: if typed.no_ignore_files { Vec::new() } else { filter.ignore_files },
        globs: globs.chain(iglobs).collect(),
        only: narrowing(typed.only),
        except: narrowing(typed.exclude),
        roots: known_roots(walk),
        types,
        environment: Environment::from_variables(here.variable),
        ..filter
    }
}
