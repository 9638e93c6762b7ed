//! Random command lines that all tools accept, made of words and lines in the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use walkdir::{DirEntry, WalkDir};

/// From how many files words and lines are taken.
const FILES: usize = 200;
/// Bytes of a file that are looked at.
const BYTES: usize = 64 << 10;
/// Lines taken of a file.
const LINES: u64 = 20;

/// How many files of a tree a command line searches.
const PART_FILES: Range<usize> = 500..5_000;

/// The words and lines that patterns are made of.
#[derive(Debug)]
pub(super) struct Vocabulary {
    words: Vec<String>,
    lines: Vec<String>,
}

/// A tree, or a text, and what patterns for it are made of.
#[derive(Debug)]
pub(super) struct Ground {
    /// What its places are named after.
    pub(super) name: PathBuf,
    pub(super) directory: PathBuf,
    /// What of the directory is searched, each as likely as any other.
    pub(super) places: Vec<String>,
    /// Flags that every search in it has.
    pub(super) flags: &'static [&'static str],
    pub(super) vocabulary: Vocabulary,
}

impl Ground {
    /// The tree at `path`.
    pub(super) fn of(path: &Path, seed: u64) -> io::Result<Ground> {
        let files = files(path)?;
        Ok(Ground {
            name: path.file_name().unwrap_or(path.as_os_str()).into(),
            directory: path.to_owned(),
            places: places(path, &files),
            flags: &[],
            vocabulary: Vocabulary::of(files, seed)?,
        })
    }

    /// A random command line, and the place that it searches.
    pub(super) fn draw(&self, random: &mut Rng) -> (Query, &str) {
        let place = pick::<String>(random, &self.places);
        let mut query = self.vocabulary.query(random);
        query.flags.retain(|flag| !self.flags.contains(flag));
        query.flags.extend(self.flags);
        (query, place)
    }
}

/// A command line, apart from the tool, its mode and the place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) flags: Vec<&'static str>,
    pub(super) patterns: Vec<String>,
    /// Whether the patterns come from a file.
    pub(super) by_file: bool,
}

/// Flags, and in how many of a hundred command lines each is.
const FLAG_PERCENTS: &str = "-n:50 -i:30 -w:20 -c:20 -o:15 -l:12 -S:8 -U:8 -x:6 -v:6 -C2:6 --no-unicode:6 \
                     --column:5 -m2:4 -a:4 --crlf:3 --count-matches:3 --multiline-dotall:2 -M150:5 \
                     --max-columns-preview:3 --null-data:2";

