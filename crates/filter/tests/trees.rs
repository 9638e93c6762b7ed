//! Trees, command lines and the files found, in `trees/*.txt`: which of several matching rules
//! decides.
//!
//! A file of a tree follows `+ `, perhaps with a colon and its contents, in which `\n` stands for
//! a line feed; a directory ends in a slash. A command line follows `$ `: flags as those of `hs`,
//! a root, and `--cwd` for the directory that the paths are relative to; `_` in a glob is a blank.
//! The files found below the root follow `> `; rule files are hidden. With `--why`, the reasons
//! for all entries follow instead, one by one. Problems and errors follow `! `. `{top}` stands for
//! the path of the tree, and comments follow `# `.

#![cfg(unix)]

mod support;

use std::{fs, path::Path};

use heist_filter::{Error, Filter, FilterConfig, Glob, TypeTable, WorkerCache};
use support::{Tree, config, walk};

/// A command line, understood.
struct Command<'c> {
    config: FilterConfig,
    root: &'c str,
    explains: bool,
}

fn parse<'c>(command: &'c str, top: &Path) -> Result<Command<'c>, Error> {
    let (mut config, mut table) = (config(top), TypeTable::new());
    let (mut root, mut explains) = ("", false);
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match word {
            "-g" | "--iglob" => {
                let (text, ignore_case) = (value().replace('_', " "), word == "--iglob");
                config.globs.push(Glob { text, ignore_case });
            }
            "-t" => table.select(value()),
            "-T" => table.negate(value()),
            "--type-add" => table.add(value())?,
            "--type-clear" => table.clear(value()),
            "--cwd" => config.cwd = top.join(value()),
            "--ignore-file" => config.ignore_files.push(value().into()),
            "--ignore-file-case-insensitive" => config.ignore_case = true,
            "--no-ignore-dot" => config.dot = false,
            "--no-ignore-parent" => config.parents = false,
            "--no-ignore-vcs" => config.vcs = false,
            "--no-require-git" => config.require_git = false,
            "--why" => explains = true,
            _ => root = word,
        }
    }
    config.types = table.selection()?;
    Ok(Command { config, root, explains })
}

/// The rows that follow a command line.
fn run(command: &str, top: &Path) -> Result<String, Error> {
    let Command { config, root, explains } = parse(command, top)?;
    let (filter, mut cache) = (Filter::new(config)?, WorkerCache::default());
    let mut found = Vec::new();
    walk(&filter, &top.join(root), &mut cache, &mut |entry| {
        let path = entry.path.escape_ascii();
        if explains {
            found.push(format!("> {path}: {}\n", entry.verdict));
        } else if entry.is_wanted && !entry.is_dir {
            found.push(path.to_string());
        }
    });
    found.sort();
    let mut rows = if explains { found.concat() } else { format!("> {}\n", found.join(" ")) };
    for problem in filter.problems().iter().chain(&cache.problems) {
        rows += &format!("! {problem}\n");
    }
    Ok(rows)
}

/// Runs the command lines of a file.
fn check(text: &str) {
    let (mut tree, mut is_done) = (Tree::new(), false);
    let mut rows = text.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).peekable();
    while let Some(row) = rows.next() {
        if let Some(file) = row.strip_prefix("+ ") {
            if std::mem::take(&mut is_done) {
                tree = Tree::new();
            }
            let (path, contents) = file.split_once(": ").unwrap_or((file, ""));
            tree.add(path, &contents.replace("\\n", "\n"));
        } else if let Some(command) = row.strip_prefix('$') {
            let mut expected = String::new();
            while let Some(row) = rows.next_if(|row| row.starts_with(['>', '!'])) {
                expected += &format!("{row}\n");
            }
            let found = run(command, &tree.top).unwrap_or_else(|error| format!("! {error}\n"));
            let found = found.replace(tree.top.to_str().unwrap(), "{top}");
            let is_same = found.lines().map(str::trim_end).eq(expected.lines().map(str::trim_end));
            assert!(is_same, "${command}\n{found}instead of\n{expected}");
            is_done = true;
        } else {
            // An empty directory to begin with.
            assert_eq!(row, "+");
            (tree, is_done) = (Tree::new(), false);
        }
    }
}

#[test]
fn every_command_line_finds_its_files() {
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trees")).unwrap() {
        check(&fs::read_to_string(file.unwrap().path()).unwrap());
    }
}
