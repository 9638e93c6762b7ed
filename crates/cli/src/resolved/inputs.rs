//! Patterns from the command line, from files and from standard input, and the paths to search.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs,
    io::{self, Read},
    mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::ByteSlice;
use heist_walk::Root;

use crate::{
    error::Error,
    run::{here::Here, path_lists::PathLists},
    texts::name,
    typed::{LabeledPattern, Mode, PatternSource, TypedArgs},
};

/// The hint for `-r`, which in grep is the flag that searches directories.
const REPLACES: &str = "-r replaces matches by text; directories are searched without it.";

/// The patterns, and where they are searched for.
pub(super) struct Inputs {
    pub(super) patterns: Vec<String>,
    /// Each pattern's label, if it has one.
    pub(super) labels: Vec<Option<String>>,
    pub(super) roots: Vec<Root>,
    /// Whether standard input is searched because no path is given.
    pub(super) stdin_is_implicit: bool,
    /// The paths that are read during the search.
    pub(super) lists: Option<Arc<PathLists>>,
    /// Whether paths come from lists, those that have been read already included.
    pub(super) has_lists: bool,
    /// The paths that `--why` explains.
    pub(super) why: Vec<PathBuf>,
}

/// Takes the positional arguments and the patterns out of `typed`.
pub(super) fn resolve(typed: &mut TypedArgs, here: &Here) -> Result<Inputs, Error> {
    let mut positional = mem::take(&mut typed.positional).into_iter();
    let sources = mem::take(&mut typed.patterns);
    let mut patterns = Patterns::default();
    let is_search = matches!(typed.mode, Mode::Search(_));
    if is_search || typed.mode == Mode::Why {
        if is_search && sources.is_empty() {
            patterns.add(first_positional(positional.next(), typed.replaces_by_letter)?);
        }
        for source in sources {
            patterns.read(source)?;
        }
    }
    if typed.mode == Mode::Why {
        return why(typed, patterns, positional.map(PathBuf::from).collect());
    }
    let mut roots: Vec<Root> = positional.map(root).collect();
    let lists = lists(typed, &roots, patterns.stdin_is_read)?;
    // --spread sorts, and walks twice.
    let reads_all = typed.sort.is_some() || typed.limits.spread;
    if let Some(lists) = &lists
        && reads_all
    {
        roots.extend(lists.read_all()?.into_iter().map(Root::Path));
    }
    let has_lists = lists.is_some();
    let lists = lists.filter(|_| !reads_all);
    let has_paths = !roots.is_empty() || has_lists;
    let roots = match (roots.as_slice(), patterns.stdin_is_read) {
        ([], _) if has_lists => roots,
        ([], false) if is_search && !typed.no_stdin && (here.stdin_is_readable)() => {
            vec![Root::Stdin]
        }
        ([], _) => vec![Root::Here],
        (roots_, true) if roots_.contains(&Root::Stdin) => {
            let what = "attempted to read patterns from stdin while also searching stdin";
            return Err(Error::new(what.to_owned()));
        }
        _ => roots,
    };
    let stdin_is_implicit = !has_paths && roots == [Root::Stdin];
    if !has_paths {
        let what = if stdin_is_implicit { "standard input" } else { "the current directory" };
        log::debug!("no path was given: searching {what}");
    }
    Ok(Inputs {
        patterns: patterns.list,
        labels: patterns.labels,
        roots,
        stdin_is_implicit,
        lists,
        has_lists,
        why: Vec::new(),
    })
}

/// The paths to explain, and a search of the current directory.
fn why(
    typed: &mut TypedArgs,
    patterns: Patterns,
    mut paths: Vec<PathBuf>,
) -> Result<Inputs, Error> {
    if let Some(lists) = lists(typed, &[], patterns.stdin_is_read)? {
        paths.extend(lists.read_all()?);
    }
    if paths.is_empty() {
        return Err(Error::new("--why requires at least one path"));
    }
    Ok(Inputs {
        patterns: patterns.list,
        labels: patterns.labels,
        roots: vec![Root::Here],
        stdin_is_implicit: false,
        lists: None,
        has_lists: false,
        why: paths,
    })
}

/// Opens the path lists, if there are any.
///
/// # Errors
/// A list cannot be opened, or standard input has to serve two purposes.
fn lists(
    typed: &mut TypedArgs,
    roots: &[Root],
    stdin_is_read: bool,
) -> Result<Option<Arc<PathLists>>, Error> {
    let lists = mem::take(&mut typed.path_lists);
    let from_stdin = lists.iter().filter(|list| list.is_stdin()).count();
    let other = match from_stdin {
        0 => None,
        1 if stdin_is_read => Some("the patterns of -f or --patterns-from"),
        1 if roots.contains(&Root::Stdin) => Some("what the path - stands for"),
        1 => None,
        _ => Some("another list"),
    };
    if let Some(other) = other {
        return Err(Error::new(format!(
            "standard input cannot be both the paths of --files-from or --files0-from and {other}"
        )));
    }
    let lists = (!lists.is_empty()).then(|| PathLists::open(lists));
    Ok(lists.transpose()?.map(Arc::new))
}

