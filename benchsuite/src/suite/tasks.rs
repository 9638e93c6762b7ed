//! The tasks, as data: adding one is adding an element to [`WALK`] or [`SEARCH`].

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Task {
    /// What it is called on the command line and in tables.
    pub(crate) name: &'static str,
    /// What is done, in a sentence without its full stop.
    pub(crate) about: &'static str,
    /// The work.
    pub(crate) work: Work,
}

/// What a command has to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Work {
    /// Print the path of every file, hidden and ignored ones included.
    ListAll,
    /// Print the paths of the files that are not ignored.
    ListIgnore,
    /// Search the files that are not ignored.
    SearchIgnore(Query),
    /// Search every text file.
    SearchAll(Query),
    /// Read every file without searching it, which only the walker and the floor can do.
    ReadAll,
}

impl Work {
    /// Whether it prints paths, which a single file has none of.
    pub(crate) fn is_walk(self) -> bool {
        matches!(self, Work::ListAll | Work::ListIgnore | Work::ReadAll)
    }
}

/// What is searched for; every tool's flags are derived from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Query {
    pub(crate) pattern: Pattern,
    pub(crate) flags: &'static [Flag],
    pub(crate) compared: Compared,
}

/// The pattern of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// A regular expression, in what all engines have in common.
    Regex(&'static str),
    /// The words of [`words`], one per line, from a file.
    Words,
}

/// How to search, and what to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    /// Upper and lower case are the same.
    IgnoreCase,
    /// Only whole words.
    Word,
    /// Only whole lines.
    Line,
    /// Print what matches, not its line.
    OnlyMatching,
    /// Print how many lines of each file match.
    Count,
    /// Print how often each file matches.
    CountMatches,
    /// Print three lines before and after.
    Context,
    /// The patterns are no regular expressions.
    Fixed,
    /// The pattern is a regular expression of Perl, with what only backtracking can find.
    Perl,
    /// A match may span lines.
    MultiLine,
    /// A dot may be the end of a line.
    DotAll,
    /// Lines may end with a carriage return and a line feed.
    Crlf,
    /// Lines end with NUL.
    NullData,
    /// Lines that do not match.
    Invert,
    /// Print the paths of files that match.
    FilesWith,
    /// Print the paths of files that do not.
    FilesWithout,
    /// No more than one line of each file.
    Once,
    /// Print all lines, those that match in a way of their own.
    Passthru,
    /// Print a line once for each match in it, with the column.
    Vimgrep,
    /// Print what others can draw, in colours.
    Colour,
    /// Print messages for programs.
    Json,
    /// Count everything, and print that last.
    Stats,
    /// Print lines with the two groups of each match swapped.
    Swap,
    /// Print the two groups of each match swapped, and nothing else.
    OnlySwapped,
    /// Take files for Latin-1, and print UTF-8.
    Latin1,
    /// Look into compressed files.
    Compressed,
    /// Print files in the order of their paths.
    Sorted,
}

/// What two tools have to agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// Every line, in any order.
    Lines,
    /// Every line, in this order.
    Order,
    /// Every line, in any order; lines that report a duration are only counted.
    Timeless,
}

const fn search(
    name: &'static str,
    about: &'static str,
    pattern: &'static str,
    flags: &'static [Flag],
) -> Task {
    compared(name, about, pattern, flags, Compared::Lines)
}

const fn compared(
    name: &'static str,
    about: &'static str,
    pattern: &'static str,
    flags: &'static [Flag],
    compared: Compared,
) -> Task {
    let query = Query { pattern: Pattern::Regex(pattern), flags, compared };
    Task { name, about, work: Work::SearchAll(query) }
}

/// The tasks of `benchsuite walk`.
pub(crate) const WALK: &[Task] = &[
    Task { name: "list-all", about: "Print every file's path", work: Work::ListAll },
    Task {
        name: "list-ignore",
        about: "Print the paths that ignore rules leave",
        work: Work::ListIgnore,
    },
    Task {
        name: "search",
        about: "Look for a word that is nowhere, in the files that ignore rules leave",
        work: Work::SearchIgnore(Query {
            pattern: Pattern::Regex("zqxjkvbpw"),
            flags: &[],
            compared: Compared::Lines,
        }),
    },
    Task { name: "read", about: "Read every file, without searching it", work: Work::ReadAll },
];

