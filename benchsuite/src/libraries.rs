//! Libraries that walk trees, each in a program that prints the path of every file: rivals of
//! heist's walker where a program is written around one.

use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use clap::{Args, ValueEnum};

/// A library that walks trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Library {
    /// ripgrep's walker, in parallel
    Ignore,
    /// One thread, no rules
    Walkdir,
    /// dua's walker, which follows jwalk: in parallel, no rules
    DuaCore,
}

/// The arguments of `benchsuite library`.
#[derive(Debug, Args)]
pub(crate) struct LibraryOptions {
    library: Library,

    /// Leave out hidden files and those that ignore rules name, as only `ignore` can
    #[arg(long)]
    rules: bool,

    /// Threads that share the work [default: one per core]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// Bytes of paths collected before they are written.
const OUTPUT_BYTES: usize = 1 << 16;

/// Prints the path of every file below the current directory, in any order.
pub(crate) fn run(options: &LibraryOptions) -> io::Result<()> {
    let threads = options.threads.map_or_else(thread::available_parallelism, Ok)?.get();
    let root = Path::new("./");
    match options.library {
        Library::Ignore => walk_ignore(root, options.rules, threads),
        _ if options.rules => Err(io::Error::other("only `ignore` knows ignore rules")),
        Library::Walkdir => {
            print_all(walkdir::WalkDir::new(root).into_iter().filter_map(|entry| {
                let is_file = |entry: &walkdir::DirEntry| entry.file_type().is_file();
                entry.map(|entry| is_file(&entry).then(|| entry.into_path())).transpose()
            }))
        }
        Library::DuaCore => {
            let types = dua_core::Options::default().skip_metadata();
            let order = dua_core::Order::Completion;
            print_all(dua_core::walk(root, threads, order, types, |_| true).filter_map(|entry| {
                entry.map(|entry| entry.file_type.is_file().then(|| entry.path())).transpose()
            }))
        }
    }
}

/// The version of the library called `name` that this program was built with.
pub(crate) fn version(name: &str) -> Option<String> {
    let lock = include_str!("../../Cargo.lock");
    let package = lock.split_once(&format!("\nname = \"{name}\"\nversion = \""))?.1;
    Some(format!("{name} {}", package.split_once('"')?.0))
}

fn print_all<P: AsRef<Path>, E: ToString>(
    paths: impl Iterator<Item = Result<P, E>>,
) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock());
    for path in paths {
        let path = path.map_err(|error| io::Error::other(error.to_string()))?;
        print(&mut stdout, path.as_ref())?;
    }
    stdout.flush()
}

fn print(out: &mut impl Write, path: &Path) -> io::Result<()> {
    out.write_all(path.as_os_str().as_encoded_bytes())?;
    out.write_all(b"\n")
}

/// Walks with `ignore`. Each thread writes its lines when it has many of them.
fn walk_ignore(root: &Path, rules: bool, threads: usize) -> io::Result<()> {
    let failed = Mutex::new(None);
    let walker =
        ignore::WalkBuilder::new(root).standard_filters(rules).threads(threads).build_parallel();
    walker.run(|| {
        let mut lines = Lines { text: Vec::with_capacity(OUTPUT_BYTES), failed: &failed };
        Box::new(move |entry| {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    lines.add(entry.path());
                }
                Ok(_) => {}
                Err(error) => drop(writeln!(io::stderr(), "{error}")),
            }
            ignore::WalkState::Continue
        })
    });
    failed.into_inner().ok().flatten().map_or(Ok(()), Err)
}

/// The lines of one thread. What is left is written when it ends.
struct Lines<'a> {
    text: Vec<u8>,
    failed: &'a Mutex<Option<io::Error>>,
}

impl Lines<'_> {
    fn add(&mut self, path: &Path) {
        // A vector takes all that is written to it.
        let _ = print(&mut self.text, path);
        if self.text.len() >= OUTPUT_BYTES {
            self.write();
        }
    }

    fn write(&mut self) {
        let written = io::stdout().lock().write_all(&self.text);
        if let (Err(error), Ok(mut failed)) = (written, self.failed.lock()) {
            *failed = Some(error);
        }
        self.text.clear();
    }
}

impl Drop for Lines<'_> {
    fn drop(&mut self) {
        self.write();
    }
}
