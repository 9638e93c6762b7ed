//! Searches while the query is typed: `cargo run --example live_search -- [PATH]` reads the query
//! as it is after each key, one per line, and prints the first ten lines that match. A new query
//! ends the search for the one before.

use std::{
    io::{self, BufRead as _},
    thread,
};

use heist::{CancelToken, Case, Error, Matcher, MatcherConfig, Search};

/// Prints what matches, unless the token is cancelled meanwhile.
fn show(query: &str, root: &str, token: &CancelToken) -> Result<(), Error> {
    let config = MatcherConfig { case: Case::Smart, ..MatcherConfig::default() };
    let search = Search::with_matcher(Matcher::new([query], &config)?).root(root);
    let summary = search.limit(10).cancel(token).run(|hit| {
        println!("{query}: {}:{}:{}", hit.path().display(), hit.line_number(), hit.text());
    })?;
    if !token.is_cancelled() {
        println!("{query}: {} lines", summary.matched_lines);
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_string());
    let mut token = CancelToken::new();
    thread::scope(|scope| {
        for query in io::stdin().lock().lines() {
            let (query, root) = (query?, &root);
            token.cancel();
            token = CancelToken::new();
            let token = token.clone();
            scope.spawn(move || {
                if let Err(error) = show(&query, root, &token) {
                    println!("{query}: {error}");
                }
            });
        }
        Ok(())
    })
}