/// The pattern; if there is none, `-r` may have been meant as grep's.
fn first_positional(argument: Option<OsString>, replaces: bool) -> Result<String, Error> {
    let Some(argument) = argument else {
        let program = name::program();
        let message = match name::stands_in_for_ripgrep() {
            true => "ripgrep requires at least one pattern to execute a search",
            false => "a search requires at least one pattern",
        };
        let habit = if replaces { format!("{REPLACES}\n") } else { String::new() };
        let usage = format!("Usage: {program} [FLAGS] PATTERN [PATH...]");
        let hint = format!("{habit}{usage}\nRun `{program} --help` for details.");
        return Err(Error { hint, ..Error::new(message) });
    };
    argument.into_string().map_err(|_| Error::new("pattern given is not valid UTF-8".to_owned()))
}

fn root(argument: OsString) -> Root {
    if argument == "-" { Root::Stdin } else { Root::Path(PathBuf::from(argument)) }
}

/// Patterns in their order on the command line, without duplicates. One that has several labels is
/// there for each.
#[derive(Default)]
struct Patterns {
    list: Vec<String>,
    labels: Vec<Option<String>>,
    seen: HashSet<String>,
    seen_labeled: HashSet<(String, String)>,
    stdin_is_read: bool,
}

impl Patterns {
    fn add(&mut self, pattern: String) {
        if !self.seen.contains(&pattern) {
            self.seen.insert(pattern.clone());
            self.list.push(pattern);
            self.labels.push(None);
        }
    }

    fn add_labeled(&mut self, LabeledPattern { label, pattern }: LabeledPattern) {
        if self.seen_labeled.insert((label.clone(), pattern.clone())) {
            self.list.push(pattern);
            self.labels.push(Some(label));
        }
    }

    fn read(&mut self, source: PatternSource) -> Result<(), Error> {
        match source {
            PatternSource::Text(pattern) => self.add(pattern),
            PatternSource::Labeled(pattern) => self.add_labeled(pattern),
            PatternSource::File(path) => self.add_lines(&path, "", |patterns, line| {
                patterns.add(line.to_owned());
                Ok(())
            })?,
            PatternSource::LabeledFile(path) => {
                let what = "cannot read the patterns of --patterns-from: ";
                self.add_lines(&path, what, |patterns, line| {
                    line.parse().map(|pattern| patterns.add_labeled(pattern))
                })?;
            }
        }
        Ok(())
    }

    /// Passes each line of the file `path`, without its terminator, to `add`. If the file cannot be
    /// read, `what` precedes the system's error; it is empty where ripgrep has the same message.
    fn add_lines(
        &mut self,
        path: &Path,
        what: &str,
        add: fn(&mut Patterns, &str) -> Result<(), String>,
    ) -> Result<(), Error> {
        let (name, bytes) = self.read_file(path, what)?;
        for (index, line) in bytes.lines().enumerate() {
            let number = index + 1;
            let line = std::str::from_utf8(line)
                .map_err(|err| not_utf8(&name, number, line, err.valid_up_to()))?;
            add(self, line).map_err(|err| Error::new(format!("{name}:{number}: {err}")))?;
        }
        Ok(())
    }

    /// The name that the file `path` has in messages, and what it contains; `-` is standard input.
    fn read_file(&mut self, path: &Path, what: &str) -> Result<(String, Vec<u8>), Error> {
        if path != Path::new("-") {
            let name = path.display().to_string();
            let read = fs::read(path);
            let bytes = read.map_err(|err| Error::new(format!("{name}: {what}{err}")))?;
            return Ok((name, bytes));
        }
        let name = "<stdin>".to_owned();
        if mem::replace(&mut self.stdin_is_read, true) {
            return Err(Error::new(format!("{name}: patterns have been read from it already")));
        }
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|err| Error::new(format!("{name}: {what}{err}")))?;
        Ok((name, bytes))
    }
}

fn not_utf8(name: &str, number: usize, line: &[u8], offset: usize) -> Error {
    let byte = line[offset];
    Error::new(format!(
        "{name}:{number}: found invalid UTF-8 in pattern at byte offset {offset}: \\x{byte:02X} \
         (to match bytes that are not UTF-8, disable Unicode and write them as escapes, as in \
         '(?-u)\\x{byte:02X}')"
    ))
}
