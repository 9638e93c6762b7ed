//! A server of the Model Context Protocol, in a file in JSON. What else is in the file keeps its
//! bytes: a key is put in front of the others of its object, and taken out again.

use std::{collections::HashMap, ops::Range};

use serde_json::{Value, value::RawValue};

use super::change::Change;

/// The key of all servers.
const SERVERS: &str = "servers";
/// The key of the server.
const NAME: &str = "hs";
/// The server's value. The editor puts the directory in place of the variable.
const SERVER: &str =
    r#"{ "type": "stdio", "command": "heist-mcp", "args": ["${workspaceFolder}"] }"#;

/// A file that is created. No file that existed looks like this once the key is added.
const CREATED: &str = r#"{
  "servers": {
    "hs": {
      "type": "stdio",
      "command": "heist-mcp",
      "args": ["${workspaceFolder}"]
    }
  }
}
"#;

/// The server with its key.
pub(super) fn server() -> String {
    format!("{NAME:?}: {SERVER}")
}

/// The object of all servers, if there was none.
fn servers() -> String {
    format!("{{ {} }}", server())
}

/// What becomes of a file with this `text` if the server is added; `None` if there is no file.
///
/// # Errors
/// The text is not JSON, or has another server of this name.
pub(super) fn add(text: Option<&[u8]>) -> Result<Change, String> {
    let Some(text) = text else { return Ok(Change::Write(CREATED.as_bytes().to_vec())) };
    let text = as_text(text)?;
    let top = members(text, whole(text))?;
    let new = match top.get(SERVERS) {
        None => insert(text, whole(text), &format!("{SERVERS:?}: {}", servers()), top.is_empty()),
        Some(servers) => {
            let known = members(text, servers.clone())?;
            if let Some(value) = known.get(NAME) {
                check(&text[value.clone()])?;
                return Ok(Change::None);
            }
            insert(text, servers.clone(), &server(), known.is_empty())
        }
    };
    Ok(Change::Write(new.into_bytes()))
}

/// What becomes of a file with this `text` if the server is taken back.
///
/// # Errors
/// The text is not JSON, or has another server of this name.
pub(super) fn take_back(text: Option<&[u8]>) -> Result<Change, String> {
    let Some(text) = text else { return Ok(Change::None) };
    let text = as_text(text)?;
    if text == CREATED {
        return Ok(Change::Remove);
    }
    let top = members(text, whole(text))?;
    let Some(all) = top.get(SERVERS) else { return Ok(Change::None) };
    let known = members(text, all.clone())?;
    let Some(value) = known.get(NAME) else { return Ok(Change::None) };
    check(&text[value.clone()])?;
    let new = match text[all.clone()] == servers() {
        true => take_out(text, SERVERS, all)?,
        false => take_out(text, NAME, value)?,
    };
    Ok(Change::Write(new.into_bytes()))
}

fn as_text(text: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(text).map_err(|error| format!("not changed: it is not UTF-8: {error}"))
}

/// Where the outermost value is.
fn whole(text: &str) -> Range<usize> {
    text.len() - text.trim_start().len()..text.trim_end().len()
}

/// The values of the object at `object` in `text`: where they are, by their keys.
fn members(text: &str, object: Range<usize>) -> Result<HashMap<String, Range<usize>>, String> {
    let parsed: HashMap<String, &RawValue> =
        serde_json::from_str(&text[object]).map_err(|error| {
            format!("not changed: it cannot be read as JSON without comments: {error}")
        })?;
    let place = |value: &RawValue| {
        let value = value.get();
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        start..start + value.len()
    };
    Ok(parsed.into_iter().map(|(key, value)| (key, place(value))).collect())
}

/// Fails unless `value` is that of our server, however it is formatted.
fn check(value: &str) -> Result<(), String> {
    let parsed = |text| serde_json::from_str::<Value>(text).ok();
    match parsed(value) == parsed(SERVER) {
        true => Ok(()),
        false => Err(format!("not changed: it has another server named {NAME}")),
    }
}

/// `text` with `member` in front of the other members of the object at `object`.
fn insert(text: &str, object: Range<usize>, member: &str, is_empty: bool) -> String {
    let (before, after) = text.split_at(object.start + 1);
    if is_empty {
        return format!("{before}{member}{after}");
    }
    let blanks = &after[..after.len() - after.trim_start().len()];
    format!("{before}{blanks}{member},{after}")
}

/// `text` without the member that has this `key` and its value at `value`.
fn take_out(text: &str, key: &str, value: &Range<usize>) -> Result<String, String> {
    let before = text[..value.start].trim_end().strip_suffix(':').map(str::trim_end);
    let before = before.and_then(|before| before.strip_suffix(&format!("{key:?}")));
    let before = before.ok_or_else(|| format!("not changed: the key {key} has escapes"))?;
    let (before, after) = (before.trim_end(), &text[value.end..]);
    if let Some(before) = before.strip_suffix(',') {
        return Ok(format!("{before}{after}"));
    }
    let after = after.trim_start().strip_prefix(',').unwrap_or(after);
    Ok(format!("{before}{after}"))
}
