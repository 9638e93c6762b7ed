//! Random trees, and a slow, plain walk as the oracle.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

/// Fills `root` with directories, files and links, some of them broken or leading upwards.
pub(super) fn grow(root: &Path, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut dirs = vec![root.to_path_buf()];
    for i in 0..10 + rng.u64(..60) {
        let parent = dirs[rng.usize(..dirs.len())].clone();
        match rng.u64(..10) {
            0..=3 => {
                let dir = parent.join(format!("d{i}"));
                fs::create_dir(&dir).unwrap();
                dirs.push(dir);
            }
            4 => {
                let target = dirs[rng.usize(..dirs.len())].clone();
                symlink(target, parent.join(format!("l{i}"))).unwrap();
            }
            5 => symlink("void", parent.join(format!("b{i}"))).unwrap(),
            _ => {
                let file = parent.join(format!("f{i}"));
                fs::write(&file, "x").unwrap();
                if rng.u64(..5) == 0 {
                    symlink(&file, parent.join(format!("s{i}"))).unwrap();
                }
            }
        }
    }
}

/// Every file below `root`, through links if `follow`, except links to a directory above.
pub(super) fn plain_walk(root: &Path, follow: bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let above = vec![root.canonicalize().unwrap()];
    collect(root, follow, &above, &mut files);
    files
}

fn collect(dir: &Path, follow: bool, above: &[PathBuf], files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let is_link = path.symlink_metadata().unwrap().is_symlink();
        if is_link && !follow {
            continue;
        }
        let Ok(metadata) = path.metadata() else {
            continue;
        };
        if metadata.is_dir() {
            let real = path.canonicalize().unwrap();
            if is_link && above.contains(&real) {
                continue;
            }
            let mut above = above.to_vec();
            above.push(real);
            collect(&path, follow, &above, files);
        } else {
            files.push(path);
        }
    }
}

/// Creates a chain of `levels` directories with names of `len` bytes and one file in each. Returns
/// the number of files.
pub(super) fn deep(root: &Path, levels: usize, len: usize) -> usize {
    let dir_flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut dir = openat(CWD, root, dir_flags, Mode::empty()).unwrap();
    let name = "d".repeat(len);
    for _ in 0..levels {
        mkdirat(&dir, name.as_str(), Mode::RWXU).unwrap();
        dir = openat(&dir, name.as_str(), dir_flags, Mode::empty()).unwrap();
        openat(&dir, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
    }
    levels
}
