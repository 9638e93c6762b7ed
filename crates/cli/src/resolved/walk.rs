//! Where and how to walk, and which files are wanted.

use heist_filter::Glob;

use super::{Here, Root};
use crate::typed::{Queue, Reader, TypedArgs};

/// More threads than this do not make a walk faster, but cost memory and wake-ups.
const MOST_THREADS: usize = 12;

/// Where and how to walk.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Where to start, in this order; never empty.
    pub(crate) roots: Vec<Root>,
    /// Nothing but one file, or standard input, is searched.
    pub(crate) one_file: bool,
    /// How many threads to use, at least 1.
    pub(crate) threads: usize,
    /// How they share the work.
    pub(crate) queue: Queue,
    /// How directories are read.
    pub(crate) reader: Reader,
    /// Follow symbolic links that are met.
    pub(crate) follow: bool,
    /// Descend no further than this; a root has depth 0.
    pub(crate) max_depth: Option<usize>,
    /// Stay on the file system of each root.
    pub(crate) one_file_system: bool,
    /// Pass over files of more bytes, unless they were named.
    pub(crate) max_filesize: Option<u64>,
}

impl Walk {
    /// Whether no path was named, so that the user may not know what is searched.
    pub(crate) fn is_implicit(&self) -> bool {
        self.roots == [Root::Here]
    }
}

pub(super) fn resolve(typed: &TypedArgs, roots: Vec<Root>, here: &Here) -> Walk {
    let one_file = match roots.as_slice() {
        [Root::Stdin] => true,
        [Root::Path(path)] => !path.is_dir(),
        _ => false,
    };
    let threads = match typed.threads {
        _ if one_file => 1,
        0 => (here.cores)().min(MOST_THREADS),
        threads => threads,
    };
    Walk {
        roots,
        one_file,
        threads,
        queue: typed.queue,
        reader: typed.reader,
        follow: typed.follow,
        max_depth: typed.max_depth,
        one_file_system: typed.one_file_system,
        max_filesize: typed.max_filesize,
    }
}

pub(super) fn filter(typed: TypedArgs, here: &Here) -> heist_filter::Config {
    let ignore_case = typed.glob_case_insensitive;
    let globs = typed
        .globs
        .into_iter()
        .map(|text| Glob { text, ignore_case });
    let iglobs = typed.iglobs.into_iter().map(|text| Glob {
        text,
        ignore_case: true,
    });
    heist_filter::Config {
        cwd: here.cwd.clone(),
        hidden: typed.hidden,
        dot: !typed.no_ignore_dot,
        vcs: !typed.no_ignore_vcs,
        exclude: !typed.no_ignore_vcs && !typed.no_ignore_exclude,
        global: !typed.no_ignore_vcs && !typed.no_ignore_global,
        parents: !typed.no_ignore_parent,
        require_git: !typed.no_require_git,
        ignore_case: typed.ignore_file_case_insensitive,
        ignore_files: if typed.no_ignore_files {
            Vec::new()
        } else {
            typed.ignore_files
        },
        globs: globs.chain(iglobs).collect(),
    }
}
