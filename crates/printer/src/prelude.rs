//! The fields before a line's text: path, line number, column, byte offset.

use crate::{Config, color::Style, decimal};

/// Whether a line is printed as a match or as context; the separators of its fields follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Match,
    Context,
}

/// What is known of a line when its fields are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) role: Role,
    pub(crate) number: Option<u64>,
    /// In bytes, the first being 1; None if no match is known.
    pub(crate) column: Option<u64>,
    pub(crate) offset: u64,
}

/// The bytes that follow a field: the end of its style and the separator.
#[derive(Clone, Debug)]
struct After {
    on_match: Box<[u8]>,
    on_context: Box<[u8]>,
}

impl After {
    fn new(close: &[u8], config: &Config) -> After {
        After {
            on_match: [close, &config.field_match_separator].concat().into_boxed_slice(),
            on_context: [close, &config.field_context_separator].concat().into_boxed_slice(),
        }
    }

    fn get(&self, role: Role) -> &[u8] {
        match role {
            Role::Match => &self.on_match,
            Role::Context => &self.on_context,
        }
    }
}

/// A field that shows a number.
#[derive(Clone, Debug)]
struct Field {
    open: Box<[u8]>,
    after: After,
}

impl Field {
    fn new(style: &Style, config: &Config) -> Field {
        Field { open: style.open.clone(), after: After::new(&style.close, config) }
    }

    fn append(&self, out: &mut Vec<u8>, number: u64, role: Role) {
        out.extend_from_slice(&self.open);
        decimal::append(out, number);
        out.extend_from_slice(self.after.get(role));
    }
}

/// The fields that were asked for.
#[derive(Clone, Debug)]
pub(crate) struct Prelude {
    after_path: Option<After>,
    line: Option<Field>,
    column: Option<Field>,
    offset: Option<Field>,
}

impl Prelude {
    pub(crate) fn new(config: &Config) -> Prelude {
        let colors = config.colors.as_ref();
        let line = colors.map(|c| Style::new(&c.line)).unwrap_or_default();
        // The byte offset has no style of its own.
        let column = colors.map(|c| Style::new(&c.column)).unwrap_or_default();
        let after_path = if config.null {
            After { on_match: Box::new([0]), on_context: Box::new([0]) }
        } else {
            After::new(b"", config)
        };
        Prelude {
            after_path: (config.with_path && !config.heading).then_some(after_path),
            line: config.line_numbers.then(|| Field::new(&line, config)),
            column: config.column.then(|| Field::new(&column, config)),
            offset: config.byte_offset.then(|| Field::new(&column, config)),
        }
    }

    /// Append the fields of one line. `path` comes styled; empty: there is none.
    pub(crate) fn append(&self, out: &mut Vec<u8>, path: &[u8], place: &Place) {
        if let (Some(after), false) = (&self.after_path, path.is_empty()) {
            out.extend_from_slice(path);
            out.extend_from_slice(after.get(place.role));
        }
        if let (Some(field), Some(number)) = (&self.line, place.number) {
            field.append(out, number, place.role);
        }
        if let (Some(field), Some(column)) = (&self.column, place.column) {
            field.append(out, column, place.role);
        }
        if let Some(field) = &self.offset {
            field.append(out, place.offset, place.role);
        }
    }
}
