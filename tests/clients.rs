//! The command lines of programs that run ripgrep, taken from their sources or manuals, with the
//! output parsed as they parse it. Only the program's name differs.

use serde_json::Value;

use crate::harness::{Hs, TempTree};

/// Creates a project with source files, ignored and hidden files, and unusual encodings.
fn project(tree: &TempTree) {
    tree.git_init("").file(".gitignore", "/target\n");
    tree.file("src/main.rs", "fn main() {\n    let gem = 1;\n    dig(gem, gem);\n}\n");
    tree.file("src/Öl.rs", "// é gem\n").file("notes.txt", "Gem of a note\nno luck\n");
    tree.file("target/out.rs", "gem\n").file(".config/gem.toml", "gem = 1\n");
    tree.file("dos.txt", "a gem\r\nlast\r\n")
        .file("blob", "gem\0gem\n")
        .file("odd.txt", b"gem \xff\n");
}

/// The words of a command line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(' ').filter(|word| !word.is_empty())
}

/// The output of a run.
fn text(hs: &Hs<'_>, line: &str) -> String {
    String::from_utf8(hs.args(words(line)).stdout()).expect("text")
}

/// The messages of a run with `--json`.
fn messages(stdout: &[u8]) -> Vec<Value> {
    let lines = stdout.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("a line of JSON")).collect()
}

fn kind(message: &Value) -> &str {
    message["type"].as_str().expect("the type of a message")
}

/// The field `text` or, for invalid UTF-8, `bytes`, as VS Code reads them.
fn bytes_or_text(value: &Value) -> String {
    value["text"].as_str().map_or_else(
        || format!("base64 {}", value["bytes"].as_str().expect("bytes or text")),
        str::to_string,
    )
}

/// Formats matches as `path:line:[start-end, …] text` and context as `path-line-[] text`, and
/// checks the order of the messages as VS Code relies on it.
fn results(messages: &[Value]) -> Vec<String> {
    let (summary, files) = messages.split_last().expect("a summary");
    assert_eq!(kind(summary), "summary");
    let mut open = None;
    let mut results = Vec::new();
    for message in files {
        let data = &message["data"];
        let path = bytes_or_text(&data["path"]);
        match kind(message) {
            "begin" => assert!(open.replace(path).is_none(), "a file that begins inside another"),
            "end" => {
                assert_eq!(open.take(), Some(path), "the end of the file that began");
            }
            kind => {
                assert_eq!(open.as_ref(), Some(&path), "{kind} between begin and end");
                let line = data["line_number"].as_u64().expect("a line number");
                let text = bytes_or_text(&data["lines"]);
                let spans: Vec<String> = data["submatches"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|span| format!("{}-{}", span["start"], span["end"]))
                    .collect();
                let mark = if kind == "match" { ':' } else { '-' };
                results.push(format!("{path}{mark}{line}{mark}[{}] {text}", spans.join(", ")));
            }
        }
    }
    assert_eq!(open, None, "a file without an end");
    results.sort();
    results
}

/// The arguments of its text search in 2025.
const VS_CODE: &str = "--hidden --no-require-git --ignore-case -g *.{rs,txt} -g !**/Cargo.lock --max-filesize \
                       1000000 --no-ignore-parent --follow --crlf --engine auto";

hs_test!(vs_code_searches, |tree, hs| {
    project(tree);
    let line = format!("{VS_CODE} --regexp g(e)m --no-config --no-ignore-global --json -- ./");
    let found = results(&messages(text(hs, &line).as_bytes()));
    assert_eq!(
        found,
        [
            "./dos.txt:1:[2-5] a gem\r\n",
            "./notes.txt:1:[0-3] Gem of a note\n",
            "./odd.txt:1:[0-3] base64 Z2VtIP8K",
            "./src/main.rs:2:[8-11]     let gem = 1;\n",
            "./src/main.rs:3:[8-11, 13-16]     dig(gem, gem);\n",
            "./src/Öl.rs:1:[6-9] // é gem\n",
        ]
    );
});

