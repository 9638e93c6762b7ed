//! Indexes for runs that are not about them: `HS_TEST_INDEX` makes every run of `hs` use one, with
//! the same expectations.
//!
//! With `1`, the index is built just before the run. With `2`, half of the files change between:
//! while the index is built they have other contents of the same length, and all their times but
//! that of the change are the same before and after. `3` does the same with an index that also has
//! which entries the rules ignore, and of no ignored file, and with `4` a process watches the tree
//! from before the change on.

use std::{
    collections::HashMap,
    env,
    ffi::OsStr,
    fs,
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
    thread,
    time::{Duration, SystemTime},
};

use super::{process, sys};

/// The longest file that is covered or changed.
const MAX_LEN: u64 = 16 << 20;

/// The time after which a file counts as settled, and a little more.
const SETTLED: Duration = Duration::from_millis(130);

/// What was done with a directory: where its index lies, and when its files were last changed.
type Done = HashMap<(PathBuf, bool), (PathBuf, SystemTime)>;

static DONE: LazyLock<Mutex<Done>> = LazyLock::new(Mutex::default);

/// The flag without which small trees are searched without an index, if indexes are wanted. It goes
/// before the other arguments of `program`.
pub(crate) fn flag(program: &OsStr) -> Option<&'static str> {
    let is_wanted = !wanted().is_empty() && program == process::program();
    is_wanted.then_some("--index-after=0")
}

fn wanted() -> String {
    env::var("HS_TEST_INDEX").unwrap_or_default()
}

/// Builds an index of the directory that `command` runs in, if `HS_TEST_INDEX` requests it, and
/// makes the command use it.
pub(crate) fn prepare(command: &mut Command, is_unprivileged: bool) {
    let wanted = wanted();
    let is_set = |name: &str| command.get_envs().any(|(set, _)| set == name);
    let names = |word: &str| command.get_args().any(|arg| arg.to_string_lossy().contains(word));
    let hs = process::program();
    // The program itself, or a shell that runs it.
    let is_run_by = |script: &str| script.contains("\"$@\"") || script.contains("hs ");
    let is_hs = command.get_program() == hs
        || command.get_program() == "sh"
            && command.get_args().nth(1).is_some_and(|script| is_run_by(&script.to_string_lossy()));
    let Some(dir) = command.get_current_dir().filter(|_| !wanted.is_empty() && is_hs) else {
        return;
    };
    let home = command.get_envs().find(|(name, _)| *name == "HOME").and_then(|(_, home)| home);
    let has_own = home.is_some_and(|home| Path::new(home).join(".cache").exists());
    // Reading files changes when they were last accessed.
    if is_set("XDG_CACHE_HOME") || has_own || names("accessed") || names("--index") {
        return;
    }
    let key = (dir.to_owned(), is_unprivileged);
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let cache = match done.remove(&key) {
        Some((cache, changed)) if changed == last_change(dir) => {
            done.insert(key, (cache.clone(), changed));
            cache
        }
        known => {
            drop(done);
            let cache = known.map_or_else(|| new_cache(dir), |(cache, _)| cache);
            let builder = Builder { cache: &cache, like: command, is_unprivileged, wanted };
            builder.build(dir);
            let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
            done.insert(key, (cache.clone(), last_change(dir)));
            cache
        }
    };
    command.env("XDG_CACHE_HOME", cache);
}

/// A directory for indexes, beside the tree.
fn new_cache(dir: &Path) -> PathBuf {
    let tree = dir.ancestors().find(|path| path.ends_with("tree")).unwrap_or(dir);
    let parent = tree.parent().unwrap_or(tree);
    let cache = tempfile::Builder::new().prefix("index").tempdir_in(parent).expect("a directory");
    sys::chmod(cache.path(), 0o777).expect("permissions");
    cache.keep()
}

/// How an index is built for a command.
struct Builder<'a> {
    cache: &'a Path,
    /// The command, whose environment decides what is ignored.
    like: &'a Command,
    is_unprivileged: bool,
    wanted: String,
}

impl Builder<'_> {
    fn build(&self, dir: &Path) {
        if self.wanted == "1" {
            self.index(dir);
        } else {
            self.index_then_change(dir);
        }
    }

    fn index(&self, dir: &Path) {
        thread::sleep(SETTLED);
        let mut update = self.command(dir);
        update.args(["--index-update", "--no-messages"]);
        update.arg(format!("--max-filesize={MAX_LEN}"));
        if !self.has_rules() {
            update.arg("-uu");
        }
        // Some trees cannot be read, or lie on a file system without index.
        let _ = update.status();
        if self.wanted == "4" {
            let _ = self.command(dir).arg("--index-watch").status();
        }
    }

    /// Whether the index has which entries the rules ignore.
    fn has_rules(&self) -> bool {
        matches!(&*self.wanted, "3" | "4")
    }

    /// A run of the program that concerns the index of `dir`.
    fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new(process::program());
        if self.has_rules() {
            let set = self.like.get_envs().filter_map(|(name, value)| Some((name, value?)));
            command.env_clear().envs(set);
        }
        command.arg("--no-config").current_dir(dir).env("XDG_CACHE_HOME", self.cache);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if self.is_unprivileged {
            sys::set_nobody(&mut command);
        }
        command
    }

    /// Builds an index while every second file has other contents.
    fn index_then_change(&self, dir: &Path) {
        let mut changed = Vec::new();
        let mut is_second = false;
        visit(dir, &mut |path, metadata| {
            is_second = !is_second;
            if is_second && metadata.is_file() && metadata.len() <= MAX_LEN {
                changed.extend(Changed::new(path, metadata));
            }
        });
        self.index(dir);
        // The last one first: several names may be those of one file.
        changed.into_iter().rev().for_each(Changed::restore);
    }
}

/// A file with other contents than it is to have.
struct Changed {
    file: fs::File,
    contents: Vec<u8>,
    times: fs::FileTimes,
}

impl Changed {
    fn new(path: &Path, metadata: &fs::Metadata) -> Option<Changed> {
        let mut file = fs::File::options().read(true).write(true).open(path).ok()?;
        // Some tests replace files by pipes all the time.
        if !file.metadata().ok()?.is_file() || sys::is_on_fuse(&file) {
            return None;
        }
        let times = fs::FileTimes::new()
            .set_modified(metadata.modified().ok()?)
            .set_accessed(metadata.accessed().ok()?);
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).ok()?;
        let mut changed = Changed { file, contents, times };
        let other: Vec<u8> = changed.contents.iter().map(|byte| byte / 2 + 40).collect();
        changed.write(&other);
        Some(changed)
    }

    fn write(&mut self, contents: &[u8]) {
        self.file.rewind().expect("the start of a file");
        self.file.write_all(contents).expect("as many bytes as before");
        self.file.set_times(self.times).expect("times");
    }

    fn restore(mut self) {
        let contents = std::mem::take(&mut self.contents);
        self.write(&contents);
    }
}

/// When a file of the tree was last changed; also when one was added or removed.
fn last_change(dir: &Path) -> SystemTime {
    let mut last = SystemTime::UNIX_EPOCH;
    visit(dir, &mut |_, metadata| last = last.max(sys::changed(metadata)));
    fs::metadata(dir).map_or(last, |metadata| last.max(sys::changed(&metadata)))
}

/// Visits what lies in `dir`, without following links.
fn visit(dir: &Path, visitor: &mut impl FnMut(&Path, &fs::Metadata)) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        visitor(&entry.path(), &metadata);
        if metadata.is_dir() {
            visit(&entry.path(), visitor);
        }
    }
}
