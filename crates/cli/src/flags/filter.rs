//! Flags on which files are searched.

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
    summary: "Search only files matching GLOB; ! excludes.",
    manual: "Search only files and directories that match GLOB, or with a leading ! leave those \
             out. May be given several times; the last one that matches decides, against every \
             ignore file, file type and --hidden. Globs are read as in .gitignore files, relative \
             to the current directory.\n\n\
             A directory that no glob matches is still entered, so this finds all C files:\n\n    \
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
    summary: "Like --glob, without regard to case.",
    manual: "Like --glob, but upper and lower case match each other. All of these come after all \
             of --glob, and so outrank them.",
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
    summary: "Match every --glob without regard to case.",
    manual: "Let upper and lower case match each other in every --glob, as in --iglob.",
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
    manual: "Search only files of TYPE, which stands for some globs on file names; --type-list \
             shows all of them. May be given several times for several types. The type all means \
             every file that has a type. Of --type and --type-not the last one that matches a \
             file decides.",
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
    summary: "Leave files of TYPE out.",
    manual: "Leave files of TYPE out. May be given several times. The type all means every file \
             that has a type. Of --type and --type-not the last one that matches a file decides.",
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
    manual: "Add a glob to a file type, which is made if there is none of that name. May be given \
             several times. Nothing is kept for later runs; put the flag into the configuration \
             file for that.\n\n    \
             hs --type-add 'foo:*.{foo,foobar}' -t foo PATTERN\n\n\
             A type may also take over the globs of others:\n\n    \
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
    summary: "Forget the globs of TYPE, for this run.",
    manual: "Forget the globs of TYPE, so that --type-add may define it anew. A type that does \
             not exist is no error.",
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
    manual: "Search files and directories whose names begin with a dot, the directory .git among \
             them. Without this flag they are searched only if they were named, or a glob, type \
             or ignore file asks for them.",
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
    manual: "Follow symbolic links that are met while walking. A link to a directory above it and \
             a link to nothing are reported as errors. Links that were named are always followed.",
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
    manual: "Descend at most NUM levels of directories. With 0 only files that were named are \
             searched, with 1 also the files directly in directories that were named.",
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
    summary: "Leave files out that are larger than SIZE.",
    manual: "Leave files out that are larger than SIZE bytes, unless they were named. SIZE may end \
             in K, M or G.",
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
    summary: "Stay on the file system of each path.",
    manual: "Do not enter directories on another file system than the path from which the walk \
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
    manual: "Search files with NUL bytes that were found in a directory as if they had been named: \
             until one match after the NUL byte, which is told without printing it. Of this flag \
             and --text the last one holds; either's negation goes back to the default.",
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
    summary: "Leave less out; up to three times.",
    manual: "Leave less out: once is --no-ignore, twice is --no-ignore --hidden, three times is \
             --no-ignore --hidden --binary. It acts where it stands, so that a later flag can take \
             back a part of it.",
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
    summary: "Do not use ignore files.",
    manual: "Do not use ignore files: the same as --no-ignore-dot, --no-ignore-exclude, \
             --no-ignore-global, --no-ignore-parent and --no-ignore-vcs. Files given by \
             --ignore-file are still used. A later flag such as --ignore-vcs takes back a part \
             of it.",
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
    summary: "Do not use .ignore and .rgignore files.",
    manual: "Do not use the files .ignore and .rgignore.",
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
    summary: "Do not use git's ignore files.",
    manual: "Do not use the ignore files of git: .gitignore, .git/info/exclude and the file that \
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
    summary: "Do not use .git/info/exclude.",
    manual: "Do not use the file .git/info/exclude of a repository.",
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
    summary: "Do not use git's global ignore file.",
    manual: "Do not use the global ignore file of git, which core.excludesFile in its \
             configuration names, or else $HOME/.config/git/ignore.",
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
    summary: "Do not use ignore files of parent directories.",
    manual: "Do not use the ignore files in directories above the paths that are searched.",
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
    summary: "Do not use files given by --ignore-file.",
    manual: "Do not use the files given by --ignore-file, wherever they stand on the command line. \
             Neither --no-ignore nor --unrestricted does this.",
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
    summary: "Use one more ignore file.",
    manual: "Use PATH as one more ignore file, in the format of .gitignore. Its rules are relative \
             to the current directory and weaker than those of any other ignore file. May be given \
             several times, later files outranking earlier ones.",
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
    summary: "Match ignore files without regard to case.",
    manual: "Let upper and lower case match each other in the rules of ignore files, but for those that \
             **--ignore-file** names.",
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
    summary: "Use git's ignore files without a repository.",
    manual: "Use the ignore files of git even where there is no repository around them.",
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
