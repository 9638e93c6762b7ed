//! The programs that are compared, read from `tools.toml`, and where they are installed.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::files::{explain, unknown};
use crate::libraries;
use crate::process;
use crate::record::{self, INDEXED, WATCHED};
use crate::suite::tasks::{Task, Work};

/// A program and its options for each kind of work: a `[[tool]]` of `tools.toml`, which describes
/// the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Rival {
    pub(crate) name: String,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    is_library: bool,
    #[serde(default)]
    subcommand: String,
    pub(crate) threads: Option<String>,
    work: BTreeMap<Work, String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    unicode_classes: bool,
    #[serde(default)]
    regex: String,
    pattern: Option<String>,
    pattern_file: Option<String>,
    #[serde(default)]
    here: String,
    pub(crate) hunt: Option<String>,
    hunt_flags: Option<String>,
    pub(crate) index: Option<OwnIndex>,
}

/// An index that a program keeps in the tree that it searches.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct OwnIndex {
    /// A file that the index has at the top of the tree.
    pub(crate) file: String,
    /// How it is made and removed.
    pub(crate) hint: String,
}

/// Splits arguments as a shell does.
fn split(text: &str) -> Vec<String> {
    shlex::split(text).expect("a test has read the tools")
}

/// The table `tools.toml`.
#[derive(Deserialize)]
struct ToolTable {
    /// Lists of flags: each flag's arguments, by its name.
    flags: BTreeMap<String, BTreeMap<String, String>>,
    tool: Vec<Rival>,
}

static TABLE: LazyLock<ToolTable> = LazyLock::new(|| {
    toml::from_str(include_str!("tools.toml")).expect("a test has read the tools")
});

/// heist, which everything is compared with.
pub(crate) fn heist() -> &'static Rival {
    &TABLE.tool[0]
}

/// `hs` with an index, and with an index that is watched.
pub(crate) fn indexed() -> [&'static Rival; 2] {
    static STATES: LazyLock<[Rival; 2]> = LazyLock::new(|| {
        let may_use_it =
            |name: &str| Rival { name: name.into(), subcommand: String::new(), ..heist().clone() };
        [INDEXED, WATCHED].map(may_use_it)
    });
    let [with, watched] = &*STATES;
    [with, watched]
}

/// The rivals of `hs`.
pub(crate) fn rivals() -> &'static [Rival] {
    &TABLE.tool[1..]
}

/// The one of this name among others that have names; if there is none, the error lists them.
pub(crate) fn named<'a, T>(
    what: &str,
    name: &str,
    mut known: impl Iterator<Item = (&'a str, T)> + Clone,
) -> io::Result<T> {
    let names = known.clone().map(|(name, _)| name);
    let found = known.find(|known| known.0 == name).map(|(_, found)| found);
    found.ok_or_else(|| unknown(what, name, names))
}

/// A program that is installed.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    /// The program's row in the table.
    pub(crate) rival: &'static Rival,
    /// Where it is.
    pub(crate) program: PathBuf,
    /// The first line that it prints about its version.
    pub(crate) version: String,
    /// Environment variables that differ from this program's.
    pub(crate) environment: Vec<(&'static str, PathBuf)>,
}

impl Installed {
    /// The program's name and version, for a record.
    pub(crate) fn described(&self) -> record::Tool {
        record::Tool { name: self.rival.name.clone(), version: self.version.clone() }
    }
}

impl Rival {
    /// The program, if one of its names is in `$PATH`. A library is driven by this program.
    pub(crate) fn find(&'static self) -> Option<Installed> {
        if self.is_library {
            let (program, version) = (env::current_exe().ok()?, libraries::version(&self.name)?);
            return Some(Installed { rival: self, program, version, environment: Vec::new() });
        }
        let own = slice::from_ref(&self.name);
        let names = if self.programs.is_empty() { own } else { &self.programs };
        names.iter().find_map(|name| find_program(name)).map(|program| self.at(program))
    }

    /// The program at this place.
    pub(crate) fn at(&'static self, program: PathBuf) -> Installed {
        let version = process::version(&program).ok().filter(|version| !version.is_empty());
        let version = version.unwrap_or_else(|| "unknown".to_owned());
        Installed { rival: self, program, version, environment: Vec::new() }
    }

    /// Whether it can take part on `tree`: an index that it searches with is there.
    pub(crate) fn is_ready_for(&self, tree: &Path) -> bool {
        self.index.as_ref().is_none_or(|index| tree.join(&index.file).is_file())
    }

