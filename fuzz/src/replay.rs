//! Runs a target without a fuzzer, on the inputs of its corpus and on mutated copies of them. The
//! mutations are reproducible, and the build takes seconds, since `ci/replay` needs no
//! instrumentation.

use std::{
    env, fs, io, panic,
    path::{Path, PathBuf},
    process::ExitCode,
};

use fastrand::Rng;

/// The maximal length of a mutated input: short ones are fast, and find most mistakes.
const MAX_LEN: usize = 512;

/// The directory of this package.
const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// Calls `check` with the inputs of the corpus, and with mutated ones. The first argument of the
/// program is the number of mutated inputs (default 0); further arguments name files to use in
/// place of the corpus.
pub fn replay(target: &str, check: fn(&[u8])) -> ExitCode {
    let mut args = env::args().skip(1);
    let mutated = args.next().map_or(Ok(0), |arg| arg.parse::<u64>());
    let Ok(mutated) = mutated else {
        eprintln!("usage: {target} [NUMBER [FILE...]]");
        return ExitCode::from(2);
    };
    let mut files: Vec<PathBuf> = args.map(PathBuf::from).collect();
    if files.is_empty() {
        files = corpus(target).expect("the corpus of the target");
    }
    let inputs: Vec<Vec<u8>> =
        files.iter().map(|file| fs::read(file).expect("an input file")).collect();
    for (file, input) in files.iter().zip(&inputs) {
        if !passes(check, input) {
            eprintln!("{target}: {}", file.display());
            return ExitCode::FAILURE;
        }
    }
    for seed in 0..mutated {
        let input = mutate(&mut Rng::with_seed(seed), &inputs);
        if !passes(check, &input) {
            let artifact = Path::new(PACKAGE).join(format!("artifacts/{target}/mutated-{seed}"));
            fs::create_dir_all(artifact.parent().expect("a path in artifacts"))
                .expect("a directory");
            fs::write(&artifact, &input).expect("the artifact");
            eprintln!("{target}: mutated input {seed}, written to {}", artifact.display());
            return ExitCode::FAILURE;
        }
    }
    println!("{target}: {} inputs, {mutated} mutated", inputs.len());
    ExitCode::SUCCESS
}

/// The files in the corpus of `target`, sorted by name.
fn corpus(target: &str) -> io::Result<Vec<PathBuf>> {
    let dir = fs::read_dir(Path::new(PACKAGE).join("corpus").join(target))?;
    let mut files = dir.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}

fn passes(check: fn(&[u8]), input: &[u8]) -> bool {
    panic::catch_unwind(|| check(input)).is_ok()
}

/// A copy of one of `inputs` with one to four mutations.
fn mutate(rng: &mut Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let pick = |rng: &mut Rng| &inputs[rng.usize(..inputs.len())];
    let mut input = pick(rng).clone();
    for _ in 0..rng.usize(1..=4) {
        let other = pick(rng);
        mutate_once(rng, &mut input, other);
    }
    input.truncate(MAX_LEN);
    input
}

fn mutate_once(rng: &mut Rng, input: &mut Vec<u8>, other: &[u8]) {
    let start = rng.usize(..=input.len());
    let range = start..start + rng.usize(..8).min(input.len() - start);
    match rng.u32(..6) {
        0 if start < input.len() => input[start] ^= 1 << rng.u32(..8),
        1 if start < input.len() => input[start] = rng.u8(..),
        2 => drop(input.drain(range)),
        // Repeat a part.
        3 => input.extend_from_within(range),
        // Replace a part by a part of another input.
        4 => {
            let from = rng.usize(..=other.len());
            let part = &other[from..other.len().min(from + rng.usize(1..=16))];
            drop(input.splice(range, part.iter().copied()));
        }
        _ => input.insert(start, b"\n\0\r a\xFFx$"[rng.usize(..8)]),
    }
}
