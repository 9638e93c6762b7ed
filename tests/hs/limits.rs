//! Limits of results in random trees: what they leave is part of the whole output, cut at the place
//! that the slow, obvious way finds.

use std::{collections::BTreeMap, fmt::Write};

use crate::harness::{
    TempTree,
    random::{Choose, Rng, env_number},
    run::Hs,
};

/// Makes a few files in two directories, some of them without a match.
fn random_tree(tree: &TempTree, rng: &mut Rng) {
    for index in 0..rng.usize(1..7) {
        let dir = rng.pick(&["", "cave/", "cave/deep/"]);
        let mut text = String::new();
        for line in 0..rng.usize(..12) {
            let word = rng.pick(&["gem", "rock", "gem and gem", "a rather long line with a gem"]);
            writeln!(text, "{word} {line}").expect("writing to memory");
        }
        tree.file(format!("{dir}f{index}"), text);
    }
}

/// The output of a sorted run, as lines with their path.
fn whole(hs: &Hs<'_>) -> Option<Vec<String>> {
    let run = hs.args("--sort=path -n gem".split(' ')).differs_from_ripgrep("no limits");
    let out = run.exits_with_one_of(&[0, 1]).outcome()?;
    let text = String::from_utf8(out.stdout).expect("text");
    Some(text.split_inclusive('\n').map(str::to_owned).collect())
}

fn path(line: &str) -> &str {
    line.split(':').next().expect("a path")
}

/// The number of different paths of `lines`.
fn files(lines: &[String]) -> usize {
    lines.iter().map(|line| path(line)).collect::<std::collections::BTreeSet<_>>().len()
}

/// Runs `args`, and checks its output and its report.
fn check(hs: &Hs<'_>, args: &str, shown: &[String], all: &[String]) {
    let counts = format!(
        "{} of {} lines in {} of {} files",
        shown.len(),
        all.len(),
        files(shown),
        files(all)
    );
    hs.args(args.split_whitespace())
        .differs_from_ripgrep("ripgrep has no limits of results")
        .prints(shown.concat())
        .stderr_contains(&counts)
        .exits(i32::from(all.is_empty()));
}

hs_test!(limits_cut_the_whole_output_where_the_obvious_way_does, |_, _| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 5));
    for _ in 0..env_number("HS_TEST_TREES", 12) {
        let tree = TempTree::new("limits");
        random_tree(&tree, &mut rng);
        let hs = Hs::new(&tree);
        let Some(all) = whole(&hs) else { return };
        let (most, offset) = (rng.usize(..all.len() + 2), rng.usize(..all.len() + 2));
        let page = |offset: usize, most: usize| {
            let from = offset.min(all.len());
            &all[from..(from + most).min(all.len())]
        };
        let threads = rng.pick(&["", "-j1", "-j3"]);
        let flags = format!("{threads} -n --sort=path --count-rest gem");
        check(&hs, &format!("--max-results={most} {flags}"), page(0, most), &all);
        let pages = format!("--max-results={most} --offset={offset} {flags}");
        check(&hs, &pages, page(offset, most), &all);

        let few = rng.usize(..4);
        let in_few = all.iter().scan(Vec::new(), |seen: &mut Vec<&str>, line| {
            if !seen.contains(&path(line)) {
                seen.push(path(line));
            }
            (seen.len() <= few).then(|| line.clone())
        });
        let in_few: Vec<String> = in_few.collect();
        check(&hs, &format!("--max-files={few} {flags}"), &in_few, &all);

        let room = rng.usize(..all.concat().len() + 20);
        let fits = all.iter().scan(0, |len, line| {
            *len += line.len();
            (*len <= room).then(|| line.clone())
        });
        let fits: Vec<String> = fits.collect();
        check(&hs, &format!("--max-output={room} {flags}"), &fits, &all);

        let spread = shared(&all, most);
        check(&hs, &format!("--spread --max-results={most} {threads} -n gem"), &spread, &all);
    }
});

/// The lines that are left of `all` if `most` are shared: one for each file, then always one more
/// for the file that is furthest below its part of the others.
fn shared(all: &[String], most: usize) -> Vec<String> {
    let mut results: BTreeMap<usize, Vec<&String>> = BTreeMap::new();
    for line in all {
        let first = all.iter().position(|other| path(other) == path(line)).expect("itself");
        results.entry(first).or_default().push(line);
    }
    let files: Vec<Vec<&String>> = results.into_values().collect();
    if all.len() <= most {
        return all.to_vec();
    }
    let (spare, rest) = (most.saturating_sub(files.len()), all.len() - files.len());
    let ideal = |file: &Vec<&String>| spare * (file.len() - 1);
    let mut shares: Vec<usize> = (0..files.len()).map(|index| usize::from(index < most)).collect();
    if most > files.len() {
        for (share, file) in shares.iter_mut().zip(&files) {
            *share += ideal(file) / rest;
        }
        while shares.iter().sum::<usize>() < most {
            let below =
                |&index: &usize| ideal(&files[index]) as i64 - ((shares[index] - 1) * rest) as i64;
            let worst = (0..files.len()).rev().max_by_key(below).expect("a file");
            shares[worst] += 1;
        }
    }
    let shown = files.iter().zip(shares).flat_map(|(file, share)| file.iter().take(share));
    shown.map(|line| (*line).clone()).collect()
}

hs_test!(unsorted_results_are_as_many_as_the_limit, |tree, hs| {
    tree.wide(30, 4);
    for threads in ["-j1", "-j2", "-j7"] {
        for (flags, lines) in [
            ("--max-results=0", 0),
            ("--max-results=7", 7),
            ("--max-results=120", 120),
            ("--max-results=121", 120),
            ("--max-files=5", 5),
            ("-l --max-files=5", 5),
            ("-c --max-results=5", 5),
            ("-I --max-output=43", 10),
        ] {
            let count = |stdout: &[u8]| stdout.iter().filter(|&&byte| byte == b'\n').count();
            hs.args(format!("{threads} {flags} gem").split_whitespace())
                .differs_from_ripgrep("ripgrep has no limits of results")
                .stdout_satisfies("as many lines", |stdout| count(stdout) == lines)
                .stderr_contains(&format!("{lines} of "));
        }
    }
});
