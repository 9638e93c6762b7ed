//! Prints the lines that match: `cargo run --example grep -- PATTERN [PATH]`.

use heist::{Error, Search};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let pattern = args.next().unwrap_or_default();
    let root = args.next().unwrap_or_else(|| ".".to_string());
    let summary = Search::new(pattern)?.root(root).sorted().run(|hit| {
        println!("{}:{}:{}", hit.path().display(), hit.line_number(), hit.text());
    })?;
    summary.errors.iter().for_each(|error| eprintln!("{error}"));
    Ok(())
}
