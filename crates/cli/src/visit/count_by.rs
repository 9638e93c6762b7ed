//! `--count-by`: how many results each directory, extension or file has, those with most first.
//!
//! Files are searched as with `-c`, by all workers, and each count is added to that of the file's
//! group. The groups are printed when all are known, and are the results that limits are about.

use std::io::Write as _;

use bstr::ByteSlice as _;
use heist_filter::{Filter, path_bytes::is_separator};
use heist_printer::{append_json_data, visible_line};

use super::{
    found::{Found, Worker},
    relevance::survey,
};
use crate::{
    output::{Stdout, StdoutWorker, Totals},
    ranking::{Groups, directory},
    resolved::ResolvedArgs,
    run::haystack::STDIN_NAME,
    typed::GroupBy,
};

/// Counts the results of all files with the visitors that `surveyor` creates, and prints the sums.
/// `counter` is what the visitors get as their output.
pub(super) fn visit<'a, S: Worker>(
    args: &ResolvedArgs,
    by: GroupBy,
    filter: &Filter,
    stdout: &Stdout,
    surveyor: impl Fn(StdoutWorker<'a>) -> S + Sync,
    counter: &'a Stdout,
) -> Found {
    let survey = survey(args, filter, counter, surveyor);
    let mut groups = Groups::default();
    let (mut path, mut results) = (Vec::new(), 0);
    for index in 0..survey.files.len() {
        let file = survey.files.entry(index, &[]);
        let (worker, index) = survey.files.place(index);
        let count = survey.workers[worker].evidence[index].lines;
        file.path_into(&mut path);
        if file.is_stdin() {
            path = STDIN_NAME.to_vec();
        }
        match by {
            GroupBy::Directory => groups.add(&directory(&file), count),
            GroupBy::Extension => groups.add(extension(&path), count),
            GroupBy::File => groups.add(&path, count),
        }
        results += count;
    }
    log::debug!("{results} results in {} groups", groups.len());
    if let Some(budget) = stdout.budget() {
        let files = groups.len() as u64;
        budget.end_survey(Some(Totals { results: files, files }), true);
    }
    if !args.quiet {
        print(args, by, groups, stdout.worker());
    }
    survey.found
}

/// Prints `groups` to `output`, which may not admit all of them.
fn print(args: &ResolvedArgs, by: GroupBy, groups: Groups, mut output: StdoutWorker<'_>) {
    for (name, count) in groups.sorted() {
        let flow = match &mut output {
            StdoutWorker::AsFound(output) => {
                append(args, by, &name, count, output.unordered());
                output.record()
            }
            StdoutWorker::Limited(output) => {
                output.record(|out| append(args, by, &name, count, out))
            }
            StdoutWorker::Sorted(_) => unreachable!("groups are not sorted by path"),
        };
        if flow.is_break() {
            return;
        }
    }
}

/// Appends the line about a group, as `-c` has one about a file, or a message.
fn append(args: &ResolvedArgs, by: GroupBy, name: &[u8], count: u64, out: &mut Vec<u8>) {
    if args.prints_messages() {
        out.extend_from_slice(b"{\"type\":\"count\",\"data\":{");
        out.extend_from_slice(match by {
            GroupBy::Directory => b"\"directory\":",
            GroupBy::Extension => b"\"extension\":",
            GroupBy::File => &b"\"path\":"[..],
        });
        match by {
            GroupBy::Extension if name.is_empty() => out.extend_from_slice(b"null"),
            _ => append_json_data(out, name),
        }
        // A vector takes all bytes.
        let _ = writeln!(out, ",\"count\":{count}}}}}");
        return;
    }
    let start = out.len();
    match by {
        GroupBy::Extension if name.is_empty() => out.extend_from_slice(b"(none)"),
        _ => out.extend_from_slice(name),
    }
    if args.printer.visible {
        let shown = visible_line(&out[start..].to_str_lossy());
        out.truncate(start);
        out.extend_from_slice(&shown);
    }
    out.push(if args.printer.null { b'\0' } else { b':' });
    let _ = write!(out, "{count}");
    out.extend_from_slice(args.printer.terminator.as_bytes());
}

/// What follows the last dot of the name of the file at `path`, if that is no hidden file's only
/// one: `c` of `src/gem.c`, nothing of `.gitignore`.
fn extension(path: &[u8]) -> &[u8] {
    let start = path.iter().rposition(|&byte| is_separator(byte));
    let name = &path[start.map_or(0, |at| at + 1)..];
    match name.iter().rposition(|&byte| byte == b'.') {
        None | Some(0) => b"",
        Some(at) => &name[at + 1..],
    }
}
