//! Flags on where patterns and the bytes to search come from.

use super::{
    Category::Input,
    Flag,
    ValueKind::{Command, Path, Value},
};
use crate::typed::PatternSource;

pub(super) const FLAGS: &[&Flag] = &[&REGEXP, &FILE, &PRE, &PRE_GLOB, &SEARCH_ZIP];

const REGEXP: Flag = Flag {
    long: "regexp",
    short: Some('e'),
    value: Value("PATTERN"),
    category: Input,
    summary: "Search for PATTERN; may be repeated.",
    manual: "Search for PATTERN. Given several times, lines that match any of the patterns are \
             found. This is also the way to search for something that begins with a dash.\n\n\
             With this flag or --file, every other argument is a path to search.",
    set: |given, typed| {
        typed.patterns.push(PatternSource::Text(given.text()?.to_owned()));
        Ok(())
    },
    ..Flag::NEW
};

const FILE: Flag = Flag {
    long: "file",
    short: Some('f'),
    value: Path("PATTERNFILE"),
    category: Input,
    summary: "Search for the patterns in a file.",
    manual: "Search for the patterns in PATTERNFILE, one per line, as if each had been given with \
             --regexp. Nothing is trimmed but the line's end, and an empty line is a pattern that \
             matches every line. A file without any line holds no pattern and matches nothing. \
             The file - is standard input.\n\n\
             With this flag or --regexp, every other argument is a path to search.",
    set: |given, typed| {
        typed.patterns.push(PatternSource::File(given.path()));
        Ok(())
    },
    ..Flag::NEW
};

const PRE: Flag = Flag {
    long: "pre",
    negation: Some("no-pre"),
    value: Command("COMMAND"),
    category: Input,
    summary: "Search what COMMAND prints for each file.",
    manual: "Run COMMAND with the path of each file as its only argument and the file as its \
             standard input, and search what it prints instead of the file. Standard input is \
             searched as it is. Where COMMAND cannot be run or fails, an error is told and the \
             search goes on; what it printed before has been searched. It is looked up in PATH.\n\n\
             A process is started for each file, which takes much longer than searching it: \
             --pre-glob says which files need it. An empty COMMAND is none. Turns --search-zip \
             off; the later of the two holds.",
    set: |given, typed| {
        typed.pre = Some(given.path()).filter(|path| given.is_on() && !path.as_os_str().is_empty());
        typed.search_zip &= typed.pre.is_none();
        Ok(())
    },
    ..Flag::NEW
};

const PRE_GLOB: Flag = Flag {
    long: "pre-glob",
    value: Value("GLOB"),
    category: Input,
    summary: "Run the --pre command on these files only.",
    manual: "Run the command of --pre only on files that match GLOB, or with a leading ! do not \
             run it on those; other files are searched as they are. May be given several times. \
             Globs are those of --glob.",
    set: |given, typed| {
        typed.pre_globs.push(given.text()?.to_owned());
        Ok(())
    },
    ..Flag::NEW
};

const SEARCH_ZIP: Flag = Flag {
    long: "search-zip",
    short: Some('z'),
    negation: Some("no-search-zip"),
    category: Input,
    summary: "Search in compressed files.",
    manual: "Search the contents of compressed files, which are known by their names: gzip, \
             bzip2, xz, lz4, lzma, brotli, zstd and compress. Archives are not opened: a .tgz is \
             searched as the one file that it decompresses to. No other program is needed, but \
             for files of compress (.Z), which are searched as they are where there is neither \
             uncompress nor gzip.\n\n\
             If a file turns out to be damaged, what comes before the damage is searched and an \
             error told. Turns --pre off; the later of the two holds.",
    set: |given, typed| {
        typed.search_zip = given.is_on();
        if given.is_on() {
            typed.pre = None;
        }
        Ok(())
    },
    ..Flag::NEW
};

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
