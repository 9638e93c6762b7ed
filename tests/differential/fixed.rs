//! Fixed trees with every kind of file, and every flag on each of them.

use std::{ffi::OsStr, fmt, process::Command};

use crate::{
    answer::{Answer, Order},
    known::{self, Case},
    process,
    temp_tree::TempTree,
    words,
};

/// A tree, and the command lines that are run in it with every flag.
pub(crate) struct FixedTree {
    tree: TempTree,
    has_nul: bool,
    files: usize,
    /// Arguments in which `FLAG` stands for the flag.
    lines: &'static [&'static str],
}

/// Standard input of the command line that names no file.
const PIPED: &[u8] = b"a gem\nno luck\nGem and gem\n\nfoo bar\nlast gem";

/// A command line with its flag.
pub(crate) struct Line<'t> {
    tree: &'t FixedTree,
    args: Vec<String>,
    is_piped: bool,
}

/// All trees.
pub(crate) fn trees() -> Vec<FixedTree> {
    if process::is_for_windows(&process::program()) {
        eprintln!("left out: compressed files: ripgrep needs programs that Wine lacks");
        return vec![plain(), binary()];
    }
    vec![plain(), binary(), packed()]
}

/// Ignore files, hidden files, links, long lines, line terminators, encodings; no NUL bytes.
fn plain() -> FixedTree {
    let tree = TempTree::new("plain");
    tree.git_init("");
    tree.file(".gitignore", "*.log\n/build\n!keep.log\n").file(".ignore", "skipped.txt\n");
    tree.file(".rgignore", "!skipped.txt\n").file("sub/.gitignore", "inner.*\n");
    tree.file(".git/info/exclude", "excluded.txt\n").file(".rules", "*.rs\n");
    tree.file("../.ignore", "above.txt\n").file("../home/.config/git/ignore", "global.txt\n");
    let text = "a gem\nno luck\nGem and gem\n\n  foo gem bar\nfoo bar\nlast 42\n";
    let named =
        ["a.txt", "b.rs", "x.log", "keep.log", "build/c.txt", "skipped.txt", "excluded.txt"];
    let deeper =
        ["above.txt", "global.txt", ".hidden.rs", ".dir/d.txt", "sub/e.RS", "sub/inner.rs"];
    tree.files(named, text).files(deeper, text).file("sub/deep/er/f.txt", text);
    tree.file("empty", "")
        .file("one", "gem")
        .file("newline", "\n")
        .file("sub/no-end.txt", "x\ngem");
    tree.file("dos.txt", "a gem\r\nno luck\r\n\r\nfoo gem\r\nlast")
        .file("cr", "gem\rfoo\r\r\ngem\r");
    tree.file("latin1.txt", b"caf\xe9 gem\nfoo \xff\xfe bar\n").file("utf8", "é gem Σσς ÉÈ\nK\n");
    tree.file("marked.txt", "\u{feff}gem\nfoo gem\n");
    tree.file("sjis", b"gem \x83\x65\x83\x58\x83\x67\nfoo\n");
    let long = ["x".repeat(70_000).as_str(), " gem ", &"y".repeat(300), "\nfoo\n"].concat();
    tree.file("long", long).file("many", "gem here\nand there\n".repeat(300));
    tree.file("name with blank", text).file(OsStr::new("dash/-n"), text);
    // To programs for Windows, Wine shows what a link points to, also in a loop.
    if !process::is_for_windows(&process::program()) {
        tree.symlink("a.txt", "link.txt").symlink("sub", "link").symlink("nowhere", "broken");
        tree.symlink("..", "sub/loop");
    }
    FixedTree {
        tree,
        has_nul: false,
        files: 40,
        lines: &[
            "FLAG gem",
            "-n FLAG gem .",
            "FLAG -- foo|gem a.txt dos.txt latin1.txt one",
            "-o -b FLAG \\w+ a.txt utf8 cr",
            "FLAG a?gem",
            "FLAG -i -e gem -e ^foo sub a.txt missing",
            "-c FLAG ^$ .",
            "--files FLAG",
            "-C1 --heading FLAG -w gem many a.txt link.txt long",
            "-v FLAG [a-z]$ dos.txt cr newline one empty",
            "--sort=path FLAG [Gg]em",
            "--json FLAG gem .",
            "-U FLAG gem\\n+\\s*\\w+ .",
            "-r <$0> FLAG g(e)m a.txt many",
        ],
    }
}

