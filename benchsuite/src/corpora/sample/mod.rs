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
mod needles;
mod text;

use std::{io, os::unix::fs::symlink, path::Path};

use fastrand::Rng;

use crate::checksum::splitmix64;
use crate::corpora::order::Order;
use crate::corpora::tree::{make_directory, write};
use crate::files::explain;

use lexicon::Lexicon;
use needles::Needles;
use text::Author;

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

/// The extensions of sources, each as often as it is frequent.
const EXTENSIONS: [&str; 8] = ["c", "c", "c", "h", "h", "rs", "py", "js"];

/// The kind of a file.
#[derive(Clone, Copy)]
enum Text {
    Prose,
    Code,
    Minified,
    Table,
    Log,
    Binary,
}

/// Makes the tree.
pub(super) fn make(order: &Order<'_>) -> io::Result<String> {
    make_directory(order.target)?;
    let mut maker = Maker {
        lexicon: Lexicon::new(),
        needles: Needles::default(),
        random: Rng::with_seed(order.wish.seed),
        bytes: Vec::new(),
    };
    let top = order.target;
    write(&top.join(".gitignore"), TOP_RULES.as_bytes())?;
    maker.file(&top.join("README.md"), Text::Prose, 3000)?;
    // Every part has a seed of its own: a change of one leaves the others alone.
    let parts: [Part; 5] =
        [Maker::projects, Maker::notes, Maker::packages, Maker::deep, Maker::data];
    for (number, part) in (1..).zip(parts) {
        maker.random = Rng::with_seed(order.wish.seed ^ splitmix64(number));
        part(&mut maker, top, order)?;
    }
    Ok("the recipe and its seed".to_owned())
}

