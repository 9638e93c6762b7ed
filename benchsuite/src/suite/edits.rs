//! Whether a search with an index finds one's own edit at once. An index is out of date until its
//! program learns of a change, which some do late or not at all.
//!
//! A copy of the corpus is edited, so nothing changes in the tree itself. After each edit each
//! program searches for the line that is new; a search without the edited file has missed it.

use std::fs::{self, FileTimes, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use memchr::memmem;
use serde::Deserialize;

use crate::files::explain;
use crate::process::{self, Failure};
use crate::record::{Comparison, Corpus, Figures, Row, Tool};
use crate::suite::tools::{Installed, find_program};

/// How long a command may take. Only a hang takes longer.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a program has between two questions whether its index is complete.
const STATE_INTERVAL: Duration = Duration::from_millis(100);

/// A row of `edits.toml`, which describes the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Searcher {
    name: String,
    program: String,
    before: Vec<String>,
    ready: Option<[String; 2]>,
    search: String,
    after: Vec<String>,
}

/// The table `edits.toml`.
#[derive(Deserialize)]
struct EditTable {
    tool: Vec<Searcher>,
}

/// One kind of edit.
struct Edit {
    task: &'static str,
    about: &'static str,
    count: usize,
    /// Whether the file has the marker, and a search has found it, before the edit.
    is_known: bool,
    /// Edits the file, so that it has the marker, and returns where a search has to find it.
    make: fn(&Path, &str) -> io::Result<PathBuf>,
}

const EDITS: [Edit; 3] = [
    Edit {
        task: "edit",
        about: "Find a line appended to a file",
        count: 100,
        is_known: false,
        make: append,
    },
    Edit {
        task: "touch -r",
        about: "Find a line replaced by one of equal length, with the old time put back",
        count: 20,
        is_known: false,
        make: replace_in_place,
    },
    Edit {
        task: "moved",
        about: "Find a line in a directory that was moved",
        count: 10,
        is_known: true,
        make: move_dir,
    },
];

/// Makes all edits in a copy of `corpus`, searches after each with each program that is installed,
/// and returns a comparison for each kind of edit, and the programs besides `hs`. A quick session
/// makes a tenth of the edits.
///
/// # Errors
/// The copy cannot be made or edited.
pub(crate) fn compare(
    heist: &Installed,
    corpus: &Corpus,
    quick: bool,
) -> Result<(Vec<Comparison>, Vec<Tool>), Failure> {
    let table: EditTable = toml::from_str(include_str!("edits.toml")).map_err(Failure::of)?;
    let work =
        tempfile::Builder::new().prefix("benchsuite-edits").tempdir().map_err(Failure::of)?;
    let tree = work.path().join("tree");
    let mut copy = Command::new("cp");
    copy.arg("-a").arg(corpus.path.join(".")).arg(&tree);
    let copied = process::run(&mut copy, b"", COMMAND_TIMEOUT)?;
    if !copied.status.success() {
        return Err(Failure::Fault(format!("{}: {}", corpus.path.display(), copied.complaint)));
    }
    let files = &sources(heist, &tree)?;
    let mut comparisons = EDITS.map(|edit| Comparison {
        corpus: corpus.name.clone(),
        task: edit.task.to_owned(),
        about: edit.about.to_owned(),
        cache: "warm".to_owned(),
        rows: Vec::new(),
    });
    let mut tools = Vec::new();
    for (number, searcher) in table.tool.iter().enumerate() {
        let program = match &*searcher.program {
            "hs" => Some(heist.program.clone()),
            name => find_program(name),
        };
        let Some(program) = program else { continue };
        if program != heist.program {
            let version = process::version(&program).unwrap_or_default();
            tools.push(Tool { name: searcher.name.clone(), version });
        }
        let cache = work.path().join(number.to_string());
        fs::create_dir(&cache).map_err(Failure::of)?;
        let session = Session { searcher, number, program, cache, tree: &tree, files, quick };
        match session.run() {
            Ok(rows) => {
                for (comparison, row) in comparisons.iter_mut().zip(rows) {
                    comparison.rows.push(row);
                }
            }
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(failure) => {
                for comparison in &mut comparisons {
                    let mut row = Row { tool: searcher.name.clone(), ..Row::default() };
                    row.fail(failure.to_string());
                    comparison.rows.push(row);
                }
            }
        }
    }
    Ok((comparisons.into(), tools))
}

/// One program in the copy.
struct Session<'a> {
    searcher: &'a Searcher,
    number: usize,
    program: PathBuf,
    /// The program's home and cache.
    cache: PathBuf,
    tree: &'a Path,
    files: &'a [PathBuf],
    quick: bool,
}

