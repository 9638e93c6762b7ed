//! Shows what a replacement would change, without changing a file:
//! `cargo run --example replace_preview -- PATTERN REPLACEMENT [PATH]`.
//!
//! `$1` and `${name}` in the replacement stand for groups of the pattern.

use heist::{Error, Search};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let pattern = args.next().unwrap_or_default();
    let replacement = args.next().unwrap_or_default();
    let root = args.next().unwrap_or_else(|| ".".to_string());
    let search = Search::new(pattern)?.root(root).replacement(replacement).sorted();
    search.run(|hit| {
        println!("{}:{}", hit.path().display(), hit.line_number());
        println!("- {}", hit.text());
        println!("+ {}", hit.replaced_text());
    })?;
    Ok(())
}
