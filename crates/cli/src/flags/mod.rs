//! The flags of `hs`, as data.
//!
//! A flag is one record: its names, what value it takes, where it stands in the help, its
//! documentation and what it does to [`TypedArgs`]. The parser, `-h`, `--help` and the list of
//! similar names all come from these records, so none of them can forget a flag. The records stand
//! in one file per category of the help.

mod encodings;
mod filter;
mod input;
mod logging;
mod machine;
mod modes;
mod other;
mod output;
mod output_style;
mod parse;
mod search;
mod similar;
#[cfg(test)]
mod tests;
mod value;

use std::fmt;

use crate::typed::TypedArgs;

pub use parse::{Error, parse};
#[cfg(test)]
pub(crate) use tests::parse as parse_for_tests;
pub(crate) use value::FlagValue;

/// One flag.
pub struct Flag {
    /// Its name after the two dashes.
    pub long: &'static str,
    /// Its letter after one dash.
    pub short: Option<char>,
    /// Further long names, not shown as its own.
    pub aliases: &'static [&'static str],
    /// The long name of the switch that takes it back.
    pub negation: Option<&'static str>,
    /// What follows it.
    pub value: ValueKind,
    /// Where it stands in the help.
    pub(crate) category: Category,
    /// One short sentence, for `-h`.
    pub(crate) summary: &'static str,
    /// Paragraphs, for `--help`; lines that begin with four spaces are shown as they are.
    pub(crate) manual: &'static str,
    /// Left out of the help: deprecated, reserved, or for developers.
    pub(crate) hidden: bool,
    /// What one occurrence does. Occurrences are applied in the order of the command line.
    pub(crate) set: fn(&FlagValue<'_>, &mut TypedArgs) -> Result<(), ValueError>,
}

impl Flag {
    /// What most flags have in common; records name the rest.
    const NEW: Flag = Flag {
        long: "",
        short: None,
        aliases: &[],
        negation: None,
        value: ValueKind::Switch,
        category: Category::Other,
        summary: "",
        manual: "",
        hidden: false,
        set: |_, _| Ok(()),
    };
}

/// What follows a flag. The text is the value's name in the help.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// Nothing.
    Switch,
    /// A value, read as the flag likes.
    Value(&'static str),
    /// The path of a file or directory.
    Path(&'static str),
    /// The name or path of a program.
    Command(&'static str),
    /// One of these words, or whatever else the flag reads; shells complete the words.
    Suggested(&'static str, fn() -> Vec<String>),
    /// One of these words.
    OneOf(&'static str, &'static [&'static str]),
}

impl ValueKind {
    /// Whether nothing follows.
    pub fn is_switch(self) -> bool {
        matches!(self, ValueKind::Switch)
    }

    /// The value's name in the help; None for a switch.
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
    /// Where patterns and bytes come from.
    Input,
    /// What matches, and how the search runs.
    Search,
    /// Which files are searched.
    Filter,
    /// How results look.
    Output,
    /// What kind of result is printed.
    Modes,
    /// What is told besides results.
    Logging,
    /// Everything else.
    Other,
}

impl Category {
    /// In the order of the help.
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

/// What is wrong with a flag's value; the flag is named by whoever reports it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ValueError(String);

impl ValueError {
    fn new(message: impl Into<String>) -> ValueError {
        ValueError(message.into())
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The records, one slice per file.
const TABLES: [&[&Flag]; 9] = [
    input::FLAGS,
    search::FLAGS,
    machine::FLAGS,
    filter::FLAGS,
    output::FLAGS,
    output_style::FLAGS,
    modes::FLAGS,
    logging::FLAGS,
    other::FLAGS,
];

/// Every flag there is.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    TABLES.iter().flat_map(|table| table.iter().copied())
}
