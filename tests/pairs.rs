//! Each flag about how results are shown that ripgrep does not have, together with each other flag:
//! the two work together, or an error names both.

use std::collections::BTreeSet;

use crate::harness::{
    Hs,
    flags::{FLAGS, Flag, OWN},
    process,
};

/// The flags about how results are shown, with values.
const SHOWING: [&str; 16] = [
    "--column-unit=chars",
    "--compact",
    "--count-total",
    "--end-column",
    "--excerpt",
    "--format={line}",
    "--function-context",
    "--function-pattern=c:^int",
    "--paragraph",
    "--show-function",
    "--until=rock",
    "--max-results=3",
    "--names",
    "--pager",
    "--progress=always",
    "--which",
];

/// What each of them cannot be combined with. Nothing else is refused.
const REFUSED: [(&str, &str); 12] = [
    ("--compact", "--format --json --max-columns --vimgrep"),
    ("--count-total", "--which --format --max-files --max-results --offset"),
    ("--excerpt", "--format --max-columns"),
    (
        "--format",
        "--after-context --before-context --context --passthru --show-function --function-context \
         --paragraph --until --compact --excerpt --max-columns --trim --vimgrep --only-matching \
         --json --count --count-matches --count-total --files-with-matches --files-without-match --which",
    ),
    ("--function-context", "--format --passthru"),
    ("--max-results", "--count-total --passthru"),
    ("--names", "--invert-match"),
    ("--pager", "--safe"),
    ("--paragraph", "--format --passthru"),
    ("--show-function", "--format --passthru"),
    ("--until", "--format --passthru"),
    (
        "--which",
        "--count --count-matches --count-total --files-with-matches --files-without-match \
         --format --invert-match",
    ),
];

/// The longest spelling of `flag`, with a value.
fn spelled(flag: &Flag) -> String {
    let name = flag.spellings().find(|name| name.starts_with("--")).unwrap_or("-h");
    match flag.good().or(flag.optional()) {
        Some(value) => format!("{name}={value}"),
        None => name.to_owned(),
    }
}

/// The name of a flag that is spelled with a value.
fn name(spelled: &str) -> &str {
    spelled.split('=').next().unwrap_or(spelled)
}

/// Runs `hs` with `flags`; returns the status, and both streams.
fn run(hs: &Hs<'_>, flags: &[&str]) -> (Option<i32>, Vec<u8>, String) {
    let args = flags.iter().chain(&["-e", "gem", "hoard"]);
    let run = hs.args(args).differs_from_ripgrep("ripgrep does not have these flags");
    let outcome = run.exits_with_one_of(&[0, 1, 2]).outcome().expect("hs is not skipped");
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    (outcome.status.code(), outcome.stdout, stderr)
}

hs_test!(flags_that_show_results_work_with_all_others_or_are_refused, |tree, hs| {
    if process::oracle().is_some() {
        return;
    }
    tree.file("hoard", "rock\n\nint main()\na gem, a gem\n\nrock\n");
    let mut refused = BTreeSet::new();
    for other in FLAGS.iter().chain(OWN) {
        let other = &spelled(other);
        let (alone, ..) = run(hs, &[other]);
        if alone == Some(2) {
            // It needs another flag, or finds no file.
            continue;
        }
        for own in SHOWING.into_iter().filter(|own| name(own) != name(other)) {
            let (status, stdout, stderr) = run(hs, &[own, other]);
            if status == Some(2) {
                let names_both = [own, other].iter().all(|flag| stderr.contains(name(flag)));
                assert!(names_both, "{own} {other}: {stderr}");
                refused.insert((name(own), name(other).to_owned()));
                continue;
            }
            assert_eq!(status, alone, "{own} {other}: whether there is a match remains");
            if name(other) == "--json" {
                let text = String::from_utf8(stdout).expect("JSON is text");
                let message = serde_json::from_str::<serde_json::Value>;
                assert!(text.lines().all(|line| message(line).is_ok()), "{own} {other}: {text}");
            }
        }
    }
    let expected: BTreeSet<(&str, String)> = REFUSED
        .iter()
        .flat_map(|(own, others)| others.split(' ').map(|other| (*own, other.to_owned())))
        .collect();
    assert_eq!(refused, expected);
});
