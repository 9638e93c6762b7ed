//! Counts the matching lines of a file in blocks of 64 KiB, to time the matcher without the rest:
//! `count_lines [-i] [-w] [-x] [-F] [-f FILE | PATTERN] FILE`.

use std::fs::File;
use std::io::{self, Read};
use std::time::Instant;

use heist_matcher::{BlockScan, Boundary, Case, Config, Finder, LineHit, Matcher};
use memchr::{memchr, memrchr};

const BLOCK: usize = 64 << 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::default();
    let mut patterns = None;
    let mut words = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-i" => config.case = Case::Insensitive,
            "-w" => config.boundary = Boundary::Word,
            "-x" => config.boundary = Boundary::Line,
            "-F" => config.fixed_strings = true,
            "-f" => {
                let list = std::fs::read_to_string(args.next().ok_or("-f needs a file")?)?;
                patterns = Some(list.lines().map(String::from).collect());
            }
            _ => words.push(arg),
        }
    }
    let path = words.pop().ok_or("no file")?;
    let started = Instant::now();
    let matcher = Matcher::new(patterns.unwrap_or(words), &config)?;
    let built = started.elapsed();
    let counts = count(&mut matcher.finder(), &mut File::open(path)?)?;
    println!("{} lines, {} candidates, built in {built:?}", counts.lines, counts.candidates);
    Ok(())
}

#[derive(Default)]
struct Counts {
    lines: u64,
    candidates: u64,
}

fn count(finder: &mut Finder, file: &mut File) -> io::Result<Counts> {
    let mut buffer = vec![0; BLOCK];
    let mut filled = 0;
    let mut counts = Counts::default();
    loop {
        let read = file.read(&mut buffer[filled..])?;
        filled += read;
        // Whole lines only; the rest moves to the front and waits for more.
        let whole = match read {
            0 => filled,
            _ => memrchr(b'\n', &buffer[..filled]).map_or(0, |n| n + 1),
        };
        count_block(finder, &buffer[..whole], &mut counts);
        if read == 0 {
            return Ok(counts);
        }
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
        if filled == buffer.len() {
            buffer.resize(2 * filled, 0);
        }
    }
}

fn count_block(finder: &mut Finder, block: &[u8], counts: &mut Counts) {
    let mut at = 0;
    let mut scan = BlockScan::new(block);
    while let Some(hit) = finder.next_line(&mut scan, at) {
        let (LineHit::Confirmed(offset) | LineHit::Candidate(offset)) = hit;
        let end = memchr(b'\n', &block[offset..]).map_or(block.len(), |n| offset + n);
        let matches = match hit {
            LineHit::Confirmed(_) => true,
            LineHit::Candidate(_) => {
                counts.candidates += 1;
                let start = memrchr(b'\n', &block[at..offset]).map_or(at, |n| at + n + 1);
                finder.is_match(&block[start..end])
            }
        };
        counts.lines += u64::from(matches);
        at = end + 1;
        if at >= block.len() {
            break;
        }
    }
}
