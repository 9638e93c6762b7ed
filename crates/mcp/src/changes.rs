//! Changes of files: shown as patches, and with `--allow-write` written and put back.
//!
//! A client names the patch that it has seen by its hash, and `hs --if-patch` writes that one or
//! nothing.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fmt::Write as _,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    answer::{Answer, ToolCall},
    hs::Output,
    listing::cost,
    reports,
};

/// How many patches can be written: the last ones that were shown.
const MAX_PREVIEWS: usize = 32;

/// How many bytes the messages about what was written may have.
const MAX_MESSAGE_BYTES: usize = 4 << 10;

/// A run of `hs` that would write a patch.
#[derive(Clone, Debug)]
pub(crate) struct Preview {
    pub(crate) hash: String,
    pub(crate) dir: PathBuf,
    pub(crate) flags: Vec<String>,
    pub(crate) paths: Vec<OsString>,
    /// The number by which `hs --undo` puts the change back, once it is written.
    pub(crate) number: Option<u64>,
}

/// The patches that were shown to the end, the newest first.
#[derive(Debug, Default)]
pub(crate) struct Previews(Mutex<VecDeque<Preview>>);

impl Previews {
    fn known(&self) -> MutexGuard<'_, VecDeque<Preview>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a preview in the place of an older one with this hash.
    pub(crate) fn keep(&self, preview: Preview) {
        let mut known = self.known();
        known.retain(|old| old.hash != preview.hash || old.number.is_some());
        known.push_front(preview);
        known.truncate(MAX_PREVIEWS);
    }

    /// The patch with this hash that is not written yet.
    ///
    /// # Errors
    /// No such patch was shown to the end, or it is written.
    pub(crate) fn unwritten(&self, hash: &str) -> Result<Preview, String> {
        let known = self.known();
        let named = || known.iter().filter(|preview| preview.hash == hash);
        match named().find(|preview| preview.number.is_none()) {
            Some(preview) => Ok(preview.clone()),
            None if named().next().is_some() => {
                Err("patch: it is written; replace_preview shows what is left".to_owned())
            }
            None => Err("patch: replace_preview has not shown one with this hash to its end, or \
                         too many since"
                .to_owned()),
        }
    }

    /// The last change with this hash that was written.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn written(&self, hash: &str) -> Result<(Preview, u64), String> {
        let known = self.known();
        let written = known.iter().filter(|preview| preview.hash == hash);
        let written = written.filter_map(|preview| Some((preview.clone(), preview.number?))).next();
        written.ok_or_else(|| "patch: `replace` has written none with this hash".to_owned())
    }

    /// Notes the number of the change that was written.
    pub(crate) fn note(&self, hash: &str, number: u64) {
        let mut known = self.known();
        let mut named = known.iter_mut().filter(|preview| preview.hash == hash);
        if let Some(preview) = named.find(|preview| preview.number.is_none()) {
            preview.number = Some(number);
        }
    }

    /// Forgets a change that was put back.
    pub(crate) fn forget(&self, hash: &str, number: u64) {
        let is_this = |old: &Preview| old.hash == hash && old.number == Some(number);
        self.known().retain(|old| !is_this(old));
    }
}

/// The schema for what `replace_preview` returns.
pub(crate) fn preview_schema() -> Map<String, Value> {
    object(
        &json!({
            "patch": { "type": "string", "description": "A unified diff" },
            "files": { "type": "integer", "description": "How many files would change" },
            "whole": { "type": "boolean", "description": "Whether all of the patch is shown" },
            "hash": { "type": "string", "description": "Names the patch for `replace`" },
            "messages": messages_schema(),
        }),
        &["patch", "files", "whole"],
    )
}

/// The schema for what `replace` and `undo` return.
pub(crate) fn done_schema() -> Map<String, Value> {
    let done = json!({ "type": "string", "description": "What was written" });
    object(&json!({ "done": done, "messages": messages_schema() }), &["done"])
}

