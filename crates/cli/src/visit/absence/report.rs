//! The line and the message in which an account is given.

use std::{fmt::Write as _, path::PathBuf, time::Duration};

use heist_filter::path_bytes::bytes_of;
use heist_printer::{append_json_data, escape_json};

use super::left_out::Cause;
use crate::texts::messages::{counted, grouped};

/// The most files that the line names, and the message.
const MAX_NAMES: usize = 5;
const MAX_NAMES_IN_MESSAGE: usize = 20;

/// The account of one run.
#[derive(Debug, Default)]
pub(crate) struct Account {
    any_match: bool,
    pub(super) is_list: bool,
    /// How many files were searched or listed, and whether all were counted.
    pub(super) searched: u64,
    pub(super) is_gathered: bool,
    /// Why no file was searched.
    pub(super) cause: Option<String>,
    /// Whether the cause is printed elsewhere on standard error.
    pub(super) is_cause_known: bool,
    /// The files that would match, as many as are kept.
    pub(super) named: Vec<Named>,
    /// How many files would match.
    pub(super) matching: u64,
    pub(super) any_ignored: bool,
    pub(super) any_hidden: bool,
    pub(super) any_link: bool,
    /// How many entries were left out for each cause.
    pub(super) left_out: Vec<(Cause, u64)>,
    pub(super) binary: u64,
    pub(super) unreadable: u64,
    /// What was not looked at: how many, of how many.
    pub(super) unlooked: Vec<(String, Option<(u64, u64)>)>,
    pub(super) unlooked_vcs: u64,
    /// The close spellings, and how many files have them.
    pub(super) nearest: Vec<(String, u64)>,
    pub(super) is_nearest_exact: bool,
    pub(super) time: Time,
}

/// A file that would match.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) path: PathBuf,
    pub(super) why: String,
}

/// The time of an account.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Time {
    pub(super) allowed: Duration,
    pub(super) is_over: bool,
}

impl Account {
    /// An account of a run that has found something or not.
    pub(super) fn new(any_match: bool) -> Account {
        Account { any_match, ..Account::default() }
    }

    fn sorted(&self) -> Vec<&Named> {
        let mut named: Vec<&Named> = self.named.iter().collect();
        named.sort_by_key(|named| (named.path.components().count(), &named.path));
        named
    }

    /// Whether all that was left out was looked at, and all files were searched again.
    fn is_complete(&self) -> bool {
        self.unlooked.is_empty() && self.unlooked_vcs == 0
    }

    /// The line for people and agents.
    pub(crate) fn line(&self) -> String {
        let at_least = if self.is_gathered { "" } else { "at least " };
        let files = format!("{at_least}{}", counted(self.searched, "file", "files"));
        let mut line = match (self.is_list, self.any_match) {
            (true, true) => format!("{files} listed"),
            (true, false) => "no file to list".to_owned(),
            (false, true) => format!("searched {files}"),
            (false, false) => format!("nothing in {files}"),
        };
        if let Some(cause) = self.cause.as_ref().filter(|_| !self.is_cause_known) {
            let _ = write!(line, ": {cause}");
        }
        self.append_matching(&mut line);
        if !self.nearest.is_empty() {
            let at_least = if self.is_nearest_exact { "" } else { "at least " };
            let near = self.nearest.iter().map(|(text, files)| {
                format!("{text} ({at_least}{})", counted(*files, "file", "files"))
            });
            let _ = write!(line, "; nearest: {}", near.collect::<Vec<_>>().join(", "));
        }
        self.append_unlooked(&mut line);
        self.append_advice(&mut line);
        line
    }

    /// Appends the files that would match, or how much was left out.
    fn append_matching(&self, line: &mut String) {
        let number = |(count, what): (u64, &str)| format!("{} {what}", grouped(count));
        let files = [(self.binary, "binary"), (self.unreadable, "unreadable")];
        let files = files.into_iter().filter(|(count, _)| *count > 0);
        if self.matching > 0 {
            let verb = if self.any_match { "would match too" } else { "would match" };
            let sorted = self.sorted();
            let named = sorted.iter().take(MAX_NAMES);
            let named = named.map(|named| format!("{} ({})", named.path.display(), named.why));
            let _ = write!(line, "; {verb}: {}", named.collect::<Vec<_>>().join(", "));
            let more = self.matching - sorted.len().min(MAX_NAMES) as u64;
            if more > 0 {
                let _ = write!(line, " and {} more", grouped(more));
            }
            let files: Vec<String> = files.map(number).collect();
            if !files.is_empty() {
                let _ = write!(line, "; {}", files.join(", "));
            }
            return;
        }
        let left_out = self.left_out.iter().filter(|(cause, _)| *cause != Cause::VersionControl);
        let left_out = left_out.map(|(cause, count)| (*count, cause.noun()));
        let all: Vec<String> = left_out.chain(files).map(number).collect();
        let begins = match (self.is_list, self.any_match) {
            _ if all.is_empty() => return,
            (true, _) => "; left out: ",
            (false, true) => "; no match in what was left out: ",
            (false, false) => ", nor in what was left out: ",
        };
        let _ = write!(line, "{begins}{}", all.join(", "));
    }

