//! From arguments to [`TypedArgs`]: `clap_lex` splits the arguments, and each flag is applied where
//! it stands.
//!
//! Since flags are applied as they stand on the command line, the last one wins and `-u
//! --ignore-vcs` uses git's ignore files again, without a rule per flag. A `clap::Command` with all
//! flags would take a tenth of the program's start-up time: see
//! `docs/decisions/0050-argument-parser.md`.

use std::ffi::{OsStr, OsString};

use clap_lex::{ArgCursor, OsStrExt, RawArgs, ShortFlags};

use super::{
    habits,
    record::{Flag, ValueKind},
    table::all,
    value::{FlagValue, ValueError},
};
use crate::{
    error::{Error, similar},
    typed::TypedArgs,
};

/// Parses `args`, which do not begin with the program's name.
///
/// # Errors
/// An unknown flag, a missing or invalid value.
pub fn parse(args: Vec<OsString>) -> Result<TypedArgs, Error> {
    let args = RawArgs::new(args);
    let (cursor, typed) = (args.cursor(), TypedArgs::new());
    let mut parser = Parser { args: &args, cursor, position: 0, typed };
    match parser.run() {
        Ok(()) => Ok(parser.typed),
        Err(error) => Err(Error { position: Some(parser.position), ..error }),
    }
}

/// Whether the argument behind `arg` is its value, if `arg` is not a value itself.
pub(crate) fn awaits_value(arg: &OsStr) -> bool {
    let awaits = |kind: ValueKind| !kind.is_switch() && !kind.is_optional();
    let args = RawArgs::new([arg]);
    let Some(arg) = args.next(&mut args.cursor()) else { return false };
    if let Some((name, value)) = arg.to_long() {
        let flag = name.ok().filter(|_| value.is_none()).and_then(find_long);
        return flag.is_some_and(|(flag, negated)| !negated && awaits(flag.value));
    }
    let Some(mut letters) = arg.to_short() else { return false };
    while let Some(Ok(letter)) = letters.next_flag() {
        let Some(flag) = all().find(|flag| flag.short == Some(letter)) else { return false };
        if !flag.value.is_switch() {
            return awaits(flag.value) && letters.next_flag().is_none();
        }
    }
    false
}

