//! Counts TODO comments per author, where each author has a directory:
//! `cargo run --example count_todos -- [PATH]` prints `3 alice`, `1 bob`, and so on.

use std::{collections::BTreeMap, path::PathBuf};

use heist::{Error, Search};

fn main() -> Result<(), Error> {
    let root = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let search = Search::new(r"\b(TODO|HACK)\b")?.root(&root);
    let summary = search.run(|hit| {
        let below = hit.path().strip_prefix(&root).unwrap_or(hit.path());
        let mut parts = below.components().map(|part| part.as_os_str().to_string_lossy());
        // A file that lies beside the authors' directories belongs to none of them.
        let author = parts.next().filter(|_| parts.next().is_some());
        let author = author.map_or_else(|| "(none)".to_string(), String::from);
        *counts.entry(author).or_default() += hit.matches().len() as u64;
    })?;
    for (author, count) in &counts {
        println!("{count} {author}");
    }
    summary.errors.iter().for_each(|error| eprintln!("{error}"));
    Ok(())
}
