//! The files that `hs` has listed: messages of `--files --json`, or the paths of those that match,
//! for which `hs` has no messages.

use crate::{
    hs::Output,
    messages::{Data, Message, Most, ShownCounts, Skipped, Stated, Totals},
    reports,
};

/// A list of files, and how many files there are in all.
#[derive(Debug)]
pub(crate) struct FileList {
    pub(crate) files: Vec<Listed>,
    pub(crate) shown: ShownCounts,
    /// What was reported about the run.
    pub(crate) reports: Vec<String>,
    /// What was left out, if the list is empty.
    pub(crate) skipped: Option<Box<Skipped>>,
}

/// A file in a list, and how many lines match in it, if they are counted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) path: Vec<u8>,
    pub(crate) lines: Option<u64>,
}

impl FileList {
    /// Reads what `--files --json` printed.
    ///
    /// # Errors
    /// The list could not be made.
    pub(crate) fn of_messages(output: Output) -> Result<FileList, String> {
        let Stated { messages, shown, reports } = Stated::new(output)?;
        let (mut files, mut skipped) = (Vec::new(), None);
        for message in messages {
            match message {
                Message::File(file) => {
                    files.push(Listed { path: file.path.bytes(), lines: None });
                }
                Message::Skipped(account) => skipped = Some(account),
                _ => {}
            }
        }
        Ok(FileList { files, shown, reports, skipped })
    }

    /// Reads what `--null` printed with `--files-with-matches`, or with `--count` if `has_counts`.
    /// `offset` is how many files were skipped.
    ///
    /// # Errors
    /// The list could not be made.
    pub(crate) fn of_paths(
        output: Output,
        has_counts: bool,
        offset: u64,
    ) -> Result<FileList, String> {
        let Output { stdout, messages: mut reports, has_failed } = output;
        let stated = reports.last().and_then(|line| stated(line));
        if has_failed && stdout.is_empty() && stated.is_none() {
            return Err(reports::error(&reports));
        }
        reports.pop();
        let files = listed(&stdout, has_counts);
        let shown = stated.unwrap_or_else(|| {
            let count = files.len() as u64;
            let found = if count > 0 { offset + count } else { 0 };
            ShownCounts {
                shown: totals(count),
                found: totals(found),
                exact: false,
                limit: None,
                most: None,
            }
        });
        Ok(FileList { files, shown, reports, skipped: None })
    }
}

/// Counts results that are files.
pub(crate) fn totals(files: u64) -> Totals {
    Totals { results: files, files }
}

/// Splits a list of files: a NUL byte follows each, and a count and a line feed after it if
/// `has_counts`.
fn listed(stdout: &[u8], has_counts: bool) -> Vec<Listed> {
    let (mut files, mut rest) = (Vec::new(), stdout);
    while let Some(at) = rest.iter().position(|byte| *byte == 0) {
        let path = rest[..at].to_vec();
        rest = &rest[at + 1..];
        let mut lines = None;
        if has_counts {
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            lines =
                std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.trim().parse().ok());
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        files.push(Listed { path, lines });
    }
    files
}

/// What was shown, as the last line from `hs` states it: `2 of at least 1,234 files
/// (--max-results)`.
fn stated(line: &str) -> Option<ShownCounts> {
    let number = |text: &str| text.replace(',', "").parse().ok();
    let (shown, all) = line.split_once(" of ")?;
    let at_least = all.strip_prefix("at least ");
    let (found, rest) = at_least.unwrap_or(all).split_once(" files")?;
    let limit = rest.split_once("(--").and_then(|(_, flag)| flag.split_once(')'));
    Some(ShownCounts {
        shown: totals(number(shown)?),
        found: totals(number(found)?),
        exact: at_least.is_none(),
        limit: limit.map(|(flag, _)| flag.to_owned()),
        most: most(rest),
    })
}

/// The directory with most results in the rest of such a line: `; most: drivers/ 9,214; next: …`.
fn most(rest: &str) -> Option<Most> {
    let (_, most) = rest.split_once("; most: ")?;
    let (path, count) = most.split_once("/ ")?;
    let digits = count.split(';').next()?.replace(',', "");
    Some(Most { path: Data::Text(path.to_owned()), results: digits.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_follow_paths_of_any_name() {
        let files = listed(b"a\nb\x003\nc\x0012\r\n", true);
        let files: Vec<_> = files.iter().map(|file| (&*file.path, file.lines)).collect();
        assert_eq!(files, [(&b"a\nb"[..], Some(3)), (b"c", Some(12))]);
        assert_eq!(listed(b"a\nb\0c\0", false).len(), 2);
    }

    #[test]
    fn the_directory_with_most_files_is_read_from_the_last_line() {
        let line = "1 of 9,000 files (--max-results); most: drivers/net/ 4,000; next: --offset=1";
        let most = stated(line).and_then(|shown| shown.most).expect("a directory");
        assert_eq!((most.path.text().as_str(), most.results), ("drivers/net", 4000));
        assert!(stated("1 of 9 files (--max-results)").expect("a line").most.is_none());
    }

    #[test]
    fn what_was_shown_is_read_from_the_last_line() {
        for (line, shown, found, exact, limit) in [
            ("0 of 0 files", 0, 0, true, None),
            ("0 of 3 files, after the first 3", 0, 3, true, None),
            (
                "1,000 of at least 1,001 files (--max-results); next: --offset=1000",
                1000,
                1001,
                false,
                Some("max-results"),
            ),
            (
                "0 of at least 2 files, after the first 2; the time is up (--timeout)",
                0,
                2,
                false,
                Some("timeout"),
            ),
        ] {
            let read = stated(line).expect("a statement");
            let (of_hs, all) = (totals(shown), totals(found));
            assert_eq!((read.shown, read.found, read.exact), (of_hs, all, exact), "{line}");
            assert_eq!(read.limit.as_deref(), limit, "{line}");
        }
        for line in ["", "a: No such file or directory", "two of three files"] {
            assert!(stated(line).is_none(), "{line}");
        }
    }

    #[test]
    fn messages_have_paths_of_any_name() {
        let stdout = br#"{"type":"file","data":{"path":{"text":"a\n\u0022"}}}
{"type":"file","data":{"path":{"bytes":"Yi//"}}}
{"type":"later","data":[]}
{"type":"shown","data":{"shown":{"results":2,"files":2},"found":{"results":3,"files":3},"exact":false,"offset":0,"limit":"max-results"}}
{"type":"summary","data":{"elapsed_total":{"secs":0,"nanos":1,"human":"0.000000s"},"files":2}}
"#;
        let messages = ["b: no permission", "2 of at least 3 files (--max-results)"];
        let messages = messages.map(str::to_owned).to_vec();
        let output = Output { stdout: stdout.to_vec(), messages, has_failed: true };
        let list = FileList::of_messages(output).expect("a list");
        let paths: Vec<_> = list.files.iter().map(|file| &*file.path).collect();
        assert_eq!(paths, [&b"a\n\""[..], b"b/\xff"]);
        assert_eq!((list.shown.found, list.shown.exact), (totals(3), false));
        assert_eq!(list.reports, ["b: no permission"]);
        let messages = vec!["unrecognized file type: x".to_owned()];
        let failed = Output { stdout: Vec::new(), messages, has_failed: true };
        assert_eq!(
            FileList::of_messages(failed).expect_err("an error"),
            "unrecognized file type: x"
        );
    }
}
