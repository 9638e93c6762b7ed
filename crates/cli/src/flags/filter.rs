//! Flags that select the files to search.

use heist_filter::TypeTable;

use super::{
    Category::Filter,
    Flag, ValueError,
    ValueKind::{Path, Suggested, Value},
};
use crate::typed::{BinaryMode, TypeChange};

pub(super) const FLAGS: &[&Flag] = &[
    &GLOB,
    &IGLOB,
    &GLOB_CASE_INSENSITIVE,
    &TYPE,
    &TYPE_NOT,
    &TYPE_ADD,
    &TYPE_CLEAR,
    &HIDDEN,
    &FOLLOW,
    &MAX_DEPTH,
    &MAX_FILESIZE,
    &ONE_FILE_SYSTEM,
    &BINARY,
    &UNRESTRICTED,
    &NO_IGNORE,
    &NO_IGNORE_DOT,
    &NO_IGNORE_VCS,
    &NO_IGNORE_EXCLUDE,
    &NO_IGNORE_GLOBAL,
    &NO_IGNORE_PARENT,
    &NO_IGNORE_FILES,
    &IGNORE_FILE,
    &IGNORE_FILE_CASE_INSENSITIVE,
    &NO_REQUIRE_GIT,
];

const GLOB: Flag = Flag {
    long: "glob",
    short: Some('g'),
    value: Value("GLOB"),
    category: Filter,
    summary: "Include files by GLOB; ! excludes them.",
    manual: "Search only files and directories that match GLOB. A leading ! excludes those that \
             match instead. This flag can be given more than once; if several globs match a path, \
             the last one wins. It overrides ignore files, file types and --hidden.\n\n\
             GLOB has the syntax of .gitignore files and is relative to the current directory, \
             which is also what a leading / stands for. Directories that match no glob are still \
             searched, so this finds all C files:\n\n    \
             hs -g '*.c' PATTERN",
    set: |given, typed| {
        typed.globs.push(given.text()?.to_owned());
        Ok(())
    },
    ..Flag::NEW
};

const IGLOB: Flag = Flag {
    long: "iglob",
    value: Value("GLOB"),
    category: Filter,
    summary: "Like --glob, but case-insensitive.",
    manual: "Like --glob, but match letters regardless of case. All globs of --iglob come after \
             those of --glob, and thus override them.",
    set: |given, typed| {
        typed.iglobs.push(given.text()?.to_owned());
        Ok(())
    },
    ..Flag::NEW
};

