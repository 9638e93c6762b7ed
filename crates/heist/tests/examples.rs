//! The example programs, run as a user would. Cargo builds them before the tests.

use std::{
    env, fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// A repository with one directory per author.
fn tree() -> TempDir {
    let dir = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    for (path, text) in [
        ("alice/main.rs", "fn main() {} // TODO: name it\n// HACK and TODO\n"),
        ("bob/lib.rs", "pub fn f() {} // TODO\n"),
        ("bob/target/out.rs", "// TODO\n"),
        ("README.md", "TODO\n"),
        (".ignore", "target/\n"),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// The program that cargo built from `examples/NAME.rs`, in the tree as its working directory.
fn example(name: &str, dir: &TempDir) -> Command {
    let tests = env::current_exe().unwrap();
    let built: PathBuf = tests.ancestors().nth(2).unwrap().join("examples").join(name);
    let mut command = Command::new(built);
    command.current_dir(dir.path());
    command
}

/// What the example prints.
#[track_caller]
fn printed(name: &str, args: &[&str]) -> String {
    let dir = tree();
    let output = example(name, &dir).args(args).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// What the example prints, with slashes in paths also on Windows.
#[track_caller]
fn printed_paths(name: &str, args: &[&str]) -> String {
    printed(name, args).replace(std::path::MAIN_SEPARATOR, "/")
}

#[test]
fn grep() {
    let expected =
        "alice/main.rs:1:fn main() {} // TODO: name it\nbob/lib.rs:1:pub fn f() {} // TODO\n";
    assert_eq!(printed_paths("grep", &[r"fn \w+", "."]).replace("./", ""), expected);
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn a_search_needs_no_thread_of_its_own() {
    let dir = tree();
    let mut command = example("grep", &dir);
    // There is no room for a stack of this size, so that the system refuses every thread.
    command.args(["TODO", "."]).env("RUST_MIN_STACK", (1_u64 << 50).to_string());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let expected = "./README.md:1:TODO\n./alice/main.rs:1:fn main() {} // TODO: name it\n\
                    ./alice/main.rs:2:// HACK and TODO\n./bob/lib.rs:1:pub fn f() {} // TODO\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn list() {
    assert_eq!(printed_paths("list", &[]), "README.md\nalice/main.rs\nbob/lib.rs\n");
}

#[test]
fn editor_json() {
    let out = printed("editor_json", &["pub fn", "bob"]);
    let messages: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = messages.iter().map(|message| message["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["begin", "match", "end", "summary"]);
    assert_eq!(messages[1]["data"]["submatches"][0]["match"]["text"], "pub fn");
}

#[test]
fn replace_preview() {
    let out = printed_paths("replace_preview", &[r"fn (\w+)", "fn new_$1", "bob"]);
    assert_eq!(out, "bob/lib.rs:1\n- pub fn f() {} // TODO\n+ pub fn new_f() {} // TODO\n");
}

#[test]
fn find_entries() {
    let sorted = |args: &[&str]| {
        let out = printed_paths("find_entries", args);
        let mut lines: Vec<String> = out.lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&["-e", "rs"]), ["alice/main.rs", "bob/lib.rs"]);
    assert_eq!(sorted(&["-t", "d"]), ["alice", "bob"]);
    assert_eq!(sorted(&["-I", "-t", "f", "out"]), ["bob/target/out.rs"]);
    assert_eq!(sorted(&["-H", "-d", "1", "^\\."]), [".ignore"]);
    assert_eq!(sorted(&["readme"]), ["README.md"]);
}

#[test]
fn count_todos() {
    assert_eq!(printed("count_todos", &["."]), "1 (none)\n3 alice\n1 bob\n");
}

#[test]
fn live_search() {
    let dir = tree();
    let mut search = example("live_search", &dir);
    let mut search = search.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // A new query may end the ones before at any moment, but nothing ends the last one.
    search.stdin.take().unwrap().write_all(b"p\npu\n(\nPUB\npub fn\n").unwrap();
    let out = String::from_utf8(search.wait_with_output().unwrap().stdout).unwrap();
    let last: Vec<_> = out.lines().filter_map(|line| line.strip_prefix("pub fn: ")).collect();
    assert_eq!(last.len(), 2, "{out}");
    assert!(last[0].ends_with("lib.rs:1:pub fn f() {} // TODO"), "{out}");
    assert_eq!(last[1], "1 lines");
}

#[test]
fn keystrokes() {
    let out = printed("keystrokes", &[".", "9"]);
    assert!(out.starts_with("9 keys; 99 of 100 cancelled searches end in "), "{out}");
    assert!(out.contains("\n99 of 100 first lines come after "), "{out}");
}

#[test]
fn search_server() {
    let dir = tree();
    let mut server = example("search_server", &dir);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let requests = "{\"id\":1,\"search\":\"pub fn\"}\nno json\n{\"id\":2,\"search\":\"(\"}\n\
                    {\"cancel\":9}\n";
    server.stdin.take().unwrap().write_all(requests.as_bytes()).unwrap();
    let out = server.wait_with_output().unwrap();
    let answers: Vec<serde_json::Value> = String::from_utf8(out.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |id: u64| answers.iter().filter(move |answer| answer["id"] == id);
    assert_eq!(of(1).next().unwrap()["text"], "pub fn f() {} // TODO");
    assert_eq!(of(1).next_back().unwrap()["complete"], true);
    assert!(of(2).next().unwrap()["error"].as_str().unwrap().contains("unclosed group"));
    assert!(answers.iter().any(|answer| answer["id"].is_null() && answer["error"].is_string()));
}

#[test]
fn a_search_of_the_server_is_cancelled() {
    // A pipe without an end: the search in it ends only if it is cancelled, or when the pipe
    // closes.
    let dir = tree();
    for index in 0..200 {
        fs::write(dir.path().join(format!("file{index}")), "text\n".repeat(10_000)).unwrap();
    }
    let mut server = example("search_server", &dir);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = server.stdin.take().unwrap();
    // The pipe to this test holds 64 KiB: the search blocks until the test reads, long after the
    // cancellation.
    stdin.write_all(b"{\"id\":1,\"search\":\"text\"}\n{\"cancel\":1}\n").unwrap();
    drop(stdin);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let out = server.wait_with_output().unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["done"], &last["complete"]), (&true.into(), &false.into()));
}
