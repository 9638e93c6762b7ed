//! From arguments to [`TypedArgs`]: clap finds the flags and their values, then every occurrence is
//! replayed in the order of the command line.
//!
//! The replay is what makes "the last one wins" and `-u --ignore-vcs` come out right without a rule
//! per flag.
//!
//! Clap is told only of flags whose name or letter occurs among the arguments. Which others exist
//! makes no difference to the result, since names are never abbreviated, but building a parser for
//! all of them costs more than everything else before the search. Perf (2026-11, 2 cores, release,
//! `-n -i foo src`, warm): 5 µs, against 130 µs with all 196 spellings known to clap; 209 µs for
//! the first time in a process.

use std::{
    ffi::{OsStr, OsString},
    fmt,
};

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::ValueParser,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{
    record::{Flag, ValueKind},
    similar::similar,
    table::all,
    value::{FlagValue, ValueError},
};
use crate::typed::TypedArgs;

/// The id of the argument that takes what is no flag. No flag is called so.
const POSITIONAL: &str = "";

/// Stands for the value of a switch, which has none. No argument is that: those of the system end at a NUL byte, those of the
/// configuration file at a line feed.
const NO_VALUE: &str = "\0\n";

/// All ASCII letters of flags, so that a letter's name is a static slice of it.
const ASCII: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`\
                     abcdefghijklmnopqrstuvwxyz{|}~";

/// Why the arguments cannot be used. The text is the whole message.
#[derive(Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// One name under which a flag may be given.
#[derive(Clone, Copy)]
struct Spelling {
    /// A long name, or a letter.
    name: &'static str,
    flag: &'static Flag,
    negated: bool,
}

impl Spelling {
    fn is_letter(&self) -> bool {
        self.name.len() == 1
    }

    fn takes_value(&self) -> bool {
        !self.negated && !self.flag.value.is_switch()
    }

    /// As it is typed.
    fn display(&self) -> String {
        let dashes = if self.is_letter() { "-" } else { "--" };
        format!("{dashes}{}", self.name)
    }
}

/// Parse `args`, which do not begin with the program's name.
///
/// # Errors
/// An unknown flag, a missing or unusable value, a flag that this version does not have yet.
pub fn parse(args: Vec<OsString>) -> Result<TypedArgs, Error> {
    let mut typed = TypedArgs::default();
    let spellings = mentioned(&args);
    if spellings.is_empty() && !args.iter().any(|arg| looks_like_flag(arg)) {
        typed.positional = args;
        return Ok(typed);
    }
    let mut matches = command(&spellings).try_get_matches_from(args).map_err(|e| reword(&e))?;
    replay(&spellings, &matches, &mut typed)?;
    typed.positional = matches.remove_many::<OsString>(POSITIONAL).into_iter().flatten().collect();
    Ok(typed)
}

fn looks_like_flag(arg: &OsStr) -> bool {
    arg.as_encoded_bytes().starts_with(b"-") && arg != "-"
}

/// The spellings that occur in `args`, each once, and perhaps some that occur within values only.
fn mentioned(args: &[OsString]) -> Vec<Spelling> {
    let mut found: Vec<Spelling> = Vec::new();
    let mut letters: u128 = 0;
    for arg in args {
        match arg.as_encoded_bytes() {
            [b'-', b'-', name @ ..] => {
                let end = memchr::memchr(b'=', name).unwrap_or(name.len());
                let known = found.iter().any(|s| s.name.as_bytes() == &name[..end]);
                if !known {
                    found.extend(long_spelling(&name[..end]));
                }
            }
            [b'-', rest @ ..] => {
                for &byte in rest.iter().filter(|byte| byte.is_ascii()) {
                    letters |= 1 << byte;
                }
            }
            _ => {}
        }
    }
    if letters != 0 {
        let is_in = |letter: &char| letters >> u32::from(*letter) & 1 == 1;
        let by_letter = all().filter(|flag| flag.short.as_ref().is_some_and(is_in));
        found.extend(by_letter.filter_map(letter_spelling));
    }
    found
}

fn letter_spelling(flag: &'static Flag) -> Option<Spelling> {
    let at = ASCII.find(flag.short?)?;
    Some(Spelling { name: &ASCII[at..=at], flag, negated: false })
}

fn long_spelling(name: &[u8]) -> Option<Spelling> {
    let is_name = |known: &&str| known.as_bytes() == name;
    all().find_map(|flag| {
        let positive = Some(flag.long).filter(is_name);
        let positive = positive.or_else(|| flag.aliases.iter().copied().find(is_name));
        match positive {
            Some(name) => Some(Spelling { name, flag, negated: false }),
            None => {
                flag.negation.filter(is_name).map(|name| Spelling { name, flag, negated: true })
            }
        }
    })
}

fn command(spellings: &[Spelling]) -> Command {
    let positional = Arg::new(POSITIONAL)
        .action(ArgAction::Append)
        .num_args(0..)
        .value_parser(ValueParser::os_string());
    Command::new("hs")
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(spellings.iter().map(clap_arg))
        .arg(positional)
}

/// Every spelling is an argument of its own for clap, so that messages name the one that was typed.
fn clap_arg(spelling: &Spelling) -> Arg {
    let arg =
        Arg::new(spelling.name).action(ArgAction::Append).value_parser(ValueParser::os_string());
    let arg = match spelling.name.chars().next() {
        Some(letter) if spelling.is_letter() => arg.short(letter),
        _ => arg.long(spelling.name),
    };
    if spelling.takes_value() {
        arg.num_args(1).allow_hyphen_values(true)
    } else {
        // A switch accepts `=VALUE` here, for the replay to refuse in the words that clients know.
        arg.num_args(0..=1).require_equals(true).default_missing_value(NO_VALUE)
    }
}

/// Apply every occurrence, in the order of the command line.
fn replay(
    spellings: &[Spelling],
    matches: &ArgMatches,
    typed: &mut TypedArgs,
) -> Result<(), Error> {
    let mut occurrences: Vec<(usize, &Spelling, &OsStr)> = Vec::new();
    for spelling in spellings {
        let indices = matches.indices_of(spelling.name).into_iter().flatten();
        let values = matches.get_raw(spelling.name).into_iter().flatten();
        occurrences.extend(indices.zip(values).map(|(index, value)| (index, spelling, value)));
    }
    occurrences.sort_unstable_by_key(|&(index, ..)| index);
    for (_, spelling, value) in occurrences {
        apply(spelling, value, typed)?;
    }
    Ok(())
}

fn apply(spelling: &Spelling, value: &OsStr, typed: &mut TypedArgs) -> Result<(), Error> {
    let name = spelling.display();
    if !spelling.takes_value() && value != NO_VALUE {
        return Err(Error(format!(
            "invalid CLI arguments: unexpected argument for option '{name}': {value:?}"
        )));
    }
    let given = FlagValue { by_letter: spelling.is_letter(), negated: spelling.negated, value };
    check_choice(spelling, &given)
        .and_then(|()| (spelling.flag.set)(&given, typed))
        .map_err(|err| Error(format!("error parsing flag {name}: {err}")))
}

fn check_choice(spelling: &Spelling, given: &FlagValue<'_>) -> Result<(), ValueError> {
    let ValueKind::OneOf(_, choices) = spelling.flag.value else {
        return Ok(());
    };
    if spelling.negated || choices.contains(&given.text()?) {
        return Ok(());
    }
    let (text, accepted) = (given.text()?, choices.join(", "));
    Err(ValueError(format!("choice '{text}' is unrecognized (accepted: {accepted})")))
}

/// Clap's error in the words that clients of ripgrep look for.
fn reword(err: &clap::Error) -> Error {
    let typed = match err.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(arg)) => arg.as_str(),
        _ => "",
    };
    match err.kind() {
        ErrorKind::UnknownArgument => unknown(typed),
        // Clap shows the flag with its value's name.
        _ => {
            let flag = typed.split(' ').next().unwrap_or(typed);
            Error(format!("missing value for flag {flag}: missing argument for option '{flag}'"))
        }
    }
}

fn unknown(typed: &str) -> Error {
    let mut message = format!("unrecognized flag {typed}");
    if let Some(name) = typed.strip_prefix("--") {
        let alike = similar(name, all().filter(|flag| !flag.hidden).flat_map(Flag::long_names));
        if !alike.is_empty() {
            message.push_str("\n\nsimilar flags that are available: --");
            message.push_str(&alike.join(", --"));
        }
    }
    Error(message)
}
