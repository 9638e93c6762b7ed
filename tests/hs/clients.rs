//! The command lines of programs that run ripgrep, with their output parsed as these programs parse
//! it, against the lines that a slow look at the files finds. `sessions/clients.txt` has the output
//! itself. Each test names the project, and the file of it that runs ripgrep.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    time::{Duration, SystemTime},
};

use serde_json::Value;

use self::parse::{matches, messages, paths, split_lines, strip_colors};
use crate::harness::{Hs, TempTree};

mod parse;

/// A line that a client shows: its path, its number, the column of the first match, its text. The
/// column is 0 where the client does not have it, and long lines have no text.
type Hit = (String, u64, u64, String);

/// The path of a file with a line that clients shorten.
const LONG: &str = "long.js";

/// Writes a repository with hidden files, ignored ones, and lines of different kinds. Returns their
/// texts.
fn write(tree: &TempTree) -> BTreeMap<&'static str, String> {
    let long = format!("{}gem{}\n", "x".repeat(400), "y".repeat(5000));
    let files = [
        (".gitignore", "/target\n"),
        ("src/main.rs", "fn main() {\n    let gem = 1;\n    dig(gem, gem);\n}\n"),
        ("src/Öl.rs", "// é gem\n"),
        ("notes.txt", "Gem of a note\nno luck\n"),
        ("dos.txt", "a gem\r\nlast\r\n"),
        ("target/out.rs", "gem\n"),
        (".config/gem.toml", "gem = 1\n"),
        (".git/config", "gem\n"),
        (LONG, &long),
    ];
    for (path, text) in files {
        tree.file(path, text);
    }
    files.map(|(path, text)| (path, text.to_owned())).into()
}

/// Which files a client searches besides plain ones.
#[derive(Clone, Copy, Default)]
struct Reach {
    hidden: bool,
    ignored: bool,
}

impl Reach {
    /// Whether the file is searched. No client searches `.git`.
    fn includes(self, path: &str) -> bool {
        let is_hidden = path.starts_with('.');
        !path.starts_with(".git/")
            && (self.hidden || !is_hidden)
            && (self.ignored || !path.starts_with("target"))
    }
}

/// The lines with a gem, in lower case if `exact`.
fn gems(files: &BTreeMap<&str, String>, reach: Reach, exact: bool) -> BTreeSet<Hit> {
    let mut hits = BTreeSet::new();
    for (path, text) in files.iter().filter(|(path, _)| reach.includes(path)) {
        for (index, line) in text.lines().enumerate() {
            let found = if exact { line.find("gem") } else { line.to_lowercase().find("gem") };
            if let Some(at) = found {
                hits.insert(hit(path, index as u64 + 1, at as u64 + 1, line));
            }
        }
    }
    hits
}

fn hit(path: &str, line: u64, column: u64, text: &str) -> Hit {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
    let text = if path == LONG { "" } else { text.trim_end() };
    (path, line, column, text.to_owned())
}

fn without_columns(hits: BTreeSet<Hit>) -> BTreeSet<Hit> {
    hits.into_iter().map(|(path, line, _, text)| (path, line, 0, text)).collect()
}

/// Runs a command line, which has to find something and to print no message.
#[track_caller]
fn output<A: AsRef<str>>(hs: &Hs<'_>, args: impl IntoIterator<Item = A>) -> String {
    let args: Vec<String> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
    let run = hs.args(args).exits(0).stderr_satisfies("it is empty", str::is_empty);
    let stdout = run.outcome().map(|outcome| outcome.stdout).unwrap_or_default();
    String::from_utf8(stdout).expect("UTF-8")
}

/// The files that a client lists.
fn listed(files: &BTreeMap<&str, String>, reach: Reach) -> BTreeSet<String> {
    files.keys().filter(|path| reach.includes(path)).map(|path| (*path).to_owned()).collect()
}

const HIDDEN: Reach = Reach { hidden: true, ignored: false };
const PLAIN: Reach = Reach { hidden: false, ignored: false };

