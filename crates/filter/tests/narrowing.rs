//! `only` and `except` against the slow obvious way: a file is wanted if it is without them, if one
//! of its path's beginnings matches a glob of `only`, and none a glob of `except`.

use std::path::Path;

use heist_filter::{Filter, FilterConfig, Glob, WorkerCache};
use ignore::overrides::{Override, OverrideBuilder};

const NAMES: [&str; 9] = ["a", "b", "src", "x.rs", "y.txt", "Z.RS", ".h", ".git", "vendor"];

const GLOBS: [&str; 18] = [
    "*.rs",
    "src",
    "/src",
    "src/**",
    "a/b",
    "**/b",
    "*.{rs,txt}",
    "vendor/",
    "b/*",
    "?",
    "/a/src/",
    "src/*.rs",
    ".*",
    "*",
    "**/src/**",
    "[ab]",
    "no-such",
    "/a/*/x.rs",
];

/// One glob, as the crate `ignore` matches it.
fn oracle(glob: &Glob) -> Override {
    let mut builder = OverrideBuilder::new("/cwd");
    builder.case_insensitive(glob.ignore_case).unwrap();
    builder.add(&glob.text).unwrap();
    builder.build().unwrap()
}

/// Whether one of `globs` matches a beginning of `path`, which is relative to `/cwd`.
fn matches(globs: &[Override], path: &str, from: usize) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.filter(|&end| end > from).any(|end| {
        let (beginning, is_dir) = (&path[..end], end < path.len());
        globs.iter().any(|glob| glob.matched(beginning, is_dir).is_whitelist())
    })
}

/// Whether a walk of `root`, relative to `/cwd`, visits the file at `path` below it.
fn is_wanted(config: &FilterConfig, root: &str, path: &str) -> bool {
    let filter = Filter::new(config.clone()).unwrap();
    let mut cache = WorkerCache::default();
    let scope = filter.root(Path::new(if root.is_empty() { "." } else { root }), &mut cache);
    let mut dir = "";
    for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
        let is_dir = end < path.len();
        let name = path[dir.len()..end].trim_start_matches('/');
        let mut directory = filter.directory(&scope, dir.as_bytes(), &mut cache);
        let is_wanted = directory.is_wanted(name.as_bytes(), is_dir);
        let verdict = directory.verdict(name.as_bytes(), is_dir);
        assert_eq!(verdict.is_wanted, is_wanted, "{path}: {verdict}");
        if !is_wanted {
            return false;
        }
        dir = &path[..end];
    }
    true
}

#[test]
fn globs_that_narrow_only_narrow() {
    let mut rng = fastrand::Rng::with_seed(28);
    let (mut kept, mut left_out) = (0, 0);
    for _ in 0..3000 {
        let ignore_case = rng.bool();
        let mut globs = |count| -> Vec<Glob> {
            let text = |_| rng.choice(GLOBS).unwrap().to_owned();
            (0..count).map(text).map(|text| Glob { text, ignore_case }).collect()
        };
        let (only, except, globs) = (globs(2), globs(2), globs(1));
        let mut some = |globs: Vec<Glob>| {
            let count = rng.usize(..=globs.len());
            globs.into_iter().take(count).collect::<Vec<_>>()
        };
        let (only, except, globs) = (some(only), some(except), some(globs));
        let plain = FilterConfig {
            cwd: "/cwd".into(),
            hidden: rng.bool(),
            dotfiles: rng.bool(),
            globs,
            ..FilterConfig::default()
        };
        let root = *rng.choice(&["", "", "src", "a/b", "./vendor"]).unwrap();
        let names: Vec<&str> =
            (0..1 + rng.usize(..4)).map(|_| *rng.choice(&NAMES).unwrap()).collect();
        let path = names.join("/");
        let narrow = FilterConfig { only: only.clone(), except: except.clone(), ..plain.clone() };
        let (only, except): (Vec<_>, Vec<_>) =
            (only.iter().map(oracle).collect(), except.iter().map(oracle).collect());
        let root_path = root.trim_start_matches("./");
        let whole = [root_path, &path].join("/");
        let whole = whole.trim_start_matches('/');
        // What leads to the root is not left out: the root was named.
        let expected = is_wanted(&plain, root, &path)
            && (only.is_empty() || matches(&only, whole, 0))
            && !matches(&except, whole, root_path.len());
        assert_eq!(is_wanted(&narrow, root, &path), expected, "{root} {path} {narrow:?}");
        (kept, left_out) = (kept + usize::from(expected), left_out + usize::from(!expected));
    }
    assert!(kept > 300 && left_out > 300, "{kept} {left_out}");
}

#[test]
fn dotfiles_are_wanted_except_those_of_version_control() {
    let config = FilterConfig { cwd: "/".into(), dotfiles: true, ..FilterConfig::default() };
    for (name, expected) in [
        (".env", true),
        (".github", true),
        (".gitignore", true),
        (".git", false),
        (".hg", false),
        (".svn", false),
        (".jj", false),
        (".bzr", false),
        (".sl", false),
        (".pijul", false),
        (".git2", true),
        ("git", true),
    ] {
        assert_eq!(is_wanted(&config, "", name), expected, "{name}");
    }
    let all = FilterConfig { hidden: true, ..config };
    assert!(is_wanted(&all, "", ".git"));
}

#[test]
fn a_glob_that_narrows_has_no_exclamation_mark() {
    let glob = Glob { text: "!x".into(), ignore_case: false };
    let config = FilterConfig { except: vec![glob], ..FilterConfig::default() };
    let error = Filter::new(config).unwrap_err().to_string();
    assert_eq!(error, "error parsing glob '!x': a glob that narrows cannot begin with '!'");
}
