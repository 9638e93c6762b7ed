//! Runs git.

use std::{
    env,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
    process::{ChildStdout, Command, Stdio},
    thread,
};

use crate::path_bytes::{bytes_of, path_of, rule_path};

/// What the files of a repository are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Index,
    Commit(String),
    /// The repository was not there.
    Nothing,
}

/// The variables by which git finds a repository. They are about that of the current directory.
const REPOSITORY_VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
];

/// Returns the top of the innermost repository that `path` is in.
pub(super) fn top_of(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|dir| is_top(dir)).map(Path::to_path_buf)
}

/// Whether a directory is the top of a repository.
pub(super) fn is_top(dir: &Path) -> bool {
    let git = dir.join(".git");
    // A submodule and a further worktree have a file.
    match git.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => true,
        Ok(_) => git.is_file() || git.join("HEAD").symlink_metadata().is_ok(),
        Err(_) => false,
    }
}

/// Whether git has another index than that of the repository.
pub(super) fn has_other_index() -> bool {
    env::var_os("GIT_INDEX_FILE").is_some()
}

/// Returns the name of the commit `since` in the repository at `top`.
pub(super) fn commit(top: &Path, since: &str) -> Result<String, String> {
    let unknown = |message: String| format!("git does not know the commit {since}: {message}");
    if since.is_empty() || since.starts_with('-') {
        return Err(format!("'{since}' is no name of a commit"));
    }
    let id = match since.strip_suffix("...") {
        Some(since) => text(top, &["merge-base", since, "HEAD"]),
        None if since.contains("..") => {
            return Err(format!(
                "{since} names two commits, where files are compared with one (REV... stands for \
                 the best common ancestor of REV and the current commit)"
            ));
        }
        None => text(top, &["rev-parse", "--verify", &format!("{since}^{{commit}}")]),
    };
    id.map(|id| id.trim_end().to_owned()).map_err(unknown)
}

/// Returns what the repository at `top` is compared with, if that at `parent`, which encloses it,
/// is compared with `commit`: in a submodule the commit that it records, in a further worktree
/// itself.
pub(super) fn commit_of_nested(parent: &Path, top: &Path, commit: &str) -> Result<Base, String> {
    let path = top.strip_prefix(parent).unwrap_or(top);
    let path = rule_path(&bytes_of(path)).into_owned();
    let path = path_of(&path);
    let mut command = command(parent, &["ls-tree", "-z", commit, "--"]);
    let listed = output(command.arg(&*path))?;
    let has = |id: &str| text(top, &["cat-file", "-e", &format!("{id}^{{commit}}")]).is_ok();
    // `160000 commit ID<tab>PATH`
    let recorded = listed
        .strip_prefix(b"160000 commit ")
        .and_then(|rest| rest.split(|&byte| byte == b'\t').next());
    match recorded.map(|id| String::from_utf8_lossy(id).into_owned()) {
        Some(id) if has(&id) => Ok(Base::Commit(id)),
        Some(id) => {
            Err(format!("the submodule does not have the commit {id}, which {commit} records"))
        }
        None if has(commit) => Ok(Base::Commit(commit.to_owned())),
        None => Ok(Base::Nothing),
    }
}

/// Returns what git prints in the directory `top`.
pub(super) fn text(top: &Path, args: &[&str]) -> Result<String, String> {
    Ok(String::from_utf8_lossy(&output(&mut command(top, args))?).into_owned())
}

/// Returns what git prints in the directory `top`, as bytes.
pub(super) fn bytes(top: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    output(&mut command(top, args))
}

/// Calls `read` with what git prints in the directory `top`.
pub(super) fn stream<T>(
    top: &Path,
    args: &[&str],
    read: impl FnOnce(&mut BufReader<ChildStdout>) -> io::Result<T>,
) -> Result<T, String> {
    let mut child = command(top, args).spawn().map_err(|error| not_run(&error))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (Some(stdout), Some(mut stderr)) = (stdout, stderr) else {
        unreachable!("both are pipes");
    };
    let (read, message) = thread::scope(|scope| {
        // Git must not wait for room in either pipe.
        let message = scope.spawn(move || {
            let mut message = Vec::new();
            stderr.read_to_end(&mut message).map(|_| message)
        });
        let read = read(&mut BufReader::new(stdout));
        (read, message.join())
    });
    let status = child.wait().map_err(|error| not_run(&error))?;
    if !status.success() {
        let message = message.ok().and_then(Result::ok).unwrap_or_default();
        return Err(failure(args, &message));
    }
    read.map_err(|error| format!("git {}: {error}", args[0]))
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| not_run(&error))?;
    if output.status.success() { Ok(output.stdout) } else { Err(failure(&[], &output.stderr)) }
}

fn not_run(error: &io::Error) -> String {
    format!("git, which --changed needs, cannot be run: {error}")
}

/// The failure that git reports as `message`.
fn failure(args: &[&str], message: &[u8]) -> String {
    let message = String::from_utf8_lossy(message);
    let message = message.trim().replace('\n', "; ");
    match args.first() {
        Some(name) => format!("git {name} failed: {message}"),
        None => message,
    }
}

/// A git that runs in the directory `top` and changes nothing there.
fn command(top: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("--no-pager").arg("-C").arg(top).args(args);
    // Git neither locks nor writes the index, and prompts for nothing.
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    if let Some(above) = top.parent() {
        // Where `.git` turns out to be no repository, git must not take one above.
        command.env("GIT_CEILING_DIRECTORIES", above);
    }
    let here = env::current_dir().ok().and_then(|dir| dir.canonicalize().ok());
    if here.and_then(|here| top_of(&here)).as_deref() != Some(top) {
        for name in REPOSITORY_VARIABLES {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