// anthropics/claude-code, the tools Grep and Glob, whose three output modes and parameters their
// descriptions have. The path is absolute.
hs_test!(claude_code_reads_lines_counts_and_paths, |tree, hs| {
    let files = write(tree);
    let top = tree.join("").display().to_string();
    let top = top.trim_end_matches(['/', '\\']);
    let common = "--hidden --glob !.git --glob !.svn --glob !.hg --max-columns 500".split(' ');
    let run = |mode: &[&str]| {
        let mut args: Vec<&str> = common.clone().collect();
        args.extend(mode);
        args.extend(["gem", top]);
        output(hs, args).replace(&format!("{top}/"), "").replace(&format!("{top}\\"), "")
    };
    let gems = without_columns(gems(&files, HIDDEN, true));
    assert_eq!(split_lines(&run(&["-n"]), false), gems);
    let in_files: BTreeSet<String> = gems.iter().map(|hit| hit.0.clone()).collect();
    assert_eq!(paths(&run(&["-l"]), '\n'), in_files);
    let counts: BTreeSet<String> = in_files
        .iter()
        .map(|path| format!("{path}:{}", gems.iter().filter(|hit| hit.0 == *path).count()))
        .collect();
    assert_eq!(paths(&run(&["-c"]), '\n'), counts);
    let multiline = run(&["-n", "-U", "--multiline-dotall", "-i", "--type", "rust", "-C", "1"]);
    let lines: BTreeSet<&str> = multiline.lines().collect();
    assert!(lines.contains("src/main.rs:2:    let gem = 1;"), "{multiline}");
    assert!(lines.contains("src/main.rs-4-}") && lines.contains("--"), "{multiline}");

    // The newest file is last.
    for (age, path) in ["src/main.rs", "target/out.rs", "src/Öl.rs"].iter().enumerate() {
        set_age(tree, path, age as u64 * 60);
    }
    let list = "--files --glob **/*.rs --sort=modified --no-ignore --hidden".split(' ');
    let listed = output(hs, list.chain([top])).replace('\\', "/");
    let ends: Vec<&str> = listed.lines().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(ends, ["Öl.rs", "out.rs", "main.rs"]);
});

fn set_age(tree: &TempTree, path: &str, seconds: u64) {
    let file = fs::File::options().write(true).open(tree.join(path)).expect("a file");
    let time = SystemTime::now() - Duration::from_secs(seconds);
    file.set_modified(time).expect("a file system with times");
}

// openai/codex, codex-rs/core/src/tools/handlers/grep_files.rs
hs_test!(codex_reads_paths_from_the_newest_on, |tree, hs| {
    write(tree);
    for (age, path) in ["src/main.rs", "notes.txt", "src/Öl.rs", "dos.txt"].iter().enumerate() {
        set_age(tree, path, age as u64 * 60);
    }
    let args = |pattern| {
        ["--files-with-matches", "--sortr=modified", "--regexp", pattern, "--no-messages"]
    };
    let found = output(hs, args("[gG]em").into_iter().chain(["--glob", "!*.js", "--", "."]));
    let found: Vec<String> = found.lines().map(|path| path.replace('\\', "/")).collect();
    assert_eq!(found, ["./src/main.rs", "./notes.txt", "./src/Öl.rs", "./dos.txt"]);
    hs.args(args("nowhere")).args(["--", "."]).finds_nothing();
    // Any other status is an error, whose message the model reads.
    hs.args(args("(")).args(["--", "."]).stderr_contains("regex parse error").exits(2);
});