fn messages_schema() -> Value {
    json!({
        "type": "array",
        "items": { "type": "string" },
        "description": "Files that were left as they are, and why",
    })
}

fn object(properties: &Value, required: &[&str]) -> Map<String, Value> {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let Value::Object(schema) = schema else { unreachable!("an object") };
    schema
}

/// What `replace_preview` answers, and the hash of the patch if that is shown to its end.
///
/// # Errors
/// The search has failed.
pub(crate) fn preview(
    output: Output,
    run: &ToolCall<'_>,
    may_write: bool,
) -> Result<(Answer, Option<String>), String> {
    if output.has_failed && output.stdout.is_empty() {
        return Err(reports::error(&output.messages));
    }
    let has_searched_none =
        output.messages.iter().any(|message| message.starts_with("No files were searched"));
    let messages = run.reports(output.messages, has_searched_none);
    let taken: usize = messages.iter().map(|message| message.len() + 3).sum();
    let patch = String::from_utf8_lossy(&output.stdout);
    let shown = beginning(&patch, run.page.bytes.saturating_sub(taken));
    let files = patch.lines().filter(|line| line.starts_with("diff --git ")).count();
    let whole = shown.len() == patch.len();
    let hash = (whole && may_write && files > 0).then(|| hash_of(&output.stdout));

    let mut text = shown.to_owned();
    let noun = if files == 1 { "file" } else { "files" };
    let _ = write!(text, "{files} {noun} would change");
    if !whole {
        let (shown, all) = (shown.len(), patch.len());
        let _ = write!(
            text,
            "; {shown} of {all} bytes of the patch are shown (max_bytes): narrow the search, or \
             set max_bytes"
        );
    }
    if let Some(hash) = &hash {
        let _ = write!(text, "; patch: {hash}");
    }
    let mut values = json!({ "patch": shown, "files": files, "whole": whole });
    if let Some(hash) = &hash {
        values["hash"] = hash.as_str().into();
    }
    Ok((with_messages(text, values, messages), hash))
}

/// What `replace` and `undo` answer, and the number by which `hs` puts the change back.
///
/// # Errors
/// Nothing was written.
pub(crate) fn done(output: &Output, verb: &str) -> Result<(Answer, Option<u64>), String> {
    let is_done = |message: &&String| message.starts_with(verb);
    let Some(stated) = output.messages.iter().find(is_done) else {
        return Err(match output.messages.is_empty() {
            true => "nothing was written: there is nothing to change".to_owned(),
            false => reports::error(&output.messages),
        });
    };
    let (done, advice) = stated.split_once("; ").unwrap_or((stated, ""));
    let number = advice
        .split_once("--undo=")
        .and_then(|(_, rest)| rest.split(' ').next().and_then(|number| number.parse().ok()));
    let others: Vec<String> =
        output.messages.iter().filter(|message| !is_done(message)).cloned().collect();
    let messages = reports::bounded(&others, MAX_MESSAGE_BYTES);
    Ok((with_messages(done.to_owned(), json!({ "done": done }), messages), number))
}

/// The answer with this text and these values, and behind them `messages`.
fn with_messages(mut text: String, mut values: Value, messages: Vec<String>) -> Answer {
    messages.iter().for_each(|message| text += &format!("\n! {message}"));
    if !messages.is_empty() {
        values["messages"] = messages.into();
    }
    Answer { text, values }
}

/// As many whole lines of the beginning of `patch` as have at most `bytes` bytes in JSON.
fn beginning(patch: &str, bytes: usize) -> &str {
    let mut left = bytes;
    let mut end = 0;
    for line in patch.split_inclusive('\n') {
        let Some(rest) = left.checked_sub(cost(line)) else { break };
        (left, end) = (rest, end + line.len());
    }
    &patch[..end]
}

/// The SHA-256 of a patch, as `hs --if-patch` takes it.
fn hash_of(patch: &[u8]) -> String {
    Sha256::digest(patch).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
