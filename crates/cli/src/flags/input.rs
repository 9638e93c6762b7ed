//! Flags on where patterns and the bytes to search come from.

use super::{
    Available,
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
    manual: "Run COMMAND with the path of each file as its only argument, and search what it \
             prints instead of the file. Turns --search-zip off.",
    available: Available::Only(&[""]),
    ..Flag::NEW
};

const PRE_GLOB: Flag = Flag {
    long: "pre-glob",
    value: Value("GLOB"),
    category: Input,
    summary: "Run the --pre command on these files only.",
    manual: "Run the command of --pre only on files that match GLOB, or with a leading ! do not \
             run it on those; other files are searched as they are. May be given several times.",
    available: Available::Later,
    ..Flag::NEW
};

const SEARCH_ZIP: Flag = Flag {
    long: "search-zip",
    short: Some('z'),
    negation: Some("no-search-zip"),
    category: Input,
    summary: "Search in compressed files.",
    manual: "Search the contents of compressed files, which are known by their names: gzip, \
             bzip2, xz, lz4, lzma, brotli, zstd and compress. Turns --pre off.",
    available: Available::Later,
    ..Flag::NEW
};

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
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
    fn no_preprocessor_is_accepted() {
        parse(["--no-pre", "--pre=", "--pre", "", "--no-search-zip", "foo"]);
        assert_eq!(
            error(["--pre", "cat", "foo"]),
            "flag --pre cat is not available in this version of hs yet"
        );
        assert_eq!(error(["-iz", "foo"]), "flag -z is not available in this version of hs yet");
    }
}