impl Session<'_> {
    /// A row for each kind of edit.
    fn run(&self) -> Result<Vec<Row>, Failure> {
        let rows = self.rows();
        for arguments in &self.searcher.after {
            // After an interrupt, `process::run` starts nothing. What was started must end even so.
            let _ = self.prepared(arguments, "").output();
        }
        rows
    }

    fn rows(&self) -> Result<Vec<Row>, Failure> {
        for arguments in &self.searcher.before {
            self.command(arguments, "")?;
        }
        self.wait()?;
        EDITS.iter().map(|edit| self.row(edit)).collect()
    }

    /// Waits until the index is complete.
    fn wait(&self) -> Result<(), Failure> {
        let Some([arguments, state]) = &self.searcher.ready else { return Ok(()) };
        let begun = Instant::now();
        while memmem::find(&self.command(arguments, "")?, state.as_bytes()).is_none() {
            if begun.elapsed() > COMMAND_TIMEOUT {
                return Err(Failure::Hung(COMMAND_TIMEOUT));
            }
            thread::sleep(STATE_INTERVAL);
        }
        Ok(())
    }

    fn row(&self, edit: &Edit) -> Result<Row, Failure> {
        let command = format!("{} {}", self.searcher.program, self.searcher.search);
        let mut row = Row { tool: self.searcher.name.clone(), command, ..Row::default() };
        let count = if self.quick { edit.count / 10 } else { edit.count };
        let step = (self.files.len() / count).max(1);
        for (number, file) in self.files.iter().step_by(step).take(count).enumerate() {
            // No program finds a marker that another one has left in the tree.
            let marker = format!("{}{}at{number:03}zqx", &edit.task[..4], self.number);
            let place = self.tree.join(file);
            let explained = |error| Failure::of(explain(file, &error));
            if edit.is_known {
                append(&place, &marker).map_err(explained)?;
                self.command(&self.searcher.search, &marker)?;
            }
            let path = (edit.make)(&place, &marker).map_err(explained)?;
            let begun = Instant::now();
            let found = self.command(&self.searcher.search, &marker);
            let wall = begun.elapsed().as_secs_f64();
            if let (Some(moved), Some(dir)) = (path.parent(), place.parent())
                && moved != dir
            {
                fs::rename(moved, dir).map_err(explained)?;
            }
            let found = found?;
            let relative = path.strip_prefix(self.tree).unwrap_or(&path);
            let missed = memmem::find(&found, relative.as_os_str().as_bytes()).is_none();
            row.runs.push(Figures::of([("wall", wall), ("missed", f64::from(u8::from(missed)))]));
        }
        if row.runs.is_empty() {
            row.fail("the tree has no file `*.c` below a directory to edit");
        }
        row.agrees = Some(row.missed() == 0);
        Ok(row)
    }

    /// What the program prints. Exit code 1 means that nothing was found.
    fn command(&self, arguments: &str, marker: &str) -> Result<Vec<u8>, Failure> {
        let mut command = self.prepared(arguments, marker);
        let ended = process::run(&mut command, b"", COMMAND_TIMEOUT)?;
        if ended.status.code().is_some_and(|code| code <= 1) {
            return Ok(ended.output);
        }
        Err(Failure::Fault(format!("{arguments}: {}: {}", ended.status, ended.last_words())))
    }

    /// A command of the program in the tree, which finds no configuration of the user.
    fn prepared(&self, arguments: &str, marker: &str) -> Command {
        let arguments = shlex::split(&arguments.replace("{}", marker)).unwrap_or_default();
        let mut command = Command::new(&self.program);
        command.args(&arguments).current_dir(self.tree).envs(process::NO_CHOICES);
        command.env("HOME", &self.cache).env("XDG_CACHE_HOME", &self.cache);
        command
    }
}

/// The sources in C below a directory of `tree`, in the order of their paths.
fn sources(heist: &Installed, tree: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut list = Command::new(&heist.program);
    list.args(["--index", "never", "--files", "--sort", "path", "-g", "*.c"]);
    list.current_dir(tree).envs(process::NO_CHOICES);
    let listed = process::run(&mut list, b"", COMMAND_TIMEOUT)?.output;
    let listed = String::from_utf8_lossy(&listed);
    // The directory of a file at the top is the tree, which stays where it is.
    Ok(listed.lines().filter(|line| line.contains('/')).map(PathBuf::from).collect())
}

fn append(file: &Path, marker: &str) -> io::Result<PathBuf> {
    writeln!(OpenOptions::new().append(true).open(file)?, "{marker}")?;
    Ok(file.to_owned())
}

/// Overwrites the first bytes, and gives the file the time of modification that it had.
fn replace_in_place(file: &Path, marker: &str) -> io::Result<PathBuf> {
    let open = OpenOptions::new().write(true).open(file)?;
    let modified = open.metadata()?.modified()?;
    open.write_all_at(format!("{marker}\n").as_bytes(), 0)?;
    open.set_times(FileTimes::new().set_modified(modified))?;
    Ok(file.to_owned())
}

/// Gives the file's directory another name. The marker has been there before.
fn move_dir(file: &Path, _: &str) -> io::Result<PathBuf> {
    let (Some(dir), Some(name)) = (file.parent(), file.file_name()) else {
        return Err(io::Error::other("a file without a directory"));
    };
    let moved = dir.with_extension("moved");
    fs::rename(dir, &moved)?;
    Ok(moved.join(name))
}
