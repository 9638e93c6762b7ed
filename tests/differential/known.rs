//! Where heist and ripgrep are known to differ, or ripgrep with itself, and nobody should follow it.

use std::{collections::BTreeMap, fmt, sync::Mutex};

/// What is known of a command line and what it searches.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// All that follows the program's name.
    pub(crate) args: &'a [String],
    /// A file holds a NUL byte.
    pub(crate) has_nul: bool,
    /// A file is longer than small reads and small pipes.
    pub(crate) is_long: bool,
    /// A line is longer than what is read at a time.
    pub(crate) has_long_line: bool,
    /// A file is read from standard input.
    pub(crate) is_piped: bool,
    /// A file ends with a byte that is not ASCII.
    pub(crate) ends_within: bool,
    /// All files are UTF-8.
    pub(crate) is_utf8: bool,
    /// How many files there are.
    pub(crate) files: usize,
}

impl Case<'_> {
    /// Whether an argument begins with one of these.
    fn has(&self, starts: &[&str]) -> bool {
        self.args.iter().any(|arg| starts.iter().any(|start| arg.starts_with(start)))
    }

    /// Whether an argument is one of these.
    fn is(&self, whole: &[&str]) -> bool {
        self.args.iter().any(|arg| whole.contains(&arg.as_str()))
    }

    /// Whether an argument contains one of these.
    fn holds(&self, parts: &[&str]) -> bool {
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
}

/// A difference that is known.
#[derive(Debug)]
pub(crate) struct Known {
    /// Its number in the list of ripgrep's quirks.
    pub(crate) number: u32,
    /// What ripgrep does.
    pub(crate) why: &'static str,
    /// Whether a command line may show it.
    may_show: fn(&Case<'_>) -> bool,
}

/// How many cases were compared, and how many passed over for which difference.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<Option<(u32, &'static str)>, usize>>);

impl Tally {
    /// Count one more case.
    pub(crate) fn count(&self, known: Option<&'static Known>) {
        let key = known.map(|known| (known.number, known.why));
        *self.0.lock().expect("counting does not panic").entry(key).or_default() += 1;
    }

