//! Rule sets against the crate `ignore`, and their tables alone.

use ignore::{Match, gitignore::GitignoreBuilder};

use fastrand::Rng;

use super::*;
use crate::{glob::LetterCase, ignore_file::Dialect, name::Name};

/// The verdict of a set on one entry, by the same steps as in `directory.rs`.
fn verdict(set: &RuleSet, path: &[u8], is_dir: bool) -> RuleId {
    let at = path.iter().rposition(|&byte| byte == b'/');
    let (dir, name) = at.map_or((&b""[..], path), |at| (&path[..at], &path[at + 1..]));
    let name = Name::new(name);
    let mut best = RuleId::NONE;
    set.tables_in(dir, |table| best = table.last_match(&name, is_dir, best));
    set.path_globs_in(dir)
        .filter(|(rule, path_globs)| rule.holds_for(is_dir) && path_globs.matcher.is_match(path))
        .fold(best, |best, (rule, _)| best.max(*rule))
}

/// Parts of rules, separated by `~`.
const PARTS: &str = "a~b~c~ab~A~B~.~.c~.rs~.tar.gz~*~*~*~**~**~/~/~/~?~[ab]~[!a]~[^b]~[a-c]~[c-a]~\
    []a]~[a-]~[[:alpha:]]~[\\]]~\\a~\\*~\\~[~]~{a,b}~{a,{b,*}}~{~}~,~é~[é]~ ~\\ ~[+-9]";

fn pick<'a>(random: &mut Rng, from: &[&'a str]) -> &'a str {
    from[random.usize(..from.len())]
}

fn line(random: &mut Rng) -> String {
    let parts: Vec<&str> = PARTS.split('~').collect();
    let mut line = String::new();
    if random.u8(..4) == 0 {
        line += pick(random, &["!", "/", "!/", "\\!", "#", "\\#", "**/", "/**/"]);
    }
    for _ in 0..1 + random.usize(..5) {
        line += pick(random, &parts);
    }
    if random.u8(..5) == 0 {
        line += pick(random, &["/", "/**", "/*", " ", "\\ ", "\t"]);
    }
    line
}

fn path(random: &mut Rng) -> String {
    let names = [
        "a", "b", "c", "ab", "A", "a.c", ".c", "b.rs", "x.tar.gz", "é", "[", "{a", "a ", "*",
        "abc", "-", "B", "!a", "a.", ".",
    ];
    let names =
        (0..1 + random.usize(..4)).map(|_| pick(random, &names)).filter(|name| *name != ".");
    let path = names.collect::<Vec<_>>().join("/");
    if path.is_empty() { "a".to_owned() } else { path }
}

#[test]
fn random_rules_decide_as_the_crate_ignore_has_them() {
    let mut random = Rng::with_seed(7);
    let (mut decided, mut unread) = (0, 0);
    for round in 0..6_000 {
        let case_insensitive = round % 4 == 0;
        let lines: Vec<String> = (0..1 + random.usize(..3)).map(|_| line(&mut random)).collect();
        let mut builder = GitignoreBuilder::new("");
        builder.case_insensitive(case_insensitive).unwrap();
        let mut problems = Vec::new();
        for line in &lines {
            problems.extend(builder.add_line(None, line).err().map(|error| error.to_string()));
        }
        let judge = builder.build().unwrap();
        let source = lines.join("\n");
        let set = RuleSet::parse(
            source.as_bytes(),
            ParseOptions::file(Dialect::Ripgrep, LetterCase::folded_if(case_insensitive)),
        );
        let ours: Vec<_> = set.problems.iter().map(|(_, message)| message.clone()).collect();
        assert_eq!(ours, problems, "{source:?}");
        unread += problems.len();
        for _ in 0..20 {
            let (path, is_dir) = (path(&mut random), random.u8(..3) == 0);
            let expected = match judge.matched(&path, is_dir) {
                Match::None => None,
                Match::Ignore(glob) => Some((false, glob.original().to_owned())),
                Match::Whitelist(glob) => Some((true, glob.original().to_owned())),
            };
            let seen = if case_insensitive { path.to_ascii_lowercase() } else { path.clone() };
            let rule = verdict(&set, seen.as_bytes(), is_dir);
            let text = String::from_utf8_lossy(set.describe(rule).1).into_owned();
            let ours = (!rule.is_none()).then(|| (rule.is_whitelist(), text));
            assert_eq!(
                ours, expected,
                "{source:?} {path:?} case_insensitive {case_insensitive} directory {is_dir}"
            );
            decided += usize::from(expected.is_some());
        }
    }
    assert!(decided > 10_000 && unread > 100, "{decided} {unread}");
}