struct Parser<'a> {
    args: &'a RawArgs,
    cursor: ArgCursor,
    /// Where the argument at hand is.
    position: usize,
    typed: TypedArgs,
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Result<(), Error> {
        while let Some(arg) = self.args.next(&mut self.cursor) {
            if arg.is_escape() {
                let rest = self.args.remaining(&mut self.cursor);
                self.typed.positional.extend(rest.map(OsStr::to_owned));
            } else if let Some((name, value)) = arg.to_long() {
                let name = name.map_err(|name| unknown_long(&name.to_string_lossy(), None))?;
                self.long(name, value)?;
            } else if let Some(letters) = arg.to_short() {
                self.letters(letters, arg.to_value_os())?;
            } else {
                self.typed.positional.push(arg.to_value_os().to_owned());
            }
            self.position += 1;
        }
        Ok(())
    }

    /// Applies `--name`, `--name=value` or `--name value`.
    fn long(&mut self, name: &str, attached: Option<&'a OsStr>) -> Result<(), Error> {
        let (flag, negated) = find_long(name).ok_or_else(|| unknown_long(name, attached))?;
        self.apply(flag, &format!("--{name}"), negated, attached)
    }

    /// Applies `-abc`, in which the first letter that takes a value takes the rest as its value.
    fn letters(&mut self, mut letters: ShortFlags<'a>, arg: &OsStr) -> Result<(), Error> {
        while let Some(letter) = letters.next_flag() {
            let letter = letter.map_err(|rest| unknown(&format!("-{}", rest.display()), arg))?;
            let spelling = format!("-{letter}");
            let flag = all().find(|flag| flag.short == Some(letter));
            let flag = flag.ok_or_else(|| unknown(&spelling, arg))?;
            let has_value = !flag.value.is_switch() || letters.clone().next_flag() == Some(Ok('='));
            let rest = if has_value { letters.next_value_os() } else { None };
            let attached = rest.map(|rest| rest.strip_prefix("=").unwrap_or(rest));
            self.apply(flag, &spelling, false, attached)?;
        }
        Ok(())
    }

    /// Applies one occurrence of `flag`, which was typed as `spelling`.
    fn apply(
        &mut self,
        flag: &Flag,
        spelling: &str,
        negated: bool,
        attached: Option<&'a OsStr>,
    ) -> Result<(), Error> {
        let takes_value = !negated && !flag.value.is_switch();
        let value = match attached {
            Some(value) if takes_value || !negated && flag.value.accepts(value) => value,
            Some(value) => return Err(unexpected(flag, spelling, negated, value)),
            None if takes_value => match flag.value {
                ValueKind::Optional(_, default) => OsStr::new(default),
                _ => self.next_value(spelling)?,
            },
            None => OsStr::new(""),
        };
        let by_letter = !spelling.starts_with("--");
        let choices = if let ValueKind::OneOf(_, choices) = flag.value { choices } else { &[] };
        let value = FlagValue { by_letter, negated, value, choices };
        flag.apply(&value, &mut self.typed).map_err(|error| invalid(spelling, error))
    }

    /// The argument behind `spelling`, which is its value.
    fn next_value(&mut self, spelling: &str) -> Result<&'a OsStr, Error> {
        let value = self
            .args
            .next_os(&mut self.cursor)
            .ok_or_else(|| Error::new(format!("missing value for flag {spelling}")))?;
        self.position += 1;
        Ok(value)
    }
}

/// The error for the value `value`, which `flag` does not take.
fn unexpected(flag: &Flag, spelling: &str, negated: bool, value: &OsStr) -> Error {
    match flag.value {
        ValueKind::SwitchOr(_, words) if !negated => {
            let error = ValueError::unrecognized(&value.to_string_lossy(), words);
            invalid(spelling, error)
        }
        _ => Error::new(format!(
            "invalid CLI arguments: unexpected argument for option '{spelling}': {value:?}"
        )),
    }
}

fn invalid(spelling: &str, error: ValueError) -> Error {
    let message = format!("error parsing flag {spelling}: {}", error.message);
    Error { hint: error.hint, ..Error::new(message) }
}

/// The flag with the long name `name`, and whether that is its negation.
fn find_long(name: &str) -> Option<(&'static Flag, bool)> {
    all().find_map(|flag| {
        let is_positive = flag.long == name || flag.aliases.contains(&name);
        let is_negation = flag.negation == Some(name);
        (is_positive || is_negation).then_some((flag, is_negation))
    })
}

/// The error for `spelling`, which is no flag, in the argument `arg`.
fn unknown(spelling: &str, arg: &OsStr) -> Error {
    let hint = habits::advice(spelling, None);
    let error = Error::new(format!("unrecognized flag {spelling}"));
    // An argument must not be able to make up lines of advice, and another program's flag is hardly
    // a pattern.
    let is_literal =
        |text: &&str| !text.contains(char::is_control) && (hint.is_none() || *text != spelling);
    let literal = arg.to_str().filter(is_literal).map(str::to_owned);
    Error { literal, hint: hint.unwrap_or_default(), ..error }
}

fn unknown_long(name: &str, value: Option<&OsStr>) -> Error {
    let spelling = format!("--{name}");
    let error = unknown(&spelling, OsStr::new(&spelling));
    match habits::advice(&spelling, value) {
        Some(hint) => Error { hint, ..error },
        None => {
            let names = all().filter(|flag| !flag.hidden).flat_map(Flag::long_names);
            Error { similar: similar(name, names), ..error }
        }
    }
}