    /// How many cases were compared.
    pub(crate) fn compared(&self) -> usize {
        self.0.lock().expect("counting does not panic").get(&None).copied().unwrap_or_default()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (known, count) in self.0.lock().expect("counting does not panic").iter() {
            match known {
                None => writeln!(f, "{count:6} compared")?,
                Some((number, why)) => writeln!(f, "{count:6} passed over, {number}: {why}")?,
            }
        }
        Ok(())
    }
}

/// The first of the known differences that `case` may show.
pub(crate) fn find(case: &Case<'_>) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.may_show)(case))
}

/// Whether the files are put in order.
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

/// Patterns that match where lines begin.
const BEGIN: [&str; 2] = ["-e^", "-e(?m)^"];

/// Patterns that match where nothing is.
const EMPTY: [&str; 6] = ["-e", "-e^", "-ex*", "-e^$", r"-e\b", "-e$"];

const KNOWN: [Known; 32] = [
    Known {
        number: 9,
        why: "a mode after --files makes it search; heist goes on listing",
        may_show: |case| {
            case.is(&["--files"])
                && case.is(&["-c", "-l", "--count-matches", "--files-without-match", "--json"])
        },
    },
    Known {
        number: 21,
        why: "a NUL in a context line makes it give the file up, although a match is still to come",
        may_show: |case| case.detects_nul() && (case.has_context() || case.is(&["--passthru"])),
    },
    Known {
        number: 22,
        why: "what is printed of a pipe before a NUL depends on how the pipe delivers",
        may_show: |case| {
            case.detects_nul() && ((case.is_piped && case.is_long) || case.is(&["--pre=tac"]))
        },
    },
    Known {
        number: 23,
        why: "before a file that is only said to be binary, threads make a separator, one does not",
        may_show: |case| case.detects_nul() && case.files > 1 && case.is(&["--heading", "-p"]),
    },
    Known {
        number: 24,
        why: "a binary file that is passed over makes --files-without-match exit with 0",
        may_show: |case| case.detects_nul() && case.is(&["--files-without-match"]),
    },
    Known {
        number: 25,
        why: "matches in the context after the last line that counts are counted",
        may_show: |case| {
            let is_unseen = case.is(&["-c", "--count-matches", "-q"])
                || case.is(&["--stats"]) && case.is(&["-l", "--files-without-match"]);
            case.has_max_count() && case.has_context() && is_unseen
        },
    },
    Known {
        number: 26,
        why: "with -v, or once -m is reached, some ways of searching stop at a line that does not \
              match and others do not",
        may_show: |case| {
            case.is(&["--stop-on-nonmatch"]) && (case.is(&["-v"]) || case.has_max_count())
        },
    },
    Known {
        number: 27,
        why: "once -m is reached, -v reads on, and miscounts and mislabels the lines that follow",
        may_show: |case| {
            case.is(&["-v"])
                && case.has_max_count()
                && (case.has_context() || case.is(&["--passthru", "--stats", "--json"]))
        },
    },
    Known {
        number: 28,
        why: "whether -v lists a binary file depends on how many lines are read at a time",
        may_show: |case| case.detects_nul() && case.is(&["-v"]) && case.is(&["-l"]),
    },
    Known {
        number: 29,
        why: "a line is printed once per match: gigabytes, if it is long",
        may_show: |case| case.is(&["--vimgrep"]) && case.is_long,
    },
    Known {
        number: 10,
        why: "a NUL far into a file is seen when it is read, and not when it is mapped",
        may_show: |case| case.detects_nul() && case.is(&["--mmap"]),
    },
    Known {
        number: 30,
        why: "patterns are not looked at when nothing is to be found anyway",
        may_show: |case| case.is(&["-m0"]),
    },
    Known {
        number: 31,
        why: "a line in which \\A matches is printed, but its match is found in the first line only",
        may_show: |case| case.holds(&[r"\A"]),
    },
    Known {
        number: 31,
        why: "\\z matches before \\r\\n and not before \\n with --crlf, and not at the ends of records with --null-data",
        may_show: |case| case.is(&["--crlf", "--null-data"]) && case.holds(&[r"\z"]),
    },
    Known {
        number: 33,
        why: "an incomplete character at the end of a file is lost or replaced, depending on lengths",
        may_show: |case| case.ends_within && case.holds(&["shift_jis", "gbk"]),
    },
    Known {
        number: 34,
        why: "with -P and --crlf, a match may take the end of a line that ends in \\n",
        may_show: |case| {
            case.is(&["--crlf"])
                && case.is(&["-P", "--engine=pcre2", "--engine=auto", "--auto-hybrid-regex"])
        },
    },
    Known {
        number: 35,
        why: "with -U, an empty match where a line begins counts for the line before as well",
        may_show: |case| case.is(&["-U"]) && case.has_max_count() && case.is(&EMPTY),
    },
    Known {
        number: 36,
        why: "an empty match where a line begins is not found again to be shown, with -P or --null-data, and with \
              that nothing is that begins there",
        may_show: |case| {
            let engines = ["-P", "--engine=pcre2", "--engine=auto", "--auto-hybrid-regex"];
            let is_null = case.is(&["--null-data"]);
            case.is(&EMPTY) && (is_null || case.is(&engines)) || is_null && case.has(&BEGIN)
        },
    },
    Known {
        number: 37,
        why: "with -w and \\B, whether a match may stand beside a byte that is not UTF-8 depends on the \
              lines before and on the way of searching",
        may_show: |case| !case.is_utf8 && case.is(&["-w"]) && case.is(&EMPTY),
    },
    Known {
        number: 38,
        why: "with --crlf, a bare \\n is part of its line where lines are asked one by one",
        may_show: |case| {
            let by_line = case.is(&["--passthru", "--stop-on-nonmatch"]);
            let is_asked = by_line || case.has_max_count() && case.has_context();
            let holds_it =
                case.is(&["-U"]) || case.is(&["-w", "-x"]) && case.is(&EMPTY) || case.is(&["-e^$"]);
            case.is(&["--crlf"]) && is_asked && holds_it
        },
    },
    Known {
        number: 39,
        why: "a match in the context after the last line that counts is shown as one, but not with \
              --null-data",
        may_show: |case| {
            case.has_nul && case.is(&["--null-data"]) && case.has_max_count() && case.has_context()
        },
    },
    Known {
        number: 40,
        why: "with --vimgrep and -U, where the first line of a match is left out by -M the next is printed",
        may_show: |case| {
            case.is(&["--vimgrep"]) && case.is(&["-U"]) && case.has(&["-M", "--max-columns"])
        },
    },
    Known {
        number: 41,
        why: "a line longer than 64 KiB leaves more room for the files after it, so that more of them is \
              read before a NUL is seen and less is printed",
        may_show: |case| case.detects_nul() && case.has_long_line && case.files > 1,
    },
    Known {
        number: 42,
        why: "with -U, what stands before a match is forgotten where another match ends there",
        may_show: |case| {
            let looks_behind = case.is(&["-w", "-x", r"-e\b"]) || case.has(&BEGIN);
            let may_span = case.holds(&[r"\s", r"\W", "[^", "(?s)"]);
            // One that ends within a line is followed by others there, which count.
            case.is(&["-U"]) && looks_behind && (may_span || case.has_max_count())
        },
    },
    Known {
        number: 43,
        why: "with -U, context is printed before a match behind the last line, which makes no line a match",
        may_show: |case| {
            let may_be_behind =
                case.is(&["-e^$"]) || case.is(&["-x"]) && case.is(&EMPTY) || case.holds(&[r"\z"]);
            case.is(&["-U"]) && case.has_context() && may_be_behind
        },
    },
    Known {
        number: 44,
        why: "with -U, what stands behind the last line that counts is said to have been searched",
        may_show: |case| {
            case.is(&["-U"]) && case.has_max_count() && case.is(&["--json", "--stats"])
        },
    },
    Known {
        number: 45,
        why: "with -U and -v, -m is a limit of matches, of which none is printed",
        may_show: |case| case.is(&["-U"]) && case.is(&["-v"]) && case.has_max_count(),
    },
    Known {
        number: 46,
        why: "with -U and -m, what a match behind the last line that counts ends with is replaced or printed, \
              and --json may panic",
        may_show: |case| case.is(&["-U"]) && case.has_max_count() && case.has(&["-r"]),
    },
    Known {
        number: 47,
        why: "once -m is reached, what goes line by line reads on until the next line, and may see a NUL",
        may_show: |case| case.detects_nul() && case.has_max_count() && case.holds(&[r"\z"]),
    },
    Known {
        number: 48,
        why: "with -m and context, how much is said to have been searched depends on whether a line matches that \
              is not wanted any more",
        may_show: |case| {
            case.has_max_count() && case.has_context() && case.is(&["--json", "--stats"])
        },
    },
    Known {
        number: 49,
        why: "with -v, where a NUL ends the search at a line, all lines up to the next match are said to have been \
              searched",
        may_show: |case| case.detects_nul() && case.is(&["-v"]) && case.is(&["--json", "--stats"]),
    },
    Known {
        number: 32,
        why: "what stands between files is counted as printed and ends as lines do if there is one \
              thread; with several it does not, and stands before the statistics, too",
        may_show: |case| {
            let is_between = case.has_context() || case.is(&["--heading", "-p"]);
            let is_ended = case.is(&["--crlf", "--null-data"]) && case.files > 1;
            is_between && (is_ended || case.is(&["--stats"]))
        },
    },
];
