//! A temporary directory tree, which the test that owns it fills.

use std::{
    ffi::OsStr,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::sys;

/// The number of lines of a description.
const TREE_LINES: usize = 200;
/// The length of a description: deep trees have long paths.
const TREE_BYTES: usize = 20_000;

/// The directory in which `hs` runs, with an empty home directory next to it. Removed when dropped.
#[derive(Debug)]
pub(crate) struct TempTree {
    /// Contains `tree` and `home`, so that a test can also create a file above its tree.
    top: tempfile::TempDir,
}

impl TempTree {
    /// Returns an empty tree for the test `name`.
    pub(crate) fn new(name: &str) -> TempTree {
        let top = tempfile::Builder::new().prefix(name).tempdir_in(skipped_tests::place());
        let top = top.expect("a temporary directory");
        // Some tests run `hs` as another user.
        sys::chmod(top.path(), 0o755).expect("permissions");
        let tree = TempTree { top };
        fs::create_dir(tree.path()).expect("the tree");
        fs::create_dir(tree.home()).expect("the home directory");
        tree
    }

    /// The directory the commands run in.
    pub(crate) fn path(&self) -> PathBuf {
        self.top.path().join("tree")
    }

    /// The home directory of the commands.
    pub(crate) fn home(&self) -> PathBuf {
        self.top.path().join("home")
    }

    /// The directory of the program, which is the first in `PATH`.
    pub(crate) fn bin(&self) -> PathBuf {
        self.top.path().join("bin")
    }

    /// Makes `program` available to scripts as `hs`.
    pub(crate) fn install(&self, program: &Path) {
        fs::create_dir_all(self.bin()).expect("a directory");
        sys::install(program, &self.bin());
    }

    /// The directory in which the user `nobody` finds the program if the usual one is closed to
    /// others.
    pub(crate) fn public_bin(&self) -> PathBuf {
        self.bin().join("public")
    }

    /// Returns a path by which the user `nobody` can run `program`: another name of it in the
    /// tree's `bin` if `program` lies below a directory that is closed to others. `None` if that
    /// user cannot enter the directory of the tree either.
    pub(crate) fn program_for_nobody(&self, program: &Path) -> Option<PathBuf> {
        let can_run = |path: &Path| {
            let mut probe = Command::new(path);
            sys::set_nobody(probe.arg("--version").current_dir(self.path()));
            probe.stdout(Stdio::null()).status().is_ok()
        };
        let public = self.public_bin();
        let link = || {
            fs::create_dir_all(&public).ok()?;
            sys::chmod(&public, 0o755).ok()?;
            let link = public.join("hs");
            if !link.exists() && fs::hard_link(program, &link).is_err() {
                fs::copy(program, &link).ok()?;
            }
            Some(link)
        };
        if can_run(program) { Some(program.into()) } else { link().filter(|link| can_run(link)) }
    }

    /// The full path of `name` in the tree.
    pub(crate) fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file and creates its parents.
    pub(crate) fn file(&self, name: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> &TempTree {
        let path = self.join(name);
        fs::create_dir_all(path.parent().expect("a file has a parent")).expect("parents");
        fs::write(&path, contents).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self
    }

    /// Writes several files with the same contents.
    pub(crate) fn files(
        &self,
        names: impl IntoIterator<Item: AsRef<Path>>,
        contents: impl AsRef<[u8]>,
    ) -> &TempTree {
        for name in names {
            self.file(name, contents.as_ref());
        }
        self
    }

    /// Creates a directory and its parents.
    pub(crate) fn dir(&self, name: impl AsRef<Path>) -> &TempTree {
        fs::create_dir_all(self.join(name)).expect("a directory");
        self
    }

    /// Creates the symbolic link `name`, which points to `target`.
    pub(crate) fn symlink(&self, target: impl AsRef<Path>, name: impl AsRef<Path>) -> &TempTree {
        sys::symlink(target, self.join(name)).expect("a symlink");
        self
    }

    /// Whether this user may create symbolic links.
    pub(crate) fn can_link(&self) -> bool {
        let link = self.top.path().join("link");
        sys::symlink("tree", &link).is_ok_and(|()| fs::remove_dir(link).is_ok())
    }

    /// Creates a named pipe.
    pub(crate) fn fifo(&self, name: impl AsRef<Path>) -> &TempTree {
        sys::fifo(&self.join(name)).expect("a fifo");
        self
    }

    /// Makes `name` look like the top of a git repository.
    pub(crate) fn git_init(&self, name: &str) -> &TempTree {
        self.dir(Path::new(name).join(".git"))
    }

    /// Changes the permissions of `name`.
    pub(crate) fn chmod(&self, name: &str, mode: u32) -> &TempTree {
        sys::chmod(&self.join(name), mode).expect("chmod");
        self
    }

    /// Creates `depth` nested directories called `name`, and the file `leaf` in the last. Its path
    /// can be longer than system calls accept.
    pub(crate) fn deep(&self, name: &str, depth: usize, leaf: &str, contents: &[u8]) -> &TempTree {
        sys::deep(&self.path(), name, depth, leaf, contents).expect("a deep directory");
        self
    }

    /// Creates `width` directories, each with `files` files that contain `gem`.
    pub(crate) fn wide(&self, width: usize, files: usize) -> &TempTree {
        for dir in 0..width {
            let dir = self.join(format!("dir{dir:03}"));
            sys::create_public_dir(&dir).expect("a directory");
            for file in 0..files {
                fs::write(dir.join(format!("file{file:03}")), "gem\n").expect("a file");
            }
        }
        self
    }

    /// Writes all files to the disk and evicts them from the page cache, on Linux.
    pub(crate) fn evict_from_page_cache(&self) -> &TempTree {
        evict_from_page_cache(&self.path());
        self
    }

    /// Describes the tree for the report of a failure, one entry per line.
    pub(crate) fn describe(&self) -> String {
        let mut text = String::new();
        describe(&self.path(), Path::new(""), &mut text, &mut 0);
        text
    }
}

fn evict_from_page_cache(dir: &Path) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let entry = entry.expect("an entry");
        let kind = entry.file_type().expect("a file type");
        if kind.is_dir() {
            evict_from_page_cache(&entry.path());
        } else if kind.is_file() {
            let file = fs::File::open(entry.path()).expect("a file");
            sys::evict_from_page_cache(&file).expect("an eviction");
        }
    }
}