#[test]
fn braces_can_have_empty_alternatives() {
    // As in bash.
    for (glob, matching, others) in [
        ("test{,2}", &["test", "test2"][..], &["test22", "2"][..]),
        ("test{2,}", &["test", "test2"], &["test22"]),
        ("a{,b,}c", &["ac", "abc"], &["a,c"]),
        ("a{,b{,c}}", &["a", "ab", "abc"], &["ac"]),
        ("{*,}.foo{_*,}", &[".foo", ".foo_baz", "bar.foo", "baz.foo_bar"], &["foo", "bar.fo"]),
        ("a{,.b}{,.c}", &["a", "a.b", "a.c", "a.b.c"], &["a.c.b"]),
    ] {
        let options = ParseOptions::file(Dialect::Ripgrep, LetterCase::Exact);
        let set = RuleSet::parse(glob.as_bytes(), options);
        let is_match = |name: &&str| !verdict(&set, name.as_bytes(), false).is_none();
        assert!(matching.iter().all(is_match) && !others.iter().any(is_match), "{glob}");
    }
    let set = RuleSet::parse(b"/a{,/b}/c", ParseOptions::file(Dialect::Ripgrep, LetterCase::Exact));
    let is_match = |path: &str| !verdict(&set, path.as_bytes(), false).is_none();
    assert!(is_match("a/c") && is_match("a/b/c") && !is_match("a/d/c"));
}

#[test]
fn stars_behind_a_letter_are_ordinary_ones() {
    for (glob, path, expected) in [
        ("foo**/bar", "foo/bar", true),
        ("foo**/bar", "foox/bar", true),
        ("foo**/bar", "foobar", false),
        ("foo**/bar", "foo/x/bar", false),
        ("/foo**/bar", "foobar", false),
        ("a/b**", "a/bx", true),
        ("a/b**", "a/bx/c", false),
        ("a/b**/c", "a/bc", false),
        ("foo/**", "foo/x/y", true),
        ("**/foo", "x/foo", true),
        ("a/**/b", "a/b", true),
        ("a*b**/c", "ab/c", true),
        ("a*b**/c", "abc", false),
    ] {
        for case in [LetterCase::Exact, LetterCase::FoldedByGit] {
            let set = RuleSet::parse(glob.as_bytes(), ParseOptions::file(Dialect::Git, case));
            let found = verdict(&set, path.as_bytes(), false);
            assert_eq!(!found.is_none(), expected, "{glob} {path} {case:?}");
        }
    }
}

#[test]
fn rules_for_one_directory_share_a_table_and_cost_others_nothing() {
    let source = b"/a\n/b\nx/c\nx/d\ny/**\ny/**/e\n*/f\n*/g\n";
    let set = RuleSet::parse(source, ParseOptions::file(Dialect::Git, LetterCase::Exact));
    let tables = |dir: &[u8]| {
        let mut count = 0;
        set.tables_in(dir, |_| count += 1);
        count
    };
    // Directory, tables: its own one, the one of `y` and below, the one of `*`.
    let cases: [(&[u8], usize); 5] = [(b"", 1), (b"x", 2), (b"y", 2), (b"y/z", 1), (b"z/z", 0)];
    for (dir, expected) in cases {
        assert_eq!(tables(dir), expected, "{}", dir.escape_ascii());
    }
    assert_eq!(set.tables.len(), 5);
}

