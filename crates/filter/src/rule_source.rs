//! What the filter decided about an entry, and the rule that decided.

use std::{borrow::Cow, fmt, path::PathBuf};

/// The decision about one entry, with its reason.
///
/// Displays as a predicate about the entry:
///
/// ```
/// use heist_filter::{Reason, RuleSource, Verdict};
///
/// let source = RuleSource::File { path: "./.gitignore".into(), line: 3, rule: "*.o".into() };
/// let verdict = Verdict { is_wanted: false, reason: Reason::Rule(source) };
/// assert_eq!(format!("build/a.o: {verdict}"), "build/a.o: ignored by .gitignore:3: *.o");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict<'a> {
    /// Whether the entry is wanted.
    pub is_wanted: bool,
    /// Why.
    pub reason: Reason<'a>,
}

/// The reason for a [`Verdict`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason<'a> {
    /// This rule, glob or type matched.
    Rule(RuleSource<'a>),
    /// There are command-line globs that include, and none matched.
    NoGlob,
    /// There are selected file types, and none matched.
    NoType,
    /// There are `--only` globs, and none matched the file or a directory above it.
    NoOnly,
    /// The entry is in git's index.
    Tracked,
    /// The entry is not in git's index.
    Untracked,
    /// The name begins with a dot.
    Hidden,
    /// Nothing matched.
    Unmatched,
}

/// Where a rule comes from, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleSource<'a> {
    /// A line in a rule file.
    File {
        /// The file's path, below the root as the root was given.
        path: PathBuf,
        /// The line's number, counted from 1.
        line: u32,
        /// The rule's text, with its `!`.
        rule: Cow<'a, str>,
    },
    /// A command-line glob, with its `!` if it excludes.
    Glob(Cow<'a, str>),
    /// An `--exclude` glob.
    Except(Cow<'a, str>),
    /// A file type.
    Type {
        /// The type's name.
        name: &'a str,
        /// The type's glob that matched.
        glob: Cow<'a, str>,
    },
}

impl fmt::Display for RuleSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleSource::File { path, line, rule } => {
                let path = path.strip_prefix(".").unwrap_or(path);
                write!(f, "{}:{line}: {rule}", path.display())
            }
            RuleSource::Glob(glob) => write!(f, "glob '{glob}'"),
            RuleSource::Except(glob) => write!(f, "--exclude '{glob}'"),
            RuleSource::Type { name, glob } => write!(f, "type {name}: {glob}"),
        }
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.is_wanted { "included" } else { "ignored" };
        match &self.reason {
            Reason::Rule(source) => write!(f, "{verb} by {source}"),
            Reason::NoGlob => write!(f, "{verb}: no glob includes it"),
            Reason::NoType => write!(f, "{verb}: not of a selected type"),
            Reason::NoOnly => write!(f, "{verb}: no glob of --only matches it"),
            Reason::Tracked => write!(f, "{verb}: git tracks it"),
            Reason::Untracked => write!(f, "{verb}: git does not track it"),
            Reason::Hidden => write!(f, "{verb}: hidden"),
            Reason::Unmatched => write!(f, "{verb}: no rule matches"),
        }
    }
}