hs_test!(vs_code_searches_with_context_and_across_lines, |tree, hs| {
    project(tree);
    let line = format!(
        "{VS_CODE} --before-context 1 --after-context 1 --fixed-strings --no-config \
                        --no-ignore-global --json -- dig( ./src"
    );
    assert_eq!(
        results(&messages(text(hs, &line).as_bytes())),
        [
            "./src/main.rs-2-[]     let gem = 1;\n",
            "./src/main.rs-4-[] }\n",
            "./src/main.rs:3:[4-8]     dig(gem, gem);\n",
        ]
    );
    let line = format!(
        "{VS_CODE} --regexp 1;\\n\\s+dig --no-config --no-ignore-global --json --multiline -- ./"
    );
    assert_eq!(
        results(&messages(text(hs, &line).as_bytes())),
        ["./src/main.rs:2:[14-24]     let gem = 1;\n    dig(gem, gem);\n"]
    );
    let line = format!("{VS_CODE} --pcre2 --regexp (?<=let.)gem --no-config --json -- ./");
    assert_eq!(
        results(&messages(text(hs, &line).as_bytes())),
        ["./src/main.rs:2:[8-11]     let gem = 1;\n"]
    );
    let line = format!("{VS_CODE} --encoding utf8 --regexp (?<=let.)gem --no-config --json -- ./");
    assert_eq!(
        results(&messages(text(hs, &line).as_bytes())),
        ["./src/main.rs:2:[8-11]     let gem = 1;\n"],
        "the pattern selects the engine"
    );
});

hs_test!(vs_code_gets_a_summary_if_nothing_is_found, |tree, hs| {
    project(tree);
    let line = format!("{VS_CODE} --regexp nowhere --no-config --json -- ./");
    hs.args(words(&line)).exits(1).stdout_satisfies("a summary is the only message", |stdout| {
        let messages = messages(stdout);
        messages.len() == 1 && messages[0]["data"]["stats"]["searches_with_match"] == 0
    });
});

hs_test!(vs_code_knows_these_messages, |tree, hs| {
    project(tree);
    let with = |args: &[&str]| hs.args(words(VS_CODE).chain(args.iter().copied()));
    with(&["--engine", "default", "--regexp", "(", "--json", "--", "./"])
        .refuses("regex parse error:\n");
    with(&["--encoding", "nosuch", "--regexp", "gem", "--json", "--", "./"])
        .refuses("grep config error: unknown encoding: nosuch");
    with(&["-g", "{", "--regexp", "gem", "--json", "--", "./"]).refuses("error parsing glob '{'");
    with(&["--engine", "default", "--regexp", r"a\n", "--json", "--", "./"])
        .refuses("the literal \"\\n\"");
    with(&["--pcre2", "--regexp", "(", "--json", "--", "./"])
        .refuses("PCRE2: error compiling pattern at offset ");
});

hs_test!(vs_code_lists_files, |tree, hs| {
    project(tree);
    let line = "--files --hidden --case-sensitive --no-require-git --glob-case-insensitive \
                --ignore-file-case-insensitive -g **/*.RS -g !**/.git --no-ignore-parent --follow \
                --no-config --no-ignore-global --threads 2";
    hs.args(words(line)).prints_in_any_order("src/main.rs\nsrc/Öl.rs\n");
    let line = "--files --hidden --case-sensitive --no-require-git -g !**/.git --no-ignore --quiet \
                --no-config --no-ignore-global";
    hs.args(words(line)).prints("");
    hs.args(words(line)).args(["-g", "*.nowhere"]).finds_nothing();
});

/// `path:line:column:text`, the grepformat `%f:%l:%c:%m`.
fn grepformat(line: &str) -> Option<(&str, usize, usize, &str)> {
    let mut parts = line.splitn(4, ':');
    let path = parts.next()?;
    let number = parts.next()?.parse().ok()?;
    let column = parts.next()?.parse().ok()?;
    Some((path, number, column, parts.next()?))
}

/// Every line of the output, parsed as grepformat and sorted.
fn quickfix(output: &str) -> Vec<(&str, usize, usize, &str)> {
    let read = |line| grepformat(line).unwrap_or_else(|| panic!("not in grepformat: {line:?}"));
    let mut list: Vec<_> = output.lines().map(read).collect();
    list.sort_unstable();
    list
}

hs_test!(neovim_fills_its_quickfix_list, |tree, hs| {
    project(tree);
    tree.file("odd.txt", "");
    let output = text(hs, "--vimgrep -uu gem");
    let list = quickfix(&output);
    assert_eq!(
        list,
        [
            (".config/gem.toml", 1, 1, "gem = 1"),
            ("dos.txt", 1, 3, "a gem"),
            ("src/main.rs", 2, 9, "    let gem = 1;"),
            ("src/main.rs", 3, 9, "    dig(gem, gem);"),
            ("src/main.rs", 3, 14, "    dig(gem, gem);"),
            ("src/Öl.rs", 1, 7, "// é gem"),
            ("target/out.rs", 1, 1, "gem"),
        ]
    );
});

hs_test!(telescope_lists_matches, |tree, hs| {
    project(tree);
    tree.file("odd.txt", "");
    let output = text(
        hs,
        "--color=never --no-heading --with-filename --line-number --column --smart-case -- gem",
    );
    let list = quickfix(&output);
    assert_eq!(list.len(), 5, "{list:?}");
    assert_eq!(list[1], ("notes.txt", 1, 1, "Gem of a note"));
    let output = text(
        hs,
        "--color=never --no-heading --with-filename --line-number --column --smart-case -- Gem",
    );
    assert_eq!(quickfix(&output), [("notes.txt", 1, 1, "Gem of a note")]);
});

