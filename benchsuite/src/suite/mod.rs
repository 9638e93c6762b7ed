//! `benchsuite walk` and `benchsuite search`: whole programs, timed by hyperfine.
//!
//! ```text
//! tasks, tools, corpora ──> plan: commands ──> check: who prints what `hs` does ──> hyperfine: rounds in random order
//!                                                             record <── costs: memory, switches, calls <──┘
//!                                                               └──> table, report
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `tasks` | what is done, a record each |
//! | `tools` | who does it, a record each |
//! | `plan` | the commands of a comparison |
//! | `check` | what they print, before anything is timed |
//! | `hyperfine` | one timed run |
//! | `costs` | memory, switches, faults, migrations, system calls |
//! | `session` | a comparison from its first command to its last |
//! | `record` | everything that was measured, as JSON |
//! | `table` | a record as Markdown |
//! | `present` | a record as tables, page or pictures |
//! | `summary` | all tools of a record in one table |
//! | `compare` | two records |

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod costs;
mod hyperfine;
mod plan;
pub(crate) mod present;
pub(crate) mod record;
mod session;
mod summary;
pub(crate) mod table;
pub(crate) mod tasks;
pub(crate) mod tools;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

use clap::Args;
use heist_queue::{MAX_WORKERS, QueueKind};

use crate::corpora::{self, Corpus};
use crate::files::explain;
use crate::machine::{self, Machine};
use crate::process;
use crate::walker::{Cache, List, queues, threads, usual_threads};

use hyperfine::Hyperfine;
use plan::Choice;
pub(crate) use record::Record;
use record::{Method, Tool, VERSION};
use session::Session;
pub(crate) use summary::summary;
use tasks::{SEARCH, Task, WALK};
use tools::{HEIST, Installed, RIVALS};

/// What was typed.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Options {
    /// What is searched, by the names of `benchsuite corpora list` [default: sample]
    #[arg(value_name = "CORPUS")]
    corpora: Vec<String>,

    /// A tree or file of your own to search; may be given several times
    #[arg(long, value_name = "PATH")]
    path: Vec<PathBuf>,

    /// Numbers of threads, separated by commas [default: walk: 1,2,4,6,8,12,16,24,32; search: each tool's own]
    #[arg(short = 'j', long, value_name = "LIST", value_parser = threads)]
    threads: Option<List<usize>>,

    /// Queues of hs, separated by commas, or `all` [default: walk: all; search: the one that hs chooses]
    #[arg(long, value_name = "LIST", value_parser = queues)]
    queue: Option<List<QueueKind>>,

    /// Tasks, separated by commas [default: all; see `--list`]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    task: Vec<String>,

    /// Rivals, separated by commas, or `none` [default: all that are installed; see `--list`]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tools: Vec<String>,

    /// Timed runs of each command [default: 7; quick: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repeats: Option<u16>,

    /// Runs of each command for memory and context switches [default: 3; quick: 1]
    #[arg(long, value_name = "N")]
    cost_runs: Option<u16>,

    /// Fewer threads and fewer runs
    #[arg(long)]
    quick: bool,

    /// Make the system forget all files before each run; only root may
    #[arg(long)]
    cold: bool,

    /// Where the corpora are [default: see `benchsuite corpora --help`]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// The hs to measure [default: the one beside this program; started by cargo, it is built before]
    #[arg(long, value_name = "PROGRAM")]
    hs: Option<PathBuf>,

    /// Where the record goes [default: benchsuite/records/ or here, with the date in its name]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Where the report goes [default: beside the record]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Show tasks and tools, and measure nothing
    #[arg(long)]
    list: bool,
}

/// What kind of session it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Walks with every queue and number of threads.
    Walk,
    /// Searches for many patterns.
    Search,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Walk => "walk",
            Kind::Search => "search",
        }
    }

    fn tasks(self) -> &'static [Task] {
        match self {
            Kind::Walk => WALK,
            Kind::Search => SEARCH,
        }
    }
}

impl Options {
    /// What is measured if nothing is typed at all.
    pub(crate) fn first_look() -> Options {
        Options { quick: true, ..Options::default() }
    }

    fn tasks(&self, kind: Kind) -> Result<Vec<Task>, String> {
        if self.task.is_empty() {
            return Ok(kind.tasks().to_vec());
        }
        let find = |name: &String| {
            let known = kind.tasks().iter().find(|task| task.name == name);
            let names = || kind.tasks().iter().map(|task| task.name).collect::<Vec<_>>().join(", ");
            known
                .copied()
                .ok_or_else(|| format!("unknown task '{name}', expected one of: {}", names()))
        };
        self.task.iter().map(find).collect()
    }

