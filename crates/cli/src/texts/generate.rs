//! `--generate`: the man page and the completion scripts, generated from the flag records.
//!
//! The script for bash is a template of our own: clap's neither completes `--flag=value` nor quotes
//! names (see `docs/decisions/0060-completion-scripts.md`). The other scripts are written by
//! `clap_complete`, which requires a complete [`Command`].

use std::io;

use bstr::ByteSlice;
use clap::{
    Arg, ArgAction, Command, ValueHint,
    builder::{PossibleValuesParser, ValueParser},
};
use clap_complete::Shell;
use roff::{Inline, Roff, italic};

use crate::{
    flags::{CATEGORIES, Flag, ValueKind},
    texts::{
        help::{self, docs},
        name,
    },
    typed::Generate,
};

/// The script for bash, with `@…@` where the flags belong.
const BASH: &str = include_str!("generate/complete.bash");

/// What the file contains that `what` names, including the final line terminator.
///
/// # Errors
/// Writing fails. To memory it does not.
pub(crate) fn text(what: Generate) -> io::Result<Vec<u8>> {
    let shell = match what {
        Generate::Man => return Ok(man().into_bytes()),
        Generate::Bash => return Ok(bash().into_bytes()),
        Generate::Zsh => Shell::Zsh,
        Generate::Fish => Shell::Fish,
        Generate::PowerShell => Shell::PowerShell,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), name::program(), &mut script);
    Ok(if shell == Shell::Fish { with_optional_values(&script) } else { script })
}

/// The script for fish, in which `clap_complete` requires a value behind every flag that may have
/// one. Without `-r`, fish completes values that follow an equals sign.
fn with_optional_values(script: &[u8]) -> Vec<u8> {
    let flags = shown().filter(|flag| flag.value.is_optional());
    let names: Vec<String> = flags.map(|flag| format!(" -l {} ", flag.long)).collect();
    let lines = script.split_inclusive(|byte| *byte == b'\n').map(|line| {
        match names.iter().any(|name| line.contains_str(name)) {
            // Behind the description, which is quoted.
            true => line.replacen("' -r", "'", 1),
            false => line.to_vec(),
        }
    });
    lines.collect::<Vec<_>>().concat()
}

/// The command with every flag that help lists.
fn command() -> Command {
    let path = Arg::new("PATH").num_args(0..).value_hint(ValueHint::AnyPath);
    Command::new(name::program())
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(shown().map(arg))
        .args(negations())
        .args([Arg::new("PATTERN"), path])
}

fn shown() -> impl Iterator<Item = &'static Flag> {
    CATEGORIES.iter().flat_map(|category| category.shown())
}

fn arg(flag: &'static Flag) -> Arg {
    let arg = Arg::new(flag.long)
        .long(flag.long)
        .short(flag.short)
        .visible_aliases(flag.aliases.iter().copied())
        .help(docs::summary(flag.long));
    match flag.value.name() {
        Some(name) => with_value(arg.action(ArgAction::Append).value_name(name), flag.value),
        None => arg.action(ArgAction::Count),
    }
}

/// `arg` with the values that shells complete.
fn with_value(arg: Arg, value: ValueKind) -> Arg {
    let arg = match value.is_optional() {
        true => arg.num_args(0..=1).require_equals(true),
        false => arg,
    };
    let arg = match words(value) {
        Some(words) => arg.value_parser(PossibleValuesParser::new(words)),
        None => arg.value_parser(ValueParser::os_string()),
    };
    arg.value_hint(match value {
        ValueKind::Path(_) => ValueHint::AnyPath,
        ValueKind::Command(_) => ValueHint::CommandName,
        _ => ValueHint::Other,
    })
}

/// The words that shells complete for a value; `None` if there are none.
fn words(value: ValueKind) -> Option<Vec<String>> {
    match value {
        ValueKind::Suggested(_, names) => Some(names()),
        ValueKind::OneOf(_, choices) | ValueKind::SwitchOr(_, choices) => {
            Some(choices.iter().map(ToString::to_string).collect())
        }
        _ => None,
    }
}

/// The switches that disable flags.
fn negations() -> impl Iterator<Item = Arg> {
    shown().filter_map(|flag| {
        let negation = flag.negation?;
        let help = format!("Disable --{}.", flag.long);
        Some(Arg::new(negation).long(negation).help(help).action(ArgAction::Count))
    })
}

