//! `--write`, `--dry-run` and `--undo`: what is done with the edits of files.

use std::{env, error::Error, path::PathBuf};

use heist_filter::Filter;
use heist_printer::{PatchLook, PrinterConfig};
use heist_replace::{ChangeLog, FileEdits, Journal, Roots, apply, undo};
use heist_walk::Root;

use super::{choice, patches::patch_of};
use crate::{
    output::{Stdout, print},
    resolved::ResolvedArgs,
    texts::{
        messages::{Messages, counted},
        name,
    },
    typed::PatchHash,
    visit::{self, Sought},
};

/// The edits that replace matches in files.
pub(super) fn edits(
    args: &ResolvedArgs,
    sought: &Sought<'_>,
    stdout: &Stdout,
    messages: &Messages,
) -> Result<Vec<FileEdits>, Box<dyn Error>> {
    if args.walk.roots.contains(&Root::Stdin) {
        return Err("--write cannot write standard input; name a path, such as .".into());
    }
    let filter = Filter::new(args.filter.clone())?;
    messages.ignore_problems(&filter);
    let roots = Roots::new(args.walk.roots.iter().map(|root| match root {
        Root::Path(path) => path.clone(),
        Root::Here | Root::Stdin => PathBuf::from("."),
    }))?;
    Ok(visit::edits(args, &filter, sought, &roots, stdout, messages))
}

/// Writes the edits, or prints the patch that would, or lets the user choose. Returns whether there
/// was one.
pub(super) fn rewrite(
    args: &ResolvedArgs,
    mut files: Vec<FileEdits>,
    messages: &Messages,
) -> Result<bool, Box<dyn Error>> {
    let look = PatchLook::new(&args.printer);
    if args.rewriting.dry_run {
        for patch in files.iter().filter_map(|file| patch_of(file, &look, messages)) {
            print(&patch)?;
        }
        return Ok(!files.is_empty());
    }
    if let Some(hash) = args.rewriting.if_patch {
        if hash_of(&files, messages) != hash {
            return Err("--if-patch: the patch has another hash now; nothing is written".into());
        }
    } else if !args.setup.writes && !files.is_empty() {
        if args.is_agent || !choice::can_ask() {
            let edits = files.iter().map(|file| file.edits().len()).sum();
            let what = extent(edits, files.len());
            let advice = "--dry-run shows them";
            return Err(format!("--write needs --yes: it would replace {what}; {advice}").into());
        }
        files = choice::choose(files, &look, messages)?;
    }
    if files.is_empty() {
        return Ok(false);
    }
    write(args, &files, !args.rewriting.no_journal, "replaced", messages)
}

/// The hash of the patch that `--dry-run` prints for `files`, without colours.
fn hash_of(files: &[FileEdits], messages: &Messages) -> PatchHash {
    let plain = PatchLook::new(&PrinterConfig::default());
    PatchHash::of(files.iter().filter_map(|file| patch_of(file, &plain, messages)))
}

/// Puts a change back, or lists all. Returns whether there was one.
pub(crate) fn take_back(args: &ResolvedArgs, messages: &Messages) -> Result<bool, Box<dyn Error>> {
    let log = change_log()?;
    let which = args.undo.as_str();
    if which == "LIST" {
        let mut text = String::new();
        for change in log.changes()? {
            let what = extent(change.edits, change.files);
            text += &format!("{}: {what}, first {}\n", change.number, change.first.display());
        }
        print(text.as_bytes())?;
        return Ok(!text.is_empty());
    }
    let number =
        match which {
            "" => None,
            number => Some(number.parse().map_err(|_| {
                format!("--undo={number}: neither LIST nor the number of a change")
            })?),
        };
    log.sweep()?;
    let Some(undoing) = undo(&log, number)? else { return Ok(false) };
    for error in &undoing.refused {
        messages.error_in_lines(error);
    }
    if undoing.files.is_empty() {
        return Ok(false);
    }
    write(args, &undoing.files, true, "put back", messages)
}

/// The journals of this user.
fn change_log() -> Result<ChangeLog, &'static str> {
    ChangeLog::of_user(|name| env::var_os(name)).ok_or(
        "there is no directory for the journal: neither HOME nor XDG_STATE_HOME is an absolute \
         path; --no-journal writes without one",
    )
}

/// Writes the edits. Returns whether any file was written.
fn write(
    args: &ResolvedArgs,
    files: &[FileEdits],
    with_journal: bool,
    done: &str,
    messages: &Messages,
) -> Result<bool, Box<dyn Error>> {
    let mut journal = match with_journal {
        true => Some(change_log()?.begin()?),
        false => None,
    };
    let number = journal.as_ref().and_then(Journal::number);
    let applied = apply(files, journal.as_mut())?;
    for error in &applied.failures {
        messages.error_in_lines(error);
    }
    let written = applied.written.len();
    if written == 0 {
        if let Some(journal) = journal {
            journal.discard();
        }
        return Ok(false);
    }
    let edits = applied.written.iter().map(|&at| files[at].edits().len()).sum();
    let undo = match args.rewriting.if_patch.and(number) {
        // A program that has seen the patch may undo its own change only.
        Some(number) => format!("--undo={number}"),
        None => "--undo".to_owned(),
    };
    let advice = match with_journal {
        true => format!("; {} {undo} puts them back", name::program()),
        false => String::new(),
    };
    messages.warn(format_args!("{done} {}{advice}", extent(edits, written)));
    Ok(true)
}

/// `12 matches in 3 files`
fn extent(edits: usize, files: usize) -> String {
    let matches = counted(edits as u64, "match", "matches");
    format!("{matches} in {}", counted(files as u64, "file", "files"))
}
