//! Command lines for which heist and ripgrep are known to differ, or ripgrep with itself. The
//! comparisons skip and count them.

use std::{collections::BTreeMap, fmt, sync::Mutex};

/// The properties of a command line and of its haystacks that decide whether a known difference can
/// show.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// The arguments after the program's name.
    pub(crate) args: &'a [String],
    /// A file contains a NUL byte.
    pub(crate) has_nul: bool,
    /// A file is longer than small reads and small pipes.
    pub(crate) is_long: bool,
    /// A line is longer than a read block.
    pub(crate) has_long_line: bool,
    /// A file is read from standard input.
    pub(crate) is_piped: bool,
    /// The last byte of a file is not ASCII.
    pub(crate) ends_non_ascii: bool,
    /// All files are UTF-8.
    pub(crate) is_utf8: bool,
    /// The name of a file promises a compression that the file has not, or a compressed file is
    /// read without a name.
    pub(crate) is_misnamed: bool,
    /// The number of files.
    pub(crate) files: usize,
}

impl Case<'_> {
    /// Whether an argument begins with one of `starts`.
    fn has(&self, starts: &[&str]) -> bool {
        self.args.iter().any(|arg| starts.iter().any(|start| arg.starts_with(start)))
    }

    /// Whether an argument equals one of `whole`.
    fn is(&self, whole: &[&str]) -> bool {
        self.args.iter().any(|arg| whole.contains(&arg.as_str()))
    }

    /// Whether an argument contains one of `parts`.
    fn contains(&self, parts: &[&str]) -> bool {
        self.args.iter().any(|arg| parts.iter().any(|part| arg.contains(part)))
    }

    /// Whether a NUL byte makes a file binary.
    fn detects_nul(&self) -> bool {
        let is_text =
            self.is(&["-a"]) && !self.is(&["--binary", "--no-binary", "--no-text", "-uuu"]);
        self.has_nul && !is_text && !self.is(&["--null-data"])
    }

    fn has_context(&self) -> bool {
        self.has(&["-A", "-B", "-C"])
    }

    fn has_max_count(&self) -> bool {
        self.has(&["-m"])
    }

    fn uses_pcre2(&self) -> bool {
        self.is(&["-P", "--engine=pcre2", "--engine=auto", "--auto-hybrid-regex"])
    }
}

/// A known difference.
#[derive(Debug)]
pub(crate) struct Known {
    /// The difference's number in the list of ripgrep's quirks.
    number: u32,
    /// What ripgrep does.
    quirk: &'static str,
    /// Whether a command line can show it.
    can_show: fn(&Case<'_>) -> bool,
}

/// Counts the cases that were compared, and for each known difference those that were skipped.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<Option<(u32, &'static str)>, usize>>);

impl Tally {
    /// Counts a case, which is skipped if it can show the difference `known`.
    pub(crate) fn count(&self, known: Option<&'static Known>) {
        let key = known.map(|known| (known.number, known.quirk));
        *self.0.lock().expect("counting does not panic").entry(key).or_default() += 1;
    }

