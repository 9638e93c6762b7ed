//! `sample`: a tree like that of a working programmer, made from a seed within seconds.
//!
//! | part | holds |
//! |---|---|
//! | `projects/` | sources, documents, build results; nested ignore rules and exceptions |
//! | `notes/` | one directory with thousands of small files |
//! | `packages/` | one directory with a thousand directories of two files each |
//! | `deep/` | directories in directories |
//! | `data/` | files of up to a few megabytes: logs, tables, binaries, lines without end |
//!
//! A seed gives the same names and bytes on every machine: the recipe uses whole numbers, no clock
//! and ASCII names, no two of which differ only in case.

mod lexicon;
mod text;

use std::{io, path::Path};

use fastrand::Rng;

use crate::checksum::splitmix64;
use crate::corpora::order::Order;
use crate::corpora::tree::{link, write};

use text::{
    Author,
    Text::{self, Binary, Code, Log, Minified, Prose, Table},
};

/// The rules of the top, which apply in every project, where others may override them.
const TOP_RULES: &str = "*.o\n*.swp\n/data/cache/\n.env\n!.env.example\n**/scratch/**\n";

/// The rules of projects, in turns; each uses other features of the rule language.
const PROJECT_RULES: [&str; 4] = [
    "/build/*\n!/build/keep.txt\n*.log\n",
    "build/\n*.tmp\n!important.tmp\n",
    "# what is built\n**/build/**\n\n*.l[no]g\n!docs/*.log\n\\#*\n",
    "/build\nold-[0-9]*.md\n*.log\n!*.log\ndocs/**/draft\n",
];

/// The rules of some directories with sources.
const SOURCE_RULES: &str = "generated_*\n!generated_keep*\n/local/\n";

/// Files of every project, with their sizes.
const PROJECT: [(&str, Text, usize); 4] = [
    ("README.md", Prose, 2000),
    ("Makefile", Code, 700),
    ("important.tmp", Prose, 300),
    (".config/settings.toml", Prose, 400),
];
const DOCUMENTS: [(&str, Text, usize); 3] =
    [("history.log", Log, 6000), ("chapters/draft", Prose, 4000), ("chapters/final", Prose, 4000)];
const RESULTS: [(&str, Text, usize); 3] =
    [("keep.txt", Prose, 500), ("make.log", Log, 20_000), ("bundle.js", Minified, 60_000)];

/// Links of every project: a cycle, for tools that follow them, and a broken one among others.
const LINKS: [(&str, &str); 4] = [
    ("src", "latest"),
    ("../..", "src/up"),
    ("gone", "docs/missing"),
    ("README.md", "docs/index.md"),
];

/// Large files.
const DATA: [(&str, &str, Text); 6] = [
    ("journal", "log", Log),
    ("accounts", "csv", Table),
    ("book", "txt", Prose),
    ("picture", "bin", Binary),
    ("cache/blob", "bin", Binary),
    ("cache/page", "txt", Prose),
];

/// The extensions of sources, each as often as it is frequent.
const EXTENSIONS: [&str; 8] = ["c", "c", "c", "h", "h", "rs", "py", "js"];