    /// The rivals that are wanted and there, and a word about each that was named and is not.
    fn rivals(&self, warnings: &mut Vec<String>) -> Result<Vec<Installed>, String> {
        let path = env::var_os("PATH").unwrap_or_default();
        if self.tools.is_empty() {
            return Ok(RIVALS.iter().filter_map(|rival| rival.find(&path)).collect());
        }
        let mut found = Vec::new();
        for name in self.tools.iter().filter(|name| *name != "none") {
            let Some(rival) = RIVALS.iter().find(|rival| rival.name == name) else {
                let names: Vec<_> = RIVALS.iter().map(|rival| rival.name).collect();
                let names = names.join(", ");
                return Err(format!("unknown tool '{name}', expected one of: {names}, none"));
            };
            match rival.find(&path) {
                Some(installed) => found.push(installed),
                None => warnings.push(format!("{name} is not installed")),
            }
        }
        Ok(found)
    }

    fn corpora(&self) -> io::Result<Vec<Corpus>> {
        let home = match &self.dir {
            Some(dir) => dir.clone(),
            None => corpora::home()?,
        };
        let none = self.corpora.is_empty() && self.path.is_empty();
        let names = self.corpora.iter().map(String::as_str).chain(none.then_some("sample"));
        let named = names.map(|name| corpora::open(&home, name));
        named.chain(self.path.iter().map(|path| corpora::at(path))).collect()
    }

    fn threads(&self, kind: Kind, cores: usize) -> Vec<usize> {
        match (&self.threads, kind) {
            (Some(list), _) => list.0.clone(),
            (None, Kind::Search) => Vec::new(),
            (None, Kind::Walk) if self.quick => {
                let mut threads = vec![1, cores, (4 * cores).min(MAX_WORKERS)];
                threads.dedup();
                threads
            }
            (None, Kind::Walk) => usual_threads(cores),
        }
    }

    fn queues(&self, kind: Kind) -> Vec<String> {
        let names = |kinds: &[QueueKind]| kinds.iter().map(|kind| kind.name().to_owned()).collect();
        match (&self.queue, kind) {
            (Some(list), _) => names(&list.0),
            (None, Kind::Search) => Vec::new(),
            (None, Kind::Walk) => names(QueueKind::ALL),
        }
    }

    fn method(&self, seed: u64, timer: String) -> Method {
        let (repeats, cost_runs) = if self.quick { (3, 1) } else { (7, 3) };
        Method {
            repeats: self.repeats.unwrap_or(repeats).into(),
            cost_runs: self.cost_runs.unwrap_or(cost_runs).into(),
            seed,
            timer,
        }
    }
}

/// Measures, writes the record and the report, prints the tables. The exit code is 1 if a command failed or `hs`
/// disagrees with itself, 130 if the user stopped it.
///
/// # Errors
///
/// What makes measuring pointless: something unknown was typed, a corpus or hyperfine is missing, or the record cannot
/// be written.
pub(crate) fn run(options: &Options, kind: Kind) -> io::Result<ExitCode> {
    if options.list {
        return list(kind).map(|()| ExitCode::SUCCESS);
    }
    process::catch_interrupts()?;
    let mut warnings = Vec::new();
    let tasks = options.tasks(kind).map_err(io::Error::other)?;
    let rivals = options.rivals(&mut warnings).map_err(io::Error::other)?;
    let hyperfine = Hyperfine::find(Path::new("hyperfine")).map_err(io::Error::other)?;
    let cache = Cache::choose(options.cold)?;
    let heist = HEIST.at(find_heist(options.hs.as_deref())?);
    let date = machine::date();
    let record_path = options.record.clone().unwrap_or_else(|| default_path(kind, &date));
    let corpora = options.corpora()?;
    let words = words_file()?;
    let cores = thread::available_parallelism()?.get();
    let machine = Machine::here();
    warnings.extend(doubts(&machine));
    let seed = machine::seed_by_clock();
    let own = env::current_exe()?;
    let choice = Choice {
        queues: options.queues(kind),
        threads: options.threads(kind, cores),
        floor: cfg!(target_os = "linux").then_some(own),
        cores,
        words: words.path().to_owned(),
        heist,
        rivals,
    };
    let tools = [&choice.heist].into_iter().chain(&choice.rivals);
    let tool =
        |tool: &Installed| Tool { name: tool.rival.name.to_owned(), version: tool.version.clone() };
    let record = Record {
        version: VERSION,
        kind: kind.name().to_owned(),
        date,
        machine,
        method: options.method(seed, hyperfine.version.clone()),
        tools: tools.map(tool).collect(),
        corpora: corpora.iter().map(session::describe).collect(),
        comparisons: Vec::new(),
        is_partial: true,
        warnings,
    };
    record.write(&record_path)?;
    let mut session = Session::new(record, record_path.clone(), hyperfine, choice, cache);
    session.run(&corpora, &tasks)?;
    let record = session.finish()?;
    let html = options.html.clone().unwrap_or_else(|| record_path.with_extension("html"));
    tell(&record, &record_path, &html)?;
    Ok(match () {
        () if process::interrupted() => ExitCode::from(130),
        () if record.comparisons.iter().flat_map(|one| &one.rows).any(is_bad) => ExitCode::FAILURE,
        () => ExitCode::SUCCESS,
    })
}

