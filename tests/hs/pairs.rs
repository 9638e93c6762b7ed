//! Each flag about how results are shown that ripgrep does not have, together with each other flag:
//! the two work together, or an error names both.

use std::collections::BTreeSet;

use crate::harness::{
    Hs,
    flags::{FLAGS, Flag, OWN},
    process,
};

/// The flags about how results are shown, with values.
const SHOWING: [&str; 17] = [
    "--column-unit=chars",
    "--compact",
    "--count-by=extension",
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
const REFUSED: [(&str, &str); 13] = [
    ("--compact", "--format --json --max-columns --vimgrep"),
    ("--count-by", "--count-total --format --max-files --which"),
    ("--count-total", "--count-by --which --format --max-files --max-results --offset"),
    ("--excerpt", "--format --max-columns"),
    (
        "--format",
        "--after-context --before-context --context --passthru --show-function --function-context \
         --paragraph --until --compact --excerpt --max-columns --trim --vimgrep --only-matching \
         --json --count --count-by --count-matches --count-total --files-with-matches --files-without-match --which",
    ),
    ("--function-context", "--format --passthru"),
    ("--max-results", "--count-total --passthru"),
    ("--names", "--and --invert-match --not --query"),
    ("--pager", "--safe"),
    ("--paragraph", "--format --passthru"),
    ("--show-function", "--format --passthru"),
    ("--until", "--format --passthru"),
    (
        "--which",
        "--count --count-by --count-matches --count-total --files-with-matches \
         --files-without-match --format --invert-match",
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

/// Of two of these, the last one wins.
const LAST_WINS: [&[&str]; 2] = [
    &["--tracked", "--tracked-or-unignored"],
    &[
        "--why",
        "--index-update",
        "--index-list",
        "--index-status",
        "--index-verify",
        "--index-drop",
        "--index-unwatch",
        "--agent-setup",
    ],
];

/// Our own flags, with values. No process is started to watch.
fn own() -> impl Iterator<Item = String> {
    OWN.iter().map(spelled).filter(|flag| !flag.ends_with("watch"))
}

/// Whether the last of two flags wins.
fn is_last_wins(pair: [&str; 2]) -> bool {
    LAST_WINS.iter().any(|group| pair.iter().all(|flag| group.contains(&name(flag))))
}

/// Runs `hs` in the current directory with `flags`, in an order of results.
fn run_sorted(hs: &Hs<'_>, flags: &[&str]) -> (Option<i32>, String, String) {
    let args = ["--sort=path", "-n", "--no-heading"].iter().chain(flags).chain(&["-e", "gem"]);
    let run = hs.args(args).differs_from_ripgrep("ripgrep does not have these flags");
    let outcome = run.exits_with_one_of(&[0, 1, 2]).outcome().expect("hs is not skipped");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (outcome.status.code(), text(&outcome.stdout), text(&outcome.stderr))
}

hs_test!(two_of_our_own_flags_work_together_in_any_order_or_are_refused, |tree, hs| {
    if process::oracle().is_some() {
        return;
    }
    tree.file("hoard", "rock\n\nint main()\na gem, a gem\n\nrock\n").file(".cave/b.c", "gem\n");
    tree.file("long.c", format!("{} gem {0}\ngem\ngem\ngem\n", "word ".repeat(30)));
    let alone: Vec<_> = own().map(|flag| run_sorted(hs, &[&flag]).0).collect();
    for (first, (one, one_alone)) in own().zip(&alone).enumerate() {
        for (other, other_alone) in own().zip(&alone).skip(first + 1) {
            let pair = [&*one, &*other];
            let (status, stdout, stderr) = run_sorted(hs, &pair);
            let names_both = pair.iter().all(|flag| stderr.contains(name(flag)));
            let needs_more = [one_alone, other_alone].contains(&&Some(2));
            // What these modes do depends on those before.
            let keeps_index = pair.iter().any(|flag| flag.starts_with("--index-"));
            let has_reason = names_both || needs_more || keeps_index && stderr.contains("index");
            assert!(status != Some(2) || has_reason, "{pair:?}: {stderr}");
            if is_last_wins(pair) || keeps_index {
                continue;
            }
            let (swapped, swapped_stdout, _) = run_sorted(hs, &[&other, &one]);
            assert_eq!((swapped, swapped_stdout), (status, stdout), "{pair:?}");
        }
    }
});

/// Text in which each kind of context has another extent.
const TEXT: &str = "\
int one()
{

  rock
  gem
  rock

  iron
}

int two()
{
  rock

  gem
  gem

  iron
  iron
}

rock
";

/// The numbers of the lines that are printed.
fn numbers(stdout: &str) -> BTreeSet<u32> {
    let digits = |line: &str| line.bytes().take_while(u8::is_ascii_digit).count();
    stdout.lines().filter_map(|line| line[..digits(line)].parse().ok()).collect()
}

hs_test!(the_context_of_two_flags_is_that_of_either, |tree, hs| {
    if process::oracle().is_some() {
        return;
    }
    tree.file("hoard.c", TEXT);
    let kinds = [
        "--show-function",
        "--function-context",
        "--paragraph",
        "--until=iron",
        "-A1",
        "-B2",
        "-C1",
    ];
    let lines = |flags: &[&str]| {
        let (status, stdout, stderr) = run_sorted(hs, &[flags, &["hoard.c"]].concat());
        assert_eq!((status, &*stderr), (Some(0), ""), "{flags:?}");
        numbers(&stdout)
    };
    for one in kinds {
        for other in kinds {
            let either = &lines(&[one]) | &lines(&[other]);
            let both = lines(&[one, other]);
            // A number for both sides does not add to that for one of them.
            if [one, other].iter().all(|flag| flag.len() == 3) {
                continue;
            }
            if one == "--show-function" || other == "--show-function" {
                // A function line is left out if it is printed already.
                assert!(both.is_subset(&either) && either.len() - both.len() <= 1, "{one} {other}");
            } else {
                assert_eq!(both, either, "{one} {other}");
            }
            // How lines are shown does not change which are.
            for shown in
                ["--excerpt=3", "--end-column", "--column-unit=utf16", "--compact", "--pager"]
            {
                let flags = match shown {
                    "--compact" => vec!["--heading", shown, one, other],
                    _ => vec![shown, one, other],
                };
                assert_eq!(lines(&flags), both, "{flags:?}");
            }
        }
    }
});

hs_test!(of_two_limits_the_lower_one_counts, |tree, hs| {
    if process::oracle().is_some() {
        return;
    }
    for file in 0..4 {
        tree.file(format!("f{file}"), "gem\nrock\na gem\n".repeat(file + 1));
    }
    let shown = |flags: &[&str]| run_sorted(hs, flags).1;
    let all = shown(&[]);
    let limits: Vec<String> = (0..6)
        .flat_map(|most| {
            [
                format!("--max-results={}", most * 3),
                format!("--max-files={most}"),
                format!("--max-output={}", most * 40),
            ]
        })
        .collect();
    for one in &limits {
        for other in limits.iter().filter(|other| name(other) != name(one)) {
            let (one_alone, other_alone) = (shown(&[one]), shown(&[other]));
            let lower = if one_alone.len() < other_alone.len() { one_alone } else { other_alone };
            assert!(all.starts_with(&lower));
            for more in ["--count-rest", "--timeout=1h", "--progress"] {
                assert_eq!(shown(&[one, other, more]), lower, "{one} {other} {more}");
            }
        }
    }
});
