//! The record that describes a flag.

use super::value::{FlagValue, ValueError};
use crate::typed::TypedArgs;

/// One flag.
pub struct Flag {
    /// The name, without the two dashes.
    pub long: &'static str,
    /// The letter, without the dash.
    pub short: Option<char>,
    /// Further long names.
    pub aliases: &'static [&'static str],
    /// The long name of the switch that disables the flag.
    pub negation: Option<&'static str>,
    /// The kind of its value.
    pub value: ValueKind,
    /// One sentence of at most 46 characters, for `-h`.
    pub(crate) summary: &'static str,
    /// Paragraphs, for `--help` and the man page. Lines that begin with four spaces are examples.
    pub(crate) manual: &'static str,
    /// Whether help omits the flag, because it is deprecated, reserved or for developers.
    pub(crate) hidden: bool,
    /// Applies one occurrence. Occurrences are applied in the order of the command line.
    pub(crate) set: fn(&FlagValue<'_>, &mut TypedArgs) -> Result<(), ValueError>,
}

impl Flag {
    /// The common values of most fields. Records override the others.
    pub(super) const NEW: Flag = Flag {
        long: "",
        short: None,
        aliases: &[],
        negation: None,
        value: ValueKind::Switch,
        summary: "",
        manual: "",
        hidden: false,
        set: |_, _| Ok(()),
    };
}

/// A table of flags. The fields that a record omits have the values of [`Flag::NEW`].
macro_rules! flags {
    [$(Flag { $($field:ident: $value:expr),+ $(,)? }),+ $(,)?] => {
        &[$(Flag { $($field: $value,)+ ..Flag::NEW }),+]
    };
}
pub(super) use flags;

/// A closure that cannot fail but where its body returns early with an error, for [`Flag::set`].
macro_rules! set {
    (|$value:pat_param, $typed:pat_param| $body:expr) => {
        |$value, $typed| {
            $body;
            Ok(())
        }
    };
}
pub(super) use set;

/// The kind of a flag's value. The text is the name of the value in the help.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// No value.
    Switch,
    /// A value that only the flag itself interprets.
    Value(&'static str),
    /// The path of a file or directory.
    Path(&'static str),
    /// The name or path of a program.
    Command(&'static str),
    /// One of these words, which shells complete, or another value that the flag accepts.
    Suggested(&'static str, fn() -> Vec<String>),
    /// One of these words.
    OneOf(&'static str, &'static [&'static str]),
}

impl ValueKind {
    /// Whether there is no value.
    pub fn is_switch(self) -> bool {
        matches!(self, ValueKind::Switch)
    }

    /// The name of the value in the help; `None` for a switch.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            ValueKind::Switch => None,
            ValueKind::Value(name)
            | ValueKind::Path(name)
            | ValueKind::Command(name)
            | ValueKind::Suggested(name, _)
            | ValueKind::OneOf(name, _) => Some(name),
        }
    }
}

/// A heading of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    /// The source of patterns and bytes.
    Input,
    /// What matches, and how the search runs.
    Search,
    /// The selection of files.
    Filter,
    /// The format of results.
    Output,
    /// The kind of results.
    Modes,
    /// Messages and statistics.
    Logging,
    /// Everything else.
    Other,
}

impl Category {
    /// All categories, in the order of the help.
    pub(crate) const ALL: [Category; 7] = [
        Category::Input,
        Category::Search,
        Category::Filter,
        Category::Output,
        Category::Modes,
        Category::Logging,
        Category::Other,
    ];

    /// The heading.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Category::Input => "Input",
            Category::Search => "Search",
            Category::Filter => "Filter",
            Category::Output => "Output",
            Category::Modes => "Output modes",
            Category::Logging => "Logging",
            Category::Other => "Other",
        }
    }
}

impl Flag {
    /// Every long name.
    pub(crate) fn long_names(&self) -> impl Iterator<Item = &'static str> {
        [self.long].into_iter().chain(self.aliases.iter().copied()).chain(self.negation)
    }
}
