//! Answers searches that arrive as JSON lines on standard input, as a language server does. Several
//! searches run at a time, and each can be cancelled.
//!
//! ```text
//! -> {"id":1,"search":"fn main","path":"src"}
//! <- {"id":1,"path":"src/main.rs","line":12,"text":"fn main() {"}
//! <- {"id":1,"done":true,"matches":1,"complete":true}
//! -> {"cancel":1}
//! ```

use std::{
    collections::HashMap,
    io::{self, BufRead as _, Write as _},
    ops::ControlFlow,
    thread,
};

use heist::{CancelToken, Error, Search};
use serde_json::{Value, json};

/// Prints one message. `Break` once the client has closed its end.
fn send(message: &Value) -> ControlFlow<()> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{message}").and_then(|()| stdout.flush()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Runs one search and sends its hits and its end.
fn answer(id: u64, pattern: &str, path: &str, token: &CancelToken) -> Result<(), Error> {
    let search = Search::new(pattern)?.root(path).cancel(token);
    let summary = search.run(|hit| {
        send(&json!({
            "id": id,
            "path": hit.path().display().to_string(),
            "line": hit.line_number(),
            "text": hit.text(),
        }))
    })?;
    for error in &summary.errors {
        let _ = send(&json!({ "id": id, "error": error.to_string() }));
    }
    let (matches, complete) = (summary.matches, summary.is_complete);
    let _ = send(&json!({ "id": id, "done": true, "matches": matches, "complete": complete }));
    Ok(())
}

fn main() -> io::Result<()> {
    let mut tokens: HashMap<u64, CancelToken> = HashMap::new();
    let mut searches = Vec::new();
    for line in io::stdin().lock().lines() {
        let request: Value = match serde_json::from_str(&line?) {
            Ok(request) => request,
            Err(error) => {
                let _ = send(&json!({ "error": error.to_string() }));
                continue;
            }
        };
        if let Some(token) = request["cancel"].as_u64().and_then(|id| tokens.get(&id)) {
            token.cancel();
        } else if let (Some(id), Some(pattern)) =
            (request["id"].as_u64(), request["search"].as_str().map(str::to_string))
        {
            let path = request["path"].as_str().unwrap_or(".").to_string();
            let token = CancelToken::new();
            tokens.insert(id, token.clone());
            searches.push(thread::spawn(move || {
                if let Err(error) = answer(id, &pattern, &path, &token) {
                    let _ = send(&json!({ "id": id, "error": error.to_string() }));
                }
            }));
        }
    }
    // Searches that were not cancelled run to their end.
    for search in searches {
        let _ = search.join();
    }
    Ok(())
}
