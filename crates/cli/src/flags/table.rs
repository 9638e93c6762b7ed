//! All flags, from the files of records.

use super::{
    filter, input, logging, machine, modes, other, output, output_style, record::Flag, search,
};

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

/// All flags.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    TABLES.iter().flat_map(|table| table.iter().copied())
}
