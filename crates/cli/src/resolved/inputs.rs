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
use heist_matcher::Condition;
use heist_walk::Root;

use super::{any_case, query, search};
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
    /// What a line or file must meet, unless one of the patterns suffices.
    pub(super) condition: Option<Condition>,
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
    let mut patterns = Patterns { any_case: typed.any_case, ..Patterns::default() };
    let is_search = matches!(search::mode(typed), Mode::Search(_));
    if is_search || typed.mode == Mode::Why {
        if is_search && sources.is_empty() && typed.queries.is_empty() {
            patterns.add(first_positional(positional.next(), typed.replaces_by_letter)?)?;
        }
        for source in sources {
            patterns.read(source)?;
        }
    }
    let condition = patterns.condition(typed)?;
    if typed.mode == Mode::Why {
        return why(typed, patterns, condition, positional.map(PathBuf::from).collect());
    }
    let has_paths = positional.len() > 0 || !typed.path_lists.is_empty();
    if has_paths && search::mode(typed) == Mode::Undo {
        return Err(Error::new(
            "--undo puts a whole change back: no path, --files-from or --files0-from narrows it",
        ));
    }
    let mut roots: Vec<Root> = positional.map(root).collect();
    let lists = lists(typed, &roots, patterns.stdin_is_read)?;
    // --spread sorts, and walks twice. --write changes nothing outside of the paths.
    let reads_all = typed.sort.is_some() || typed.limits.spread || typed.rewriting.write;
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
        // Of several runs, only one could read standard input.
        ([], false)
            if is_search
                && !typed.no_stdin
                && typed.shard.is_none()
                && (here.stdin_is_readable)() =>
        {
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
        condition,
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
    condition: Option<Condition>,
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
        condition,
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
    /// Whether patterns are names in any form (`--any-case`).
    any_case: bool,
}

impl Patterns {
    fn add(&mut self, pattern: String) -> Result<(), Error> {
        if self.any_case {
            self.push(any_case::pattern(&pattern)?, Some(pattern));
        } else {
            self.push(pattern, None);
        }
        Ok(())
    }

    /// Appends a pattern that has no label of the user's, unless it is there already.
    fn push(&mut self, pattern: String, shown_as: Option<String>) {
        if !self.seen.contains(&pattern) {
            self.seen.insert(pattern.clone());
            self.list.push(pattern);
            self.labels.push(shown_as);
        }
    }

    fn add_labeled(&mut self, labeled: LabeledPattern) -> Result<(), Error> {
        let LabeledPattern { label, mut pattern } = labeled;
        if self.any_case {
            pattern = any_case::pattern(&pattern)?;
        }
        if self.seen_labeled.insert((label.clone(), pattern.clone())) {
            self.list.push(pattern);
            self.labels.push(Some(label));
        }
        Ok(())
    }

    /// What a line or file must meet; `None` if one of the patterns suffices. Appends the patterns
    /// that it wants.
    fn condition(&mut self, typed: &TypedArgs) -> Result<Option<Condition>, Error> {
        let TypedArgs { and, not, queries, .. } = typed;
        if queries.is_empty() && and.is_empty() && not.is_empty() {
            return Ok(None);
        }
        let is_literal = typed.matcher.fixed_strings || self.any_case;
        let queries = queries.iter().map(|text| query::parse(text, is_literal));
        let mut parts = queries.collect::<Result<Vec<_>, _>>()?;
        let queries = parts.len();
        let matches = |pattern: &String| Condition::Matches(vec![pattern.clone()]);
        parts.extend(and.iter().map(matches));
        parts.extend(not.iter().map(|pattern| Condition::Not(Box::new(matches(pattern)))));
        let typed = Condition::All(parts);
        let read = match self.any_case {
            true => any_case::condition(typed.clone())?,
            false => typed.clone(),
        };
        let own = Condition::Matches(self.list.clone());
        let is_wanted = !self.list.is_empty() || queries == 0;
        for (name, pattern) in typed.wanted().into_iter().zip(read.wanted()) {
            self.push(pattern.to_owned(), self.any_case.then(|| name.to_owned()));
        }
        let Condition::All(mut parts) = read else { return Ok(None) };
        let alternatives =
            Some(own).filter(|_| is_wanted).into_iter().chain(parts.drain(..queries));
        let alternatives = query::any(alternatives.collect());
        parts.insert(0, alternatives);
        Ok(Some(Condition::All(parts)))
    }

    fn read(&mut self, source: PatternSource) -> Result<(), Error> {
        match source {
            PatternSource::Text(pattern) => self.add(pattern)?,
            PatternSource::Labeled(pattern) => self.add_labeled(pattern)?,
            PatternSource::File(path) => self.add_lines(&path, "", |patterns, line| {
                patterns.add(line.to_owned()).map_err(|error| error.message)
            })?,
            PatternSource::LabeledFile(path) => {
                let what = "cannot read the patterns of --patterns-from: ";
                self.add_lines(&path, what, |patterns, line| {
                    patterns.add_labeled(line.parse()?).map_err(|error| error.message)
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
