//! Command lines: taken apart by `lexopt`, as ripgrep does it, and given again one occurrence at a time, they mean the same.

#![cfg_attr(fuzzing, no_main)]
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
};

use heist_cli::flags;
use lexopt::{Arg, Parser};

/// The same command line with every value attached to the long name of its flag, and what is no flag behind `--`.
fn one_by_one(args: &[OsString]) -> Result<Vec<OsString>, lexopt::Error> {
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
            // A letter and a name can mean two things: `-h`, `--help`.
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

fn check(bytes: &[u8]) {
    // No argument can hold a NUL byte.
    if bytes.contains(&0) {
        return;
    }
    let args: Vec<OsString> =
        bytes.split(|&byte| byte == b'\n').map(|arg| OsStr::from_bytes(arg).into()).collect();
    let ours = flags::parse(args.clone());
    let theirs = one_by_one(&args).ok().and_then(|again| flags::parse(again).ok());
    match (&ours, &theirs) {
        (Ok(ours), Some(theirs)) => {
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{args:?}");
        }
        (Err(_), None) => {}
        _ => panic!("{args:?}: {ours:?} against {theirs:?}"),
    }
}

heist_fuzz::target!(check);
