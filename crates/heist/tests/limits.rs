//! Printed searches with a limit, whose files compete for the lines that are left.

#![cfg(unix)]

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use heist::{Format, Search, Summary};
use tempfile::TempDir;

/// A line of context and a match. The line fills the buffer of a file if it is longer than 1 MiB.
fn text(len: usize) -> String {
    format!("{}\ngem\n", "x".repeat(len))
}

/// A directory with the pipe `a` and the file `b`, which has a match with context of `len` bytes.
fn tree(len: usize) -> (TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    assert!(Command::new("mkfifo").arg(&a).status().unwrap().success());
    fs::write(&b, text(len)).unwrap();
    (dir, a, b)
}

/// Prints the lines around the first `limit` matches of `a` and `b`. What `a` contains arrives
/// after `b` has been searched.
fn printed(format: Format, limit: u64, len: usize, [a, b]: [&Path; 2]) -> (String, Summary) {
    let search = Search::new("gem").unwrap().root(a).root(b).context(1, 0).limit(limit);
    let mut out = Vec::new();
    let summary = thread::scope(|scope| {
        scope.spawn(|| {
            let mut pipe = fs::File::options().write(true).open(a).unwrap();
            thread::sleep(Duration::from_millis(200));
            // The reader may close the pipe at the match.
            let _ = pipe.write_all(text(len).as_bytes());
        });
        search.sorted().threads(2).print(format, &mut out).unwrap()
    });
    (String::from_utf8(out).unwrap(), summary)
}

#[test]
fn context_is_printed_with_its_match_and_in_its_turn() {
    for len in [10, 3 << 20] {
        let (_dir, a, b) = tree(len);
        let of = |path: &Path| {
            let (path, context) = (path.display(), "x".repeat(len));
            format!("{path}-1-{context}\n{path}:2:gem\n")
        };
        let both = format!("{}--\n{}", of(&a), of(&b));
        for (limit, expected) in [(0, String::new()), (1, of(&a)), (2, both.clone()), (3, both)] {
            let (out, summary) = printed(Format::Lines, limit, len, [&a, &b]);
            // Not `assert_eq`, which would print megabytes.
            assert!(out == expected, "{limit}, {len}: {} bytes", out.len());
            assert_eq!(summary.matched_lines, limit.min(2));
            assert_eq!(summary.files_with_matches, limit.min(2));
            assert_eq!(summary.is_complete, limit == 3);
        }
    }
}

#[test]
fn messages_of_files_do_not_mix() {
    for len in [10, 3 << 20] {
        let (_dir, a, b) = tree(len);
        for (limit, files) in [(1, vec![&a]), (2, vec![&a, &b])] {
            let (out, _) = printed(Format::Json, limit, len, [&a, &b]);
            let messages = out.lines().map(|line| {
                let message: serde_json::Value = serde_json::from_str(line).unwrap();
                let path = message["data"]["path"]["text"].as_str().map(PathBuf::from);
                (message["type"].as_str().unwrap().to_owned(), path)
            });
            let of_file = |path: &PathBuf| {
                let path = path.clone();
                ["begin", "context", "match", "end"]
                    .map(move |kind| (kind.to_owned(), Some(path.clone())))
            };
            let summary = ("summary".to_owned(), None);
            let expected = files.into_iter().flat_map(of_file).chain([summary]);
            assert_eq!(messages.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{limit} {len}");
        }
    }
}
