//! Random trees, and the slow obvious walk that judges.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

/// A small generator (splitmix64, Steele, Lea and Flood 2014): the same seed gives the same tree everywhere.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Fill `root` with directories, files and links, some of them broken or leading upwards.
pub(super) fn grow(root: &Path, seed: u64) {
    let mut rng = Rng(seed);
    let mut dirs = vec![root.to_path_buf()];
    for i in 0..10 + rng.below(60) {
        let parent = dirs[rng.below(dirs.len() as u64) as usize].clone();
        match rng.below(10) {
            0..=3 => {
                let dir = parent.join(format!("d{i}"));
                fs::create_dir(&dir).unwrap();
                dirs.push(dir);
            }
            4 => {
                let target = dirs[rng.below(dirs.len() as u64) as usize].clone();
                symlink(target, parent.join(format!("l{i}"))).unwrap();
            }
            5 => symlink("void", parent.join(format!("b{i}"))).unwrap(),
            _ => {
                let file = parent.join(format!("f{i}"));
                fs::write(&file, "x").unwrap();
                if rng.below(5) == 0 {
                    symlink(&file, parent.join(format!("s{i}"))).unwrap();
                }
            }
        }
    }
}

/// Every file below `root`, through links if `follow`, except links that lead back to a directory above.
pub(super) fn obvious(root: &Path, follow: bool) -> Vec<PathBuf> {
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

/// A chain of `levels` directories with names of `len` bytes, one file in each. Returns the number of files.
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
