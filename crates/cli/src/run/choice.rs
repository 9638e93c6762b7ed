//! What the user of a terminal wants `--write` to change: all, or some files or hunks.
//!
//! ```text
//! write 3 replacements in 2 files? [y]es, by [f]ile, by [h]unk, [n]o: f
//! write 2 replacements in a.txt? [y]es, [n]o, [a]ll that remain, [q]: none that remain: y
//! ```
//!
//! Nothing is written before the last answer, so that a run that is interrupted meanwhile has
//! changed nothing. An answer ends with a line feed, as in `git add -p`.

use std::{
    error::Error,
    io::{self, BufRead, IsTerminal},
};

use heist_printer::{PatchLook, visible_line};
use heist_replace::{FileEdits, PatchHunk, read_hunks};

use super::patches::{append_hunk, append_paths, patch_of};
use crate::{
    output::{end_paging, print, write_message},
    texts::messages::{Messages, counted},
};

/// Whether someone can answer: questions are on standard error, what they are about on standard
/// output, and answers on standard input.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Shows what would change in `files`, and returns what the user wants to change. Files that cannot
/// be shown are reported and left out.
///
/// # Errors
/// The terminal cannot be written to.
pub(super) fn choose(
    files: Vec<FileEdits>,
    look: &PatchLook,
    messages: &Messages,
) -> Result<Vec<FileEdits>, Box<dyn Error>> {
    let mut shown = Vec::new();
    for file in files {
        if let Some(patch) = patch_of(&file, look, messages) {
            print(&patch)?;
            shown.push(file);
        }
    }
    // Questions stand below the pager.
    end_paging();
    if shown.is_empty() {
        return Ok(shown);
    }
    let edits = shown.iter().map(|file| file.edits().len()).sum();
    let what = counted(shown.len() as u64, "file", "files");
    let question = format!(
        "write {} in {what}? [y]es, by [f]ile, by [h]unk, [n]o: ",
        counted_replacements(edits)
    );
    match answer(&question, b"yfhn") {
        Some(b'y') => Ok(shown),
        Some(b'f') => by_file(shown, look, messages),
        Some(b'h') => by_hunk(shown, look, messages),
        _ => Ok(Vec::new()),
    }
}

/// What happens to a file or a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Yes,
    No,
}

/// The answers to questions about one thing after the other.
struct Answers {
    /// What happens to all that remain, once that is known.
    rest: Option<Wanted>,
}

impl Answers {
    /// Whether the next thing is wanted, which the question describes. `None` at the end of input.
    fn next(
        &mut self,
        show: impl FnOnce() -> Result<(), Box<dyn Error>>,
        what: &str,
    ) -> Result<Option<Wanted>, Box<dyn Error>> {
        if self.rest.is_some() {
            return Ok(self.rest);
        }
        show()?;
        let question =
            format!("write {what}? [y]es, [n]o, [a]ll that remain, [q]: none that remain: ");
        let wanted = match answer(&question, b"ynaq") {
            Some(b'y') => Wanted::Yes,
            Some(b'n') => Wanted::No,
            Some(b'a') => *self.rest.insert(Wanted::Yes),
            Some(_) => *self.rest.insert(Wanted::No),
            None => return Ok(None),
        };
        Ok(Some(wanted))
    }
}

/// The files that the user wants to change; none if the input ends.
fn by_file(
    files: Vec<FileEdits>,
    look: &PatchLook,
    messages: &Messages,
) -> Result<Vec<FileEdits>, Box<dyn Error>> {
    let mut answers = Answers { rest: None };
    let mut chosen = Vec::new();
    for file in files {
        if let Some(rest) = answers.rest {
            chosen.extend((rest == Wanted::Yes).then_some(file));
            continue;
        }
        let Some(patch) = patch_of(&file, look, messages) else { continue };
        let what =
            format!("{} in {}", counted_replacements(file.edits().len()), file.path().display());
        match answers.next(|| print(&patch), &what)? {
            Some(Wanted::Yes) => chosen.push(file),
            Some(Wanted::No) => {}
            None => return Ok(Vec::new()),
        }
    }
    Ok(chosen)
}

/// The files with the edits that the user wants to make; none if the input ends.
fn by_hunk(
    files: Vec<FileEdits>,
    look: &PatchLook,
    messages: &Messages,
) -> Result<Vec<FileEdits>, Box<dyn Error>> {
    let mut answers = Answers { rest: None };
    let mut chosen = Vec::new();
    for mut file in files {
        if let Some(rest) = answers.rest {
            chosen.extend((rest == Wanted::Yes).then_some(file));
            continue;
        }
        let mut hunks: Vec<PatchHunk> = Vec::new();
        if let Err(error) = read_hunks(&file, |hunk| hunks.push(hunk.clone())) {
            messages.error_in_lines(error);
            continue;
        }
        let mut text = Vec::new();
        append_paths(&file, look, &mut text);
        let mut wanted = vec![false; file.edits().len()];
        for hunk in hunks {
            append_hunk(&hunk, look, &mut text);
            let what = format!("{} in this hunk", counted_replacements(hunk.edits.len()));
            match answers.next(|| print(&text), &what)? {
                Some(Wanted::Yes) => wanted[hunk.edits].fill(true),
                Some(Wanted::No) => {}
                None => return Ok(Vec::new()),
            }
            text.clear();
        }
        if wanted.contains(&true) {
            file.retain(|edit| wanted[edit]);
            chosen.push(file);
        }
    }
    Ok(chosen)
}

/// `12 replacements`
fn counted_replacements(edits: usize) -> String {
    counted(edits as u64, "replacement", "replacements")
}

/// The key of the answer to `question`, which is repeated until the answer begins with one of
/// `keys`. `None` at the end of input.
fn answer(question: &str, keys: &[u8]) -> Option<u8> {
    let mut line = Vec::new();
    loop {
        // If it cannot be written, no answer will come.
        write_message(&visible_line(question)).ok()?;
        line.clear();
        let read = io::stdin().lock().read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) || !line.ends_with(b"\n") {
            let _ = write_message(b"\n");
            return None;
        }
        let key = line.trim_ascii().first().map(u8::to_ascii_lowercase);
        if let Some(key) = key.filter(|key| keys.contains(key)) {
            return Some(key);
        }
    }
}
