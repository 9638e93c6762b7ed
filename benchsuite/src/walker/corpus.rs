//! The trees that are walked, and whether the system still knows them when a walk begins.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::files::explain;

/// Where Linux is told to forget what it has read.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// A directory that can be walked.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Its path as typed.
    pub(crate) path: PathBuf,
}

impl Tree {
    /// The trees that were named, or the current directory.
    ///
    /// # Errors
    ///
    /// A path that cannot be found or is no directory, and which.
    pub(crate) fn named(paths: &[PathBuf]) -> io::Result<Vec<Tree>> {
        if paths.is_empty() {
            return Tree::at(Path::new(".")).map(|tree| vec![tree]);
        }
        paths.iter().map(|path| Tree::at(path)).collect()
    }

    fn at(path: &Path) -> io::Result<Tree> {
        match path.metadata() {
            Ok(found) if found.is_dir() => Ok(Tree { path: path.to_path_buf() }),
            Ok(_) => Err(explain(path, &io::ErrorKind::NotADirectory.into())),
            Err(error) => Err(explain(path, &error)),
        }
    }

    /// What it is called in tables.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// What the system remembers of a tree when a walk of it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    /// All that fits: it has just been walked.
    Warm,
    /// Nothing.
    Cold,
}

impl Cache {
    /// Cold if asked for, once it is known that it can be had.
    ///
    /// # Errors
    ///
    /// Only root may make the system forget, and not in every container.
    pub(crate) fn choose(is_cold: bool) -> io::Result<Cache> {
        if is_cold { Cache::cold(DROP_CACHES) } else { Ok(Cache::Warm) }
    }

    /// Cold, if the system can be told so by writing to `switch`.
    fn cold(switch: &str) -> io::Result<Cache> {
        OpenOptions::new().write(true).open(switch).map(|_| Cache::Cold).map_err(|error| {
            let why = "--cold has to drop the system's caches, which only root may";
            io::Error::new(error.kind(), format!("{why}: {switch}: {error}"))
        })
    }

    /// Makes the system forget, if it shall.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub(crate) fn prepare(self) -> io::Result<()> {
        if self == Cache::Warm {
            return Ok(());
        }
        // What is not written back yet cannot be forgotten.
        #[cfg(target_os = "linux")]
        rustix::fs::sync();
        let drop = |mut file: std::fs::File| file.write_all(b"3\n");
        let dropped = OpenOptions::new().write(true).open(DROP_CACHES).and_then(drop);
        dropped.map_err(|error| explain(Path::new(DROP_CACHES), &error))
    }

    /// What it is called in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cache::Warm => "warm",
            Cache::Cold => "cold",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_is_the_current_directory() {
        let trees = Tree::named(&[]).unwrap();
        assert_eq!(trees.iter().map(Tree::name).collect::<Vec<_>>(), ["."]);
    }

    #[test]
    fn a_bad_path_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let (missing, file) = (temp.path().join("missing"), temp.path().join("file"));
        std::fs::write(&file, "").unwrap();
        let good = temp.path().to_path_buf();
        for (bad, kind) in
            [(missing, io::ErrorKind::NotFound), (file, io::ErrorKind::NotADirectory)]
        {
            let error = Tree::named(&[good.clone(), bad.clone()]).unwrap_err();
            assert_eq!(error.kind(), kind);
            assert!(error.to_string().starts_with(&bad.display().to_string()), "{error}");
        }
    }

    #[test]
    fn cold_is_refused_where_it_cannot_be_had() {
        let temp = tempfile::tempdir().unwrap();
        let switch = temp.path().join("switch");
        let switch = switch.to_str().unwrap();
        let error = Cache::cold(switch).unwrap_err();
        let start = "--cold has to drop the system's caches, which only root may: ";
        assert!(error.to_string().starts_with(&format!("{start}{switch}: ")), "{error}");
        std::fs::write(switch, "").unwrap();
        assert_eq!(Cache::cold(switch).unwrap(), Cache::Cold);
    }

    #[test]
    fn warm_needs_no_privilege_and_no_work() {
        assert_eq!(Cache::choose(false).unwrap(), Cache::Warm);
        Cache::Warm.prepare().unwrap();
    }
}
