//! A command line means the same after `lexopt`, ripgrep's parser, has split it into single flags
//! with attached values.

#![cfg_attr(fuzzing, no_main)]

use std::{
    ffi::{OsStr, OsString},
    fmt::Debug,
    os::unix::ffi::OsStrExt,
};

use heist_cli::flags;
use lexopt::{Arg, Parser};

/// The command line with every value attached to the long name of its flag, and with operands after
/// `--`. Example: `-nA2 x` becomes `-n --after-context=2 -- x`.
fn normalize(args: &[OsString]) -> Result<Vec<OsString>, lexopt::Error> {
    let mut parser = Parser::from_args(args);
    let (mut found, mut positional) = (Vec::new(), Vec::new());
    while let Some(arg) = parser.next()? {
        let (spelling, flag, is_negated) = match arg {
            Arg::Value(value) => {
                positional.push(value);
                continue;
            }
            Arg::Short(letter) => {
                let flag = flags::all().find(|flag| flag.short == Some(letter));
                (format!("-{letter}"), flag.ok_or("unknown letter")?, false)
            }
            Arg::Long(name) => {
                let is_name =
                    |flag: &&flags::Flag| flag.long == name || flag.aliases.contains(&name);
                let is_negation = |flag: &&flags::Flag| flag.negation == Some(name);
                let flag = flags::all()
                    .find(|flag| is_name(flag) || is_negation(flag))
                    .ok_or("unknown name")?;
                (format!("--{name}"), flag, flag.negation == Some(name))
            }
        };
        if is_negated || flag.value.is_switch() {
            // Not replaced by the long name: `-h` and `--help` differ.
            found.push(spelling.into());
        } else {
            let mut whole = OsString::from(format!("--{}=", flag.long));
            whole.push(parser.value()?);
            found.push(whole);
        }
    }
    found.push("--".into());
    found.append(&mut positional);
    Ok(found)
}

/// What a command line means. Only a hint depends on the spelling of `--replace`: `-rn` suggests
/// that grep was meant.
fn meaning(args: &impl Debug) -> String {
    format!("{args:?}").replace("replaces_by_letter: true", "replaces_by_letter: false")
}

fn check(bytes: &[u8]) {
    // An argument cannot contain a NUL byte.
    if bytes.contains(&0) {
        return;
    }
    let args: Vec<OsString> =
        bytes.split(|&byte| byte == b'\n').map(|arg| OsStr::from_bytes(arg).into()).collect();
    let ours = flags::parse(args.clone());
    let theirs = normalize(&args).ok().and_then(|again| flags::parse(again).ok());
    match (&ours, &theirs) {
        (Ok(ours), Some(theirs)) => {
            assert_eq!(meaning(ours), meaning(theirs), "{args:?}");
        }
        (Err(_), None) => {}
        _ => panic!("{args:?}: {ours:?} against {theirs:?}"),
    }
}

heist_fuzz::target!(check);
