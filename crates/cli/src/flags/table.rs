//! All flags, from the files of records.

use super::{
    filter, input, logging, machine, modes, other, output, output_style,
    record::{Category, Flag},
    search,
};

/// The records, by the heading under which help lists them.
const TABLES: [(Category, &[Flag]); 10] = [
    (Category::Input, input::FLAGS),
    (Category::Search, search::FLAGS),
    (Category::Search, machine::FLAGS),
    (Category::Filter, filter::FLAGS),
    (Category::Output, output::FLAGS),
    (Category::Output, output_style::FLAGS),
    (Category::Modes, modes::FLAGS),
    (Category::Logging, logging::FLAGS),
    (Category::Other, other::FLAGS),
    (Category::Other, other::RESERVED),
];

/// All flags.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    TABLES.iter().flat_map(|(_, table)| *table)
}

/// The flags of `category`.
pub(crate) fn in_category(category: Category) -> impl Iterator<Item = &'static Flag> {
    TABLES.iter().filter(move |table| table.0 == category).flat_map(|(_, table)| *table)
}