const GLOB_CASE_INSENSITIVE: Flag = Flag {
    long: "glob-case-insensitive",
    negation: Some("no-glob-case-insensitive"),
    category: Filter,
    summary: "Match all --glob globs case-insensitively.",
    manual: "Match the globs of all --glob flags regardless of case, as --iglob does.",
    set: |given, typed| {
        typed.glob_case_insensitive = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

fn type_names() -> Vec<String> {
    TypeTable::new().definitions().into_iter().map(|definition| definition.name).collect()
}

const TYPE: Flag = Flag {
    long: "type",
    short: Some('t'),
    value: Suggested("TYPE", type_names),
    category: Filter,
    summary: "Search only files of TYPE.",
    manual: "Search only files of TYPE, which stands for one or more globs on file names. Use \
             --type-list to print all types. This flag can be given more than once to search for \
             several types. The type all stands for all files that have a type. If several of the \
             --type and --type-not flags match a file, the last one wins.",
    set: |given, typed| {
        typed.types.push(TypeChange::Select(given.text()?.to_owned()));
        Ok(())
    },
    ..Flag::NEW
};

const TYPE_NOT: Flag = Flag {
    long: "type-not",
    short: Some('T'),
    value: Suggested("TYPE", type_names),
    category: Filter,
    summary: "Exclude files of TYPE.",
    manual: "Exclude files of TYPE. This flag can be given more than once. The type all stands for \
             all files that have a type. If several of the --type and --type-not flags match a \
             file, the last one wins.",
    set: |given, typed| {
        typed.types.push(TypeChange::Negate(given.text()?.to_owned()));
        Ok(())
    },
    ..Flag::NEW
};

const TYPE_ADD: Flag = Flag {
    long: "type-add",
    value: Value("TYPESPEC"),
    category: Filter,
    summary: "Add a glob to a file type, for this run.",
    manual: "Add a glob to a file type, which is created if it does not exist. This flag can be \
             given more than once. It affects this run only; put it into the configuration file to \
             keep it.\n\n    \
             hs --type-add 'foo:*.{foo,foobar}' -t foo PATTERN\n\n\
             A type can also include the globs of other types:\n\n    \
             hs --type-add 'src:include:c,cpp,rust' -t src PATTERN",
    set: |given, typed| {
        typed.types.push(TypeChange::Add(given.text()?.to_owned()));
        Ok(())
    },
    ..Flag::NEW
};

const TYPE_CLEAR: Flag = Flag {
    long: "type-clear",
    value: Suggested("TYPE", type_names),
    category: Filter,
    summary: "Remove all globs of TYPE, for this run.",
    manual: "Remove all globs of TYPE, so that --type-add can define it anew. A TYPE that does not \
             exist is not an error. This flag can be given more than once, and affects this run \
             only.",
    set: |given, typed| {
        typed.types.push(TypeChange::Clear(given.text()?.to_owned()));
        Ok(())
    },
    ..Flag::NEW
};

const HIDDEN: Flag = Flag {
    long: "hidden",
    short: Some('.'),
    negation: Some("no-hidden"),
    category: Filter,
    summary: "Search hidden files and directories.",
    manual: "Search files and directories whose names begin with a dot, including .git. By default \
             they are skipped unless they are named on the command line, or a glob, a file type or \
             an ignore file includes them.",
    set: |given, typed| {
        typed.hidden = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const FOLLOW: Flag = Flag {
    long: "follow",
    short: Some('L'),
    negation: Some("no-follow"),
    category: Filter,
    summary: "Follow symbolic links.",
    manual: "Follow symbolic links that are found in directories. Broken links and links to a \
             parent directory are reported as errors. Links named on the command line are always \
             followed.",
    set: |given, typed| {
        typed.follow = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const MAX_DEPTH: Flag = Flag {
    long: "max-depth",
    short: Some('d'),
    aliases: &["maxdepth"],
    value: Value("NUM"),
    category: Filter,
    summary: "Descend at most NUM levels of directories.",
    manual: "Descend at most NUM levels of directories. With 0, only files named on the command \
             line are searched; with 1, also the files directly in directories named there. By \
             default, there is no limit.",
    set: |given, typed| {
        typed.max_depth = Some(given.number()?);
        Ok(())
    },
    ..Flag::NEW
};

const MAX_FILESIZE: Flag = Flag {
    long: "max-filesize",
    value: Value("SIZE"),
    category: Filter,
    summary: "Skip files larger than SIZE.",
    manual: "Skip files larger than SIZE bytes, unless they are named on the command line. SIZE \
             can end in K, M or G. By default, there is no limit.",
    set: |given, typed| {
        typed.max_filesize = Some(given.size()?);
        Ok(())
    },
    ..Flag::NEW
};

const ONE_FILE_SYSTEM: Flag = Flag {
    long: "one-file-system",
    negation: Some("no-one-file-system"),
    category: Filter,
    summary: "Do not cross file system boundaries.",
    manual: "Skip directories on other file systems than that of the path from which the walk \
             started, like find -xdev.",
    set: |given, typed| {
        typed.one_file_system = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const BINARY: Flag = Flag {
    long: "binary",
    negation: Some("no-binary"),
    category: Filter,
    summary: "Search binary files until a match.",
    manual: "Search binary files found in directories like those named on the command line: until \
             the first match after a NUL byte, which is reported but not printed. By default, the \
             search of a file found in a directory stops at its first NUL byte. If both this flag \
             and --text are given, the last one wins; the negation of either restores the default.",
    set: |given, typed| {
        typed.binary = if given.is_on() { BinaryMode::Search } else { BinaryMode::Auto };
        Ok(())
    },
    ..Flag::NEW
};

const UNRESTRICTED: Flag = Flag {
    long: "unrestricted",
    short: Some('u'),
    category: Filter,
    summary: "Reduce filtering; up to three times.",
    manual: "Reduce filtering. -u disregards ignore files (--no-ignore), -uu also searches hidden \
             files (--hidden), and -uuu binary files as well (--binary). Later flags can override \
             a part of this, as in -uu --no-hidden.",
    set: |_, typed| {
        typed.unrestricted += 1;
        match typed.unrestricted {
            1 => set_no_ignore(true, typed),
            2 => typed.hidden = true,
            3 => typed.binary = BinaryMode::Search,
            _ => return Err(ValueError::new("flag can only be repeated up to 3 times")),
        }
        Ok(())
    },
    ..Flag::NEW
};

fn set_no_ignore(on: bool, typed: &mut crate::typed::TypedArgs) {
    typed.no_ignore_dot = on;
    typed.no_ignore_exclude = on;
    typed.no_ignore_global = on;
    typed.no_ignore_parent = on;
    typed.no_ignore_vcs = on;
}

const NO_IGNORE: Flag = Flag {
    long: "no-ignore",
    negation: Some("ignore"),
    category: Filter,
    summary: "Disregard ignore files.",
    manual: "Disregard ignore files. This flag implies --no-ignore-dot, --no-ignore-exclude, \
             --no-ignore-global, --no-ignore-parent and --no-ignore-vcs. Later flags can override \
             a part of this, as in --no-ignore --ignore-vcs. The files of --ignore-file are still \
             used.",
    set: |given, typed| {
        set_no_ignore(given.is_on(), typed);
        Ok(())
    },
    ..Flag::NEW
};

const NO_IGNORE_DOT: Flag = Flag {
    long: "no-ignore-dot",
    negation: Some("ignore-dot"),
    category: Filter,
    summary: "Disregard .ignore and .rgignore files.",
    manual: "Disregard .ignore and .rgignore files.",
    set: |given, typed| {
        typed.no_ignore_dot = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_IGNORE_VCS: Flag = Flag {
    long: "no-ignore-vcs",
    negation: Some("ignore-vcs"),
    category: Filter,
    summary: "Disregard git's ignore files.",
    manual: "Disregard git's ignore files: .gitignore, .git/info/exclude and the file that \
             core.excludesFile names.",
    set: |given, typed| {
        typed.no_ignore_vcs = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_IGNORE_EXCLUDE: Flag = Flag {
    long: "no-ignore-exclude",
    negation: Some("ignore-exclude"),
    category: Filter,
    summary: "Disregard .git/info/exclude.",
    manual: "Disregard the .git/info/exclude file of a repository.",
    set: |given, typed| {
        typed.no_ignore_exclude = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_IGNORE_GLOBAL: Flag = Flag {
    long: "no-ignore-global",
    negation: Some("ignore-global"),
    category: Filter,
    summary: "Disregard git's global ignore file.",
    manual: "Disregard git's global ignore file, which is the value of core.excludesFile in git's \
             configuration, and by default $XDG_CONFIG_HOME/git/ignore, or ~/.config/git/ignore if \
             that variable is not set.",
    set: |given, typed| {
        typed.no_ignore_global = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_IGNORE_PARENT: Flag = Flag {
    long: "no-ignore-parent",
    negation: Some("ignore-parent"),
    category: Filter,
    summary: "Disregard ignore files of parent directories.",
    manual: "Disregard ignore files in the parent directories of the paths that are searched.",
    set: |given, typed| {
        typed.no_ignore_parent = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_IGNORE_FILES: Flag = Flag {
    long: "no-ignore-files",
    negation: Some("ignore-files"),
    category: Filter,
    summary: "Disregard --ignore-file flags.",
    manual: "Disregard all --ignore-file flags, including later ones. Neither --no-ignore nor \
             --unrestricted implies this flag.",
    set: |given, typed| {
        typed.no_ignore_files = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const IGNORE_FILE: Flag = Flag {
    long: "ignore-file",
    value: Path("PATH"),
    category: Filter,
    summary: "Add an ignore file.",
    manual: "Use PATH as an additional ignore file in the format of .gitignore. Its rules are \
             relative to the current directory, and rules of all other ignore files take \
             precedence. This flag can be given more than once; later files take precedence over \
             earlier ones.",
    set: |given, typed| {
        typed.ignore_files.push(given.path());
        Ok(())
    },
    ..Flag::NEW
};

const IGNORE_FILE_CASE_INSENSITIVE: Flag = Flag {
    long: "ignore-file-case-insensitive",
    negation: Some("no-ignore-file-case-insensitive"),
    category: Filter,
    summary: "Match ignore rules case-insensitively.",
    manual: "Match the rules of ignore files regardless of case, except for those of \
             --ignore-file.",
    set: |given, typed| {
        typed.ignore_file_case_insensitive = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const NO_REQUIRE_GIT: Flag = Flag {
    long: "no-require-git",
    negation: Some("require-git"),
    category: Filter,
    summary: "Use .gitignore outside of repositories too.",
    manual: "Use git's ignore files even outside of git repositories.",
    set: |given, typed| {
        typed.no_require_git = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::*;

    #[test]
    fn globs_and_types_accumulate_in_order() {
        let typed = parse(["-g*.c", "--iglob=*.H", "-g", "!x", "-tc", "--type-not", "py"]);
        assert_eq!(typed.globs, ["*.c", "!x"]);
        assert_eq!(typed.iglobs, ["*.H"]);
        let typed = parse(["-tc=1", "-T", "py", "--type-clear=c", "--type-add", "c:*.c"]);
        let expected = [
            TypeChange::Select("c=1".into()),
            TypeChange::Negate("py".into()),
            TypeChange::Clear("c".into()),
            TypeChange::Add("c:*.c".into()),
        ];
        assert_eq!(typed.types, expected);
    }

    #[test]
    fn unrestricted_acts_where_it_stands() {
        let typed = parse(["-u", "--ignore-vcs"]);
        assert!(typed.no_ignore_dot && !typed.no_ignore_vcs && !typed.hidden);
        let typed = parse(["--ignore-vcs", "-uu", "--no-hidden"]);
        assert!(typed.no_ignore_vcs && !typed.hidden);
        assert_eq!(parse(["-uuu"]).binary, BinaryMode::Search);
        assert_eq!(
            error(["-uu", "-u", "--unrestricted"]),
            "error parsing flag --unrestricted: flag can only be repeated up to 3 times"
        );
    }

    #[test]
    fn no_ignore_is_refined_by_what_follows() {
        let typed = parse(["--no-ignore", "--ignore-vcs"]);
        assert!(!typed.no_ignore_vcs && typed.no_ignore_exclude && typed.no_ignore_dot);
        assert!(!typed.no_ignore_files, "--ignore-file stays in force");
        let typed = parse(["--no-ignore-dot", "--no-ignore-files", "--ignore"]);
        assert!(!typed.no_ignore_dot && typed.no_ignore_files);
    }

    #[test]
    fn limits_of_the_walk() {
        let typed = parse(["--maxdepth=3", "-d", "2", "--max-filesize", "1M", "-L."]);
        assert_eq!(typed.max_depth, Some(2));
        assert_eq!(typed.max_filesize, Some(1 << 20));
        assert!(typed.follow && typed.hidden);
        assert!(!parse(["-L", "--no-follow"]).follow);
        assert!(parse(["--one-file-system"]).one_file_system);
    }

    #[cfg(unix)]
    #[test]
    fn ignore_files_may_be_any_bytes() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let path = OsStr::from_bytes(b"\xff");
        let typed = parse([OsStr::new("--ignore-file"), path]);
        assert_eq!(typed.ignore_files, [path]);
        assert_eq!(
            error([OsStr::new("-g"), path]),
            "error parsing flag -g: value is not valid UTF-8"
        );
    }
}