/// NUL bytes early, late and between, and UTF-16 with a mark.
fn binary() -> FixedTree {
    let tree = TempTree::new("binary");
    let lines = "gem here\nno luck\n".repeat(5000);
    tree.file("early", "a\0b\ngem\n").file("text", "gem\nfoo\n").file("last", "gem\n\0");
    tree.file("late", [&lines, "x\0y\n", "gem\n"].concat())
        .file("sub/records", "gem\0foo\0a gem\0");
    tree.file("none", "foo\0bar\n");
    let wide = |text: &str, order: fn(u16) -> [u8; 2]| {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect::<Vec<u8>>()
    };
    tree.file("utf16le.txt", wide("a gem\r\nfoo é\n", u16::to_le_bytes));
    tree.file("utf16be.txt", wide("a gem\nfoo é", u16::to_be_bytes));
    tree.file("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR gem\n").file(".rules", "*.rs\n");
    FixedTree {
        tree,
        has_nul: true,
        files: 9,
        lines: &[
            "FLAG gem",
            "-n FLAG gem early text last utf16le.txt utf16be.txt",
            "-c FLAG -e gem -e foo .",
            "--sort=path -b FLAG ge.",
        ],
    }
}

/// Compressed files. No name lies, since ripgrep goes by names alone.
fn packed() -> FixedTree {
    let tree = TempTree::new("packed");
    let text = "a gem\nno luck\nGem and gem\n";
    tree.file("plain", text);
    for (program, name) in [
        ("gzip", "a.gz"),
        ("gzip", "archive.tgz"),
        ("bzip2", "b.bz2"),
        ("xz", "c.xz"),
        ("lz4", "d.lz4"),
        ("zstd", "e.zst"),
        ("brotli", "f.br"),
    ] {
        // Ripgrep needs the program, too.
        if let Some(bytes) = compress(program, text) {
            tree.file(name, bytes);
        }
    }
    tree.file(".rules", "*.rs\n");
    FixedTree {
        tree,
        has_nul: true,
        files: 10,
        lines: &["-z FLAG gem", "-z -n FLAG gem a.gz plain c.xz", "-zc FLAG . ."],
    }
}

/// `text` as `program` compresses it; `None` if the program is missing or fails.
fn compress(program: &str, text: &str) -> Option<Vec<u8>> {
    Command::new(program).arg("--version").output().ok()?;
    let outcome = process::run(Command::new(program).arg("-c"), Some(text.into()));
    outcome.status.success().then_some(outcome.stdout)
}

impl FixedTree {
    /// Every command line with every flag, and with none.
    pub(crate) fn lines(&self) -> Vec<Line<'_>> {
        let tables = [words::OUTPUT, words::MODES, words::SEARCH, words::FILTER];
        let flags: Vec<&str> =
            std::iter::once("").chain(tables.into_iter().flat_map(words::flags)).collect();
        let with_flags = |line| flags.iter().map(move |flag| self.line(line, flag));
        self.lines.iter().copied().flat_map(with_flags).collect()
    }

    fn line(&self, line: &str, flag: &str) -> Line<'_> {
        let words = line.split(' ').flat_map(|word| match word {
            "FLAG" => flag.split(' ').filter(|word| !word.is_empty()).collect(),
            _ => vec![word],
        });
        // The flag can override the number of threads.
        let usual = ["--no-config", "--no-mmap", "-j1"];
        let args = usual.into_iter().chain(words).map(str::to_string).collect();
        Line { tree: self, args, is_piped: line == "FLAG a?gem" }
    }
}

impl Line<'_> {
    /// Runs `program`.
    pub(crate) fn answer(&self, program: &OsStr) -> Answer {
        let mut command = crate::command(&self.tree.tree, program, &self.tree.tree.path());
        command.args(&self.args);
        Answer::of(&process::run_in_time(&mut command, self.is_piped.then(|| PIPED.to_vec())))
    }

    /// The order in which the output has to show the files.
    pub(crate) fn order(&self) -> Order {
        if known::is_sorted(&self.args) {
            Order::Exact
        } else {
            Order::AnyOfFiles { files: self.tree.files }
        }
    }

    /// The known difference that this command line can show.
    pub(crate) fn known(&self) -> Option<&'static known::Known> {
        known::find(&Case {
            args: &self.args,
            has_nul: self.tree.has_nul,
            is_long: false,
            has_long_line: false,
            ends_non_ascii: false,
            is_utf8: false,
            is_misnamed: false,
            is_piped: self.is_piped,
            files: self.tree.files,
        })
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.args)
    }
}
