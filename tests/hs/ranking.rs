//! The order by relevance and counts by group in random trees, against the slow, obvious way: the
//! key of each file is computed from the messages about it alone.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::harness::{
    TempTree,
    random::{Choose, Rng, env_number},
    run::Hs,
};

/// Directories and names, with the group of files in them that have no definition.
const PLACES: &[(&str, u8)] = &[
    ("", 3),
    ("cave/", 3),
    ("cave/deep/", 3),
    ("tests/", 4),
    ("cave/examples/", 4),
    ("docs/", 5),
    ("docs/tests/", 5),
    ("vendor/", 6),
    ("vendor/docs/", 6),
];

/// Lines that match `gem`, and whether each defines it in C.
const LINES: &[(&str, bool)] = &[
    ("\tgem();\n", false),
    ("\tx = gem(gem);\n", false),
    ("extern int gem(void);\n", false),
    ("int gem(int a,\n\tint b);\n", false),
    ("EXPORT_SYMBOL(gem);\n", false),
    ("/* gem(1) { */\n", false),
    ("struct gem *find(void)\n{\n}\n", false),
    ("int gem_stone(void)\n{\n}\n", false),
    ("\tif (gem(1)) {\n\t}\n", false),
    ("#ifdef gem\n", false),
    ("int gem(void)\n{\n}\n", true),
    ("int gem(int a,\n\tint b)\n{\n}\n", true),
    ("static int\ngem(void)\n{\n}\n", true),
    ("struct gem {\n\tint a;\n};\n", true),
    ("#define gem 1\n", true),
    ("typedef int gem;\n", true),
];

/// Makes random files, and returns the group of each.
fn random_tree(tree: &TempTree, rng: &mut Rng) -> BTreeMap<String, u8> {
    let mut groups = BTreeMap::new();
    for index in 0..rng.usize(2..14) {
        let (dir, group) = rng.pick(PLACES);
        let (mut text, mut defines) = (String::new(), false);
        for _ in 0..rng.usize(..9) {
            let (line, is_definition) = match rng.usize(..4) {
                0 => ("\trock();\n", false),
                1 => rng.pick(LINES),
                _ => rng.pick(&LINES[..3]),
            };
            text += line;
            defines |= is_definition;
        }
        let path = format!("{dir}f{index}.c");
        tree.file(&path, text);
        let group = match group {
            3 if defines => 1,
            4 if defines => 2,
            group => group,
        };
        groups.insert(path, group);
    }
    groups
}

/// The standard output of a run.
fn output(hs: &Hs<'_>, args: &str) -> Option<String> {
    let run = hs.args(args.split_whitespace()).differs_from_ripgrep("ripgrep has no such order");
    let out = run.exits_with_one_of(&[0, 1]).outcome()?;
    Some(String::from_utf8(out.stdout).expect("text"))
}

/// Class, density, distance of the first and last match, and path.
type RankKey = (u8, Reverse<u32>, u64, PathBuf);

/// The key of each file with results, by the messages about it alone.
fn keys(hs: &Hs<'_>, groups: &BTreeMap<String, u8>) -> Option<Vec<RankKey>> {
    let mut keys = Vec::new();
    for (path, group) in groups {
        let messages = output(hs, &format!("--json gem {path}"))?;
        let messages =
            messages.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let matches = messages.filter(|message| message["type"] == "match");
        let offsets: Vec<u64> =
            matches.filter_map(|line| line["data"]["absolute_offset"].as_u64()).collect();
        let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { continue };
        let mut halvings = 0;
        while offsets.len() >> (halvings + 1) > 0 {
            halvings += 1;
        }
        keys.push((*group, Reverse(halvings), last - first, Path::new(path).to_owned()));
    }
    keys.sort();
    Some(keys)
}

hs_test!(files_are_in_the_documented_order, |_, _| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 48));
    for _ in 0..env_number("HS_TEST_TREES", 12) {
        let tree = TempTree::new("ranking");
        let groups = random_tree(&tree, &mut rng);
        let hs = Hs::new(&tree);
        let Some(keys) = keys(&hs, &groups) else { return };
        let expected: Vec<String> =
            keys.iter().map(|(.., path)| path.display().to_string()).collect();
        for threads in ["-j1", "-j2", "-j5"] {
            for mode in ["-l", "-l --max-results=999", "-l --max-files=999 --timeout=1h"] {
                let found = output(&hs, &format!("--sort=relevance {threads} {mode} gem"));
                let found: Vec<String> =
                    found.unwrap_or_default().lines().map(str::to_owned).collect();
                assert_eq!(found, expected, "{threads} {mode} {keys:?}");
            }
        }
        // Whatever is printed of the files, it is printed in this order.
        let whole = output(&hs, "--sort=relevance -n gem").unwrap_or_default();
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let mut paths: Vec<&str> = lines.iter().filter_map(|line| line.split(':').next()).collect();
        paths.dedup();
        assert_eq!(paths, expected);
        let by_path = output(&hs, "--sort=path -n gem").unwrap_or_default();
        let both: [BTreeSet<&str>; 2] = [&whole, &by_path].map(|text| text.lines().collect());
        assert_eq!(both[0], both[1], "the same lines");
        // Pages are parts of it.
        let size = rng.usize(1..5);
        for from in (0..lines.len()).step_by(size) {
            let threads = rng.pick(&["-j1", "-j3"]);
            let args =
                format!("--sort=relevance {threads} --max-results={size} --offset={from} -n gem");
            let page = output(&hs, &args).unwrap_or_default();
            assert_eq!(page, lines[from..lines.len().min(from + size)].concat(), "{args}");
        }
        let mut reversed = expected;
        reversed.reverse();
        let found = output(&hs, "--sortr=relevance -l gem").unwrap_or_default();
        assert_eq!(found.lines().collect::<Vec<_>>(), reversed);
    }
});

hs_test!(counts_by_group_are_sums_of_counts_by_file, |_, _| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 49));
    for _ in 0..env_number("HS_TEST_TREES", 12) {
        let tree = TempTree::new("counts");
        random_tree(&tree, &mut rng);
        let hs = Hs::new(&tree);
        for mode in ["-c", "--count-matches"] {
            let Some(counts) = output(&hs, &format!("{mode} gem")) else { return };
            let mut groups = [const { BTreeMap::<String, u64>::new() }; 3];
            for line in counts.lines() {
                let (path, count) = line.rsplit_once(':').expect("a count");
                let count: u64 = count.parse().expect("a number");
                let dir = path.split_once('/').map_or(".", |(dir, _)| dir);
                for (group, name) in groups.iter_mut().zip([dir, "c", path]) {
                    *group.entry(name.to_owned()).or_default() += count;
                }
            }
            for (group, by) in groups.into_iter().zip(["directory", "extension", "file"]) {
                let mut group: Vec<_> = group.into_iter().collect();
                group.sort_by_key(|(name, count)| (Reverse(*count), name.clone()));
                let lines = group.iter().map(|(name, count)| format!("{name}:{count}\n"));
                let expected: Vec<String> = lines.collect();
                let threads = rng.pick(&["-j1", "-j4"]);
                let args = format!("--count-by={by} {mode} {threads} gem");
                assert_eq!(output(&hs, &args).unwrap_or_default(), expected.concat(), "{args}");
                let most = rng.usize(..4);
                let args = format!("{args} --max-results={most}");
                let first = expected[..most.min(expected.len())].concat();
                assert_eq!(output(&hs, &args).unwrap_or_default(), first, "{args}");
            }
        }
    }
});
