//! A target without a fuzzer: the inputs in its corpus, then changed copies of them. Which these are is always the same, so
//! that what fails fails again; `ci/replay` builds it as the tests are built, which costs seconds where libFuzzer's
//! instrumentation costs minutes.

use std::{
    env, fs, io, panic,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// No input grows beyond this many bytes: most mistakes show in short ones, and those are fast.
const MOST: usize = 512;

/// Where the fuzzer's package lies.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Run `check` on all inputs of the corpus and on as many changed ones as the first argument says; with more arguments on
/// the files of these names instead.
pub fn replay(target: &str, check: fn(&[u8])) -> ExitCode {
    let mut args = env::args().skip(1);
    let changed = args.next().map_or(Ok(0), |arg| arg.parse::<u64>());
    let Ok(changed) = changed else {
        eprintln!("usage: {target} [NUMBER [FILE...]]");
        return ExitCode::from(2);
    };
    let mut files: Vec<PathBuf> = args.map(PathBuf::from).collect();
    if files.is_empty() {
        files = corpus(target).expect("a corpus beside the manifest");
    }
    let inputs: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).expect("an input")).collect();
    for (file, input) in files.iter().zip(&inputs) {
        if !passes(check, input) {
            eprintln!("{target}: {}", file.display());
            return ExitCode::FAILURE;
        }
    }
    for seed in 0..changed {
        let input = Dice::new(seed).change(&inputs);
        if !passes(check, &input) {
            let kept = Path::new(HERE).join(format!("artifacts/{target}/changed-{seed}"));
            fs::create_dir_all(kept.parent().expect("a directory")).expect("a directory");
            fs::write(&kept, &input).expect("the input is kept");
            eprintln!("{target}: changed input {seed}, kept as {}", kept.display());
            return ExitCode::FAILURE;
        }
    }
    println!("{target}: {} inputs, {changed} changed", inputs.len());
    ExitCode::SUCCESS
}

/// The inputs that are kept with the target, in the order of their names.
fn corpus(target: &str) -> io::Result<Vec<PathBuf>> {
    let dir = fs::read_dir(Path::new(HERE).join("corpus").join(target))?;
    let mut files = dir.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}

fn passes(check: fn(&[u8]), input: &[u8]) -> bool {
    panic::catch_unwind(|| check(input)).is_ok()
}

/// A small generator (xorshift64, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    /// Seeds that follow each other are spread (the step of SplitMix64), for the generator alone keeps them close at first.
    fn new(seed: u64) -> Dice {
        Dice((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    /// One of `inputs`, changed in one to four places.
    fn change(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut input = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(4) {
            let other = &inputs[self.below(inputs.len())];
            self.change_once(&mut input, other);
        }
        input.truncate(MOST);
        input
    }

    fn change_once(&mut self, input: &mut Vec<u8>, other: &[u8]) {
        let start = self.below(input.len() + 1);
        let len = self.below(8).min(input.len() - start);
        match self.below(6) {
            0 if start < input.len() => input[start] ^= 1 << self.below(8),
            1 if start < input.len() => input[start] = self.below(256) as u8,
            2 => drop(input.drain(start..start + len)),
            // Again what stands there.
            3 => input.extend_from_within(start..start + len),
            // A part of another, in its place or between.
            4 => {
                let from = self.below(other.len() + 1);
                let part = &other[from..other.len().min(from + 1 + self.below(16))];
                drop(input.splice(start..start + len, part.iter().copied()));
            }
            _ => input.insert(start, b"\n\0\r a\xFFx$"[self.below(8)]),
        }
    }
}
