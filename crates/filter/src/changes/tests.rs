//! What `git diff` prints, as text. `tests/hs/changed.rs` compares with git itself.

use super::diff::{read_lines, read_names};

/// The files in `diff` and the numbers of the lines that were added. A bar stands for a NUL byte.
fn lines(diff: &str) -> Vec<String> {
    let diff = diff.replace('|', "\0");
    let files = read_lines(&mut diff.as_bytes()).expect("a diff");
    let mut shown: Vec<_> = files
        .into_iter()
        .map(|(name, lines)| {
            let lines = lines.map_or("every line".to_owned(), |lines| format!("{lines:?}"));
            format!("{}: {lines}", String::from_utf8_lossy(&name))
        })
        .collect();
    shown.sort();
    shown
}

#[test]
fn names_end_in_nul_bytes() {
    let names = read_names(&mut &b"a\0b c\n\0"[..]).expect("names");
    assert_eq!(names.len(), 2);
    assert!(names.contains_key(&b"b c\n"[..]));
}

#[test]
fn patches_have_the_numbers_of_added_lines() {
    let diff = "\
        2\t1\ta|-\t-\tlogo|0\t0\tmode|1\t0\t|old|new name|1\t1\tq\"\n||\
        diff --git a/a b/a\n--- a/a\n+++ b/a\n\
        @@ -2 +2 @@ +++ b/x\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n\
        @@ -5,2 +5,0 @@\n--- a/x\n-+++ b/x\n\
        @@ -8,0 +7,2 @@\n++++ b/x\n+@@ -1 +1 @@\n\
        diff --git a/logo b/logo\nBinary files a/logo and b/logo differ\n\
        diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n\
        diff --git a/old b/new name\n--- a/old\n+++ b/new name\t\n@@ -3,0 +4 @@\n+x\n\
        diff --git \"a/q\\\"\\n\" \"b/q\\\"\\n\"\n--- \"a/q\\\"\\n\"\n+++ \"b/q\\\"\\n\"\n\
        @@ -1 +1 @@\n-\n+y\n";
    let expected = ["a: [2..3, 7..9]", "logo: every line", "mode: []", "new name: [4..5]"];
    assert_eq!(lines(diff), [&expected[..], &["q\"\n: [1..2]"]].concat());
    assert!(lines("").is_empty());
    assert!(read_lines(&mut &b"no record\0"[..]).is_err());
}