    fn append_unlooked(&self, line: &mut String) {
        let mut parts: Vec<String> = Vec::new();
        for (what, count) in &self.unlooked {
            parts.push(match count {
                Some((count, of)) if count < of => {
                    format!("{} of {} {what}", grouped(count), grouped(of))
                }
                Some((count, _)) => format!("{} {what}", grouped(count)),
                None => what.clone(),
            });
        }
        let has_more = !parts.is_empty();
        if self.unlooked_vcs > 0 && !self.is_list {
            parts.push(match self.unlooked_vcs {
                1 => ".git".to_owned(),
                count => format!("{} of version control", grouped(count)),
            });
        }
        if !parts.is_empty() {
            let _ = write!(line, "; not looked at: {}", parts.join(", "));
            if has_more && self.time.is_over {
                let _ = write!(line, " ({} ms)", self.time.allowed.as_millis());
            }
        }
    }

    fn append_advice(&self, line: &mut String) {
        let advice = match (self.any_ignored, self.any_hidden) {
            (true, true) => "; -u searches ignored files, --dotfiles hidden ones",
            (true, false) => "; -u searches ignored files",
            (false, true) => "; --dotfiles searches hidden files",
            (false, false) => "",
        };
        line.push_str(advice);
        if self.any_link {
            line.push_str("; --follow follows links");
        }
    }

    /// The message for programs, with its line feed. `visible` escapes what a terminal would obey.
    pub(crate) fn json(&self, visible: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let mut text = format!(
            r#"{{"type":"skipped","data":{{"searched":{},"complete":{},"matching":{},"would_match":["#,
            self.searched,
            self.is_complete(),
            self.matching,
        );
        for (index, named) in self.sorted().iter().take(MAX_NAMES_IN_MESSAGE).enumerate() {
            text += if index > 0 { r#",{"path":"# } else { r#"{"path":"# };
            out.extend_from_slice(text.as_bytes());
            append_json_data(&mut out, &bytes_of(&named.path));
            out.extend_from_slice(br#","reason":"#);
            append_json_data(&mut out, named.why.as_bytes());
            text = "}".to_owned();
        }
        text += r#"],"left_out":{"#;
        let counts = self.left_out.iter().map(|(cause, count)| (cause.key(), *count));
        let counts = counts.chain([("binary", self.binary), ("unreadable", self.unreadable)]);
        let counts = counts.filter(|(_, count)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(key, count)| format!(r#""{key}":{count}"#)).collect();
        text += &counts.join(",");
        text += r#"},"not_looked_at":["#;
        let unlooked = self.unlooked.iter().map(|(what, count)| match count {
            Some((count, of)) => format!(r#"{{"what":"{what}","count":{count},"of":{of}}}"#),
            None => format!(r#"{{"what":"{what}"}}"#),
        });
        let vcs = (self.unlooked_vcs > 0)
            .then(|| format!(r#"{{"what":"version control","count":{}}}"#, self.unlooked_vcs));
        text += &unlooked.chain(vcs).collect::<Vec<_>>().join(",");
        text += r#"],"nearest":["#;
        out.extend_from_slice(text.as_bytes());
        for (index, (near, files)) in self.nearest.iter().enumerate() {
            let start: &[u8] = if index > 0 { br#",{"text":"# } else { br#"{"text":"# };
            out.extend_from_slice(start);
            append_json_data(&mut out, near.as_bytes());
            let exact = self.is_nearest_exact;
            out.extend_from_slice(format!(r#","files":{files},"exact":{exact}}}"#).as_bytes());
        }
        out.extend_from_slice(br#"],"cause":"#);
        match &self.cause {
            Some(cause) => append_json_data(&mut out, cause.as_bytes()),
            None => out.extend_from_slice(b"null"),
        }
        let limit = match self.time.is_over {
            true => self.time.allowed.as_millis().to_string(),
            false => "null".to_owned(),
        };
        out.extend_from_slice(format!(r#","time_limit_ms":{limit}}}}}"#).as_bytes());
        if visible {
            escape_json(&mut out, 0);
        }
        out.push(b'\n');
        out
    }
}
