//! Random trees, and a slow, plain walk as the oracle.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::links::symlink;

/// Fills `root` with directories, files and links, some of them broken or leading upwards. A link
/// that this user of Windows may not create is left out.
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
                let _ = symlink(target, parent.join(format!("l{i}")));
            }
            5 => drop(symlink("void", parent.join(format!("b{i}")))),
            _ => {
                let file = parent.join(format!("f{i}"));
                fs::write(&file, "x").unwrap();
                if rng.u64(..5) == 0 {
                    let _ = symlink(&file, parent.join(format!("s{i}")));
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

/// Creates a chain of `levels` directories called `d` with one file in each.
pub(super) fn chain(root: &Path, levels: usize) {
    let mut dir = root.to_path_buf();
    for _ in 0..levels {
        dir.push("d");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("file"), "").unwrap();
    }
}
