//! Flags that set the source of the patterns and of the bytes to search.

use super::record::{
    Flag,
    ValueKind::{Command, Path, Value},
    flags, set,
};
use crate::typed::PatternSource;

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "regexp",
        short: Some('e'),
        value: Value("PATTERN"),
        summary: "Search for PATTERN; can be repeated.",
        manual: "Search for PATTERN, which is a regular expression unless --fixed-strings is \
                 given. If this flag is given more than once, a line matches if any of the \
                 patterns matches. Use it for a pattern that begins with a dash:\n\n    \
                 hs -e --door README.md\n\n\
                 With this flag or --file, every positional argument is a path to search.",
        set: set!(|value, typed| typed
            .patterns
            .push(PatternSource::Text(value.text()?.to_owned()))),
    },
    Flag {
        long: "file",
        short: Some('f'),
        value: Path("PATTERNFILE"),
        summary: "Read patterns from a file, one per line.",
        manual: "Read patterns from PATTERNFILE, one per line, and search for all of them. Only \
                 the line terminator is removed from each line, so an empty line is a pattern that \
                 matches every line. A file without lines contains no pattern and matches nothing. \
                 If PATTERNFILE is -, patterns are read from standard input. This flag can be \
                 given more than once and together with --regexp.\n\n\
                 With this flag or --regexp, every positional argument is a path to search.",
        set: set!(|value, typed| typed.patterns.push(PatternSource::File(value.path()))),
    },
    Flag {
        long: "pre",
        negation: Some("no-pre"),
        value: Command("COMMAND"),
        summary: "Search the output of COMMAND for each file.",
        manual: "Run COMMAND for each file and search its standard output instead of the file. \
                 COMMAND is looked up in PATH. It receives the path of the file as its only \
                 argument and the file as its standard input. If COMMAND cannot be started or \
                 fails, an error is reported and the search continues; what COMMAND wrote before \
                 it failed has been searched. Standard input is searched without running COMMAND.\n\n\
                 Starting a process for each file takes much longer than searching it: use \
                 --pre-glob to select the files that need it. An empty COMMAND disables this flag. \
                 If both this flag and --search-zip are given, the last one wins.",
        set: set!(|value, typed| {
            typed.pre =
                Some(value.path()).filter(|path| value.is_on() && !path.as_os_str().is_empty());
            typed.search_zip &= typed.pre.is_none();
        }),
    },
    Flag {
        long: "pre-glob",
        value: Value("GLOB"),
        summary: "Run --pre only on files that match GLOB.",
        manual: "Run the --pre command only on files that match GLOB. A leading ! excludes the \
                 files that match instead. All other files are searched without the command. This \
                 flag can be given more than once, and has no effect without --pre. Globs have the \
                 syntax of --glob.",
        set: set!(|value, typed| typed.pre_globs.push(value.text()?.to_owned())),
    },
    Flag {
        long: "search-zip",
        short: Some('z'),
        negation: Some("no-search-zip"),
        summary: "Search in compressed files.",
        manual: "Search the decompressed contents of compressed files. The name of a file \
                 determines its format: gzip, bzip2, xz, lz4, lzma, brotli, zstd or compress. \
                 Archives are not unpacked: a .tgz file is searched as the single stream that it \
                 decompresses to. No other program is needed, except for the .Z files of compress, \
                 which are searched as they are if neither uncompress nor gzip is installed.\n\n\
                 If a file is damaged, the data before the damage is searched and an error is \
                 reported. If both this flag and --pre are given, the last one wins.",
        set: set!(|value, typed| {
            typed.search_zip = value.is_on();
            if value.is_on() {
                typed.pre = None;
            }
        }),
    },
];

#[cfg(test)]
mod tests {
    use super::super::tests::parse;
    use crate::typed::PatternSource::{File, Text};

    #[test]
    fn patterns_keep_their_order() {
        let typed = parse(["-e", "-a", "-fB", "--regexp=", "--file", "-", "-ed", "path"]);
        let expected = [
            Text("-a".into()),
            File("B".into()),
            Text(String::new()),
            File("-".into()),
            Text("d".into()),
        ];
        assert_eq!(typed.patterns, expected);
        assert_eq!(typed.positional, ["path"]);
    }

    #[test]
    fn a_preprocessor_and_decompression_exclude_each_other() {
        let both = |args: &[&str]| {
            let typed = parse(args);
            (typed.pre.map(|path| path.display().to_string()), typed.search_zip)
        };
        let cat = Some("cat".to_owned());
        assert_eq!(both(&["-z"]), (None, true));
        assert_eq!(both(&["-z", "--pre=cat"]), (cat.clone(), false));
        assert_eq!(both(&["--pre=cat", "-z"]), (None, true));
        assert_eq!(both(&["-z", "--pre="]), (None, true));
        assert_eq!(both(&["-z", "--no-pre"]), (None, true));
        assert_eq!(both(&["--pre=cat", "--no-search-zip"]), (cat, false));
        assert_eq!(both(&["--pre=cat", "--no-pre"]), (None, false));
        assert_eq!(both(&["--pre=cat", "--pre", ""]), (None, false));
        assert_eq!(both(&["-z", "--no-search-zip"]), (None, false));
    }

    #[test]
    fn preprocessor_globs_accumulate() {
        assert_eq!(parse(["--pre-glob", "*.pdf", "--pre-glob=!a*"]).pre_globs, ["*.pdf", "!a*"]);
    }
}
