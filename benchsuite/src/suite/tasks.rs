//! What is done in a comparison: one record each. A further task is a further record.

/// One task.
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
    /// Print the path of every file, hidden ones too, whatever ignore files say.
    ListAll,
    /// Print the paths of the files that ignore rules leave.
    ListIgnore,
    /// Search the files that ignore rules leave.
    SearchIgnore(Query),
    /// Search every text file.
    SearchAll(Query),
}

/// What is looked for, in words that every tool's flags can be derived from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Query {
    /// The pattern, or patterns.
    pub(crate) pattern: Pattern,
    /// How, and what is printed.
    pub(crate) flags: &'static [Flag],
    /// What of the output is compared.
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

/// What else is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    /// Upper and lower case are the same.
    IgnoreCase,
    /// Only whole words.
    Word,
    /// Print what matches, not its line.
    OnlyMatching,
    /// Print how many lines of each file match.
    Count,
    /// Print three lines before and after.
    Context,
    /// The patterns are no regular expressions.
    Fixed,
}

/// What two tools have to agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// Every line, in any order.
    Lines,
    /// How many lines.
    Number,
}

const fn search(
    name: &'static str,
    about: &'static str,
    pattern: &'static str,
    flags: &'static [Flag],
) -> Task {
    let query = Query { pattern: Pattern::Regex(pattern), flags, compared: Compared::Lines };
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
];

/// The tasks of `benchsuite search`: every text file is searched, hidden or not, whatever ignore files say,
/// since that is what all tools can be told to do.
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
    Task {
        name: "unicode-class",
        about: "A class of Unicode",
        work: Work::SearchAll(Query {
            pattern: Pattern::Regex(r"\p{Greek}"),
            flags: &[],
            compared: Compared::Lines,
        }),
    },
];

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