/// The tasks of `benchsuite search`: every text file is searched, hidden or not, whatever the
/// ignore files, since all tools have options for that.
pub(crate) const SEARCH: &[Task] = &[
    search("no-hit", "A word that is nowhere", "zqxjkvbpw", &[]),
    search("rare", "A rare literal", "PM_RESUME", &[]),
    search("literal", "A frequent literal", "static", &[]),
    search("literal-i", "A literal in any case", "pm_resume", &[Flag::IgnoreCase]),
    search("frequent-i", "A frequent word in any case", "error", &[Flag::IgnoreCase]),
    search("word", "A literal as a whole word", "size", &[Flag::Word]),
    search(
        "alternates",
        "One of four literals",
        "ERR_SYS|PME_TURN_OFF|LINK_REQ_RST|CFG_BME_EVT",
        &[],
    ),
    search(
        "alternates-i",
        "One of four literals in any case",
        "ERR_SYS|PME_TURN_OFF|LINK_REQ_RST|CFG_BME_EVT",
        &[Flag::IgnoreCase],
    ),
    Task {
        name: "words-file",
        about: "One of 1,000 words from a file",
        work: Work::SearchAll(Query {
            pattern: Pattern::Words,
            flags: &[Flag::Fixed, Flag::Count],
            compared: Compared::Lines,
        }),
    },
    search("suffix", "A regular expression with a literal end", r"[A-Z]+_RESUME", &[]),
    search("no-literal", "A regular expression without a literal", r"[0-9]{7}x ", &[]),
    search(
        "classes",
        "Five words of five letters",
        r"[a-z]{5} +[a-z]{5} +[a-z]{5} +[a-z]{5} +[a-z]{5}",
        &[],
    ),
    search("count", "How many lines of each file have a literal", "static", &[Flag::Count]),
    search("only-matching", "What matches, not its line", "[a-z_]+_init", &[Flag::OnlyMatching]),
    search("context", "Three lines before and after", "PM_RESUME", &[Flag::Context]),
    search("unicode-class", "A class of Unicode", r"\p{Greek}", &[]),
    // The rest varies the ways to search and to print. Engines with and without Unicode agree about
    // these patterns.
    search("line", "A line as a whole", r"\s*return 0;", &[Flag::Line]),
    search("invert", "How many lines do not match", "static", &[Flag::Invert, Flag::Count]),
    search("files", "The paths of files that match", "static", &[Flag::FilesWith]),
    search(
        "files-without",
        "The paths of files that do not match",
        "static",
        &[Flag::FilesWithout],
    ),
    search("once", "The first line of each file that matches", "static", &[Flag::Once]),
    search("count-matches", "How often each file matches", "[a-z]+_", &[Flag::CountMatches]),
    search("vimgrep", "A line for each match, with its column", "size", &[Flag::Vimgrep]),
    search("colour", "Matches in colours", "static", &[Flag::Colour]),
    search("passthru", "All lines, the matching ones marked", "static", &[Flag::Passthru]),
    search("replace", "Lines with two groups swapped", GROUPS, &[Flag::Swap]),
    search("replace-only", "Two groups swapped", GROUPS, &[Flag::OnlySwapped]),
    compared("json", "Messages for programs", "static", &[Flag::Json], Compared::Timeless),
    compared("stats", "Lines and statistics", "PM_RESUME", &[Flag::Stats], Compared::Timeless),
    compared("sorted", "A rare literal, by path", "PM_RESUME", &[Flag::Sorted], Compared::Order),
    compared("sorted-frequent", "A literal, by path", "static", &[Flag::Sorted], Compared::Order),
    search("multi-line", "A block of lines", r"struct [a-z_]+ \{[^}]*\}", &[Flag::MultiLine]),
    search(
        "multi-line-no-hit",
        "Two lines that are nowhere",
        r"zqxjkvbpw\n\s+return",
        &[Flag::MultiLine],
    ),
    search(
        "multi-line-dot",
        "A block of lines, by a dot for everything",
        r"struct [a-z_]+ \{.*?\}",
        &[Flag::MultiLine, Flag::DotAll],
    ),
    search("perl", "A regular expression for Perl's engine", r"[A-Z]+_RESUME", &[Flag::Perl]),
    search("look-around", "Look-around", r"(?<!_)static(?! int)", &[Flag::Perl]),
    search("back-reference", "A word twice", r"\b([a-z]{4,}) \1\b", &[Flag::Perl]),
    search("crlf", "The end of a line, of both kinds", r"\{$", &[Flag::Crlf]),
    search("null-data", "Files as single lines", "PM_RESUME", &[Flag::NullData]),
    search("latin-1", "A literal in Latin-1", "static", &[Flag::Latin1]),
    search("compressed", "A literal in compressed files", "PM_RESUME", &[Flag::Compressed]),
    search(
        "compressed-frequent",
        "A frequent literal in compressed files",
        "static",
        &[Flag::Compressed],
    ),
];

/// What is swapped where something is replaced.
const GROUPS: &str = "([a-z]+)_(init|probe)";

/// A thousand words, of which few are in any text: made of syllables, the same everywhere.
pub(crate) fn words() -> Vec<String> {
    const SYLLABLES: [&str; 10] = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "ru"];
    let word = |number: usize| {
        let syllable = |place: u32| SYLLABLES[number / 10_usize.pow(place) % 10];
        format!("{}{}{}{}", syllable(2), syllable(1), syllable(0), SYLLABLES[(number * 7) % 10])
    };
    (0..1000).map(word).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_task_has_a_name_of_its_own() {
        for tasks in [WALK, SEARCH] {
            let names: BTreeSet<_> = tasks.iter().map(|task| task.name).collect();
            assert_eq!(names.len(), tasks.len());
        }
    }

    #[test]
    fn there_are_a_thousand_different_words() {
        let words: BTreeSet<String> = words().into_iter().collect();
        assert_eq!(words.len(), 1000);
        assert!(words.iter().all(|word| word.len() == 8 && word.is_ascii()));
    }
}
