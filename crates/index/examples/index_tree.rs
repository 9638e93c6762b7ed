//! Brings the index of a directory up to date, and prints for each pattern how many files may
//! match, with the time that each step takes.
//!
//! ```sh
//! cargo run --release --package heist-index --example index_tree -- HOME DIR [PATTERN...]
//! ```
//!
//! The index is written below HOME. Two threads index every file, except hidden ones and those
//! below hidden directories; ignore rules are for `hs`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use heist_index::{Builder, EntryKind, Home, Plan, Scope, SnapshotBuilder, Stamp, Verdict};

type AnyError = Box<dyn std::error::Error>;

const THREADS: usize = 2;
/// Files that a thread takes at once.
const FILES_PER_BATCH: usize = 64;

fn main() -> Result<(), AnyError> {
    let mut args = env::args_os().skip(1);
    let (Some(home), Some(root)) = (args.next(), args.next()) else {
        return Err("usage: index_tree HOME DIR [PATTERN...]".into());
    };
    let home = Home::new(home.into());
    let root = fs::canonicalize(root)?;
    let start = Instant::now();
    let (mut files, mut snapshot) = (Vec::new(), SnapshotBuilder::default());
    list(&root, Path::new(""), &mut files, &mut snapshot)?;
    println!("{} files listed: {:.3} s", files.len(), start.elapsed().as_secs_f64());
    update(&home, &root, &files, snapshot)?;
    read_snapshot(&home, &root)?;
    for pattern in args {
        let pattern = pattern.into_string().map_err(|_| "a pattern is not UTF-8")?;
        ask(&home, &root, &files, &pattern)?;
    }
    Ok(())
}

/// Finds the files in `dir` and below, and adds the directories to `snapshot`.
fn list(
    dir: &Path,
    path: &Path,
    files: &mut Vec<PathBuf>,
    snapshot: &mut SnapshotBuilder,
) -> io::Result<()> {
    if let Some(stamp) = Stamp::of(&fs::symlink_metadata(dir)?) {
        snapshot.dir(path.as_os_str().as_encoded_bytes(), stamp, 0);
    }
    let mut below = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let entry_kind = match kind {
            _ if kind.is_dir() => EntryKind::Dir,
            _ if kind.is_file() => EntryKind::File,
            _ if kind.is_symlink() => EntryKind::Symlink,
            _ => EntryKind::Other,
        };
        snapshot.entry(name.as_encoded_bytes(), entry_kind, inode(&entry), is_hidden.into());
        if is_hidden {
            continue;
        }
        if kind.is_dir() {
            below.push(name);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    below.iter().try_for_each(|name| list(&dir.join(name), &path.join(name), files, snapshot))
}

#[cfg(unix)]
fn inode(entry: &fs::DirEntry) -> u64 {
    std::os::unix::fs::DirEntryExt::ino(entry)
}

#[cfg(not(unix))]
fn inode(_: &fs::DirEntry) -> u64 {
    0
}

fn update(
    home: &Home,
    root: &Path,
    files: &[PathBuf],
    snapshot: SnapshotBuilder,
) -> Result<(), AnyError> {
    let start = Instant::now();
    let builder = Builder::update(&home.dir_of(root), root)?;
    let opened = start.elapsed().as_secs_f64();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let workers: Vec<_> =
            (0..THREADS).map(|_| scope.spawn(|| work(&builder, files, &next))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread panicked"))
    })?;
    let collected = start.elapsed().as_secs_f64();
    let built = builder.finish_with_snapshot(THREADS, snapshot)?;
    let total = start.elapsed().as_secs_f64();
    println!(
        "{} files of {:.1} MB covered, {} as before, {} dropped; {:.1} MB of index, {:.2} %",
        built.files,
        built.text as f64 / 1e6,
        built.kept,
        built.dropped,
        built.size as f64 / 1e6,
        100.0 * built.size as f64 / built.text as f64,
    );
    println!(
        "opened {opened:.4} s, collected {:.3} s, finished {:.4} s, total {total:.3} s",
        collected - opened,
        total - collected,
    );
    Ok(())
}

/// One thread's part: files that changed are added.
fn work(builder: &Builder, files: &[PathBuf], next: &AtomicUsize) {
    let mut collector = builder.collector();
    loop {
        // Ordering: only the number is shared.
        let start = next.fetch_add(FILES_PER_BATCH, Ordering::Relaxed);
        let Some(batch) = files.get(start..files.len().min(start + FILES_PER_BATCH)) else {
            return;
        };
        for path in batch {
            let stamp = fs::symlink_metadata(path).ok().and_then(|metadata| Stamp::of(&metadata));
            if stamp.is_some_and(|stamp| collector.keep(&stamp)) {
                continue;
            }
            let added = fs::File::open(path)
                .map_err(Into::into)
                .and_then(|mut file| collector.add(&mut file));
            if let Err(error) = added {
                eprintln!("{}: {error}", path.display());
            }
        }
    }
}

/// Reads all directories, and looks at every entry.
fn read_snapshot(home: &Home, root: &Path) -> Result<(), AnyError> {
    let start = Instant::now();
    let Some(snapshot) = home.find(root)?.snapshot()? else { return Ok(()) };
    let opened = start.elapsed();
    let dirs = snapshot.read(0..snapshot.dirs())?;
    let read = start.elapsed();
    let (mut entries, mut bytes, mut covered) = (0, 0, 0);
    for dir in (0..snapshot.dirs()).filter_map(|dir| dirs.get(dir)) {
        for entry in dir.entries() {
            entries += 1;
            bytes += entry.name().len();
            covered += usize::from(entry.file().is_some());
        }
    }
    println!(
        "snapshot of {} directories, {entries} entries, {covered} of them covered files, {bytes} \
         bytes of names: opened {} µs, read {} µs, looked at {} µs",
        snapshot.dirs(),
        opened.as_micros(),
        (read - opened).as_micros(),
        (start.elapsed() - read).as_micros(),
    );
    Ok(())
}

fn ask(home: &Home, root: &Path, files: &[PathBuf], pattern: &str) -> Result<(), AnyError> {
    let plan = Plan::of(&regex_syntax::parse(pattern)?);
    let start = Instant::now();
    let index = home.find(root)?;
    let opened = start.elapsed();
    let candidates = index.candidates(&plan, Scope::Line)?;
    let answered = start.elapsed();
    let by_number = candidates.files(false).len();
    let numbered = start.elapsed();
    let mut verdicts = [0; 3];
    for path in files {
        let Some(stamp) = Stamp::of(&fs::symlink_metadata(path)?) else { continue };
        verdicts[match candidates.verdict(&stamp) {
            Verdict::CannotMatch => 0,
            Verdict::MayMatch => 1,
            Verdict::NotCovered => 2,
        }] += 1;
    }
    println!("{pattern}: {plan}");
    println!(
        "  opened {} µs, answered {} µs, {by_number} files numbered {} µs: {} blocks of {}; {} files \
         cannot match, {} may, {} unknown",
        opened.as_micros(),
        (answered - opened).as_micros(),
        (numbered - answered).as_micros(),
        candidates.blocks(),
        index.blocks(),
        verdicts[0],
        verdicts[1],
        verdicts[2],
    );
    Ok(())
}