#[test]
fn later_rules_win_whatever_their_class() {
    // A name, and for every line one that matches it in another way.
    let lines: [&[u8]; 8] =
        [b"a.b.c", b"*.c", b"*.b.c", b"a.*", b"*", b"a?b.c", b"/a.b.c", b"{a,b}.b.c"];
    for (first, one) in lines.iter().enumerate() {
        for other in &lines[first + 1..] {
            for (early, late) in [(one, other), (other, one)] {
                for (source, expected) in [
                    ([*early, b"\n!", *late].concat(), true),
                    ([b"!", *early, b"\n", *late].concat(), false),
                ] {
                    let set = RuleSet::parse(
                        &source,
                        ParseOptions::file(Dialect::Ripgrep, LetterCase::Exact),
                    );
                    let rule = verdict(&set, b"a.b.c", false);
                    assert_eq!(rule.is_whitelist(), expected, "{}", source.escape_ascii());
                    assert_eq!(set.describe(rule).0, 2);
                    // The later one is about directories, so the earlier one holds for files.
                    let source = [source.as_slice(), b"/"].concat();
                    let set = RuleSet::parse(
                        &source,
                        ParseOptions::file(Dialect::Ripgrep, LetterCase::Exact),
                    );
                    assert_eq!(set.describe(verdict(&set, b"a.b.c", false)).0, 1);
                    assert_eq!(set.describe(verdict(&set, b"a.b.c", true)).0, 2);
                }
            }
        }
    }
}

#[test]
fn thousands_of_literals_are_all_found() {
    let source: String = (0..5_000).map(|number| format!("name{number}\n*.e{number}\n")).collect();
    let set =
        RuleSet::parse(source.as_bytes(), ParseOptions::file(Dialect::Git, LetterCase::Exact));
    for number in 0..5_000 {
        let name = verdict(&set, format!("d/name{number}").as_bytes(), false);
        assert_eq!(set.describe(name).0, 2 * number + 1);
        let extension = verdict(&set, format!("d/x.e{number}").as_bytes(), false);
        assert_eq!(set.describe(extension).0, 2 * number + 2);
    }
    assert!(verdict(&set, b"name5000", false).is_none());
}

#[test]
fn hostile_globs_neither_panic_nor_fill_memory() {
    let parse = |source: &str, dialect| {
        RuleSet::parse(source.as_bytes(), ParseOptions::file(dialect, LetterCase::Exact))
    };
    for depth in [100, 101, 300, 100_000] {
        let glob = format!("{}b{}", "{a,".repeat(depth), "}".repeat(depth));
        let set = parse(&glob, Dialect::Ripgrep);
        assert_eq!(set.problems.len(), usize::from(depth > 100), "{depth}");
        assert_eq!(verdict(&set, b"b", false) != RuleId::NONE, depth <= 100, "{depth}");
        assert!(parse(&glob, Dialect::Git).problems.is_empty(), "braces are no braces to git");
    }
    let set = parse(&"[[:alpha:]]".repeat(100_000), Dialect::Ripgrep);
    assert_eq!(set.problems.len(), 1);
    assert!(set.problems[0].1.len() < 1000, "{}", set.problems[0].1.len());
    assert!(set.problems[0].1.ends_with("longer than 64 KiB"));
    let set = parse(&"[[:alpha:]]".repeat(5_900), Dialect::Ripgrep);
    assert!(
        set.problems.is_empty() && verdict(&set, b"b", false) == RuleId::NONE,
        "and this is tried"
    );
}

#[test]
fn problems_and_regexes_of_a_file_are_counted() {
    let braces: String = (0..10_200).map(|n| format!("{{a{n},b}}\n")).collect();
    let set =
        RuleSet::parse(braces.as_bytes(), ParseOptions::file(Dialect::Ripgrep, LetterCase::Exact));
    assert_eq!(set.rules.len(), 10_000);
    assert_eq!(set.problems.len(), 101);
    assert_eq!(set.problems[0].0, 10_001);
    assert_eq!(set.problems[100], (10_200, "and 100 more lines with errors".to_owned()));
}
