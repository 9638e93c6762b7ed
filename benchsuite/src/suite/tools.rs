//! The programs that are compared, as data: adding a rival is adding an element to [`RIVALS`].

use std::env;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::files::explain;
use crate::process;
use crate::record;
use crate::suite::tasks::{Flag, Pattern, Query, Work};

/// A program and its options for each kind of work.
#[derive(Debug)]
pub(crate) struct Rival {
    /// What it is called in tables and on the command line.
    pub(crate) name: &'static str,
    /// What it may be installed as, in this order.
    programs: &'static [&'static str],
    /// Arguments that belong to the program's name.
    subcommand: &'static [&'static str],
    /// Prints its version.
    version: &'static [&'static str],
    /// The argument that sets the number of threads, with `{}` in its place.
    threads: Option<&'static str>,
    /// See [`Work::ListAll`].
    list_all: Option<&'static [&'static str]>,
    /// See [`Work::ListIgnore`].
    list_ignore: Option<&'static [&'static str]>,
    /// See [`Work::SearchIgnore`].
    search_ignore: Option<&'static [&'static str]>,
    /// See [`Work::SearchAll`].
    search_all: Option<&'static [&'static str]>,
    /// Its names of flags. A tool takes part in a query if it has all of its flags.
    flags: &'static [Names],
    /// Whether it knows classes like `\p{Greek}` by the arguments above.
    knows_unicode_classes: bool,
    /// Selects the syntax of regular expressions that the others have.
    regex: &'static [&'static str],
    /// The argument before a pattern.
    pattern: &'static str,
    /// The argument before a file of patterns.
    pattern_file: &'static str,
    /// The last arguments, to search the current directory.
    here: &'static [&'static str],
}