// google-gemini/gemini-cli, packages/core/src/tools/ripGrep.ts
hs_test!(gemini_cli_reads_matches_and_context, |tree, hs| {
    let files = write(tree);
    tree.file(".geminiignore", "dos.txt\n");
    let args = |context: &'static str| {
        let line = format!(
            "--json --hidden --ignore-case --regexp gem {context} --glob !**/.git/** --glob \
             !**/node_modules/** --glob !*.log --ignore-file .geminiignore --threads 4 ."
        );
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut gems = gems(&files, HIDDEN, false);
    gems.retain(|hit| hit.0 != "dos.txt");
    assert_eq!(matches(&output(hs, args(""))), gems);
    let with_context = output(hs, args("--context 1"));
    assert_eq!(matches(&with_context), gems);
    let context = messages(&with_context, "context");
    let is_end = |data: &Value| data["lines"]["text"] == "}\n" && data["line_number"] == 4;
    assert!(context.iter().any(is_end), "{with_context}");
});

// anomalyco/opencode, packages/opencode/src/file/ripgrep.ts, which checks the form of messages.
hs_test!(opencode_accepts_the_form_of_messages, |tree, hs| {
    let files = write(tree);
    let list = output(hs, "--files --glob=!.git/* --follow --hidden".split(' '));
    assert_eq!(paths(&list, '\n'), listed(&files, HIDDEN));

    let args = "--no-config --json --hidden --glob=!**/.git/** --no-messages -- gem .".split(' ');
    let text = output(hs, args);
    assert_eq!(matches(&text), gems(&files, HIDDEN, true));
    let is_stats = |stats: &Value| {
        let numbers = ["searches", "searches_with_match", "bytes_searched", "bytes_printed"];
        let numbers = numbers.iter().chain(&["matched_lines", "matches"]);
        numbers.into_iter().all(|name| stats[*name].is_u64()) && is_time(&stats["elapsed"])
    };
    let (begins, ends) = (messages(&text, "begin"), messages(&text, "end"));
    assert!(
        begins.len() == ends.len() && begins.iter().all(|data| data["path"]["text"].is_string())
    );
    for data in &ends {
        let offset = &data["binary_offset"];
        assert!(offset.is_null() || offset.is_u64(), "{data}");
        assert!(is_stats(&data["stats"]), "{data}");
    }
    let summaries = messages(&text, "summary");
    let is_summary = |data: &Value| is_time(&data["elapsed_total"]) && is_stats(&data["stats"]);
    assert!(summaries.len() == 1 && is_summary(&summaries[0]), "{summaries:?}");
});

/// Whether a message has a duration, in all its forms.
fn is_time(time: &Value) -> bool {
    time["secs"].is_u64() && time["nanos"].is_u64() && time["human"].is_string()
}

// cline/cline, src/services/ripgrep/index.ts, which takes any message for a failure.
hs_test!(cline_groups_context_around_matches, |tree, hs| {
    let files = write(tree);
    let text = output(hs, "--json -e gem --glob * --context 1 .".split(' '));
    // Its glob also finds files that are hidden or ignored, but nothing in hidden directories.
    let reach = Reach { hidden: false, ignored: true };
    let found = matches(&text);
    for hit in gems(&files, PLAIN, true) {
        assert!(found.contains(&hit), "{hit:?}");
    }
    assert!(found.iter().all(|hit| reach.includes(&hit.0) || hit.0.starts_with('.')), "{found:?}");
    // Lines of context follow or precede the match that is above them.
    let mut around: Vec<(u64, Vec<String>)> = Vec::new();
    for line in text.lines() {
        let message: Value = serde_json::from_str(line).expect("JSON");
        let data = &message["data"];
        if data["path"]["text"].as_str().is_none_or(|path| !path.ends_with("main.rs")) {
            continue;
        }
        let text = data["lines"]["text"].as_str().unwrap_or_default().trim_end().to_owned();
        match message["type"].as_str().expect("a type") {
            "match" => around.push((data["line_number"].as_u64().expect("a number"), Vec::new())),
            "context" => {
                if let Some((_, context)) = around.last_mut() {
                    context.push(text);
                }
            }
            _ => {}
        }
    }
    assert_eq!(around, [(2, vec![]), (3, vec!["}".to_owned()])]);
});

