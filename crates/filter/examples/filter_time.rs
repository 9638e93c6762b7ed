//! How long the filter takes: `cargo run --release --example filter_time -- TREE [ROUNDS]`.
//!
//! Lists the tree once into memory, ignore files included, then judges all its entries again and
//! again, and prints the time per entry of the best round. No system call is timed.

use std::{
    collections::HashMap,
    ffi::CStr,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use heist_filter::{Filter, FilterConfig, ReadFile, RuleFilesPresent, Scope, WorkerCache};

/// A directory as it was listed.
#[derive(Default)]
struct Listing {
    path: Vec<u8>,
    /// All names end to end, as a system call would have left them.
    names: Vec<u8>,
    /// Where each name ends, and what it is.
    entries: Vec<(usize, Kind)>,
    files: HashMap<Vec<u8>, Vec<u8>>,
}

enum Kind {
    File,
    /// The position of its listing.
    Directory(usize),
}

impl Listing {
    fn entries(&self) -> impl Iterator<Item = (&[u8], &Kind)> {
        let mut start = 0;
        self.entries.iter().map(move |(end, kind)| {
            let name = &self.names[start..*end];
            start = *end;
            (name, kind)
        })
    }
}

impl ReadFile for &Listing {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        let contents = self.files.get(name.to_bytes()).ok_or(io::ErrorKind::NotFound)?;
        into.clone_from(contents);
        Ok(())
    }
}

fn list(full: &Path, path: Vec<u8>, tree: &mut Vec<Listing>) -> io::Result<usize> {
    let position = tree.len();
    let mut listing = Listing { path, ..Listing::default() };
    tree.push(Listing::default());
    for entry in fs::read_dir(full)? {
        let entry = entry?;
        let name = entry.file_name().into_encoded_bytes();
        let kind = if entry.file_type()?.is_dir() {
            let mut path = listing.path.clone();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend(&name);
            Kind::Directory(list(&entry.path(), path, tree)?)
        } else {
            if [&b".gitignore"[..], b".ignore", b".rgignore"].contains(&&*name) {
                listing.files.insert(name.clone(), fs::read(entry.path())?);
            }
            Kind::File
        };
        listing.names.extend(&name);
        listing.entries.push((listing.names.len(), kind));
    }
    tree[position] = listing;
    Ok(position)
}

/// Judge everything below a directory; how many entries that are, and how many are wanted.
fn judge(
    filter: &Filter,
    tree: &[Listing],
    at: usize,
    scope: &Arc<Scope>,
    cache: &mut WorkerCache,
) -> (usize, usize) {
    let listing = &tree[at];
    let mut rule_files = RuleFilesPresent::default();
    for (name, _) in listing.entries() {
        rule_files.note(name);
    }
    let scope = filter.enter(scope, &listing.path, rule_files, &mut &*listing, cache);
    let mut below = Vec::new();
    let (mut all, mut wanted) = (listing.entries.len(), 0);
    let mut directory = filter.directory(&scope, &listing.path, cache);
    for (name, kind) in listing.entries() {
        let is_dir = matches!(kind, Kind::Directory(_));
        if directory.is_wanted(name, is_dir) {
            match kind {
                Kind::Directory(at) => below.push(*at),
                Kind::File => wanted += 1,
            }
        }
    }
    drop(directory);
    for at in below {
        let (more, more_wanted) = judge(filter, tree, at, &scope, cache);
        all += more;
        wanted += more_wanted;
    }
    (all, wanted)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(root) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: filter_time TREE [ROUNDS]");
        return ExitCode::from(2);
    };
    let rounds = arguments.next().and_then(|text| text.to_str()?.parse().ok()).unwrap_or(20);
    let mut tree = Vec::new();
    if let Err(error) = list(&root, Vec::new(), &mut tree) {
        eprintln!("{}: {error}", root.display());
        return ExitCode::from(2);
    }
    for require_git in [true, false] {
        let config = FilterConfig {
            cwd: root.clone(),
            dot: true,
            vcs: true,
            exclude: true,
            require_git,
            ..FilterConfig::default()
        };
        let filter = match Filter::new(config) {
            Ok(filter) => filter,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        };
        let mut best = f64::INFINITY;
        let mut counts = (0, 0);
        for _ in 0..rounds {
            // A new one for every round, as parsing is part of a run.
            let mut cache = WorkerCache::default();
            let start = Instant::now();
            let scope = filter.root(&root, &mut cache);
            counts = judge(&filter, &tree, 0, &scope, &mut cache);
            best = best.min(start.elapsed().as_secs_f64());
        }
        let (all, wanted) = counts;
        println!(
            "require_git {require_git}: {all} entries, {wanted} files wanted, {:.2} ms, {:.1} ns per entry",
            best * 1e3,
            best * 1e9 / all as f64
        );
    }
    ExitCode::SUCCESS
}
