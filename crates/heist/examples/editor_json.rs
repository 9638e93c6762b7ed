//! Prints results as an editor reads them, one JSON object per line, in the format of `hs --json`:
//! `cargo run --example editor_json -- PATTERN [PATH]`.

use std::io;

use heist::{Error, Format, Search};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let pattern = args.next().unwrap_or_default();
    let root = args.next().unwrap_or_else(|| ".".to_string());
    Search::new(pattern)?.root(root).print(Format::Json, io::stdout())?;
    Ok(())
}
