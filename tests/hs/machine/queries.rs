//! Random searches.

use super::Machine;
use crate::harness::random::Choose;

const PATTERNS: [&str; 16] = [
    "diamond",
    "-iopal",
    "garnet",
    "-igarnet",
    "ruby|jet",
    r"zircon\d+",
    "-i kunzite",
    "spinel",
    "-ispinel",
    "topaz.*jet",
    "émeraude",
    r"-Ujet \n.*opal",
    "-iÉMERAUDE",
    "xxx",
    r"\w+ite",
    "Opal ",
];

const FLAGS: [&str; 31] = [
    "-n",
    "-c",
    "-l",
    "--files-without-match",
    "--count-matches",
    "-o",
    "-v",
    "-q",
    "-uu",
    "-uuu",
    "--hidden",
    "-a",
    "--binary",
    "-w",
    "-F",
    "-A2",
    "-m1",
    "-gone*",
    "-g!*.log",
    "--null-data",
    "--include-zero",
    "-L",
    "-j1",
    "-d2",
    "--safe",
    "--one-file-system",
    "--no-ignore-vcs",
    "--no-ignore-dot",
    "--no-ignore-parent",
    "--no-require-git",
    "--max-filesize=100",
];

impl Machine {
    /// The arguments of a search.
    pub(super) fn search(&mut self) -> Vec<&'static str> {
        let order = self.rng.pick(&["--sort=path", "--sort=path", "--sortr=path", "-j1"]);
        let mut args = vec!["--no-config", order, "--index-after=0"];
        if self.rng.chance(30) {
            args.push("--files");
        } else {
            let pattern = self.rng.pick(&PATTERNS);
            args.extend(
                pattern.split_inclusive("-i ").map(str::trim_end).filter(|p| !p.is_empty()),
            );
            if let Some(letter) = pattern.strip_prefix("-i").or(pattern.strip_prefix("-U")) {
                args.truncate(3);
                args.extend([&pattern[..2], letter.trim_start()]);
            }
        }
        for _ in 0..self.rng.usize(..3) {
            args.push(self.rng.pick(&FLAGS));
        }
        match self.rng.u32(..8) {
            0 => args.push("a"),
            1 => args.extend(["c", "a"]),
            2 => args.push("one.c"),
            3 => args.push(self.rng.pick(&["./a/..", "a/b", ".hid"])),
            _ => args.push("./"),
        }
        args
    }
}
