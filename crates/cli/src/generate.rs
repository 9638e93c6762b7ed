//! `--generate`: the man page and the completion scripts, out of the flags' records.
//!
//! Both are written by clap's companions, which want a complete [`Command`]; the one that parses arguments knows only
//! the flags that are mentioned (see `flags::parse`).

use std::io;

use clap::{
    Arg, ArgAction, Command, ValueHint,
    builder::{PossibleValuesParser, ValueParser},
};
use clap_complete::Shell;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use crate::{
    flags::{self, Flag, ValueKind},
    help,
    typed::Generate,
};

/// The text of the file that is asked for. Whoever prints it ends it as it is.
///
/// # Errors
/// Those of writing to memory, which there are none of.
pub(crate) fn text(what: Generate) -> io::Result<Vec<u8>> {
    let shell = match what {
        Generate::Man => return man(),
        Generate::Bash => Shell::Bash,
        Generate::Zsh => Shell::Zsh,
        Generate::Fish => Shell::Fish,
        Generate::PowerShell => Shell::PowerShell,
    };
    let mut text = Vec::new();
    let mut command = command().args(negations()).args(positionals());
    clap_complete::generate(shell, &mut command, "hs", &mut text);
    Ok(text)
}

/// Every flag that help shows.
fn command() -> Command {
    Command::new("hs")
        .version(env!("CARGO_PKG_VERSION"))
        .about(help::ABOUT)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(shown().map(arg))
}

/// What is no flag.
fn positionals() -> [Arg; 2] {
    let path = Arg::new("PATH").num_args(0..).value_hint(ValueHint::AnyPath);
    [Arg::new("PATTERN"), path]
}

fn shown() -> impl Iterator<Item = &'static Flag> {
    flags::all().filter(|flag| !flag.hidden)
}

fn arg(flag: &'static Flag) -> Arg {
    let arg = Arg::new(flag.long)
        .long(flag.long)
        .short(flag.short)
        .visible_aliases(flag.aliases.iter().copied())
        .help(flag.summary)
        .long_help(help::manual(flag))
        .help_heading(flag.category.title());
    match flag.value.name() {
        Some(name) => with_value(arg.action(ArgAction::Append).value_name(name), flag.value),
        None => arg.action(ArgAction::Count),
    }
}

/// `arg` with what shells complete after it.
fn with_value(arg: Arg, value: ValueKind) -> Arg {
    let words = |words: Vec<String>| PossibleValuesParser::new(words);
    match value {
        ValueKind::Switch | ValueKind::Value(_) => arg.value_parser(ValueParser::os_string()),
        ValueKind::Path(_) => arg.value_hint(ValueHint::AnyPath),
        ValueKind::Command(_) => arg.value_hint(ValueHint::CommandName),
        ValueKind::Suggested(_, names) => {
            arg.value_parser(words(names())).hide_possible_values(true)
        }
        ValueKind::OneOf(_, choices) => {
            arg.value_parser(words(choices.iter().copied().map(String::from).collect()))
        }
    }
}

/// The switches that take flags back, for shells to complete as well.
fn negations() -> impl Iterator<Item = Arg> {
    shown().filter_map(|flag| {
        let negation = flag.negation?;
        let help = format!("Takes back --{}.", flag.long);
        Some(Arg::new(negation).long(negation).help(help).action(ArgAction::Count))
    })
}

fn man() -> io::Result<Vec<u8>> {
    let man = Man::new(command()).manual("User Commands");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    let mut roff = Roff::new();
    roff.control("SH", ["NAME"]);
    roff.text([roman("hs - find text in trees of files")]);
    roff.control("SH", ["SYNOPSIS"]);
    for usage in help::USAGE {
        roff.text([bold(*usage)]);
        roff.control("br", []);
    }
    roff.control("SH", ["DESCRIPTION"]);
    roff.text([roman(help::ABOUT)]);
    section(&mut roff, "ARGUMENTS", help::ARGUMENTS);
    roff.to_writer(&mut text)?;
    man.render_options_section(&mut text)?;
    let mut roff = Roff::new();
    section(&mut roff, "ENVIRONMENT", help::ENVIRONMENT);
    section(&mut roff, "EXIT STATUS", help::EXIT_CODES);
    roff.to_writer(&mut text)?;
    Ok(text)
}

fn section(roff: &mut Roff, title: &str, entries: &[(&str, &str)]) {
    roff.control("SH", [title]);
    for (name, what) in entries {
        roff.control("TP", []);
        roff.text([bold(*name)]);
        roff.text([roman(*what)]);
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
        for title in ["NAME", "SYNOPSIS", "ENVIRONMENT", "\"EXIT STATUS\"", "\"OUTPUT MODES\""] {
            assert!(man.contains(&format!("\n.SH {title}\n")), "{title}");
        }
    }

    #[test]
    fn scripts_complete_flags_negations_and_values() {
        for shell in [Generate::Bash, Generate::Zsh, Generate::Fish, Generate::PowerShell] {
            let script = made(shell);
            // In fish a long name stands alone.
            for name in ["files-with-matches", "no-hidden", "hyperlink-format"] {
                assert!(script.contains(name), "{shell:?}: {name}");
            }
        }
        for shell in [Generate::Bash, Generate::Zsh, Generate::Fish] {
            let script = made(shell);
            for value in ["markdown", "utf-16le", "complete-zsh", "accessed"] {
                assert!(script.contains(value), "{shell:?}: {value}");
            }
        }
    }
}