// charmbracelet/crush, internal/agent/tools/rg.go
hs_test!(crush_reads_messages_and_lists_with_nul, |tree, hs| {
    let files = write(tree);
    let text = output(hs, "--json -H -n -0 gem --glob *.rs ./src".split(' '));
    let mut gems = gems(&files, PLAIN, true);
    gems.retain(|hit| hit.0.starts_with("src/"));
    assert_eq!(matches(&text), gems);
    let list = output(hs, "--files -L --null --glob /**/*.rs".split(' '));
    let mut expected = listed(&files, Reach { hidden: false, ignored: false });
    expected.retain(|path| path.ends_with(".rs"));
    let mut found = paths(&list, '\0');
    // The glob outranks the ignore file for what is in the directory, not for the directory.
    found.retain(|path| !path.starts_with("target"));
    assert_eq!(found, expected);
});

// badlogic/pi-mono, packages/coding-agent/src/core/tools/grep.ts
hs_test!(pi_reads_paths_and_line_numbers, |tree, hs| {
    let files = write(tree);
    let args = "--json --line-number --color=never --hidden --ignore-case --glob !.git gem .";
    let text = output(hs, args.split(' '));
    assert_eq!(matches(&text), gems(&files, HIDDEN, false));
    let args = "--json --line-number --color=never --hidden --fixed-strings dig( .".split(' ');
    assert_eq!(matches(&output(hs, args)).len(), 1);
});

