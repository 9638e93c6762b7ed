//! The programs that are compared: one record each. A further rival is a further record.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process;
use crate::suite::record;
use crate::suite::tasks::{Flag, Pattern, Query, Work};

/// A program, and how it is told to do what a task asks for.
#[derive(Debug)]
pub(crate) struct Rival {
    /// What it is called in tables and on the command line.
    pub(crate) name: &'static str,
    /// What it may be installed as, in this order.
    programs: &'static [&'static str],
    /// Arguments that belong to the program's name.
    subcommand: &'static [&'static str],
    /// What makes it tell its version.
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
    /// What it calls flags. A tool takes part where it has all that a query asks for.
    flags: &'static [Names],
    /// Whether it knows classes like `\p{Greek}` by the arguments above.
    knows_unicode_classes: bool,
    /// What makes a pattern a regular expression as the others know it, where patterns are none.
    regex: &'static [&'static str],
    /// What a pattern comes after.
    pattern: &'static str,
    /// What a file of patterns comes after.
    pattern_file: &'static str,
    /// What searches the current directory, after everything else.
    here: &'static [&'static str],
}

/// What each flag is called.
type Names = &'static [(Flag, &'static [&'static str])];

/// By grep, and by most others after it.
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

/// By grep and some others after it, but not by git: it has no `-x`, and does not look into `.git`, whose files have
/// lines that do not match.
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

/// Its blocks of lines look otherwise, and so do its colours, messages and statistics; its columns are characters, not
/// bytes.
const UGREP_FLAGS: Names = &[
    (Flag::CountMatches, &["-c", "-o"]),
    (Flag::FilesWithout, &["-L"]),
    (Flag::Passthru, &["--passthru"]),
    (Flag::Swap, &["-P", "--replace=%2_%1"]),
    (Flag::OnlySwapped, &["-P", "--format=%f:%n:%2_%1%~"]),
    (Flag::Latin1, &["--encoding=LATIN1"]),
    (Flag::Compressed, &["-z"]),
];

/// Its patterns are Perl's, and may span lines, without being told. It counts matches where others count lines, and
/// prints them in a way of its own. Its `-z` gives up on a tree of 26,000 compressed files (2.2.0, corpus `zipped`).
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

/// Everybody else.
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

/// A program that is there.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    /// Its record.
    pub(crate) rival: &'static Rival,
    /// Where it is.
    pub(crate) program: PathBuf,
    /// The first line of what it says about its version.
    pub(crate) version: String,
}

impl Rival {
    /// The program, if one of its names is in `path`, a list like `$PATH`.
    pub(crate) fn find(&'static self, path: &OsStr) -> Option<Installed> {
        let directories: Vec<PathBuf> = std::env::split_paths(path).collect();
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

    /// Whether it can be told how many threads to use.
    pub(crate) fn has_threads(&self) -> bool {
        self.threads.is_some()
    }

    /// The arguments that make it do `work` with `threads` threads on `target`, the current directory if there is
    /// none; nothing, if it cannot.
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

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The first line of what a program says when it is asked for its version.
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
    fn tools_are_told_in_their_own_words() {
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
    fn who_cannot_do_it_does_not_take_part() {
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
    fn programs_are_found_and_asked() {
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
