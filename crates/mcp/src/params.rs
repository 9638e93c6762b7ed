//! What each tool takes, and the flags of `hs` that it becomes. The comments on fields are the
//! descriptions in the tools' schemas, which a model reads.

use std::time::Duration;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// The most results of a call.
const MAX_RESULTS: u64 = 2000;
/// The most bytes of text of a call.
const MAX_BYTES: usize = 1 << 20;
/// The most seconds of a call.
const MAX_SECONDS: u64 = 120;
/// The most output of `hs` that is read. Results that need more are cut.
const MAX_OUTPUT: &str = "--max-output=64M";

/// Which files are searched.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(default)]
pub(crate) struct Selection {
    /// Only files that match one of these globs, or lie in a directory that does: "*.rs", "src/**".
    only: Vec<String>,
    /// No files or directories that match one of these globs.
    exclude: Vec<String>,
    /// Only files of these types, such as "rust", "py" or "md".
    types: Vec<String>,
    /// Also hidden files, but not .git.
    hidden: bool,
    /// Also files that .gitignore and other ignore files leave out.
    ignored: bool,
    /// Only files that were modified since: a duration such as "2h" or "3d", or a date.
    newer: Option<String>,
}

impl Selection {
    fn flags(&self, flags: &mut Vec<String>) {
        flags.extend(self.only.iter().map(|glob| format!("--only={glob}")));
        flags.extend(self.exclude.iter().map(|glob| format!("--exclude={glob}")));
        flags.extend(self.types.iter().map(|name| format!("--type={name}")));
        flags.extend(self.hidden.then(|| "--dotfiles".to_owned()));
        flags.extend(self.ignored.then(|| "--no-ignore".to_owned()));
        flags.extend(self.newer.iter().map(|time| format!("--newer={time}")));
    }
}

/// What is searched for.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Pattern {
    /// A regular expression in the syntax of Rust, or a text if `literal`.
    pattern: String,
    /// Take the pattern for a text.
    #[serde(default)]
    literal: bool,
    /// Disregard case.
    #[serde(default)]
    ignore_case: bool,
    /// Only whole words.
    #[serde(default)]
    word: bool,
    /// Matches may span lines, and `.` matches a line feed.
    #[serde(default)]
    multiline: bool,
}

impl Pattern {
    fn flags(&self, flags: &mut Vec<String>) {
        flags.push(format!("--regexp={}", self.pattern));
        flags.extend(self.literal.then(|| "--fixed-strings".to_owned()));
        flags.extend(self.ignore_case.then(|| "--ignore-case".to_owned()));
        flags.extend(self.word.then(|| "--word-regexp".to_owned()));
        if self.multiline {
            flags.extend(["--multiline", "--multiline-dotall"].map(str::to_owned));
        }
    }
}

/// How much is returned.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(default)]
pub(crate) struct Budget {
    /// The most results.
    max_results: u64,
    /// How many results to pass over: `next_offset` of the page before.
    offset: u64,
    /// The most bytes of text.
    max_bytes: usize,
    /// The most seconds. What was found until then is returned.
    timeout_seconds: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { max_results: 100, offset: 0, max_bytes: 32 << 10, timeout_seconds: 10 }
    }
}

impl Budget {
    fn flags(&self, flags: &mut Vec<String>) {
        let (results, offset) = (self.max_results(), self.offset);
        flags.extend([format!("--max-results={results}"), format!("--offset={offset}")]);
        flags.extend([MAX_OUTPUT.to_owned(), format!("--timeout={}s", self.time().as_secs())]);
    }

    pub(crate) fn max_results(&self) -> u64 {
        self.max_results.min(MAX_RESULTS)
    }

    /// The page of results that are in the same order in each call.
    pub(crate) fn page(&self) -> Page {
        let bytes = self.max_bytes.min(MAX_BYTES);
        Page { offset: self.offset, bytes, is_ordered: true }
    }

    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.clamp(1, MAX_SECONDS))
    }
}

/// A page of results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// The number of results before the page.
    pub(crate) offset: u64,
    /// The most bytes of its text.
    pub(crate) bytes: usize,
    /// Whether the next call finds the results in the same order.
    is_ordered: bool,
}