type Part = fn(&mut Maker, &Path, &Order<'_>) -> io::Result<()>;

struct Maker {
    lexicon: Lexicon,
    needles: Needles,
    random: Rng,
    /// The file that is being written; kept for its allocation.
    bytes: Vec<u8>,
}

impl Maker {
    fn projects(&mut self, top: &Path, order: &Order<'_>) -> io::Result<()> {
        let parent = top.join("projects");
        make_directory(&parent)?;
        for number in 0..order.scaled(100) {
            let name = format!("{}-{number:03}", self.lexicon.name(&mut self.random));
            self.project(&parent.join(name), number)?;
        }
        Ok(())
    }

    fn project(&mut self, dir: &Path, number: u64) -> io::Result<()> {
        make_directory(dir)?;
        let rules = PROJECT_RULES[number as usize % PROJECT_RULES.len()];
        write(&dir.join(".gitignore"), rules.as_bytes())?;
        write(&dir.join(".env"), b"SECRET=none\n")?;
        write(&dir.join(".env.example"), b"SECRET=\n")?;
        self.file(&dir.join("README.md"), Text::Prose, 2000)?;
        self.file(&dir.join("Makefile"), Text::Code, 700)?;
        self.file(&dir.join("important.tmp"), Text::Prose, 300)?;
        make_directory(&dir.join(".config"))?;
        self.file(&dir.join(".config/settings.toml"), Text::Prose, 400)?;
        self.sources(&dir.join("src"), 0)?;
        if number.is_multiple_of(3) {
            write(&dir.join("src/.gitignore"), SOURCE_RULES.as_bytes())?;
        }
        self.documents(&dir.join("docs"))?;
        self.results(&dir.join("build"))?;
        link("src", &dir.join("latest"))?;
        // A cycle, for tools that follow links, and a broken link.
        link("../..", &dir.join("src/up"))?;
        link("gone", &dir.join("docs/missing"))?;
        link("README.md", &dir.join("docs/index.md"))
    }

    /// A directory with sources and up to four levels of others, three or four in most.
    fn sources(&mut self, dir: &Path, level: u64) -> io::Result<()> {
        make_directory(dir)?;
        for number in 0..6 + self.random.u64(..8) {
            let extension = EXTENSIONS[self.random.usize(..EXTENSIONS.len())];
            let name = format!("{}_{number}.{extension}", self.lexicon.name(&mut self.random));
            let size = self.size();
            self.file(&dir.join(name), Text::Code, size)?;
        }
        for name in ["generated_table.c", "generated_keep.c"] {
            let size = self.size();
            self.file(&dir.join(name), Text::Code, size)?;
        }
        if level < 4 {
            for number in 0..self.random.u64(..4) {
                let name = format!("{}{number}", self.lexicon.name(&mut self.random));
                self.sources(&dir.join(name), level + 1)?;
            }
        }
        Ok(())
    }

    fn documents(&mut self, dir: &Path) -> io::Result<()> {
        make_directory(dir)?;
        for number in 0..12 {
            let word = self.lexicon.name(&mut self.random);
            // Some names have blanks, as people write them.
            let name = if number % 4 == 0 {
                format!("{word} and more {number}.md")
            } else {
                format!("old-{number}-{word}.md")
            };
            let size = 2 * self.size();
            self.file(&dir.join(name), Text::Prose, size)?;
        }
        self.file(&dir.join("history.log"), Text::Log, 6000)?;
        make_directory(&dir.join("chapters"))?;
        self.file(&dir.join("chapters/draft"), Text::Prose, 4000)?;
        self.file(&dir.join("chapters/final"), Text::Prose, 4000)
    }

    fn results(&mut self, dir: &Path) -> io::Result<()> {
        make_directory(dir)?;
        self.file(&dir.join("keep.txt"), Text::Prose, 500)?;
        self.file(&dir.join("make.log"), Text::Log, 20_000)?;
        self.file(&dir.join("bundle.js"), Text::Minified, 60_000)?;
        make_directory(&dir.join("objects"))?;
        for number in 0..10 {
            let name = format!("objects/{}-{number}.o", self.lexicon.name(&mut self.random));
            let size = 2 * self.size();
            self.file(&dir.join(name), Text::Binary, size)?;
        }
        Ok(())
    }

    fn notes(&mut self, top: &Path, order: &Order<'_>) -> io::Result<()> {
        let dir = top.join("notes");
        make_directory(&dir)?;
        for number in 0..order.scaled(4000) {
            // Every hundredth is hidden, and some are empty.
            let dot = if number % 100 == 99 { "." } else { "" };
            let name = format!("{dot}{}-{number:04}.txt", self.lexicon.name(&mut self.random));
            let size = self.random.u64(..600) as usize;
            let kind = if number % 50 == 49 { None } else { Some(Text::Prose) };
            match kind {
                Some(kind) => self.file(&dir.join(name), kind, size)?,
                None => write(&dir.join(name), b"")?,
            }
        }
        Ok(())
    }

    fn packages(&mut self, top: &Path, order: &Order<'_>) -> io::Result<()> {
        let parent = top.join("packages");
        make_directory(&parent)?;
        for number in 0..order.scaled(1000) {
            let name = format!("{}-1.{number}", self.lexicon.name(&mut self.random));
            let dir = parent.join(name);
            make_directory(&dir)?;
            self.file(&dir.join("package.toml"), Text::Prose, 200)?;
            let size = self.size();
            self.file(&dir.join("lib.rs"), Text::Code, size)?;
            if number % 10 == 0 {
                write(&dir.join(".gitignore"), b"scratch.txt\n")?;
                write(&dir.join("scratch.txt"), b"to be thrown away\n")?;
            }
        }
        Ok(())
    }

    fn deep(&mut self, top: &Path, order: &Order<'_>) -> io::Result<()> {
        let mut dir = top.join("deep");
        make_directory(&dir)?;
        for level in 0..order.scaled(60) {
            self.file(&dir.join("here.txt"), Text::Prose, 300)?;
            self.file(&dir.join("there.c"), Text::Code, 900)?;
            dir.push(format!("level-{level}"));
            make_directory(&dir)?;
        }
        self.file(&dir.join("bottom.txt"), Text::Prose, 100)
    }

    fn data(&mut self, top: &Path, order: &Order<'_>) -> io::Result<()> {
        let dir = top.join("data");
        make_directory(&dir)?;
        make_directory(&dir.join("cache"))?;
        let kinds = [
            ("journal", "log", Text::Log),
            ("accounts", "csv", Text::Table),
            ("book", "txt", Text::Prose),
            ("picture", "bin", Text::Binary),
            ("cache/blob", "bin", Text::Binary),
            ("cache/page", "txt", Text::Prose),
        ];
        for number in 0..4 {
            for (name, extension, kind) in kinds {
                let size = order.scaled(500_000 << self.random.u64(..3)) as usize;
                self.file(&dir.join(format!("{name}-{number}.{extension}")), kind, size)?;
            }
        }
        Ok(())
    }

    /// A file of about `size` bytes: it ends where its last line does.
    fn file(&mut self, path: &Path, kind: Text, size: usize) -> io::Result<()> {
        self.bytes.clear();
        let bytes = &mut self.bytes;
        let mut author = Author { lexicon: &self.lexicon, random: &mut self.random };
        match kind {
            Text::Prose => author.prose(bytes, size),
            Text::Code => author.code(bytes, size),
            Text::Minified => author.minified(bytes, size),
            Text::Table => author.table(bytes, size),
            Text::Log => author.log(bytes, size),
            Text::Binary => author.binary(bytes, size),
        }
        if !matches!(kind, Text::Binary) {
            for needle in self.needles.of_the_next_file() {
                author.plant(bytes, &needle);
            }
        }
        write(path, bytes)
    }

    /// The size of a file, from 256 bytes to 16 KiB: small ones are more frequent, the mean is 3.4
    /// kB.
    fn size(&mut self) -> usize {
        let base = 256_u64 << (self.random.u64(..4) + self.random.u64(..3));
        (base + self.random.u64(..base)) as usize
    }
}

fn link(target: &str, path: &Path) -> io::Result<()> {
    symlink(target, path).map_err(|error| explain(path, &error))
}
