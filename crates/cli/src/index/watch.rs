//! `--index-watch` and `--index-unwatch`: the process that watches the tree of an index.

use std::{
    env,
    fmt::Display,
    io::{self, BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use heist_index::{Home, Index};
use heist_watch::{Error, Status, WatchConfig, Watcher};

use super::{
    home::{reason, shown},
    opened::trusted_device,
};
use crate::{sys, texts::messages::grouped};

/// How long to wait until a process that still compares files is looked at again.
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// How long a process that no longer answers may take to end.
const MAX_END_TIME: Duration = Duration::from_secs(1);

/// The reason why a directory on an overlay is not watched.
const WATCHES_NO_OVERLAY: &str = "directories are watched where the system reports all changes, \
     not on an overlay, of which other programs may change a lower layer";

/// What the process writes to its parent once it watches, before the number of directories.
const READY_PREFIX: &str = "ready ";
/// What the process writes to its parent before the reason why it does not watch.
const FAILED_PREFIX: &str = "failed ";

/// Starts a process that watches the directory which the index for `dir` covers, unless there is
/// one. Returns once it answers searches.
///
/// # Errors
/// There is no index; the reason why it is not watched.
pub(crate) fn watch(home: &Home, dir: &Path, escapes: bool) -> Result<String, String> {
    let index = covering(home, dir)?;
    let root = index.root().to_owned();
    if trusted_device(&root).is_ok_and(|device| !device.trusts_dirs) {
        return Err(format!("{}: {WATCHES_NO_OVERLAY}", root.display()));
    }
    if index.snapshot().is_ok_and(|snapshot| snapshot.is_none()) {
        return Err(format!("{}: {}", root.display(), Error::NoSnapshot));
    }
    let started = || {
        let (process, dirs) = start(&root)?;
        Ok((process, dirs))
    };
    let watched = match running(home, &root) {
        // Another command may start one at the same time.
        Err(Error::NotRunning) => started().or_else(|why| running(home, &root).map_err(|_| why)),
        running => running.map_err(|error| error.to_string()),
    };
    let watching = |(process, dirs)| {
        let root = shown(&root, escapes);
        format!("{root}: process {process} watches {dirs} directories\n")
    };
    watched.map(watching).map_err(|why| format!("{}: {why}", root.display()))
}

/// Waits until the process answers searches that watches `root`. Returns its number, and how many
/// directories it watches.
fn running(home: &Home, root: &Path) -> Result<(u32, String), Error> {
    loop {
        let Status { process, dirs, is_comparing, .. } = status(home, root)?;
        if !is_comparing {
            return Ok((process, grouped(dirs)));
        }
        thread::sleep(RETRY_PAUSE);
    }
}

/// Starts the process, which is this program in another mode. Returns its number, and how many
/// directories it watches.
fn start(root: &Path) -> Result<(u32, String), String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    let idle = WatchConfig::default().idle.as_secs();
    command.arg("--no-config").arg(format!("--index-watcher={idle}")).arg("--").arg(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        let read = BufReader::new(stdout).read_line(&mut line);
        read.map_err(|error| error.to_string())?;
    }
    let line = line.trim_end();
    match (line.strip_prefix(READY_PREFIX), line.strip_prefix(FAILED_PREFIX)) {
        (Some(dirs), _) => Ok((child.id(), grouped(dirs))),
        (_, Some(why)) => Err(why.to_owned()),
        _ => Err(format!("process {} has ended before it watched", child.id())),
    }
}

/// Runs as the watching process: watches `root`. The parent reads standard output until there is a
/// line.
pub(crate) fn be_watcher(home: &Home, root: &Path, idle: Duration) {
    sys::detach();
    let watched = prepare(home, root, WatchConfig { idle }).and_then(|watcher| {
        watcher.run(|dirs| {
            report(READY_PREFIX, dirs);
            sys::release_stdout();
        })
    });
    if let Err(error) = watched {
        report(FAILED_PREFIX, error);
    }
}

/// Prepares to watch. Waits for another process that no longer answers, but has not quite ended.
fn prepare(home: &Home, root: &Path, config: WatchConfig) -> Result<Watcher, Error> {
    let begun = Instant::now();
    loop {
        match Watcher::new(home, root, config) {
            Err(Error::Running(_)) if begun.elapsed() < MAX_END_TIME => thread::sleep(RETRY_PAUSE),
            prepared => return prepared,
        }
    }
}

/// Writes a line for the parent, which may have gone.
fn report(kind: &str, what: impl Display) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{kind}{what}").and_then(|()| stdout.flush());
}

/// Ends the process that watches the directory which the index for `dir` covers.
///
/// # Errors
/// There is no index, or no process; the system's error.
pub(crate) fn unwatch(home: &Home, dir: &Path, escapes: bool) -> Result<String, String> {
    let index = covering(home, dir)?;
    let root = index.root();
    match heist_watch::stop(&home.dir_of(root)) {
        Ok(process) => {
            let process = match process {
                Some(process) => format!("process {process}"),
                None => "the process, which was in another process namespace,".to_owned(),
            };
            Ok(format!("{}: {process} has ended\n", shown(root, escapes)))
        }
        Err(error) => Err(format!("{}: {error}", root.display())),
    }
}

/// Returns what the process does that watches `root`.
pub(super) fn status(home: &Home, root: &Path) -> Result<Status, Error> {
    heist_watch::status(&home.dir_of(root))
}

/// Describes the process that watches a tree, if one can do so on this system.
pub(super) fn description(status: Result<Status, Error>) -> Option<String> {
    match status {
        Ok(status) => Some(describe(&status)),
        Err(Error::Unsupported) => None,
        Err(Error::NotRunning) => Some("none".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

fn describe(status: &Status) -> String {
    let Status { process, seconds, dirs, answers, changes, .. } = *status;
    let (dirs, answers, [dirs_changed, files_changed, _]) =
        (grouped(dirs), grouped(answers), changes.map(grouped));
    let compares = if status.is_comparing { ", compares all files with the index" } else { "" };
    format!(
        "process {process} watches {dirs} directories, for {}, has answered {answers} searches, \
         and knows of changes to {dirs_changed} directories and {files_changed} files{compares}",
        duration(seconds),
    )
}

/// A number of seconds in the largest unit that it has several of.
pub(super) fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// The index that covers `dir`.
fn covering(home: &Home, dir: &Path) -> Result<Index, String> {
    home.find(dir).map_err(|error| reason(dir, &error))
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_one_unit() {
        let durations = [0, 119, 120, 7199, 7200, 172_799, 172_800].map(duration);
        assert_eq!(durations, ["0 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 days"]);
    }
}