/// The arguments of each flag.
type Names = &'static [(Flag, &'static [&'static str])];

/// Of grep and most of its successors.
const GREP_FLAGS: Names = &[
    (Flag::IgnoreCase, &["-i"]),
    (Flag::Word, &["-w"]),
    (Flag::OnlyMatching, &["-o"]),
    (Flag::Count, &["-c"]),
    (Flag::Context, &["-C3"]),
    (Flag::Fixed, &["-F"]),
    (Flag::Perl, &["-P"]),
    (Flag::FilesWith, &["-l"]),
];

/// Of grep and some of its successors. git has no `-x`, and does not search `.git`, whose files
/// have lines that do not match.
const MORE_GREP_FLAGS: Names =
    &[(Flag::Line, &["-x"]), (Flag::Invert, &["-v"]), (Flag::Once, &["-m1"])];

const RIPGREP_FLAGS: Names = &[
    (Flag::CountMatches, &["--count-matches"]),
    (Flag::MultiLine, &["-U"]),
    (Flag::DotAll, &["--multiline-dotall"]),
    (Flag::Crlf, &["--crlf"]),
    (Flag::NullData, &["--null-data"]),
    (Flag::FilesWithout, &["--files-without-match"]),
    (Flag::Passthru, &["--passthru"]),
    (Flag::Vimgrep, &["--vimgrep"]),
    (Flag::Colour, &["--color", "always"]),
    (Flag::Json, &["--json"]),
    (Flag::Stats, &["--stats"]),
    (Flag::Swap, &["-r", "${2}_${1}"]),
    (Flag::OnlySwapped, &["-o", "-r", "${2}_${1}"]),
    (Flag::Latin1, &["-E", "latin1"]),
    (Flag::Compressed, &["-z"]),
    (Flag::Sorted, &["--sort", "path"]),
];

/// ugrep formats blocks of lines, colours, messages and statistics differently; its columns count
/// characters, not bytes.
const UGREP_FLAGS: Names = &[
    (Flag::CountMatches, &["-c", "-o"]),
    (Flag::FilesWithout, &["-L"]),
    (Flag::Passthru, &["--passthru"]),
    (Flag::Swap, &["-P", "--replace=%2_%1"]),
    (Flag::OnlySwapped, &["-P", "--format=%f:%n:%2_%1%~"]),
    (Flag::Latin1, &["--encoding=LATIN1"]),
    (Flag::Compressed, &["-z"]),
];

/// ag's patterns are Perl's and may span lines by default. It counts matches where others count
/// lines. Its `-z` fails on a tree of 26,000 compressed files (2.2.0, corpus `zipped`).
const AG_FLAGS: Names = &[
    (Flag::IgnoreCase, &["-i"]),
    (Flag::Word, &["-w"]),
    (Flag::CountMatches, &["-c"]),
    (Flag::Perl, &[]),
    (Flag::MultiLine, &[]),
    (Flag::FilesWith, &["-l"]),
    (Flag::Vimgrep, &["--vimgrep"]),
];

/// heist, which everything is compared with.
pub(crate) const HEIST: Rival = Rival {
    name: record::HEIST,
    programs: &[record::HEIST],
    subcommand: &[],
    version: &["--version"],
    threads: Some("-j{}"),
    list_all: Some(&["--files", "-uu"]),
    list_ignore: Some(&["--files"]),
    search_ignore: Some(&["-n"]),
    search_all: Some(&["-n", "-uu"]),
    flags: &[GREP_FLAGS, MORE_GREP_FLAGS, RIPGREP_FLAGS],
    knows_unicode_classes: true,
    regex: &[],
    pattern: "-e",
    pattern_file: "-f",
    here: &["./"],
};

/// The older way to list a tree, and nothing else.
const FINDER: Rival = Rival {
    threads: None,
    list_all: Some(&[".", "-type", "f"]),
    list_ignore: None,
    search_ignore: None,
    search_all: None,
    here: &[],
    ..HEIST
};

/// The rivals of `hs`.
pub(crate) const RIVALS: &[Rival] = &[
    Rival { name: "rg", programs: &["rg"], ..HEIST },
    Rival {
        name: "fd",
        programs: &["fd", "fdfind"],
        list_all: Some(&["-u", "-tf"]),
        list_ignore: Some(&["-tf"]),
        search_ignore: None,
        search_all: None,
        here: &[],
        ..HEIST
    },
    // Older ones have no threads.
    Rival { name: "bfs", programs: &["bfs"], ..FINDER },
    Rival { name: "find", programs: &["find"], ..FINDER },
    Rival {
        name: "ugrep",
        programs: &["ugrep"],
        threads: Some("-J{}"),
        list_all: None,
        list_ignore: None,
        search_ignore: Some(&["-rnI", "--ignore-files"]),
        search_all: Some(&["-rnI", "--hidden"]),
        flags: &[GREP_FLAGS, MORE_GREP_FLAGS, UGREP_FLAGS],
        ..HEIST
    },
    Rival {
        name: "git grep",
        programs: &["git"],
        subcommand: &["grep"],
        threads: Some("--threads={}"),
        list_all: None,
        list_ignore: None,
        search_ignore: Some(&["-nI", "--untracked"]),
        search_all: Some(&["-nI", "--untracked", "--no-exclude-standard"]),
        flags: &[GREP_FLAGS],
        knows_unicode_classes: false,
        regex: &["-E"],
        here: &[],
        ..HEIST
    },
    Rival {
        name: "git ls-files",
        programs: &["git"],
        subcommand: &["ls-files"],
        threads: None,
        list_all: None,
        list_ignore: Some(&["-co", "--exclude-standard"]),
        search_ignore: None,
        search_all: None,
        here: &[],
        ..HEIST
    },
    Rival {
        name: "ag",
        programs: &["ag"],
        threads: Some("--workers={}"),
        list_all: Some(&["--unrestricted", "--depth=-1", "--files-with-matches", "--nocolor", ""]),
        list_ignore: Some(&["--depth=-1", "--files-with-matches", "--nocolor", ""]),
        search_ignore: Some(&["--depth=-1", "--nogroup", "--nocolor", "--case-sensitive"]),
        search_all: Some(&[
            "--nogroup",
            "--nocolor",
            "--case-sensitive",
            "--skip-vcs-ignores",
            "--depth=-1",
            "--hidden",
        ]),
        flags: &[AG_FLAGS],
        knows_unicode_classes: false,
        pattern: "--",
        ..HEIST
    },
    Rival {
        name: "grep",
        programs: &["grep"],
        threads: None,
        list_all: None,
        list_ignore: None,
        search_ignore: None,
        search_all: Some(&["-rnI"]),
        flags: &[GREP_FLAGS, MORE_GREP_FLAGS],
        knows_unicode_classes: false,
        regex: &["-E"],
        here: &["./"],
        ..HEIST
    },
];

/// A program that is installed.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    /// Its record.
    pub(crate) rival: &'static Rival,
    /// Where it is.
    pub(crate) program: PathBuf,
    /// The first line that it prints about its version.
    pub(crate) version: String,
}

impl Rival {
    /// The program, if one of its names is in `path`, a list like `$PATH`.
    pub(crate) fn find(&'static self, path: &OsStr) -> Option<Installed> {
        let directories: Vec<PathBuf> = env::split_paths(path).collect();
        let places =
            self.programs.iter().flat_map(|name| directories.iter().map(move |dir| dir.join(name)));
        let program = places.into_iter().find(|place| is_program(place))?;
        Some(self.at(program))
    }

    /// The program at this place.
    pub(crate) fn at(&'static self, program: PathBuf) -> Installed {
        let version = version(&program, self.version).unwrap_or_else(|| "unknown".to_owned());
        Installed { rival: self, program, version }
    }

    /// Whether its number of threads can be set.
    pub(crate) fn has_threads(&self) -> bool {
        self.threads.is_some()
    }