/// Whether a row is a reason not to believe the rest.
fn is_bad(row: &record::Row) -> bool {
    row.fault.is_some() || (row.is_house() && row.agrees == Some(false))
}

/// Prints the tables, and says where the rest is.
fn tell(record: &Record, record_path: &Path, html: &Path) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(table::print(record).as_bytes())?;
    out.flush()?;
    present::write_html(record, html)?;
    let (record, html) = (record_path.display(), html.display());
    writeln!(io::stderr(), "benchsuite: record in {record}, report in {html}")
}

fn list(kind: Kind) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "tasks:")?;
    for task in kind.tasks() {
        writeln!(out, "  {:14} {}", task.name, task.about)?;
    }
    writeln!(out, "tools:")?;
    let path = env::var_os("PATH").unwrap_or_default();
    for rival in RIVALS {
        let version = rival.find(&path).map_or("not installed".to_owned(), |found| found.version);
        writeln!(out, "  {:14} {version}", rival.name)?;
    }
    Ok(())
}

/// The `hs` to measure: the one that was `named`, or else the one beside this program.
pub(crate) fn find_heist(named: Option<&Path>) -> io::Result<PathBuf> {
    if let Some(program) = named {
        // Commands run in the corpus.
        return std::path::absolute(program)
            .and_then(|program| program.metadata().map(|_| program))
            .map_err(|error| explain(program, &error));
    }
    if let Some(cargo) = env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "heist-cli"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        writeln!(io::stderr(), "benchsuite: building hs")?;
        if !build.status()?.success() {
            return Err(io::Error::other("hs could not be built; name one by --hs"));
        }
    }
    let beside = env::current_exe()?.with_file_name(format!("hs{}", env::consts::EXE_SUFFIX));
    if beside.is_file() {
        return Ok(beside);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let installed = HEIST.find(&path).map(|found| found.program);
    installed.ok_or_else(|| {
        io::Error::other("no hs beside this program and none in PATH; build it or name it by --hs")
    })
}

/// `benchsuite/records/` in a checkout, otherwise the current directory.
fn default_path(kind: Kind, date: &str) -> PathBuf {
    let records = Path::new("benchsuite/records");
    let directory = if records.is_dir() { records } else { Path::new("") };
    let date: String =
        date.chars().filter(|c| *c != ':').map(|c| if c == ' ' { '-' } else { c }).collect();
    directory.join(format!("{}-{date}.json", kind.name()))
}

fn words_file() -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("words").suffix(".txt").tempfile()?;
    for word in tasks::words() {
        writeln!(file, "{word}")?;
    }
    file.flush()?;
    Ok(file)
}

/// Reasons to doubt all figures, before the first is taken.
fn doubts(machine: &Machine) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(load_before) = machine.load_before()
        && load_before > machine.cores as f64 / 4.0
    {
        let (load, cores) = (load_before, machine.cores);
        doubts.push(format!(
            "the machine was not idle when it began: a load of {load:.1} on {cores} cores"
        ));
    }
    if cfg!(debug_assertions) {
        doubts.push("this is a debug build: so may hs and the floor be".to_owned());
    }
    if machine.governor.as_deref().is_some_and(|governor| governor != "performance") {
        doubts.push("the clock rate is not fixed (governor)".to_owned());
    }
    doubts
}
