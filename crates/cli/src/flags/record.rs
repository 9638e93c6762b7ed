//! The record that describes a flag.

use std::ffi::OsStr;

use super::value::{FlagValue, ValueError};
use crate::typed::TypedArgs;

/// One flag. Its documentation is in `texts/help/flags.txt`.
pub struct Flag {
    /// The name, without the two dashes.
    pub long: &'static str,
    /// The letter, without the dash.
    pub short: Option<char>,
    /// Further long names.
    pub aliases: &'static [&'static str],
    /// The switch that disables the flag, by its long name.
    pub negation: Option<&'static str>,
    /// What kind of value it has.
    pub value: ValueKind,
    /// Whether help omits the flag, because it is deprecated, reserved or for developers.
    pub(crate) hidden: bool,
    /// Applies one occurrence. Occurrences are applied as they come on the command line.
    pub(super) effect: Effect,
}

/// What a flag does each time that it is given.
pub(super) enum Effect {
    /// Turns something on, or off if the occurrence is the negation.
    Switch(fn(bool, &mut TypedArgs)),
    /// Interprets the occurrence.
    Value(fn(&FlagValue<'_>, &mut TypedArgs) -> Result<(), ValueError>),
}

/// A flag without a value, such as `--hidden`.
pub(super) const fn switch(long: &'static str, effect: fn(bool, &mut TypedArgs)) -> Flag {
    Flag { effect: Effect::Switch(effect), ..flag(long, ValueKind::Switch, |_, _| Ok(())) }
}

/// A flag with an effect that needs its value, or can fail.
pub(super) const fn flag(
    long: &'static str,
    value: ValueKind,
    effect: fn(&FlagValue<'_>, &mut TypedArgs) -> Result<(), ValueError>,
) -> Flag {
    let effect = Effect::Value(effect);
    Flag { long, short: None, aliases: &[], negation: None, value, hidden: false, effect }
}

impl Flag {
    pub(super) const fn letter(self, letter: char) -> Flag {
        Flag { short: Some(letter), ..self }
    }

    pub(super) const fn alias(self, aliases: &'static [&'static str]) -> Flag {
        Flag { aliases, ..self }
    }

    pub(super) const fn negation(self, name: &'static str) -> Flag {
        Flag { negation: Some(name), ..self }
    }

    pub(super) const fn hidden(self) -> Flag {
        Flag { hidden: true, ..self }
    }

    /// Every long name.
    pub(crate) fn long_names(&self) -> impl Iterator<Item = &'static str> {
        [self.long].into_iter().chain(self.aliases.iter().copied()).chain(self.negation)
    }

    /// Applies `value` to `typed`.
    pub(super) fn apply(
        &self,
        value: &FlagValue<'_>,
        typed: &mut TypedArgs,
    ) -> Result<(), ValueError> {
        match self.effect {
            Effect::Switch(set) => {
                set(value.is_on(), typed);
                Ok(())
            }
            Effect::Value(set) => set(value, typed),
        }
    }
}

/// What kind of value a flag has. The text is the value's name in the help.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// No value.
    Switch,
    /// A value that only the flag itself interprets.
    Value(&'static str),
    /// A file's or directory's path.
    Path(&'static str),
    /// A program's name or path.
    Command(&'static str),
    /// A value that may be left out, and the one that this stands for. It follows `=` in the same
    /// argument.
    Optional(&'static str, &'static str),
    /// Any of these words, which shells complete, or another value that the flag accepts.
    Suggested(&'static str, fn() -> Vec<String>),
    /// No value, or one of these words after an equals sign.
    SwitchOr(&'static str, &'static [&'static str]),
    /// One of these words.
    OneOf(&'static str, &'static [&'static str]),
}

impl ValueKind {
    /// Whether there is no value, or need not be one.
    pub fn is_switch(self) -> bool {
        matches!(self, ValueKind::Switch | ValueKind::SwitchOr(..))
    }

    /// Whether a switch accepts this value after an equals sign.
    pub(super) fn accepts(self, value: &OsStr) -> bool {
        matches!(self, ValueKind::SwitchOr(_, words) if words.iter().any(|word| value == *word))
    }

    /// The value as the help shows it behind the flag's name, such as `=NUM` or `[=NUM]`.
    pub(crate) fn shown(self) -> Option<(&'static str, &'static str, &'static str)> {
        let (open, close) = if self.is_optional() { ("[=", "]") } else { ("=", "") };
        self.name().map(|name| (open, name, close))
    }

    /// Whether the value may be left out.
    pub(crate) fn is_optional(self) -> bool {
        matches!(self, ValueKind::Optional(..) | ValueKind::SwitchOr(..))
    }

    /// The value's name in the help; `None` for a switch.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            ValueKind::Switch => None,
            ValueKind::Value(name)
            | ValueKind::Optional(name, _)
            | ValueKind::Path(name)
            | ValueKind::Command(name)
            | ValueKind::Suggested(name, _)
            | ValueKind::SwitchOr(name, _)
            | ValueKind::OneOf(name, _) => Some(name),
        }
    }
}