    /// The arguments for `work` with `threads` threads on `target`, or on the current directory
    /// without one; `None` if the program cannot do it.
    pub(crate) fn arguments(
        &self,
        work: Work,
        threads: Option<usize>,
        words: &Path,
        target: Option<&str>,
    ) -> Option<Vec<String>> {
        let (mode, query) = match work {
            Work::ListAll => (self.list_all?, None),
            Work::ListIgnore => (self.list_ignore?, None),
            Work::SearchIgnore(query) => (self.search_ignore?, Some(query)),
            Work::SearchAll(query) => (self.search_all?, Some(query)),
            Work::ReadAll => return None,
        };
        let mut arguments: Vec<String> =
            self.subcommand.iter().map(|&word| word.to_owned()).collect();
        if let (Some(flag), Some(threads)) = (self.threads, threads) {
            arguments.push(flag.replace("{}", &threads.to_string()));
        }
        arguments.extend(mode.iter().map(|&word| word.to_owned()));
        if let Some(query) = query {
            self.add_query(query, words, &mut arguments)?;
        }
        match (target, query) {
            (Some(target), Some(_)) => arguments.push(target.to_owned()),
            (Some(_), None) => return None,
            (None, _) => arguments.extend(self.here.iter().map(|&word| word.to_owned())),
        }
        Some(arguments)
    }

    fn add_query(&self, query: Query, words: &Path, arguments: &mut Vec<String>) -> Option<()> {
        let is_other = |flag: &Flag| matches!(flag, Flag::Fixed | Flag::Perl);
        if !query.flags.iter().any(is_other) {
            arguments.extend(self.regex.iter().map(|&word| word.to_owned()));
        }
        for wanted in query.flags {
            let names = self.flags.iter().copied().flatten();
            let (_, flags) = names.into_iter().find(|(flag, _)| flag == wanted)?;
            arguments.extend(flags.iter().map(|&word| word.to_owned()));
        }
        match query.pattern {
            Pattern::Regex(pattern) if pattern.contains(r"\p{") && !self.knows_unicode_classes => {
                return None;
            }
            Pattern::Regex(pattern) => {
                arguments.extend([self.pattern.to_owned(), pattern.to_owned()]);
            }
            Pattern::Words => {
                arguments.extend([self.pattern_file.to_owned(), words.display().to_string()]);
            }
        }
        Some(())
    }
}

/// The `hs` to measure: the one that was `named`, or else the one beside this program, which is
/// built first if cargo runs this program.
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

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The first line that a program prints about its version.
fn version(program: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments);
    let ended = process::run(command, b"", Duration::from_secs(10)).ok()?;
    let text = String::from_utf8_lossy(&ended.output).into_owned();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::tasks::{SEARCH, WALK};

    fn rival(name: &str) -> &'static Rival {
        RIVALS.iter().find(|rival| rival.name == name).expect("a rival")
    }

    fn line(name: &str, task: &str, threads: Option<usize>) -> Option<String> {
        let tasks = WALK.iter().chain(SEARCH);
        let task = tasks.into_iter().find(|found| found.name == task).expect("a task");
        let words = Path::new("w");
        Some(rival(name).arguments(task.work, threads, words, None)?.join(" "))
    }

    #[test]
    fn each_tool_has_its_own_options() {
        assert_eq!(line("rg", "list-all", Some(4)).unwrap(), "-j4 --files -uu ./");
        assert_eq!(line("fd", "list-ignore", None).unwrap(), "-tf");
        assert_eq!(line("find", "list-all", Some(4)).unwrap(), ". -type f", "it has no threads");
        let git = "grep --threads=2 -nI --untracked -E -e zqxjkvbpw";
        assert_eq!(line("git grep", "search", Some(2)).unwrap(), git);
        assert_eq!(line("grep", "words-file", None).unwrap(), "-rnI -F -c -f w ./");
        let look_around = |name| line(name, "look-around", None).unwrap();
        assert_eq!(look_around("grep"), "-rnI -P -e (?<!_)static(?! int) ./", "it is no -E");
        assert!(look_around("ag").ends_with("--hidden -- (?<!_)static(?! int) ./"));
        let replace = |name| line(name, "replace", None).unwrap();
        assert_eq!(replace("rg"), "-n -uu -r ${2}_${1} -e ([a-z]+)_(init|probe) ./");
        assert!(replace("ugrep").contains(" -P --replace=%2_%1 -e "));
    }

    #[test]
    fn a_tool_that_cannot_do_it_does_not_take_part() {
        assert_eq!(line("find", "list-ignore", None), None);
        assert_eq!(line("fd", "search", None), None);
        assert_eq!(line("grep", "unicode-class", None), None);
        assert_eq!(line("ag", "count", None), None);
        assert_eq!(line("git grep", "invert", None), None);
        assert_eq!(line("ugrep", "multi-line-dot", None), None);
    }

    #[test]
    fn a_file_is_searched_and_not_listed() {
        let task = |work| HEIST.arguments(work, None, Path::new("w"), Some("big"));
        assert_eq!(task(WALK[0].work), None);
        assert_eq!(task(SEARCH[0].work).unwrap().join(" "), "-n -uu -e zqxjkvbpw big");
    }

    #[test]
    fn programs_are_found_with_their_version() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("fdfind");
        std::fs::write(&path, "#!/bin/sh\necho fd 9.1\n").unwrap();
        assert!(rival("fd").find(temp.path().as_os_str()).is_none(), "it may not be run");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let found = rival("fd").find(temp.path().as_os_str()).unwrap();
        assert_eq!((found.program, found.version.as_str()), (path, "fd 9.1"));
    }
}
