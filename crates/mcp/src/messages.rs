//! What `hs --json` prints.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{hs::Output, reports};

/// One message.
#[derive(Debug)]
pub(crate) enum Message {
    Match(FileLines),
    Context(FileLines),
    File(File),
    Shown(ShownCounts),
    Why(Why),
    Skipped(Box<Skipped>),
    Summary(RunSummary),
    /// What this program has no use for.
    Other,
}

/// A message as it is written.
#[derive(Debug, Deserialize)]
struct Raw {
    r#type: String,
    data: Value,
}

impl Message {
    fn parse(line: &[u8]) -> serde_json::Result<Message> {
        let Raw { r#type, data } = serde_json::from_slice(line)?;
        Ok(match r#type.as_str() {
            "match" => Message::Match(serde_json::from_value(data)?),
            "context" => Message::Context(serde_json::from_value(data)?),
            "file" => Message::File(serde_json::from_value(data)?),
            "shown" => Message::Shown(serde_json::from_value(data)?),
            "why" => Message::Why(serde_json::from_value(data)?),
            "skipped" => Message::Skipped(serde_json::from_value(data)?),
            "summary" => Message::Summary(serde_json::from_value(data)?),
            _ => Message::Other,
        })
    }
}

/// One or more lines of a file.
#[derive(Debug, Deserialize)]
pub(crate) struct FileLines {
    pub(crate) path: Data,
    pub(crate) lines: Data,
    pub(crate) line_number: u64,
    /// Whether this line begins the function around a match.
    #[serde(default)]
    pub(crate) function: bool,
}

/// A file of a list.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    pub(crate) path: Data,
}

/// How much was shown, and how much there is.
#[derive(Debug, Deserialize)]
pub(crate) struct ShownCounts {
    pub(crate) shown: Totals,
    pub(crate) found: Totals,
    pub(crate) exact: bool,
    pub(crate) limit: Option<String>,
    /// The directory with most results, if it is known and some are left out.
    pub(crate) most: Option<Most>,
}

/// A directory, and how many results it has.
#[derive(Debug, Deserialize)]
pub(crate) struct Most {
    pub(crate) path: Data,
    pub(crate) results: u64,
}

/// How many results there are, and how many files have results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Totals {
    pub(crate) results: u64,
    pub(crate) files: u64,
}

/// The explanation of a path.
#[derive(Debug, Deserialize)]
pub(crate) struct Why {
    pub(crate) path: Data,
    pub(crate) searched: bool,
    pub(crate) reason: Data,
}

/// What a run has done.
#[derive(Debug, Deserialize)]
pub(crate) struct RunSummary {
    /// What a search has done; `None` for a list.
    pub(crate) stats: Option<SearchStats>,
}

/// The part of a search's statistics that is used.
#[derive(Debug, Deserialize)]
pub(crate) struct SearchStats {
    /// How many files were searched.
    pub(crate) searches: u64,
}

/// The account as `hs --json` prints it.
#[derive(Debug, Deserialize)]
pub(crate) struct Skipped {
    pub(crate) searched: u64,
    pub(crate) complete: bool,
    pub(crate) matching: u64,
    pub(crate) would_match: Vec<WouldMatch>,
    pub(crate) left_out: Map<String, Value>,
    pub(crate) not_looked_at: Vec<NotLookedAt>,
    pub(crate) nearest: Vec<Nearest>,
    pub(crate) cause: Option<Data>,
    pub(crate) time_limit_ms: Option<u64>,
}

/// A file that was left out and would match.
#[derive(Debug, Deserialize)]
pub(crate) struct WouldMatch {
    pub(crate) path: Data,
    pub(crate) reason: Data,
}

/// What was not looked at: how many, of how many.
#[derive(Debug, Deserialize)]
pub(crate) struct NotLookedAt {
    pub(crate) what: String,
    pub(crate) count: Option<u64>,
    pub(crate) of: Option<u64>,
}

/// A close spelling, and how many files have it.
#[derive(Debug, Deserialize)]
pub(crate) struct Nearest {
    pub(crate) text: Data,
    pub(crate) files: u64,
    pub(crate) exact: bool,
}

/// Bytes, which need not be text.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Data {
    Text(String),
    Bytes(String),
}

impl Data {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Data::Text(text) => text.clone().into_bytes(),
            Data::Bytes(base64) => STANDARD.decode(base64).unwrap_or_default(),
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Data::Text(text) => text.clone(),
            Data::Bytes(_) => String::from_utf8_lossy(&self.bytes()).into_owned(),
        }
    }
}

/// What a run printed that has stated what it has shown.
#[derive(Debug)]
pub(crate) struct Stated {
    /// The other messages.
    pub(crate) messages: Vec<Message>,
    pub(crate) shown: ShownCounts,
    /// What was reported, without the last line, which states for people what was shown.
    pub(crate) reports: Vec<String>,
}

impl Stated {
    /// Takes apart what a run with a limit printed.
    ///
    /// # Errors
    /// The run has failed, for which its reports have the reason.
    pub(crate) fn new(output: Output) -> Result<Stated, String> {
        let Output { stdout, messages: mut reports, .. } = output;
        let mut messages = parse(&stdout)?;
        let at = messages.iter().position(|message| matches!(message, Message::Shown(_)));
        let Some(Message::Shown(shown)) = at.map(|at| messages.remove(at)) else {
            return Err(reports::error(&reports));
        };
        reports.pop();
        Ok(Stated { messages, shown, reports })
    }
}

/// The messages that `hs` printed.
///
/// # Errors
/// The output has another form, as another version of `hs` may print it.
pub(crate) fn parse(output: &[u8]) -> Result<Vec<Message>, String> {
    let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| Message::parse(line).map_err(|e| format!("output of hs: {e}"))).collect()
}