impl Page {
    /// The offset of the next page, if this one shows this many results and `is_cut`: the rule of
    /// `hs` for `next: --offset`.
    pub(crate) fn next(self, is_cut: bool, shown: u64) -> Option<u64> {
        (is_cut && self.is_ordered && shown > 0).then_some(self.offset + shown)
    }
}

/// The order of files.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// By path.
    #[default]
    Path,
    /// The file that was modified last comes first.
    Newest,
}

impl Order {
    fn flag(self) -> String {
        match self {
            Order::Path => "--sort=path",
            Order::Newest => "--sortr=modified",
        }
        .to_owned()
    }
}

/// Lines that match.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct SearchParams {
    #[serde(flatten)]
    pattern: Pattern,
    /// Files or directories. All by default.
    #[serde(default)]
    pub(crate) paths: Vec<String>,
    #[serde(flatten)]
    selection: Selection,
    /// How many lines around each match to return too.
    #[serde(default)]
    context: u32,
    /// Return whole lines, not only what is around the matches of long ones.
    #[serde(default)]
    whole_lines: bool,
    /// Share the results among all files, at least one each, in place of giving them to the first.
    /// There is no next page then.
    #[serde(default)]
    spread: bool,
    /// Count all results, also those that are not returned.
    #[serde(default)]
    count_all: bool,
    /// The order of files.
    #[serde(default)]
    order: Order,
    #[serde(flatten)]
    pub(crate) budget: Budget,
}

impl SearchParams {
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--json".to_owned()];
        self.pattern.flags(&mut flags);
        self.selection.flags(&mut flags);
        self.budget.flags(&mut flags);
        flags.extend((self.context > 0).then(|| format!("--context={}", self.context)));
        flags.extend((!self.whole_lines).then(|| "--excerpt".to_owned()));
        flags.extend(self.count_all.then(|| "--count-rest".to_owned()));
        flags.push(if self.spread { "--spread".to_owned() } else { self.order.flag() });
        flags
    }

    pub(crate) fn page(&self) -> Page {
        Page { is_ordered: !self.spread, ..self.budget.page() }
    }
}

/// Paths.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct FilesParams {
    /// Only files with a line that matches this regular expression.
    #[serde(default)]
    pattern: Option<String>,
    /// Files or directories. All by default.
    #[serde(default)]
    pub(crate) paths: Vec<String>,
    #[serde(flatten)]
    selection: Selection,
    /// The order of files.
    #[serde(default)]
    order: Order,
    #[serde(flatten)]
    pub(crate) budget: Budget,
}

impl FilesParams {
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--null".to_owned()];
        match &self.pattern {
            Some(pattern) => flags.extend(["-l".to_owned(), format!("--regexp={pattern}")]),
            None => flags.push("--files".to_owned()),
        }
        self.selection.flags(&mut flags);
        self.budget.flags(&mut flags);
        // One more shows whether there are more. Paths are not cut afterwards, as lines are.
        flags.push(format!("--max-results={}", self.budget.max_results() + 1));
        flags.push(format!("--max-output={}", self.budget.page().bytes));
        flags.push(self.order.flag());
        flags
    }
}

/// Paths that are explained.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct WhyParams {
    /// Files or directories.
    pub(crate) paths: Vec<String>,
    /// Also state how many lines of each file match this regular expression, or why none does.
    #[serde(default)]
    pattern: Option<String>,
    #[serde(flatten)]
    selection: Selection,
}

impl WhyParams {
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--why".to_owned(), "--json".to_owned()];
        flags.extend(self.pattern.iter().map(|pattern| format!("--regexp={pattern}")));
        self.selection.flags(&mut flags);
        flags
    }

    pub(crate) fn time(&self) -> Duration {
        Budget::default().time()
    }
}

/// A replacement that is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct PreviewParams {
    #[serde(flatten)]
    pattern: Pattern,
    /// The text in place of each match, in which $1 and ${name} stand for groups of the pattern.
    replacement: String,
    /// Files or directories. All by default.
    #[serde(default)]
    pub(crate) paths: Vec<String>,
    #[serde(flatten)]
    selection: Selection,
    #[serde(flatten)]
    pub(crate) budget: Budget,
}

impl PreviewParams {
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--json".to_owned(), format!("--replace={}", self.replacement)];
        self.pattern.flags(&mut flags);
        self.selection.flags(&mut flags);
        self.budget.flags(&mut flags);
        flags.push(Order::Path.flag());
        flags
    }
}