fn describe(root: &Path, dir: &Path, text: &mut String, lines: &mut usize) {
    let Ok(entries) = fs::read_dir(root.join(dir)) else {
        let _ = writeln!(text, "{}: unreadable", dir.display());
        return;
    };
    let mut names: Vec<_> = entries.filter_map(|e| Some(e.ok()?.file_name())).collect();
    names.sort();
    for name in names {
        *lines += 1;
        if *lines > TREE_LINES || text.len() > TREE_BYTES {
            return;
        }
        describe_entry(root, &dir.join(&name), &name, text, lines);
    }
}

fn describe_entry(root: &Path, path: &Path, name: &OsStr, text: &mut String, lines: &mut usize) {
    let full = root.join(path);
    let Ok(metadata) = fs::symlink_metadata(&full) else {
        return;
    };
    let kind = metadata.file_type();
    let shown = path.display();
    let _ = if kind.is_dir() {
        writeln!(text, "{shown}/")
    } else if let Ok(target) = fs::read_link(&full) {
        writeln!(text, "{shown} -> {}", target.display())
    } else if !kind.is_file() {
        writeln!(text, "{shown} (special)")
    } else if metadata.len() <= 200 {
        let contents = fs::read(&full).unwrap_or_default();
        writeln!(text, "{shown}: \"{}\"", contents.escape_ascii())
    } else {
        writeln!(text, "{shown}: {} bytes", metadata.len())
    };
    if kind.is_dir() && name != OsStr::new(".git") {
        describe(root, path, text, lines);
    }
}
