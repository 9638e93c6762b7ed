//! Measures what a user notices who types a query into an editor: how soon a search ends once the
//! next key has cancelled it, and how soon a new one finds its first line.
//!
//! `cargo run --release --example keystrokes -- PATH [KEYS]`, with 1,000 keys by default

use std::{
    sync::{Arc, OnceLock},
    thread,
    time::{Duration, Instant},
};

use heist::{CancelToken, Error, Search};

/// Queries, typed one character at a time. Some are rare, so that their searches take long.
const QUERIES: [&str; 5] = ["mutex_lock", "container_of", "zzqqxx", "static int", "EXPORT_SYMBOL"];

/// The longest pause before a key, in milliseconds.
const MAX_PAUSE_MS: u64 = 60;

/// The value below which 99 of 100 lie, in milliseconds.
fn percentile_99(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get(last * 99 / 100).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let root = args.next().unwrap_or_else(|| ".".to_string());
    let keys = args.next().and_then(|keys| keys.parse().ok()).unwrap_or(1000);
    let prefixes = QUERIES.into_iter().flat_map(|query| (1..=query.len()).map(|end| &query[..end]));
    let (mut ends, mut first_lines) = (Vec::new(), Vec::new());
    for (key, query) in prefixes.cycle().take(keys).enumerate() {
        let token = CancelToken::new();
        let search = Search::new(query)?.root(&root).cancel(&token);
        let first_line = Arc::new(OnceLock::new());
        let (found, start) = (Arc::clone(&first_line), Instant::now());
        let run = thread::spawn(move || {
            search.run(|_| {
                found.get_or_init(|| start.elapsed());
            })
        });
        // Pauses of all lengths, in no order.
        thread::sleep(Duration::from_millis(key as u64 * 37 % MAX_PAUSE_MS));
        let cancelled = Instant::now();
        token.cancel();
        let summary = run.join().expect("a search does not panic")?;
        if !summary.is_complete {
            ends.push(cancelled.elapsed());
        }
        first_lines.extend(first_line.get());
    }
    println!("{keys} keys; 99 of 100 cancelled searches end in {:.2} ms", percentile_99(ends));
    println!("99 of 100 first lines come after {:.2} ms", percentile_99(first_lines));
    Ok(())
}
