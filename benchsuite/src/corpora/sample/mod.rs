//! `sample`: a tree as a working programmer has it, made from a seed within seconds.
//!
//! | part | holds |
//! |---|---|
//! | `projects/` | sources, documents, build results; nested ignore rules and exceptions |
//! | `notes/` | one directory with thousands of small files |
//! | `packages/` | one directory with a thousand directories of two files each |
//! | `deep/` | directories in directories |
//! | `data/` | files of up to a few megabytes: logs, tables, binaries, lines without end |
//!
//! A seed gives the same names and bytes on every machine: the recipe uses whole numbers, no clock,
//! and ASCII names that never differ only in case.

mod lexicon;
mod text;

use std::{
    io,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use fastrand::Rng;
use serde::Deserialize;

use crate::checksum::splitmix64;
use crate::corpora::order::Order;
use crate::corpora::tree::{link, write};

use text::{
    Author,
    TextKind::{self, Code, Prose},
};

/// The extensions of sources, each as often as it is frequent.
const SOURCE_EXTENSIONS: [&str; 8] = ["c", "c", "c", "h", "h", "rs", "py", "js"];

/// What the directories hold; the head of the table explains the fields.
static TREE: LazyLock<SampleLayout> =
    LazyLock::new(|| toml::from_str(include_str!("tree.toml")).expect("a test has made them"));

#[derive(Deserialize)]
struct SampleLayout {
    top: Vec<Row>,
    projects: Vec<Row>,
    packages: Vec<Row>,
    deep: Vec<Row>,
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    numbers: Option<Vec<u64>>,
    every: Option<u64>,
    #[serde(flatten)]
    contents: FileContents,
}

/// What is written for a row.
#[derive(Deserialize)]
#[serde(untagged)]
enum FileContents {
    Texts { text: Vec<String> },
    Sized { kind: TextKind, size: usize },
    Any { kind: TextKind, times: usize },
    Large { kind: TextKind, bytes: u64 },
    Link { link: PathBuf },
    Sources { levels: u64 },
}

/// Makes one part of the tree below a directory.
type Part = fn(&mut Author<'_>, &Path) -> io::Result<()>;

const PARTS: [(&str, Part); 5] = [
    ("projects", projects),
    ("notes", notes),
    ("packages", packages),
    ("deep", deep),
    ("data", data),
];

/// Makes the tree.
pub(super) fn make(order: &Order<'_>) -> io::Result<()> {
    let (top, seed) = (order.target, order.seed());
    let mut author = Author::new(order);
    furnish(&mut author, top, &TREE.top, 0)?;
    for (number, (name, part)) in (1..).zip(PARTS) {
        // Every part has its own seed: a change in one leaves the others alone.
        author.random = Rng::with_seed(seed ^ splitmix64(number));
        part(&mut author, &top.join(name))?;
    }
    Ok(())
}

fn projects(author: &mut Author<'_>, parent: &Path) -> io::Result<()> {
    for number in 0..author.order.scaled(100) {
        let dir = parent.join(format!("{}-{number:03}", author.name()));
        furnish(author, &dir, &TREE.projects, number)?;
    }
    Ok(())
}

fn packages(author: &mut Author<'_>, parent: &Path) -> io::Result<()> {
    for number in 0..author.order.scaled(1000) {
        let dir = parent.join(format!("{}-1.{number}", author.name()));
        furnish(author, &dir, &TREE.packages, number)?;
    }
    Ok(())
}

/// Makes what these rows describe in the directory `dir`, which is the one of this number.
fn furnish(author: &mut Author<'_>, dir: &Path, rows: &[Row], number: u64) -> io::Result<()> {
    let is_here = |row: &&Row| row.every.is_none_or(|every| number.is_multiple_of(every));
    for row in rows.iter().filter(is_here) {
        for index in row.numbers.as_deref().unwrap_or(&[number]) {
            let mut name = row.name.replace('#', &index.to_string());
            if name.contains('$') {
                name = name.replace('$', author.name());
            }
            let path = dir.join(name);
            match &row.contents {
                FileContents::Texts { text } => {
                    write(&path, text[number as usize % text.len()].as_bytes())
                }
                FileContents::Sized { kind, size } => author.file(&path, *kind, *size),
                FileContents::Any { kind, times } => author.any_size(&path, *kind, *times),
                FileContents::Large { kind, bytes } => {
                    let size = author.order.scaled(bytes << author.random.u64(..3));
                    author.file(&path, *kind, size as usize)
                }
                FileContents::Link { link: target } => link(target, &path),
                FileContents::Sources { levels } => sources(author, &path, *levels),
            }?;
        }
    }
    Ok(())
}

/// A directory with sources, and up to `levels` levels of further ones below it.
fn sources(author: &mut Author<'_>, dir: &Path, levels: u64) -> io::Result<()> {
    for number in 0..6 + author.random.u64(..8) {
        let extension = SOURCE_EXTENSIONS[author.random.usize(..SOURCE_EXTENSIONS.len())];
        let name = format!("{}_{number}.{extension}", author.name());
        author.any_size(&dir.join(name), Code, 1)?;
    }
    for name in ["generated_table.c", "generated_keep.c"] {
        author.any_size(&dir.join(name), Code, 1)?;
    }
    if levels > 0 {
        for number in 0..author.random.u64(..4) {
            let name = format!("{}{number}", author.name());
            sources(author, &dir.join(name), levels - 1)?;
        }
    }
    Ok(())
}

fn notes(author: &mut Author<'_>, dir: &Path) -> io::Result<()> {
    for number in 0..author.order.scaled(4000) {
        // Every hundredth is hidden, and some are empty.
        let dot = if number % 100 == 99 { "." } else { "" };
        let path = dir.join(format!("{dot}{}-{number:04}.txt", author.name()));
        let size = author.random.u64(..600) as usize;
        if number % 50 == 49 {
            write(&path, b"")?;
        } else {
            author.file(&path, Prose, size)?;
        }
    }
    Ok(())
}

fn deep(author: &mut Author<'_>, top: &Path) -> io::Result<()> {
    let mut dir = top.to_owned();
    for level in 0..author.order.scaled(60) {
        furnish(author, &dir, &TREE.deep, level)?;
        dir.push(format!("level-{level}"));
    }
    author.file(&dir.join("bottom.txt"), Prose, 100)
}

fn data(author: &mut Author<'_>, dir: &Path) -> io::Result<()> {
    (0..4).try_for_each(|number| furnish(author, dir, &TREE.data, number))
}
