//! One occurrence of a flag, and the ways in which flags read their values.

use std::{ffi::OsStr, fmt, num::ParseIntError, path::PathBuf, str::FromStr, time::Duration};

use bstr::ByteVec;

/// The error in a flag's value. The caller, which knows the spelling of the flag, adds it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ValueError(pub(super) String);

impl ValueError {
    pub(super) fn new(message: impl Into<String>) -> ValueError {
        ValueError(message.into())
    }

    /// `text` is none of the words `accepted`.
    pub(super) fn unrecognized(text: &str, accepted: &[&str]) -> ValueError {
        let accepted = accepted.join(", ");
        ValueError(format!("choice '{text}' is unrecognized (accepted: {accepted})"))
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
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
    /// The words of which the value must be one; empty if it may be another.
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
        let text = self.text()?;
        text.parse().map_err(|err: ParseIntError| {
            let accepted = format!("accepted: a whole number such as 3; given: '{text}'");
            ValueError(format!("value is not a valid number: {err} ({accepted})"))
        })
    }

    /// The value as a number of things in memory: the same values are valid on every system.
    pub(crate) fn count(&self) -> Result<usize, ValueError> {
        self.number().map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// The value as what it stands for in one of the library crates.
    pub(crate) fn parse<T: FromStr<Err: fmt::Display>>(&self) -> Result<T, ValueError> {
        self.text()?.parse().map_err(|err: T::Err| ValueError(err.to_string()))
    }

    /// The value as a number of bytes: digits, then `K`, `M` or `G` for powers of 1024.
    pub(crate) fn size(&self) -> Result<u64, ValueError> {
        let text = self.text()?;
        parse_size(text).map_err(|err| ValueError(format!("invalid size: {err}")))
    }

    /// The value as a number of bytes of memory.
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

    /// The value as a duration: a number, which may have a fraction, and `ms`, `s`, `m` or `h`; of
    /// seconds, if there is no unit.
    pub(crate) fn duration(&self) -> Result<Duration, ValueError> {
        let text = self.text()?;
        parse_duration(text).ok_or_else(|| {
            ValueError(format!(
                "invalid duration: '{text}', which should be a number followed by an optional \
                 'ms', 's', 'm' or 'h', such as 2.5s"
            ))
        })
    }

    /// The meaning of the value, from a list that is parallel to the choices.
    pub(crate) fn choose<T: Copy>(&self, meanings: &[T]) -> Result<T, ValueError> {
        let text = self.text()?;
        let index = self.choices.iter().position(|choice| *choice == text);
        let meaning = index.and_then(|index| meanings.get(index).copied());
        meaning.ok_or_else(|| ValueError::unrecognized(text, self.choices))
    }
}

fn parse_duration(text: &str) -> Option<Duration> {
    let len = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = text.split_at(len);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok().filter(|_| number.starts_with(|c: char| c != '.'))?;
    // A deadline that the clock cannot represent is none that anyone reaches.
    let longest = Duration::from_secs(u32::MAX.into());
    let time = Duration::try_from_secs_f64(number * seconds);
    Some(time.unwrap_or(longest).min(longest))
}

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = text.split_at(digits);
    let shift = match suffix {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        _ => None,
    };
    let (Some(shift), false) = (shift, number.is_empty()) else {
        return Err(format!(
            "invalid format for size '{text}', which should be a non-empty sequence of digits \
             followed by an optional 'K', 'M' or 'G' suffix"
        ));
    };
    let number: u64 =
        number.parse().map_err(|err| format!("invalid integer found in size '{text}': {err}"))?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("size too big in '{text}'"))
}
