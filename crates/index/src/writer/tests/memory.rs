//! The memory that building takes.

use std::{
    env,
    fs::{self, File},
    path::Path,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::Tree;
use crate::{Added, Builder};

/// The variables of the process whose memory is measured.
const HOME: &str = "HEIST_INDEX_TEST_MEMORY_HOME";
const ROOT: &str = "HEIST_INDEX_TEST_MEMORY_ROOT";
const FILES: &str = "HEIST_INDEX_TEST_MEMORY_FILES";
const BYTES: &str = "HEIST_INDEX_TEST_MEMORY_BYTES";

const THREADS: usize = 3;

/// Does nothing, unless another test started it. Prints how much memory it has used.
#[test]
fn a_process_to_be_measured() {
    let [Some(dir), Some(root), Some(files), Some(bytes)] =
        [HOME, ROOT, FILES, BYTES].map(env::var_os)
    else {
        return;
    };
    let number = |text: std::ffi::OsString| text.into_string().unwrap().parse::<usize>().unwrap();
    let (root, files, bytes) = (Path::new(&root), number(files), number(bytes));
    let mut builder = Builder::new(Path::new(&dir), root).unwrap();
    builder.workspace.run_limits.bytes = bytes / 2;
    builder.workspace.max_writers = 2;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut collector = builder.collector();
                loop {
                    // Ordering: only the number is shared.
                    let file = next.fetch_add(1, Ordering::Relaxed);
                    if file >= files {
                        return;
                    }
                    let mut opened = File::open(root.join(file.to_string())).unwrap();
                    assert_eq!(collector.add(&mut opened).unwrap(), Added::Covered);
                }
            });
        }
    });
    assert_eq!(builder.finish(2).unwrap().files, files as u64);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak {}", peak.trim().trim_end_matches(" kB"));
}

/// The memory that it takes to index so many files with so many bytes for lists, in KiB.
fn peak_of(tree: &Tree, files: usize, bytes: usize) -> usize {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "writer::tests::memory::a_process_to_be_measured", "--nocapture"])
        .env(HOME, tree.home().dir_of(&tree.root))
        .env(ROOT, &tree.root)
        .env(FILES, files.to_string())
        .env(BYTES, bytes.to_string())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let peak = printed.lines().find_map(|line| line.split_once("peak "));
    let (_, peak) = peak.unwrap_or_else(|| panic!("{printed}"));
    peak.trim().parse().unwrap()
}

/// Most grams of each text are in few other ones, so that lists take more memory than texts.
#[test]
fn memory_depends_on_its_limit_and_not_on_the_tree() {
    const ALPHABET: &[u8; 60] = b"abcdefghijklmnopqrstuvwxyz0123456789_\t()[]{}<>,.;:-+*/=&|!\"'";
    let mut rng = fastrand::Rng::with_seed(21);
    let contents: Vec<Vec<u8>> = (0..1600)
        .map(|_| {
            let bytes: Vec<_> = (0..15).map(|_| *rng.choice(ALPHABET).unwrap()).collect();
            let text = (0..8 << 10).map(|_| *rng.choice(&bytes).unwrap());
            text.chain([b'\n']).collect()
        })
        .collect();
    let tree = Tree::new(&contents);
    let peak = |files, bytes| peak_of(&tree, files, bytes);
    let [few, many, unbounded] = [peak(600, 4 << 20), peak(1600, 4 << 20), peak(1600, 256 << 20)];
    // A small index has fewer parts than may be in memory while it is merged, and how many there
    // are at once depends on the threads. Without a limit it would be 25 MiB more.
    assert!(many < few + (16 << 10), "{few} {many} {unbounded} KiB");
    assert!(many + (8 << 10) < unbounded, "{few} {many} {unbounded} KiB");
}
