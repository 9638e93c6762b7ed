//! Measures what each strategy takes, in nanoseconds per byte: `prices FILE`. The figures are for
//! `src/strategies/cost.rs`, without the price of stops.

use std::hint::black_box;
use std::time::Instant;

use heist_matcher::{BlockScan, Boundary, Case, Matcher, MatcherConfig};

/// How many runs are made. The fastest counts.
const RUNS: usize = 7;
/// Bytes of a block.
const BLOCK: usize = 64 << 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("no file")?;
    let text = std::fs::read(path)?;
    let config = MatcherConfig::default();
    let word = MatcherConfig { boundary: Boundary::Word, ..MatcherConfig::default() };
    let folded = MatcherConfig { case: Case::Insensitive, ..MatcherConfig::default() };
    let list = |len| -> Vec<String> { (0..len).map(|n| format!("zq{n:x}_xv{}", n * 7)).collect() };
    let one = |pattern: &str| vec![pattern.to_owned()];
    for (name, patterns, config) in [
        ("packed, one needle", one("zqxv_zqxv"), &config),
        ("packed, 12 needles", list(12), &config),
        ("packed, 48 needles", list(48), &config),
        ("anchored literal", one("zqxv"), &word),
        ("many, 1000 needles", list(1000), &config),
        ("many, 100 in either case", list(100), &folded),
        ("words, 1000", list(1000), &word),
        ("bit-parallel", one(r"[A-Z]\d[A-Z]\d\("), &config),
        ("ASCII skip", one(r"\p{Greek}"), &config),
        ("engine, with literals", one("zqxv[a-z]+"), &config),
    ] {
        let mut finder = Matcher::new(&patterns, config)?.finder();
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let started = Instant::now();
            for block in blocks(&text) {
                black_box(finder.count_lines(&mut BlockScan::new(block), 0));
            }
            best = best.min(started.elapsed().as_secs_f64() * 1e9 / text.len() as f64);
        }
        println!("{name:26} {best:.3}");
    }
    Ok(())
}

/// Blocks of whole lines.
fn blocks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let size = rest.len().min(BLOCK);
        let last = rest[..size].iter().rposition(|&byte| byte == b'\n');
        let (block, after) = rest.split_at(last.map_or(size, |n| n + 1));
        rest = after;
        (!block.is_empty()).then_some(block)
    })
}