    /// The arguments for `task` with `threads` threads on `target`, or on the current directory
    /// without one; `words` is where a task without a pattern finds its words. `None` if the
    /// program cannot do it.
    pub(crate) fn arguments(
        &self,
        task: &Task,
        threads: Option<usize>,
        words: &Path,
        target: Option<&str>,
    ) -> Option<Vec<String>> {
        let mode = split(self.work.get(&task.work)?);
        let mut arguments = [split(&self.subcommand), self.threads(threads), mode].concat();
        if task.work.is_search() {
            arguments.extend(self.query(task, words)?);
        }
        match target {
            Some(_) if !task.work.is_search() => return None,
            Some(target) => arguments.push(target.to_owned()),
            None => arguments.extend(split(&self.here)),
        }
        Some(arguments)
    }

    fn threads(&self, threads: Option<usize>) -> Vec<String> {
        let number = threads.map(|threads| threads.to_string());
        self.threads.iter().zip(number).map(|(flag, number)| flag.replace("{}", &number)).collect()
    }

    fn query(&self, task: &Task, words: &Path) -> Option<Vec<String>> {
        let is_syntax = |flag: &String| ["fixed", "perl"].contains(&&**flag);
        let syntax = if task.flags.iter().any(is_syntax) { "" } else { &self.regex };
        let mut arguments = split(syntax);
        for flag in &task.flags {
            let arguments_of = |list: &String| TABLE.flags.get(list)?.get(flag);
            arguments.extend(split(self.flags.iter().find_map(arguments_of)?));
        }
        let or = |flag: &Option<String>, usual: &str| flag.clone().unwrap_or(usual.to_owned());
        match &task.pattern {
            Some(pattern) if pattern.contains(r"\p{") && !self.unicode_classes => return None,
            Some(pattern) => arguments.extend([or(&self.pattern, "-e"), pattern.clone()]),
            None => {
                arguments.extend([or(&self.pattern_file, "-f"), words.display().to_string()]);
            }
        }
        Some(arguments)
    }

    /// The arguments that precede a hunt's with these flags; `None` if the program does not have
    /// all flags.
    pub(crate) fn hunt(&self, flags: &[&str], threads: usize) -> Option<Vec<String>> {
        let known = self.hunt_flags.as_deref().map(split);
        let has = |flag: &&str| known.as_ref().is_none_or(|known| known.iter().any(|k| k == flag));
        let mode = self.hunt.as_ref().filter(|_| flags.iter().all(has))?;
        Some([split(mode), self.threads(Some(threads))].concat())
    }
}

/// The `hs` to measure: the one that was `named`, or else the one beside this program, which is
/// built first if cargo runs this program.
pub(crate) fn find_heist(named: Option<&Path>) -> io::Result<Installed> {
    if let Some(program) = named {
        // Commands run in the corpus.
        let place = std::path::absolute(program)
            .and_then(|program| program.metadata().map(|_| program))
            .map_err(|error| explain(program, &error))?;
        return Ok(heist().at(place));
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
    let found = if beside.is_file() { Some(heist().at(beside)) } else { heist().find() };
    found.ok_or_else(|| {
        io::Error::other("no hs beside this program and none in PATH; build it or name it by --hs")
    })
}

/// The program of this name in `$PATH`.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|place| is_program(place))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordKind;
    use crate::suite::tasks::tasks_of;

    fn tasks() -> impl Iterator<Item = &'static Task> {
        [RecordKind::Walk, RecordKind::Search, RecordKind::Index].into_iter().flat_map(tasks_of)
    }

    #[test]
    fn hs_can_do_everything_and_no_flag_is_unknown() {
        assert_eq!(heist().name, record::HEIST);
        for task in tasks().filter(|task| ![Work::ReadAll, Work::Edit].contains(&task.work)) {
            assert!(heist().arguments(task, None, Path::new("w"), None).is_some(), "{task:?}");
        }
        let lists = TABLE.tool.iter().flat_map(|tool| &tool.flags);
        assert!(lists.into_iter().all(|list| TABLE.flags.contains_key(list)));
        for (flag, arguments) in TABLE.flags.values().flatten() {
            assert!(tasks().any(|task| task.flags.contains(flag)), "no task has {flag}");
            split(arguments);
        }
        for tool in &TABLE.tool {
            let hunt = [&tool.hunt, &tool.hunt_flags].into_iter().flatten();
            let all = [&tool.subcommand, &tool.regex, &tool.here].into_iter().chain(hunt);
            all.chain(tool.work.values()).for_each(|arguments| drop(split(arguments)));
        }
    }
}
