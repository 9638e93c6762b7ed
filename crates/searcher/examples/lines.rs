//! Prints the matching lines of files with their numbers: `lines PATTERN FILE…`.

use std::{env, error::Error};

use heist_matcher::Matcher;
use heist_searcher::{Flow, Searcher, sinks::Lossy};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let pattern = arguments.next().ok_or("usage: lines PATTERN FILE…")?;
    let matcher = Matcher::new(&[pattern], &Default::default())?;
    let mut finder = matcher.finder();
    let mut searcher = Searcher::default();
    for path in arguments {
        let mut sink = Lossy::new(|number, line| {
            println!("{path}:{number}:{}", line.trim_end());
            Flow::Continue(())
        });
        searcher.search_path(&mut finder, &path, &mut sink)?;
    }
    Ok(())
}