// microsoft/vscode, src/vs/workbench/services/search/node/ripgrepTextSearchEngine.ts: these phrases
// in a message end the search with an error that is shown. Any other message is disregarded.
hs_test!(vs_code_finds_its_phrases_in_messages, |tree, hs| {
    write(tree);
    for (args, phrase) in [
        ("--engine default --regexp (", "regex parse error"),
        ("--encoding nosuch --regexp gem", "grep config error: unknown encoding: nosuch"),
        ("-g { --regexp gem", "error parsing glob '{'"),
        (r"--engine default --regexp a\n", r#"the literal "\n""#),
        ("--pcre2 --regexp (", "PCRE2: error compiling pattern"),
    ] {
        hs.args(args.split(' '))
            .args(["--json", "--", "./"])
            .stderr_satisfies(phrase, |text| {
                let is_it = |line: &str| match phrase.starts_with("grep") {
                    // This one it looks for in the first line, the others where a line begins.
                    true => line.contains(phrase),
                    false => line.starts_with(phrase),
                };
                text.lines().any(is_it)
            })
            .exits(2);
    }
});

// folke/snacks.nvim, lua/snacks/picker/source/{grep,files}.lua
hs_test!(snacks_reads_lines_with_columns, |tree, hs| {
    let files = write(tree);
    let args = "--color=never --no-heading --with-filename --line-number --column --smart-case \
                --max-columns=500 --max-columns-preview -g !.git --hidden -- gem";
    let found = output(hs, args.split_whitespace());
    assert_eq!(split_lines(&found, true), gems(&files, HIDDEN, false));
    let list = output(hs, "--files --no-messages --color never -g !.git".split(' '));
    assert_eq!(paths(&list, '\n'), listed(&files, PLAIN));
});

// nvim-telescope/telescope.nvim, lua/telescope/config.lua and builtin/__files.lua
hs_test!(telescope_reads_lines_with_columns, |tree, hs| {
    let files = write(tree);
    let args = "--color=never --no-heading --with-filename --line-number --column --smart-case";
    let found = output(hs, args.split(' ').chain(["--", "gem"]));
    assert_eq!(split_lines(&found, true), gems(&files, PLAIN, false));
    let found = output(hs, args.split(' ').chain(["--fixed-strings", "--", "Gem"]));
    assert_eq!(split_lines(&found, true).len(), 1);
    let list = output(hs, "--files --color never".split(' '));
    assert_eq!(paths(&list, '\n'), listed(&files, PLAIN));
});

// ibhagwan/fzf-lua, lua/fzf-lua/defaults.lua, and junegunn/fzf.vim, autoload/fzf/vim.vim
hs_test!(fzf_reads_colored_lines, |tree, hs| {
    let files = write(tree);
    let common = "--column --line-number --no-heading --color=always --smart-case".split(' ');
    for rest in [["--max-columns=4096", "-e", "gem"].as_slice(), &["--", "gem"]] {
        let found = output(hs, common.clone().chain(rest.iter().copied()));
        assert!(found.contains("\x1b["), "{found}");
        assert_eq!(split_lines(&strip_colors(&found), true), gems(&files, PLAIN, false));
    }
    let list = output(hs, "--color=never --hidden --files -g !.git".split(' '));
    assert_eq!(paths(&list, '\n'), listed(&files, HIDDEN));
});

// MagicDuck/grug-far.nvim, lua/grug-far/engine/ripgrep/{getArgs,parseResults}.lua, which makes the
// new contents of files out of messages.
hs_test!(grug_far_makes_contents_of_replacements, |tree, hs| {
    let files = write(tree);
    let args = "--replace=jewel --line-number --heading --column --max-columns=0 \
                --field-match-separator=: --block-buffered --with-filename --hyperlink-format=none \
                --json --regexp=gem";
    let text = output(hs, args.split_whitespace());
    let mut contents: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for data in messages(&text, "match") {
        let path = hit(data["path"]["text"].as_str().expect("a path"), 0, 0, "").0;
        let old = &files[path.as_str()];
        let (new, at) = contents.entry(path).or_default();
        let number = |value: &Value| value.as_u64().expect("a number") as usize;
        let start = number(&data["absolute_offset"]);
        for submatch in data["submatches"].as_array().expect("submatches") {
            *new += &old[*at..start + number(&submatch["start"])];
            *new += submatch["replacement"]["text"].as_str().expect("a replacement");
            *at = start + number(&submatch["end"]);
        }
    }
    let expected: BTreeMap<String, String> = files
        .iter()
        .filter(|(path, text)| PLAIN.includes(path) && text.contains("gem"))
        .map(|(path, text)| ((*path).to_owned(), text.replace("gem", "jewel")))
        .collect();
    let contents: BTreeMap<String, String> = contents
        .into_iter()
        .map(|(path, (new, at))| {
            let rest = &files[path.as_str()][at..];
            (path, new + rest)
        })
        .collect();
    assert_eq!(contents, expected);
});

// minad/consult, consult.el: consult-ripgrep-args
hs_test!(consult_reads_paths_up_to_nul, |tree, hs| {
    let files = write(tree);
    let args = "--null --line-buffered --color=never --max-columns=1000 --path-separator / \
                --smart-case --no-heading --with-filename --line-number --search-zip -e gem ./";
    let found = output(hs, args.split_whitespace());
    let found: BTreeSet<Hit> = found
        .lines()
        .map(|line| {
            let (path, rest) = line.split_once('\0').expect("the end of a path");
            let (number, text) = rest.split_once(':').expect("the end of a number");
            hit(path, number.parse().expect("a number"), 0, text)
        })
        .collect();
    assert_eq!(found, without_columns(gems(&files, PLAIN, false)));
});

// alexpasmantier/television, cable/unix/text.toml
hs_test!(television_splits_colored_lines, |tree, hs| {
    let files = write(tree);
    let args = ". --no-heading --line-number --colors match:fg:white --colors path:fg:blue";
    let found = output(hs, args.split(' ').chain(["--color=always"]));
    let found = split_lines(&strip_colors(&found), false);
    let gems = without_columns(gems(&files, PLAIN, true));
    assert!(gems.is_subset(&found), "{found:?}");
    let lines = files.iter().filter(|(path, _)| PLAIN.includes(path));
    let lines: usize = lines.map(|(_, text)| text.lines().count()).sum();
    assert_eq!(found.len(), lines);
});
