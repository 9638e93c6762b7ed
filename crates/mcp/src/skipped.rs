//! The account of a search that has found nothing: what it left out, and what is close to it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{
    arguments::in_one_line,
    messages::{NotLookedAt, Skipped},
    places::AllowedDirs,
    reports,
};

/// The most files that the text names. The values name those that `hs` does.
const MAX_NAMES: usize = 5;

/// The bytes that an account may have in any answer, however few are requested.
const LEAST_ROOM: usize = 240;

/// An account as an answer has it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SkippedAnswer {
    pub(crate) text: String,
    pub(crate) values: Value,
}

/// The schema for the values of an account.
pub(crate) fn schema() -> Value {
    let (text, integer) = (json!({ "type": "string" }), json!({ "type": "integer" }));
    let would_match = json!({
        "type": "object",
        "properties": { "path": text, "reason": text },
        "required": ["path", "reason"],
    });
    let nearest = json!({
        "type": "object",
        "properties": { "text": text, "files": integer, "exact": { "type": "boolean" } },
        "required": ["text", "files", "exact"],
    });
    json!({
        "type": "object",
        "description": "If nothing was found: what was left out, and what is close",
        "properties": {
            "searched": { "type": "integer", "description": "How many files were searched" },
            "matching": {
                "type": "integer",
                "description": "How many files that were left out would match",
            },
            "would_match": { "type": "array", "items": would_match },
            "left_out": { "type": "object", "description": "How many, by reason" },
            "not_looked_at": { "type": "array", "items": text },
            "nearest": {
                "type": "array",
                "items": nearest,
                "description": "Close spellings that stand in searched files",
            },
            "cause": { "type": "string", "description": "Why no file was searched" },
            "complete": {
                "type": "boolean",
                "description": "Whether all that was left out was looked at",
            },
        },
        "required": ["searched", "matching", "would_match", "left_out", "complete"],
    })
}

impl SkippedAnswer {
    /// The account for an answer of at most `bytes` bytes about `places`.
    pub(crate) fn new(account: &Skipped, places: &AllowedDirs, bytes: usize) -> SkippedAnswer {
        let mut room = bytes.max(LEAST_ROOM);
        let mut has_room = |bytes: usize| {
            let left = room.checked_sub(bytes);
            room = left.unwrap_or(0);
            left.is_some()
        };
        let mut text = match account.searched {
            1 => "nothing in 1 file".to_owned(),
            files => format!("nothing in {files} files"),
        };
        let cause = account.cause.as_ref().map(|cause| in_words(&cause.text()));
        if let Some(cause) = &cause {
            let _ = write!(text, ": {cause}");
        }
        let named = account.would_match.iter().map(|file| {
            let name = places.name(places.first(), &file.path.bytes());
            (name, in_words(&file.reason.text()))
        });
        let named: Vec<_> =
            named.take_while(|(name, why)| has_room(name.text().len() + why.len() + 4)).collect();
        if account.matching > 0 {
            let shown = named.iter().take(MAX_NAMES);
            let shown: Vec<String> =
                shown.map(|(name, why)| format!("{} ({why})", name.text())).collect();
            let _ = write!(text, "; would match: {}", shown.join(", "));
            let more = account.matching.saturating_sub(shown.len() as u64);
            if more > 0 {
                let _ = write!(text, " and {more} more");
            }
        }
        let left_out = account.left_out.iter().filter(|(key, _)| *key != "version_control");
        let left_out: Vec<String> =
            left_out.map(|(key, count)| format!("{count} {}", key.replace('_', " "))).collect();
        if account.matching == 0 && !left_out.is_empty() {
            let _ = write!(text, ", nor in what was left out: {}", left_out.join(", "));
        }
        if !account.nearest.is_empty() {
            let near = account.nearest.iter().map(|near| {
                let least = if near.exact { "" } else { "at least " };
                let files = if near.files == 1 { "file" } else { "files" };
                format!("{} ({least}{} {files})", near.text.text(), near.files)
            });
            let _ = write!(text, "; nearest: {}", near.collect::<Vec<_>>().join(", "));
        }
        let unlooked: Vec<String> = account.not_looked_at.iter().map(unlooked_in_words).collect();
        if !unlooked.is_empty() {
            let _ = write!(text, "; not looked at: {}", unlooked.join(", "));
        }
        if let Some(time) = account.time_limit_ms {
            let _ = write!(text, " ({time} ms)");
        }
        let would_match =
            named.iter().map(|(name, why)| json!({ "path": name.value(), "reason": why }));
        let nearest = account.nearest.iter().map(
            |near| json!({ "text": near.text.text(), "files": near.files, "exact": near.exact }),
        );
        let mut values = json!({
            "searched": account.searched,
            "matching": account.matching,
            "would_match": would_match.collect::<Vec<_>>(),
            "left_out": account.left_out,
            "not_looked_at": unlooked,
            "nearest": nearest.collect::<Vec<_>>(),
            "complete": account.complete,
        });
        if let Some(cause) = cause {
            values["cause"] = cause.into();
        }
        SkippedAnswer { text: in_one_line(&text).into_owned(), values }
    }
}

/// What was not looked at, in words.
fn unlooked_in_words(unlooked: &NotLookedAt) -> String {
    let what = &unlooked.what;
    match (unlooked.count, unlooked.of) {
        (Some(1), None) if what == "version control" => ".git".to_owned(),
        (Some(count), Some(of)) if count < of => format!("{count} of {of} {what}"),
        (Some(count), _) => format!("{count} {what}"),
        (None, _) => what.clone(),
    }
}

/// What `hs` has stated, in one line and about parameters.
fn in_words(text: &str) -> String {
    in_one_line(&reports::in_parameters(text)).into_owned()
}