const CLASSES: &str = r#"
    \w \W \s \S \d \D . [a-z] [A-Z_] [0-9a-f] [^a] [^"] [aeiou] [[:punct:]] [[:upper:]] \p{L} \p{Lu}
    \p{Greek}"#;
const COUNTS: [&str; 14] =
    ["", "", "", "", "+", "*", "?", "{2}", "{4}", "{3,5}", "{1,8}", "{10,}", "+?", "*?"];
const LOOKS: [&str; 7] = ["^", "$", r"\b", r"\b", r"\B", r"\b{start}", r"\b{end}"];
const WIDE_LETTERS: [&str; 6] = ["é", "ß", "κ", "世", "ſ", "\u{212A}"];
const BETWEEN: [&str; 6] = [r"\s", r"\s+", "_", "x", "-", ":"];

/// Each flag with its share.
fn flags() -> impl Iterator<Item = (&'static str, u64)> {
    FLAG_PERCENTS
        .split(' ')
        .filter_map(|one| one.split_once(':'))
        .map(|(flag, percent)| (flag, percent.parse().expect("a number, as a test has checked")))
}

impl Vocabulary {
    /// Words and lines of a few of these files, which the seed selects. Files without text are an
    /// error.
    fn of(mut files: Vec<PathBuf>, seed: u64) -> io::Result<Vocabulary> {
        let mut random = Rng::with_seed(seed);
        random.shuffle(&mut files);
        let (mut words, mut lines) = (BTreeSet::new(), Vec::new());
        let texts = files.iter().filter_map(|file| fs::read(file).ok());
        for bytes in texts.filter(|bytes| !bytes.contains(&0)).take(FILES) {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(BYTES)]).into_owned();
            let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            words.extend(text.split(is_other).filter(|word| word.len() > 2).map(str::to_owned));
            let of_file: Vec<&str> =
                text.lines().map(str::trim).filter(|line| line.len() > 6).collect();
            for _ in 0..LINES.min(of_file.len() as u64) {
                lines.push((*pick(&mut random, &of_file)).to_owned());
            }
        }
        if lines.is_empty() || words.is_empty() {
            return Err(io::Error::other("no text to make patterns of"));
        }
        Ok(Vocabulary { words: words.into_iter().collect(), lines })
    }

    /// These words and lines, each spelled as `spell` returns it.
    pub(super) fn spelled(&self, spell: impl Fn(&str) -> String) -> Vocabulary {
        let all = |texts: &[String]| texts.iter().map(|text| spell(text)).collect();
        Vocabulary { words: all(&self.words), lines: all(&self.lines) }
    }

    /// A random command line.
    pub(super) fn query(&self, random: &mut Rng) -> Query {
        let mut query = Query::default();
        let drawn = flags().filter(|(_, share)| random.u64(..100) < *share);
        query.flags.extend(drawn.map(|(flag, _)| flag));
        match random.u64(..100) {
            0..12 => query.patterns.push(self.word(random)),
            12..22 => {
                let words = (0..2 + random.u64(..30)).map(|_| self.word(random));
                query.patterns.push(words.collect::<Vec<_>>().join("|"));
            }
            22..28 => {
                let number = [20, 100, 1000][random.u64(..3) as usize];
                query.patterns = (0..number).map(|_| self.word(random)).collect();
                query.by_file = true;
            }
            28..36 => {
                let class = class(random);
                let count = *pick(random, &["{3}", "{5}", "+", "{8,}"]);
                let between = *pick(random, &BETWEEN);
                query.patterns.push([class, count, between, self::class(random)].concat());
            }
            _ => {
                for _ in 0..[1, 1, 1, 2, 3][random.u64(..5) as usize] {
                    query.patterns.push(self.pattern(random, 2));
                }
            }
        }
        if random.u64(..10) == 0 {
            query.flags.push("-F");
        }
        query
    }

    fn pattern(&self, random: &mut Rng, depth: u32) -> String {
        (0..1 + random.u64(..4)).map(|_| self.part(random, depth)).collect()
    }

    fn part(&self, random: &mut Rng, depth: u32) -> String {
        match random.u64(..100) {
            0..30 => self.literal(random),
            30..65 => [class(random), *pick(random, &COUNTS)].concat(),
            65..72 => (*pick(random, &LOOKS)).to_owned(),
            72..80 => (*pick(random, &WIDE_LETTERS)).to_owned(),
            80..88 => ".*".to_owned(),
            _ if depth == 0 => self.literal(random),
            _ => {
                let branches: Vec<String> =
                    (0..2 + random.u64(..4)).map(|_| self.pattern(random, depth - 1)).collect();
                let count = pick(random, &["", "", "", "+", "?", "*", "{2}"]);
                format!("({}){count}", branches.join("|"))
            }
        }
    }

    pub(super) fn word(&self, random: &mut Rng) -> String {
        pick::<String>(random, &self.words).clone()
    }

    /// A word, a piece of one, or a piece of a line.
    fn literal(&self, random: &mut Rng) -> String {
        match random.u64(..4) {
            0 | 1 => self.word(random),
            2 => {
                let word = self.word(random);
                piece(random, &word, 2, 6)
            }
            _ => {
                let line = pick::<String>(random, &self.lines).clone();
                escaped(&piece(random, &line, 3, 14))
            }
        }
    }
}