/// Makes one part of the tree below a directory.
type Part = fn(&mut Author, &Path, &Order<'_>) -> io::Result<()>;

const PARTS: [(&str, Part); 5] = [
    ("projects", projects),
    ("notes", notes),
    ("packages", packages),
    ("deep", deep),
    ("data", data),
];

/// Makes the tree.
pub(super) fn make(order: &Order<'_>) -> io::Result<String> {
    let (top, seed) = (order.target, order.seed());
    let mut author = Author::new(seed);
    write(&top.join(".gitignore"), TOP_RULES.as_bytes())?;
    author.file(&top.join("README.md"), Prose, 3000)?;
    for (number, (name, part)) in (1..).zip(PARTS) {
        // Every part has a seed of its own: a change of one leaves the others alone.
        author.random = Rng::with_seed(seed ^ splitmix64(number));
        part(&mut author, &top.join(name), order)?;
    }
    Ok("the recipe and its seed".to_owned())
}

fn projects(author: &mut Author, parent: &Path, order: &Order<'_>) -> io::Result<()> {
    for number in 0..order.scaled(100) {
        let dir = parent.join(format!("{}-{number:03}", author.name()));
        let rules = PROJECT_RULES[number as usize % PROJECT_RULES.len()];
        write(&dir.join(".gitignore"), rules.as_bytes())?;
        write(&dir.join(".env"), b"SECRET=none\n")?;
        write(&dir.join(".env.example"), b"SECRET=\n")?;
        files(author, &dir, &PROJECT)?;
        sources(author, &dir.join("src"), 0)?;
        if number.is_multiple_of(3) {
            write(&dir.join("src/.gitignore"), SOURCE_RULES.as_bytes())?;
        }
        documents(author, &dir.join("docs"))?;
        results(author, &dir.join("build"))?;
        for (target, place) in LINKS {
            link(target.as_ref(), &dir.join(place))?;
        }
    }
    Ok(())
}

fn files(author: &mut Author, dir: &Path, files: &[(&str, Text, usize)]) -> io::Result<()> {
    files.iter().try_for_each(|&(name, kind, size)| author.file(&dir.join(name), kind, size))
}

/// A directory with sources and up to four levels of others, three or four in most.
fn sources(author: &mut Author, dir: &Path, level: u64) -> io::Result<()> {
    for number in 0..6 + author.random.u64(..8) {
        let extension = EXTENSIONS[author.random.usize(..EXTENSIONS.len())];
        let name = format!("{}_{number}.{extension}", author.name());
        author.any_size(&dir.join(name), Code, 1)?;
    }
    for name in ["generated_table.c", "generated_keep.c"] {
        author.any_size(&dir.join(name), Code, 1)?;
    }
    if level < 4 {
        for number in 0..author.random.u64(..4) {
            let name = format!("{}{number}", author.name());
            sources(author, &dir.join(name), level + 1)?;
        }
    }
    Ok(())
}

fn documents(author: &mut Author, dir: &Path) -> io::Result<()> {
    for number in 0..12 {
        let word = author.name();
        // Some names have blanks, as people write them.
        let name = if number % 4 == 0 {
            format!("{word} and more {number}.md")
        } else {
            format!("old-{number}-{word}.md")
        };
        author.any_size(&dir.join(name), Prose, 2)?;
    }
    files(author, dir, &DOCUMENTS)
}

fn results(author: &mut Author, dir: &Path) -> io::Result<()> {
    files(author, dir, &RESULTS)?;
    for number in 0..10 {
        let name = format!("objects/{}-{number}.o", author.name());
        author.any_size(&dir.join(name), Binary, 2)?;
    }
    Ok(())
}

fn notes(author: &mut Author, dir: &Path, order: &Order<'_>) -> io::Result<()> {
    for number in 0..order.scaled(4000) {
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

fn packages(author: &mut Author, parent: &Path, order: &Order<'_>) -> io::Result<()> {
    for number in 0..order.scaled(1000) {
        let dir = parent.join(format!("{}-1.{number}", author.name()));
        author.file(&dir.join("package.toml"), Prose, 200)?;
        author.any_size(&dir.join("lib.rs"), Code, 1)?;
        if number % 10 == 0 {
            write(&dir.join(".gitignore"), b"scratch.txt\n")?;
            write(&dir.join("scratch.txt"), b"to be thrown away\n")?;
        }
    }
    Ok(())
}

fn deep(author: &mut Author, top: &Path, order: &Order<'_>) -> io::Result<()> {
    let mut dir = top.to_owned();
    for level in 0..order.scaled(60) {
        author.file(&dir.join("here.txt"), Prose, 300)?;
        author.file(&dir.join("there.c"), Code, 900)?;
        dir.push(format!("level-{level}"));
    }
    author.file(&dir.join("bottom.txt"), Prose, 100)
}

fn data(author: &mut Author, dir: &Path, order: &Order<'_>) -> io::Result<()> {
    for number in 0..4 {
        for (name, extension, kind) in DATA {
            let size = order.scaled(500_000 << author.random.u64(..3)) as usize;
            author.file(&dir.join(format!("{name}-{number}.{extension}")), kind, size)?;
        }
    }
    Ok(())
}
