//! Where tests create trees of files.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Returns the directory in which a test creates a tree: the usual one for temporary files, unless
/// a rule file or a repository above it would apply to the tree. Then it is the first other one
/// to which that does not apply, and the usual one if there is none.
pub fn place() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let usual = env::temp_dir();
        let others = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
        let mut places = [usual.clone()].into_iter().chain(others);
        places.find(|place| place.is_dir() && !has_rules(place)).unwrap_or(usual)
    })
}

/// Whether a directory lies in a repository, or a rule file lies in it or above it.
fn has_rules(dir: &Path) -> bool {
    let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.into());
    let names = [".git", ".jj", ".gitignore", ".ignore", ".rgignore"];
    dir.ancestors().any(|dir| names.iter().any(|name| dir.join(name).exists()))
}