/// Every file below `tree` that is not hidden, in order; links are not followed.
fn files(tree: &Path) -> io::Result<Vec<PathBuf>> {
    let is_hidden = |entry: &DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    let entries = WalkDir::new(tree).sort_by_file_name().into_iter();
    let entries = entries.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry));
    let is_file = |entry: &walkdir::Result<DirEntry>| {
        entry.as_ref().map_or(true, |entry| entry.file_type().is_file())
    };
    entries.filter(is_file).map(|entry| Ok(entry?.into_path())).collect()
}

/// The directories in a tree that hold [`PART_FILES`] files, and for every twenty such directories
/// the whole tree.
fn places(tree: &Path, files: &[PathBuf]) -> Vec<String> {
    let mut counts: BTreeMap<&Path, usize> = BTreeMap::new();
    let below = files.iter().flat_map(|file| file.strip_prefix(tree).unwrap_or(file).ancestors());
    below.for_each(|directory| *counts.entry(directory).or_default() += 1);
    let parts = counts
        .into_iter()
        .filter(|(path, count)| PART_FILES.contains(count) && *path != Path::new(""));
    let mut places: Vec<String> =
        parts.filter_map(|(path, _)| Some(path.to_str()?.to_owned())).collect();
    places.resize(places.len() + places.len() / 20 + 1, "./".to_owned());
    places
}

fn class(random: &mut Rng) -> &'static str {
    let classes: Vec<&str> = CLASSES.split_whitespace().collect();
    pick::<&str>(random, &classes)
}

/// From `least` to `most` characters of `text`, if it has as many.
fn piece(random: &mut Rng, text: &str, least: u64, most: u64) -> String {
    let len = text.chars().count() as u64;
    let from = random.u64(..=len.saturating_sub(least + 1));
    let wanted = least + random.u64(..=most - least);
    text.chars().skip(from as usize).take(wanted as usize).collect()
}

/// `text` as a pattern that matches it.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn pick<'t, T>(random: &mut Rng, from: &'t [T]) -> &'t T {
    &from[random.usize(..from.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_patterns_and_every_kind_of_them() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("a.c"), "static int init_me;\nreturn (a + b);\n").unwrap();
        let vocabulary = Ground::of(temp.path(), 1).unwrap().vocabulary;
        let of = |seed| {
            let mut random = Rng::with_seed(seed);
            (0..400).map(|_| vocabulary.query(&mut random)).collect::<Vec<_>>()
        };
        let queries = of(5);
        assert_eq!(queries, of(5));
        assert_ne!(queries, of(6));
        for (flag, _) in flags() {
            assert!(queries.iter().any(|query| query.flags.contains(&flag)), "{flag}");
        }
        assert!(queries.iter().any(|query| query.by_file && query.patterns.len() == 1000));
        let has = |part: &str| queries.iter().any(|q| q.patterns.iter().any(|p| p.contains(part)));
        assert!([r"\p{Greek}", "世", ".*", r"\b{start}", "|", r"\(a"].into_iter().all(has));
    }

    #[test]
    fn a_part_of_a_large_tree_is_searched_and_a_small_one_whole() {
        let tree = |files: usize| {
            let file = |number| PathBuf::from(format!("t/a/b/{number}.c"));
            places(Path::new("t"), &(0..files).map(file).collect::<Vec<_>>())
        };
        assert_eq!(tree(10), ["./"]);
        assert_eq!(tree(600), ["a", "a/b", "./"]);
    }

    #[test]
    fn literals_match_themselves() {
        assert_eq!(escaped("a+b(c) é"), r"a\+b\(c\) é");
        let mut random = Rng::with_seed(3);
        for _ in 0..100 {
            let found = piece(&mut random, "abcdef", 2, 6);
            assert!((2..=6).contains(&found.len()) && "abcdef".contains(&found), "{found}");
        }
        assert_eq!(piece(&mut random, "é", 2, 6), "é");
    }
}
