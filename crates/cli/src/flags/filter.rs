//! Flags that select the files to search.

use heist_filter::TypeTable;

use super::{
    record::{
        Flag,
        ValueKind::{Path, Suggested, Value},
        flags, set,
    },
    value::ValueError,
};
use crate::typed::{BinaryMode, TypeChange};

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "glob",
        short: Some('g'),
        value: Value("GLOB"),
        summary: "Include files by GLOB; ! excludes them.",
        manual: "Search only files and directories that match GLOB. A leading ! excludes those \
                 that match instead. This flag can be given more than once; if several globs match \
                 a path, the last one wins. It overrides ignore files, file types and --hidden.\n\n\
                 GLOB has the syntax of .gitignore files and is relative to the current directory, \
                 which is also what a leading / stands for. Directories that match no glob are \
                 still searched, so this finds all C files:\n\n    \
                 hs -g '*.c' PATTERN",
        set: set!(|value, typed| typed.globs.push(value.text()?.to_owned())),
    },
    Flag {
        long: "iglob",
        value: Value("GLOB"),
        summary: "Like --glob, but case-insensitive.",
        manual: "Like --glob, but match letters regardless of case. All globs of --iglob come \
                 after those of --glob, and thus override them.",
        set: set!(|value, typed| typed.iglobs.push(value.text()?.to_owned())),
    },
    Flag {
        long: "glob-case-insensitive",
        negation: Some("no-glob-case-insensitive"),
        summary: "Match all --glob globs case-insensitively.",
        manual: "Match the globs of all --glob flags regardless of case, as --iglob does.",
        set: set!(|value, typed| typed.glob_case_insensitive = value.is_on()),
    },
    Flag {
        long: "type",
        short: Some('t'),
        value: Suggested("TYPE", type_names),
        summary: "Search only files of TYPE.",
        manual: "Search only files of TYPE, which stands for one or more globs on file names. Use \
                 --type-list to print all types; common other names, such as rs for rust, are \
                 accepted too. This flag can be given more than once to search for several types. \
                 The type all stands for all files that have a type. If several of the --type and \
                 --type-not flags match a file, the last one wins.",
        set: set!(|value, typed| typed.types.push(TypeChange::Select(value.text()?.to_owned()))),
    },
    Flag {
        long: "type-not",
        short: Some('T'),
        value: Suggested("TYPE", type_names),
        summary: "Exclude files of TYPE.",
        manual: "Exclude files of TYPE. This flag can be given more than once. The type all stands \
                 for all files that have a type. If several of the --type and --type-not flags \
                 match a file, the last one wins.",
        set: set!(|value, typed| typed.types.push(TypeChange::Negate(value.text()?.to_owned()))),
    },
    Flag {
        long: "type-add",
        value: Value("TYPESPEC"),
        summary: "Add a glob to a file type, for this run.",
        manual: "Add a glob to a file type, which is created if it does not exist. This flag can \
                 be given more than once. It affects this run only; put it into the configuration \
                 file to keep it.\n\n    \
                 hs --type-add 'foo:*.{foo,foobar}' -t foo PATTERN\n\n\
                 A type can also include the globs of other types:\n\n    \
                 hs --type-add 'src:include:c,cpp,rust' -t src PATTERN",
        set: set!(|value, typed| typed.types.push(TypeChange::Add(value.text()?.to_owned()))),
    },
    Flag {
        long: "type-clear",
        value: Suggested("TYPE", type_names),
        summary: "Remove all globs of TYPE, for this run.",
        manual: "Remove all globs of TYPE, so that --type-add can define it anew. A TYPE that does \
                 not exist is not an error. This flag can be given more than once, and affects \
                 this run only.",
        set: set!(|value, typed| typed.types.push(TypeChange::Clear(value.text()?.to_owned()))),
    },
    Flag {
        long: "hidden",
        short: Some('.'),
        negation: Some("no-hidden"),
        summary: "Search hidden files and directories.",
        manual: "Search files and directories whose names begin with a dot, including .git. By \
                 default they are skipped unless they are named on the command line, or a glob, a \
                 file type or an ignore file includes them.",
        set: set!(|value, typed| typed.hidden = value.is_on()),
    },
    Flag {
        long: "follow",
        short: Some('L'),
        negation: Some("no-follow"),
        summary: "Follow symbolic links.",
        manual: "Follow symbolic links that are found in directories. Broken links and links to a \
                 parent directory are reported as errors. Links named on the command line are \
                 always followed.",
        set: set!(|value, typed| typed.follow = value.is_on()),
    },
    Flag {
        long: "max-depth",
        short: Some('d'),
        aliases: &["maxdepth"],
        value: Value("NUM"),
        summary: "Descend at most NUM levels of directories.",
        manual: "Descend at most NUM levels of directories. With 0, only files named on the \
                 command line are searched; with 1, also the files directly in directories named \
                 there. By default, there is no limit.",
        set: set!(|value, typed| typed.max_depth = Some(value.number()?)),
    },
    Flag {
        long: "max-filesize",
        value: Value("SIZE"),
        summary: "Skip files larger than SIZE.",
        manual: "Skip files larger than SIZE bytes, unless they are named on the command line. \
                 SIZE can end in K, M or G. By default, there is no limit.",
        set: set!(|value, typed| typed.max_filesize = Some(value.size()?)),
    },
    Flag {
        long: "one-file-system",
        negation: Some("no-one-file-system"),
        summary: "Do not cross file system boundaries.",
        manual: "Skip directories on other file systems than that of the path from which the walk \
                 started, like find -xdev.",
        set: set!(|value, typed| typed.one_file_system = value.is_on()),
    },
    Flag {
        long: "binary",
        negation: Some("no-binary"),
        summary: "Search binary files until a match.",
        manual: "Search binary files found in directories like those named on the command line: \
                 until the first match after a NUL byte, which is reported but not printed. By \
                 default, the search of a file found in a directory stops at its first NUL byte. \
                 If both this flag and --text are given, the last one wins; the negation of either \
                 restores the default.",
        set: set!(|value, typed| typed.binary =
            if value.is_on() { BinaryMode::Search } else { BinaryMode::Auto }),
    },
    Flag {
        long: "unrestricted",
        short: Some('u'),
        summary: "Reduce filtering; up to three times.",
        manual: "Reduce filtering. -u disregards ignore files (--no-ignore), -uu also searches \
                 hidden files (--hidden), and -uuu binary files as well (--binary). Later flags \
                 can override a part of this, as in -uu --no-hidden.",
        set: set!(|_, typed| {
            typed.unrestricted += 1;
            match typed.unrestricted {
                1 => set_no_ignore(true, typed),
                2 => typed.hidden = true,
                3 => typed.binary = BinaryMode::Search,
                _ => return Err(ValueError::new("flag can only be repeated up to 3 times")),
            }
        }),
    },
    Flag {
        long: "no-ignore",
        negation: Some("ignore"),
        summary: "Disregard ignore files.",
        manual: "Disregard ignore files. This flag implies --no-ignore-dot, --no-ignore-exclude, \
                 --no-ignore-global, --no-ignore-parent and --no-ignore-vcs. Later flags can \
                 override a part of this, as in --no-ignore --ignore-vcs. The files of \
                 --ignore-file are still used.",
        set: set!(|value, typed| set_no_ignore(value.is_on(), typed)),
    },
    Flag {
        long: "no-ignore-dot",
        negation: Some("ignore-dot"),
        summary: "Disregard .ignore and .rgignore files.",
        manual: "Disregard .ignore and .rgignore files.",
        set: set!(|value, typed| typed.no_ignore_dot = value.is_on()),
    },
    Flag {
        long: "no-ignore-vcs",
        negation: Some("ignore-vcs"),
        summary: "Disregard git's ignore files.",
        manual: "Disregard git's ignore files: .gitignore, .git/info/exclude and the file that \
                 core.excludesFile names.",
        set: set!(|value, typed| typed.no_ignore_vcs = value.is_on()),
    },
    Flag {
        long: "no-ignore-exclude",
        negation: Some("ignore-exclude"),
        summary: "Disregard .git/info/exclude.",
        manual: "Disregard the .git/info/exclude file of a repository.",
        set: set!(|value, typed| typed.no_ignore_exclude = value.is_on()),
    },
    Flag {
        long: "no-ignore-global",
        negation: Some("ignore-global"),
        summary: "Disregard git's global ignore file.",
        manual: "Disregard git's global ignore file, which is the value of core.excludesFile in \
                 git's configuration, and by default $XDG_CONFIG_HOME/git/ignore, or \
                 ~/.config/git/ignore if that variable is not set.",
        set: set!(|value, typed| typed.no_ignore_global = value.is_on()),
    },
    Flag {
        long: "no-ignore-parent",
        negation: Some("ignore-parent"),
        summary: "Disregard ignore files of parent directories.",
        manual: "Disregard ignore files in the parent directories of the paths that are searched.",
        set: set!(|value, typed| typed.no_ignore_parent = value.is_on()),
    },
    Flag {
        long: "no-ignore-files",
        negation: Some("ignore-files"),
        summary: "Disregard --ignore-file flags.",
        manual: "Disregard all --ignore-file flags, including later ones. Neither --no-ignore nor \
                 --unrestricted implies this flag.",
        set: set!(|value, typed| typed.no_ignore_files = value.is_on()),
    },
    Flag {
        long: "ignore-file",
        value: Path("PATH"),
        summary: "Add an ignore file.",
        manual: "Use PATH as an additional ignore file in the format of .gitignore. Its rules are \
                 relative to the current directory, and rules of all other ignore files take \
                 precedence. This flag can be given more than once; later files take precedence \
                 over earlier ones.",
        set: set!(|value, typed| typed.ignore_files.push(value.path())),
    },
    Flag {
        long: "ignore-file-case-insensitive",
        negation: Some("no-ignore-file-case-insensitive"),
        summary: "Match ignore rules case-insensitively.",
        manual: "Match the rules of ignore files regardless of case, except for those of \
                 --ignore-file.",
        set: set!(|value, typed| typed.ignore_file_case_insensitive = value.is_on()),
    },
    Flag {
        long: "no-require-git",
        negation: Some("require-git"),
        summary: "Use .gitignore outside of repositories too.",
        manual: "Use git's ignore files even outside of git repositories.",
        set: set!(|value, typed| typed.no_require_git = value.is_on()),
    },
];

fn type_names() -> Vec<String> {
    TypeTable::new().definitions().into_iter().map(|definition| definition.name).collect()
}

fn set_no_ignore(on: bool, typed: &mut crate::typed::TypedArgs) {
    typed.no_ignore_dot = on;
    typed.no_ignore_exclude = on;
    typed.no_ignore_global = on;
    typed.no_ignore_parent = on;
    typed.no_ignore_vcs = on;
}

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
    fn later_flags_override_unrestricted() {
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
    fn later_flags_override_no_ignore() {
        let typed = parse(["--no-ignore", "--ignore-vcs"]);
        assert!(!typed.no_ignore_vcs && typed.no_ignore_exclude && typed.no_ignore_dot);
        assert!(!typed.no_ignore_files, "--ignore-file still applies");
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
