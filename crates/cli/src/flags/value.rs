//! One occurrence of a flag, and the ways in which flags read their values.

use std::{
    ffi::OsStr,
    fmt,
    num::{IntErrorKind, ParseIntError},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use bstr::ByteVec;
use heist_printer::Excerpt;

use crate::quantities::{When, parse_duration, parse_size};

/// The error in a flag's value. The caller, which knows how the flag was spelled, adds it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ValueError {
    /// One line, as in ripgrep wherever ripgrep reports the same error.
    pub(super) message: String,
    /// What to do about it: further lines, or empty.
    pub(super) hint: String,
}

impl ValueError {
    pub(super) fn new(message: impl Into<String>) -> ValueError {
        ValueError { message: message.into(), hint: String::new() }
    }

    /// An error with further lines, which state what to do about it.
    pub(super) fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> ValueError {
        ValueError { message: message.into(), hint: hint.into() }
    }

    /// `text` is not among the words `accepted`.
    pub(super) fn unrecognized(text: &str, accepted: &[&str]) -> ValueError {
        let accepted = accepted.join(", ");
        ValueError::new(format!("choice '{text}' is unrecognized (accepted: {accepted})"))
    }
}

/// A whole number.
fn parse_number(text: &str) -> Result<u64, ValueError> {
    text.parse().map_err(|err: ParseIntError| {
        let accepted = match err.kind() {
            IntErrorKind::PosOverflow => "a whole number up to 18446744073709551615",
            _ => "a whole number such as 3",
        };
        ValueError::new(format!(
            "value is not a valid number (accepted: {accepted}; given: '{text}')"
        ))
    })
}

/// Replaces `place` by `value`.
pub(super) fn set<T>(place: &mut T, value: Result<T, ValueError>) -> Result<(), ValueError> {
    *place = value?;
    Ok(())
}

/// Appends `value` to `list`.
pub(super) fn push<T>(list: &mut Vec<T>, value: Result<T, ValueError>) -> Result<(), ValueError> {
    list.push(value?);
    Ok(())
}

/// One occurrence of a flag on the command line or in the configuration file.
#[derive(Debug)]
pub(crate) struct FlagValue<'a> {
    pub(super) by_letter: bool,
    pub(super) negated: bool,
    pub(super) value: &'a OsStr,
    /// The words that the value may be; empty if it may be any.
    pub(super) choices: &'static [&'static str],
}

impl FlagValue<'_> {
    /// Whether the flag itself was given, not its negation.
    pub(crate) fn is_on(&self) -> bool {
        !self.negated
    }

    /// Whether it was given by its letter: `-h` and `--help` differ.
    pub(crate) fn is_by_letter(&self) -> bool {
        self.by_letter
    }

    /// The value as a path, which may be any bytes.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(self.value)
    }

    /// The value as a path, unless it is empty.
    pub(crate) fn nonempty_path(&self) -> Option<PathBuf> {
        Some(self.path()).filter(|path| !path.as_os_str().is_empty())
    }

    /// The value as a string.
    pub(crate) fn string(&self) -> Result<String, ValueError> {
        self.text().map(str::to_owned)
    }

    /// The value as text.
    pub(crate) fn text(&self) -> Result<&str, ValueError> {
        self.value.to_str().ok_or_else(|| ValueError::new("value is not valid UTF-8"))
    }

    /// The value as an unsigned decimal number.
    pub(crate) fn number(&self) -> Result<u64, ValueError> {
        parse_number(self.text()?)
    }

    /// The value as a count in memory: the same values are valid on every system.
    pub(crate) fn count(&self) -> Result<usize, ValueError> {
        self.number().map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// The value as the parts of lines that are printed: a number, and perhaps a second and a third
    /// one after commas.
    pub(crate) fn excerpt(&self) -> Result<Excerpt, ValueError> {
        let mut numbers = self.text()?.splitn(3, ',');
        let mut next = |default| {
            let number = parse_number(numbers.next().unwrap_or(default));
            number.map(|number| usize::try_from(number).unwrap_or(usize::MAX))
        };
        Ok(Excerpt { reach: next("")?, whole: next("0")?, whole_context: next("0")? })
    }

    /// The value as what it stands for in a library crate.
    pub(crate) fn parse<T: FromStr<Err: fmt::Display>>(&self) -> Result<T, ValueError> {
        self.text()?.parse().map_err(|err: T::Err| ValueError::new(err.to_string()))
    }

    /// The value as a number of bytes, such as `10k` or `1.5M`.
    pub(crate) fn size(&self) -> Result<u64, ValueError> {
        parse_size(self.text()?).map_err(ValueError::new)
    }

    /// The value as a number of bytes in memory.
    pub(crate) fn memory_size(&self) -> Result<usize, ValueError> {
        self.size().map(|size| usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// Returns the value as bytes to print between fields or lines, with `\n`, `\t`, `\r`, `\0`,
    /// `\\` and `\xHH` replaced. Any other backslash stays as typed.
    pub(crate) fn separator(&self) -> Result<Vec<u8>, ValueError> {
        let Some(text) = self.value.to_str() else {
            return Err(ValueError::new(
                "separator must be valid UTF-8 (use escape sequences to provide a separator \
                 that is not valid UTF-8)",
            ));
        };
        Ok(Vec::unescape_bytes(text))
    }

    /// The value read by `read`; `None` if this is the negation.
    pub(crate) fn unless_negated<T>(
        &self,
        read: fn(&Self) -> Result<T, ValueError>,
    ) -> Result<Option<T>, ValueError> {
        self.is_on().then(|| read(self)).transpose()
    }

    /// The value as a duration, such as `5`, `500ms` or `1h30m`.
    pub(crate) fn duration(&self) -> Result<Duration, ValueError> {
        parse_duration(self.text()?).map_err(ValueError::new)
    }

    /// The value as a point in time, such as `2h`, `yesterday` or `2026-11-24`.
    pub(crate) fn when(&self) -> Result<When, ValueError> {
        When::parse(self.value).map_err(ValueError::new)
    }

    /// What the value means, from a list that is parallel to the choices.
    pub(crate) fn choose<T: Copy>(&self, meanings: &[T]) -> Result<T, ValueError> {
        let text = self.text()?;
        let index = self.choices.iter().position(|choice| *choice == text);
        let meaning = index.and_then(|index| meanings.get(index).copied());
        meaning.ok_or_else(|| ValueError::unrecognized(text, self.choices))
    }
}