    /// The number of cases that were compared.
    pub(crate) fn compared(&self) -> usize {
        self.0.lock().expect("counting does not panic").get(&None).copied().unwrap_or_default()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (known, count) in self.0.lock().expect("counting does not panic").iter() {
            match known {
                None => writeln!(f, "{count:6} compared")?,
                Some((number, quirk)) => writeln!(f, "{count:6} skipped, {number}: {quirk}")?,
            }
        }
        Ok(())
    }
}

/// Returns the first known difference that `case` can show.
pub(crate) fn find(case: &Case<'_>) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.can_show)(case))
}

/// Whether the files are sorted.
pub(crate) fn is_sorted(args: &[String]) -> bool {
    args.iter().fold(false, |sorted, arg| match arg.as_str() {
        "--sort-files" => true,
        "--no-sort-files" => false,
        arg => {
            let key = arg.strip_prefix("--sortr=").or_else(|| arg.strip_prefix("--sort="));
            key.map_or(sorted, |key| key != "none")
        }
    })
}

/// Patterns that match at the beginning of a line.
const LINE_START: [&str; 2] = ["-e^", "-e(?m)^"];

/// Patterns with empty matches.
const EMPTY: [&str; 6] = ["-e", "-e^", "-ex*", "-e^$", r"-e\b", "-e$"];

const KNOWN: [Known; 39] = [
    known(9, "a mode after --files starts a search; heist lists, with --json as JSON", |case| {
        case.is(&["--files"])
            && case.is(&["-c", "-l", "--count-matches", "--files-without-match", "--json"])
    }),
    known(21, "a NUL in a context line ends the search before a match further on", |case| {
        case.detects_nul() && (case.has_context() || case.is(&["--passthru"]))
    }),
    known(22, "what is printed of a pipe before a NUL depends on the sizes of its reads", |case| {
        case.detects_nul() && ((case.is_piped && case.is_long) || case.is(&["--pre=tac"]))
    }),
    known(23, "only several threads put a separator before a file that is just binary", |case| {
        case.detects_nul() && case.files > 1 && case.is(&["--heading", "-p"])
    }),
    known(24, "a skipped binary file makes --files-without-match exit with 0", |case| {
        case.detects_nul() && case.is(&["--files-without-match"])
    }),
    known(25, "matches in the context after the last counted line are counted", |case| {
        let is_counted = case.is(&["-c", "--count-matches", "-q"])
            || case.is(&["--stats"]) && case.is(&["-l", "--files-without-match"]);
        case.has_max_count() && case.has_context() && is_counted
    }),
    known(26, "with -v, or after -m, only some strategies stop at a non-matching line", |case| {
        case.is(&["--stop-on-nonmatch"]) && (case.is(&["-v"]) || case.has_max_count())
    }),
    known(27, "after -m, -v reads on, and miscounts and mislabels the lines that follow", |case| {
        case.is(&["-v"])
            && case.has_max_count()
            && (case.has_context() || case.is(&["--passthru", "--stats", "--json"]))
    }),
    known(28, "whether -v lists a binary file depends on the size of a read block", |case| {
        case.detects_nul() && case.is(&["-v"]) && case.is(&["-l"])
    }),
    known(29, "a line is printed once per match: gigabytes, if it is long", |case| {
        case.is(&["--vimgrep"]) && case.is_long
    }),
    known(10, "a NUL far into a file is found by reads but not in a memory map", |case| {
        case.detects_nul() && case.is(&["--mmap"])
    }),
    known(30, "patterns are not checked if the search cannot find anything", |case| {
        case.is(&["-m0"])
    }),
    known(31, "a line with a match of \\A is printed, but highlighted only in line one", |case| {
        case.contains(&[r"\A"])
    }),
    known(31, "\\z matches before \\r\\n with --crlf, and not at ends with --null-data", |case| {
        case.is(&["--crlf", "--null-data"]) && case.contains(&[r"\z"])
    }),
    known(33, "an incomplete last character is lost or replaced, depending on lengths", |case| {
        case.ends_non_ascii && case.contains(&["shift_jis", "gbk"])
    }),
    known(34, "with -P and --crlf, a match can contain the \\n of a line", |case| {
        case.is(&["--crlf"]) && case.uses_pcre2()
    }),
    known(35, "with -U, an empty match at a line start also counts for the line before", |case| {
        case.is(&["-U"]) && case.has_max_count() && case.is(&EMPTY)
    }),
    known(36, "with -P or --null-data, a match at a line start is not found to be shown", |case| {
        let is_null = case.is(&["--null-data"]);
        case.is(&EMPTY) && (is_null || case.uses_pcre2()) || is_null && case.has(&LINE_START)
    }),
    known(37, "with -w and \\B, matches next to invalid UTF-8 depend on earlier lines", |case| {
        !case.is_utf8 && case.is(&["-w"]) && case.is(&EMPTY)
    }),
    known(38, "with --crlf, a bare \\n is part of its line in searches line by line", |case| {
        let by_line = case.is(&["--passthru", "--stop-on-nonmatch"]);
        let is_by_line = by_line || case.has_max_count() && case.has_context();
        let can_match_it =
            case.is(&["-U"]) || case.is(&["-w", "-x"]) && case.is(&EMPTY) || case.is(&["-e^$"]);
        case.is(&["--crlf"]) && is_by_line && can_match_it
    }),
    known(
        39,
        "a match after the last counted line shows as one, except with --null-data",
        |case| {
            case.has_nul && case.is(&["--null-data"]) && case.has_max_count() && case.has_context()
        },
    ),
    known(40, "with --vimgrep and -U, a first line cut by -M makes the next one print", |case| {
        case.is(&["--vimgrep"]) && case.is(&["-U"]) && case.has(&["-M", "--max-columns"])
    }),
    known(41, "after a line of over 64 KiB, more of a file is read before its NUL", |case| {
        case.detects_nul() && case.has_long_line && case.files > 1
    }),
    known(42, "with -U, the text before a match is forgotten where another match ends", |case| {
        let looks_behind = case.is(&["-w", "-x", r"-e\b"]) || case.has(&LINE_START);
        let can_span = case.contains(&[r"\s", r"\W", "[^", "(?s)"]);
        // A match that ends within a line is followed by others there, which count.
        case.is(&["-U"]) && looks_behind && (can_span || case.has_max_count())
    }),
    known(43, "with -U, a match behind the last line makes context but no line", |case| {
        let is_after_last_line =
            case.is(&["-e^$"]) || case.is(&["-x"]) && case.is(&EMPTY) || case.contains(&[r"\z"]);
        case.is(&["-U"]) && case.has_context() && is_after_last_line
    }),
    known(44, "with -U, text behind the last counted line counts as searched", |case| {
        case.is(&["-U"]) && case.has_max_count() && case.is(&["--json", "--stats"])
    }),
    known(45, "with -U and -v, -m limits the matches, none of which is printed", |case| {
        case.is(&["-U"]) && case.is(&["-v"]) && case.has_max_count()
    }),
    known(46, "with -U and -m, text after the last counted line is replaced or printed", |case| {
        case.is(&["-U"]) && case.has_max_count() && case.has(&["-r"])
    }),
    known(47, "after -m, a search line by line reads the next line, and can see its NUL", |case| {
        case.detects_nul() && case.has_max_count() && case.contains(&[r"\z"])
    }),
    known(48, "with -m and context, the bytes searched depend on matches beyond -m", |case| {
        case.has_max_count() && case.has_context() && case.is(&["--json", "--stats"])
    }),
    known(49, "with -v, lines up to the next match count as searched after a NUL", |case| {
        case.detects_nul() && case.is(&["-v"]) && case.is(&["--json", "--stats"])
    }),
    known(50, "the groups of several patterns are numbered and named together", |case| {
        let patterns = case.args.iter().filter(|arg| arg.starts_with("-e") && arg.len() > 2);
        let (mut several, with_groups) = (patterns.clone(), ["(\\w)\\1", "(?<", "(?P<"]);
        several.nth(1).is_some() && (case.contains(&with_groups) || case.has(&["-r", "--replace"]))
    }),
    known(51, "with --json, a NUL counts as the end of a line unless the file is mapped", |case| {
        case.detects_nul() && case.is(&["--json"])
    }),
    known(52, "with -U and -r, a line terminator that was replaced is put back", |case| {
        case.is(&["-U"]) && case.has(&["-r", "--replace"])
    }),
    known(53, "with --crlf, matches, colored lines and those of -U all end in \\r\\n", |case| {
        let ends_all = case.has(&["-o", "--only-matching", "-U", "--color", "-p", "--pretty"]);
        case.is(&["--crlf"]) && ends_all
    }),
    known(
        54,
        "with -U, empty matches are not printed by -o, nor by --vimgrep at a line start",
        |case| case.is(&["-U"]) && case.is(&["-o", "--only-matching", "--vimgrep"]),
    ),
    known(55, "an --ignore-file that is missing leaves the exit code as it is", |case| {
        case.is(&["--ignore-file"]) && case.is(&["missing"])
    }),
    known(57, "-z goes by names, and leaves standard input as it is", |case| {
        case.is_misnamed && case.has(&["-z", "--search-zip"])
    }),
    known(32, "separators between files count as printed with one thread only", |case| {
        let has_separators = case.has_context() || case.is(&["--heading", "-p"]);
        let has_other_ends = case.is(&["--crlf", "--null-data"]) && case.files > 1;
        has_separators && (has_other_ends || case.is(&["--stats"]))
    }),
];

/// An entry of [`KNOWN`].
const fn known(number: u32, quirk: &'static str, can_show: fn(&Case<'_>) -> bool) -> Known {
    Known { number, quirk, can_show }
}