fn bash() -> String {
    let spellings = |flag: &Flag| -> Vec<String> {
        let long = [flag.long].into_iter().chain(flag.aliases.iter().copied());
        let letter = flag.short.map(|letter| format!("-{letter}"));
        letter.into_iter().chain(long.map(|name| format!("--{name}"))).collect()
    };
    let of_kind = |is_kind: fn(ValueKind) -> bool| {
        let flags = shown().filter(|flag| is_kind(flag.value));
        flags.flat_map(spellings).collect::<Vec<_>>().join("|")
    };
    // A switch that may have a value is no flag that a value follows.
    let values = shown().filter(|flag| !flag.value.is_switch()).filter_map(|flag| {
        let (spellings, words) = (spellings(flag).join("|"), words(flag.value)?.join(" "));
        Some(format!("        {spellings})\n            words=\"{words}\"\n            ;;\n"))
    });
    let negations = shown().filter_map(|flag| Some(format!("--{}", flag.negation?)));
    let all: Vec<String> = shown().flat_map(spellings).chain(negations).collect();
    let switches = shown().filter(|flag| flag.value.is_switch()).filter_map(|flag| flag.short);
    let with_words = |flag: &&Flag| !flag.value.is_switch() && words(flag.value).is_some();
    let letters: String = shown().filter(with_words).filter_map(|flag| flag.short).collect();
    let actions: Vec<&str> = shown().filter_map(|flag| flag.long.strip_prefix("index-")).collect();
    BASH.replace("@NAME@", name::program())
        .replace("@SWITCHES@", &switches.collect::<String>())
        .replace("@LETTERS@", &letters)
        .replace("@ACTIONS@", &actions.join("|"))
        .replace("@VALUES@", values.collect::<String>().trim_end())
        .replace("@PATHS@", &of_kind(|value| matches!(value, ValueKind::Path(_))))
        .replace("@COMMANDS@", &of_kind(|value| matches!(value, ValueKind::Command(_))))
        .replace("@OTHERS@", &of_kind(|value| matches!(value, ValueKind::Value(_))))
        .replace("@FLAGS@", &all.join(" "))
}

fn man() -> String {
    let mut roff = Roff::new();
    let version = name::version();
    // The field behind the section is the date, which an empty string would leave out.
    roff.control("TH", [name::program(), "1", "\"\"", &version, "User Commands"]);
    roff.control("SH", ["NAME"]);
    roff.text([roman("hs - search files for lines that match a regular expression")]);
    roff.control("SH", ["SYNOPSIS"]);
    for usage in help::USAGE_LINES {
        roff.text([bold(usage)]);
        roff.control("br", []);
    }
    roff.control("SH", ["DESCRIPTION"]);
    roff.text([roman(help::ABOUT)]);
    let (arguments, sections) = docs::sections();
    section(&mut roff, &arguments);
    for category in &CATEGORIES {
        roff.control("SH", [category.title.to_uppercase().as_str()]);
        category.shown().for_each(|flag| entry(&mut roff, flag));
    }
    sections.for_each(|part| section(&mut roff, &part));
    roff.render()
}

/// Text of this program about itself, in roman face. Once rendered, a word may follow an escape's
/// letters, and would not be recognised as the program's name.
fn roman(text: &str) -> Inline {
    roff::roman(name::adapt(text))
}

/// Text of this program about itself, in bold face.
fn bold(text: &str) -> Inline {
    roff::bold(name::adapt(text))
}

fn section(roff: &mut Roff, section: &docs::Section) {
    roff.control("SH", [section.title.to_uppercase().as_str()]);
    for (name, description) in &section.entries {
        roff.control("TP", []);
        roff.text([bold(name)]);
        roff.text([roman(description)]);
    }
}

fn entry(roff: &mut Roff, flag: &Flag) {
    let mut names: Vec<Inline> = Vec::new();
    if let Some(letter) = flag.short {
        names.extend([bold(&format!("-{letter}")), roman(", ")]);
    }
    names.push(bold(&format!("--{}", flag.long)));
    for alias in flag.aliases {
        names.extend([roman(", "), bold(&format!("--{alias}"))]);
    }
    if let Some((open, value, close)) = flag.value.shown() {
        names.extend([roman(open), italic(value), roman(close)]);
    }
    roff.control("TP", []);
    roff.text(names);
    for (index, paragraph) in help::manual(flag).iter().enumerate() {
        if index > 0 {
            roff.control("sp", []);
        }
        if !paragraph.starts_with(' ') {
            roff.text([roman(paragraph)]);
            continue;
        }
        roff.control("nf", []);
        for line in paragraph.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(what: Generate) -> String {
        String::from_utf8(text(what).unwrap()).unwrap()
    }

    #[test]
    fn the_man_page_names_every_flag_that_help_shows() {
        let man = made(Generate::Man);
        for flag in shown() {
            let name = flag.long.replace('-', "\\-");
            assert!(man.contains(&format!("\\-\\-{name}")), "--{}", flag.long);
        }
        for title in [
            "NAME",
            "SYNOPSIS",
            "ENVIRONMENT",
            "\"EXIT STATUS\"",
            "FILES",
            "EXAMPLES",
            "\"OUTPUT MODES\"",
        ] {
            assert!(man.contains(&format!("\n.SH {title}\n")), "{title}");
        }
    }

    #[test]
    fn fish_requires_no_value_that_may_be_left_out() {
        let script = made(Generate::Fish);
        let line = |name: &str| script.lines().find(|line| line.contains(&format!(" -l {name} ")));
        for flag in shown().filter(|flag| flag.value.name().is_some()) {
            let line = line(flag.long).expect("a line for each flag");
            assert_eq!(line.contains("' -r"), !flag.value.is_optional(), "{line}");
        }
    }

    #[test]
    fn scripts_complete_flags_negations_and_values() {
        for shell in [Generate::Bash, Generate::Zsh, Generate::Fish, Generate::PowerShell] {
            let script = made(shell);
            // In fish, a long name has no dashes before it; in PowerShell, no values are completed.
            let values = ["markdown", "utf-16le", "complete-zsh", "accessed"];
            let values = values.iter().filter(|_| shell != Generate::PowerShell);
            for word in ["files-with-matches", "no-hidden", "hyperlink-format"].iter().chain(values)
            {
                assert!(script.contains(word), "{shell:?}: {word}");
            }
        }
    }
}