/// `line` without its colours.
fn without_colors(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('m').expect("the end of a colour").1);
    std::iter::once(first).chain(rest).collect()
}

hs_test!(fzf_shows_colours_and_opens_files, |tree, hs| {
    project(tree);
    let output = text(hs, "--column --line-number --no-heading --color=always --smart-case -- dig");
    assert_eq!(
        output,
        "\x1b[0m\x1b[35msrc/main.rs\x1b[0m:\x1b[0m\x1b[32m3\x1b[0m:\x1b[0m5\x1b[0m:    \
         \x1b[0m\x1b[1m\x1b[31mdig\x1b[0m(gem, gem);\n"
    );
    let plain = without_colors(&output);
    assert_eq!(quickfix(&plain), [("src/main.rs", 3, 5, "    dig(gem, gem);")]);
});

hs_test!(consult_shows_groups, |tree, hs| {
    project(tree);
    let line = "--null --line-buffered --color=never --max-columns=1000 --path-separator / --smart-case \
                --no-heading --with-filename --line-number --search-zip -e gem ./src";
    let output = text(hs, line);
    let mut groups: Vec<_> = output
        .lines()
        .map(|line| {
            let (path, rest) = line.split_once('\0').expect("a NUL ends the path");
            let (number, text) = rest.split_once(':').expect("a colon ends the number");
            (path, number.parse::<usize>().expect("a number"), text)
        })
        .collect();
    groups.sort_unstable();
    assert_eq!(
        groups,
        [
            ("./src/main.rs", 2, "    let gem = 1;"),
            ("./src/main.rs", 3, "    dig(gem, gem);"),
            ("./src/Öl.rs", 1, "// é gem"),
        ]
    );
});

hs_test!(consult_tests_for_look_ahead, |_, hs| {
    hs.args(["-P", "^(?=.*b)(?=.*a)"]).stdin("xaxbx").prints("xaxbx\n");
});

hs_test!(deadgrep_reads_colours, |tree, hs| {
    project(tree);
    let line = "--color=ansi --line-number --no-heading --no-column --with-filename --no-config \
                --fixed-strings --smart-case --before-context=1 -- dig( ./src";
    hs.args(words(line)).prints(
        "\x1b[0m\x1b[35m./src/main.rs\x1b[0m-\x1b[0m\x1b[32m2\x1b[0m-    let gem = 1;\n\
         \x1b[0m\x1b[35m./src/main.rs\x1b[0m:\x1b[0m\x1b[32m3\x1b[0m:    \
         \x1b[0m\x1b[1m\x1b[31mdig(\x1b[0mgem, gem);\n",
    );
});

hs_test!(rg_el_reads_colours_below_headings, |tree, hs| {
    project(tree);
    let line = "--color always --colors match:fg:red --colors path:fg:magenta --colors line:fg:green \
                --colors column:none -n --column --heading --no-config -e dig ./src";
    hs.args(words(line)).prints(
        "\x1b[0m\x1b[35m./src/main.rs\x1b[0m\n\
         \x1b[0m\x1b[32m3\x1b[0m:\x1b[0m5\x1b[0m:    \x1b[0m\x1b[1m\x1b[31mdig\x1b[0m(gem, gem);\n",
    );
});

hs_test!(agents_read_lines_and_exit_codes, |tree, hs| {
    project(tree);
    let plain = "-n --no-heading --color never --max-count 1 --max-columns 200 -g *.rs";
    hs.args(words(plain))
        .args(["--", "gem", "./src"])
        .prints_in_any_order("./src/main.rs:2:    let gem = 1;\n./src/Öl.rs:1:// é gem\n");
    hs.args(["-l", "-g", "*.rs", "--", "gem", "."])
        .prints_in_any_order("./src/main.rs\n./src/Öl.rs\n");
    hs.args(["-c", "-g", "*.rs", "--", "gem", "."])
        .prints_in_any_order("./src/main.rs:2\n./src/Öl.rs:1\n");
    hs.args(["--json", "--max-count", "1", "--", "nowhere", "."])
        .exits(1)
        .stdout_satisfies("it is a summary", |stdout| {
            messages(stdout).iter().all(|message| kind(message) == "summary")
        });
    hs.args(["--json", "--", "(", "."]).refuses("regex parse error");
    hs.args(["-n", "--", "gem", "missing", "src/Öl.rs"])
        .prints("src/Öl.rs:1:// é gem\n")
        .stderr_contains("missing: No such file or directory")
        .exits(2);
});
