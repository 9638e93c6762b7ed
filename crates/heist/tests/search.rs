//! The search of the facade: what the closure receives, in which order, and what ends it.

use std::{
    collections::HashSet,
    fs,
    ops::ControlFlow,
    path::{MAIN_SEPARATOR, Path},
    thread,
    time::Duration,
};

use heist::{
    CancelToken, Format, Hit, HitKind, Matcher, MatcherConfig, Search, SkipKind, SkippedEntry, Walk,
};
use tempfile::TempDir;

/// A tree of four files, one of them ignored and one binary.
fn tree() -> TempDir {
    let dir = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    for (path, text) in [
        ("a/one.txt", "gold\nno\ngold gold\n"),
        ("b.rs", "fn gold() {}\nlast gold"),
        ("c.bin", "gold\0gold\n"),
        ("build/out.txt", "gold\n"),
        (".ignore", "build/\n"),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// `path:number:text` for each hit of `search` below `root`, with slashes in paths.
fn hits(search: &Search, root: &Path) -> Vec<String> {
    let mut hits = Vec::new();
    let summary = search.run(|hit| {
        let path = hit.path().strip_prefix(root).unwrap().display().to_string();
        let path = path.replace(MAIN_SEPARATOR, "/");
        let mark = if hit.kind() == HitKind::Match { ':' } else { '-' };
        hits.push(format!("{path}{mark}{}{mark}{}", hit.line_number(), hit.text()));
    });
    assert!(summary.unwrap().errors.is_empty());
    hits
}

#[test]
fn lines_are_reported_in_order() {
    let dir = tree();
    let root = dir.path();
    let expected =
        ["a/one.txt:1:gold", "a/one.txt:3:gold gold", "b.rs:1:fn gold() {}", "b.rs:2:last gold"];
    let search = Search::new("gold").unwrap().root(root);
    for threads in [1, 2, 8] {
        let search = search.clone().threads(threads);
        assert_eq!(hits(&search.clone().sorted(), root), expected);
        let mut unsorted = hits(&search, root);
        unsorted.sort();
        assert_eq!(unsorted, expected);
    }
}

#[test]
fn a_hit_knows_its_matches_and_its_replacement() {
    let dir = tree();
    let search = Search::new("g(ol)d").unwrap().root(dir.path().join("a"));
    let mut seen = Vec::new();
    let summary = search.replacement("[$1]").run(|hit| {
        let text = hit.replaced_text().into_owned();
        let spans: Vec<_> = hit.matches().iter().map(|span| (span.start, span.end)).collect();
        seen.push((hit.offset(), spans, hit.bytes().to_vec(), text));
    });
    let expected = [
        (0, vec![(0, 4)], b"gold".to_vec(), "[ol]".to_string()),
        (8, vec![(0, 4), (5, 9)], b"gold gold".to_vec(), "[ol] [ol]".to_string()),
    ];
    assert_eq!(seen, expected);
    let summary = summary.unwrap();
    assert_eq!((summary.files_searched, summary.files_with_matches), (1, 1));
    assert_eq!((summary.matched_lines, summary.matches), (2, 3));
    assert!(summary.is_complete);
}

#[test]
fn options_select_what_is_reported() {
    let dir = tree();
    let root = dir.path();
    let search = || Search::new("gold").unwrap().root(root).sorted();
    let context = hits(&search().walk(Walk::new(root.join("a"))).context(0, 1), root);
    assert_eq!(context, ["a/one.txt:1:gold", "a/one.txt-2-no", "a/one.txt:3:gold gold"]);
    assert_eq!(hits(&search().walk(Walk::new(root.join("a"))).invert(), root), ["a/one.txt:2:no"]);
    assert_eq!(
        hits(&search().limit_per_file(1), root),
        ["a/one.txt:1:gold", "b.rs:1:fn gold() {}"]
    );
    assert_eq!(hits(&search().limit(3), root).len(), 3);
    let binary = search().walk(Walk::new(root.join("c.bin"))).binary_as_text();
    assert_eq!(hits(&binary, root), ["c.bin:1:gold\0gold"]);
    let everything = Walk::new(root).everything().glob("*.txt").sorted();
    let found = hits(&search().walk(everything), root);
    assert_eq!(found, ["a/one.txt:1:gold", "a/one.txt:3:gold gold", "build/out.txt:1:gold"]);
}

#[test]
fn matches_may_span_lines() {
    let dir = tree();
    let config = MatcherConfig { multiline: true, ..MatcherConfig::default() };
    let matcher = Matcher::new([r"gold\nno\n"], &config).unwrap();
    let search = Search::with_matcher(matcher).root(dir.path());
    assert_eq!(hits(&search, dir.path()), ["a/one.txt:1:gold\nno"]);
}

#[test]
fn a_closure_and_a_token_end_the_search() {
    let dir = tree();
    let search = || Search::new("gold").unwrap().root(dir.path());
    for search in [search(), search().sorted()] {
        let mut calls = 0;
        let stop_at_once = |_: &Hit<'_>| {
            calls += 1;
            ControlFlow::Break(())
        };
        assert!(!search.run(stop_at_once).unwrap().is_complete);
        assert_eq!(calls, 1);
        let token = CancelToken::with_timeout(Duration::ZERO);
        let summary =
            search.clone().cancel(&token).run(|_| -> () { panic!("a hit after the end") });
        assert!(!summary.unwrap().is_complete);
        let token = CancelToken::new();
        let mut calls = 0;
        let cancel = |_: &Hit<'_>| {
            token.cancel();
            calls += 1;
        };
        assert!(!search.cancel(&token).run(cancel).unwrap().is_complete);
        assert_eq!(calls, 1);
    }
}

#[test]
fn results_are_printed_as_hs_prints_them() {
    let dir = tree();
    let root = dir.path().display().to_string();
    let search = Search::new("gold").unwrap().root(dir.path()).sorted();
    let print = |search: &Search, format| {
        let mut out = Vec::new();
        search.print(format, &mut out).unwrap();
        String::from_utf8(out).unwrap().replace(&root, "ROOT")
    };
    let slashed = |search: &Search, format| print(search, format).replace(MAIN_SEPARATOR, "/");
    let lines = slashed(&search, Format::Lines);
    let expected = "ROOT/a/one.txt:1:gold\nROOT/a/one.txt:3:gold gold\nROOT/b.rs:1:fn gold() {}\n\
                    ROOT/b.rs:2:last gold\n";
    assert!(lines.starts_with(expected), "{lines}");
    assert_eq!(slashed(&search.clone().limit(1), Format::Lines), "ROOT/a/one.txt:1:gold\n");
    let counts = slashed(&search, Format::Counts);
    assert!(counts.starts_with("ROOT/a/one.txt:2\nROOT/b.rs:2\n"), "{counts}");
    let paths = slashed(&search, Format::Paths);
    assert!(paths.starts_with("ROOT/a/one.txt\nROOT/b.rs\n"), "{paths}");
    let json = print(&search, Format::Json);
    let messages: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(messages[0]["type"], "begin");
    assert_eq!(messages.last().unwrap()["type"], "summary");
    let context = print(&search.context(1, 0).walk(Walk::new(dir.path().join("a"))), Format::Lines);
    assert!(context.contains("one.txt-2-no\n"), "{context}");
}

#[test]
fn a_failing_writer_is_an_error() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let dir = tree();
    let search = Search::new("gold").unwrap().root(dir.path());
    let error = search.print(Format::Lines, Full).unwrap_err();
    assert!(error.to_string().starts_with("results cannot be written"), "{error}");
}

#[test]
fn mistakes_are_reported_with_their_cause() {
    assert!(Search::new("a(b").unwrap_err().to_string().contains("unclosed group"));
    let search = Search::new("a").unwrap();
    let glob = search.clone().walk(Walk::new(".").glob("a{b")).run(|_| ()).unwrap_err();
    assert!(glob.to_string().contains("a{b"), "{glob}");
    let file_type = search.clone().walk(Walk::new(".").file_type("nonesuch")).run(|_| ());
    assert!(file_type.unwrap_err().to_string().contains("nonesuch"));
    let missing = search.root("no/such/path").run(|_| ()).unwrap();
    assert_eq!(missing.errors.len(), 1);
    assert_eq!(missing.errors[0].path(), Some(Path::new("no/such/path")));
}

#[test]
fn a_panic_in_the_closure_reaches_the_caller() {
    let dir = tree();
    let search = Search::new("gold").unwrap().root(dir.path()).threads(2);
    for search in [search.clone(), search.sorted()] {
        let run =
            std::panic::AssertUnwindSafe(|| search.run(|_| -> () { panic!("in the closure") }));
        let payload = std::panic::catch_unwind(run).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"in the closure"));
    }
}

#[test]
fn only_files_are_searched_whatever_the_walk_visits() {
    let dir = tree();
    let root = dir.path();
    #[cfg(unix)]
    std::os::unix::fs::symlink("b.rs", root.join("link")).unwrap();
    let walk = Walk::new(root).directories(true).symlinks(true);
    let expected =
        ["a/one.txt:1:gold", "a/one.txt:3:gold gold", "b.rs:1:fn gold() {}", "b.rs:2:last gold"];
    for walk in [walk.clone(), walk.sorted()] {
        let search = Search::new("gold").unwrap().walk(walk);
        let mut found = hits(&search, root);
        found.sort();
        assert_eq!(found, expected);
        assert_eq!(search.run(|_| ()).unwrap().files_searched, 3);
    }
}

#[test]
fn a_sorted_search_has_a_limited_number_of_threads() {
    let dir = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    for index in 0..150 {
        fs::write(dir.path().join(format!("{index}")), "gold\n").unwrap();
    }
    let search = Search::new("gold").unwrap().root(dir.path()).sorted().threads(1000);
    let mut threads = HashSet::new();
    let summary = search.run(|_| {
        if threads.is_empty() {
            // Meanwhile each of the other threads searches a file, and waits for its turn.
            thread::sleep(Duration::from_millis(200));
        }
        threads.insert(thread::current().id());
    });
    assert_eq!(summary.unwrap().matched_lines, 150);
    assert!((2..=56).contains(&threads.len()), "{} threads", threads.len());
}

#[test]
fn what_was_set_before_a_walk_remains_in_force() {
    let dir = tree();
    let (a, b) = (dir.path().join("a"), dir.path().join("b.rs"));
    let files = |search: Search| {
        let mut files = Vec::new();
        search.run(|hit| files.push(hit.path().to_path_buf())).unwrap();
        files.dedup();
        files
    };
    let search = || Search::new("gold").unwrap();
    let one = a.join("one.txt");
    // Roots add up, and results are sorted, whatever the order of the calls.
    let expected = [one.clone(), b.clone()];
    assert_eq!(files(search().root(&a).sorted().walk(Walk::new(&b))), expected);
    assert_eq!(files(search().walk(Walk::new(&a)).root(&b).sorted()), expected);
    assert_eq!(
        files(search().root(&a).walk(Walk::new(&b).sorted().threads(2)).threads(1)),
        expected
    );
    assert_eq!(files(search().only("*.rs").root(dir.path())), std::slice::from_ref(&b));
    assert_eq!(files(search().exclude("*.rs").root(dir.path())), std::slice::from_ref(&one));
    // A walk can narrow a search, and one without roots keeps those of the search.
    assert_eq!(files(search().root(dir.path()).walk(Walk::new(&b))), std::slice::from_ref(&b));
    assert_eq!(
        files(search().root(&b).walk(Walk::default().glob("*.rs"))),
        std::slice::from_ref(&b)
    );
    // So does one walk after another.
    let walk = || Walk::new(dir.path()).everything().glob("*.txt").max_depth(1);
    assert_eq!(files(search().walk(walk()).walk(Walk::default().max_depth(2))).len(), 2);
    assert!(files(search().walk(walk()).walk(Walk::default())).is_empty());
    let walk = Walk::new(dir.path()).everything().sorted();
    let narrowed = search().only("*.txt").walk(walk).walk(Walk::default().ignore_files(true));
    assert_eq!(files(narrowed), std::slice::from_ref(&one));
    // Each token ends the run.
    for (is_first, is_second) in [(true, false), (false, true)] {
        let (first, second) = (CancelToken::new(), CancelToken::new());
        let walk = Walk::new(&a).cancel(&second).cancel(&CancelToken::new());
        let search = search().cancel(&first).walk(walk);
        assert!(search.run(|_| ()).unwrap().is_complete);
        if is_first {
            first.cancel();
        }
        if is_second {
            second.cancel();
        }
        assert!(!search.run(|_| ()).unwrap().is_complete);
    }
}

#[cfg(unix)]
#[test]
fn a_token_ends_the_search_of_an_endless_file() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let writer = thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut pipe = fs::File::options().write(true).open(pipe).unwrap();
            let text = b"a line without it\n".repeat(1000);
            // Until the reader is gone.
            while std::io::Write::write_all(&mut pipe, &text).is_ok() {}
        }
    });
    let token = CancelToken::with_timeout(Duration::from_millis(100));
    let search = Search::new("gold").unwrap().root(&pipe).cancel(&token);
    let summary = search.run(|_| ()).unwrap();
    assert!(!summary.is_complete && summary.errors.is_empty());
    writer.join().unwrap();
}

#[test]
fn hits_are_kept_and_taken_one_by_one() {
    let dir = tree();
    let search = Search::new("g(ol)d").unwrap().root(dir.path()).replacement("[$1]").context(0, 1);
    let mut seen = Vec::new();
    search.clone().sorted().run(|hit| seen.push(hit.to_owned_hit())).unwrap();
    let taken: Vec<_> = search.clone().sorted().into_iter().map(Result::unwrap).collect();
    assert_eq!(seen, taken);
    assert_eq!(taken.len(), 5);
    let hit = &taken[2];
    assert_eq!((hit.line_number, hit.offset, hit.kind), (3, 8, HitKind::Match));
    assert_eq!((&*hit.text(), &*hit.replaced_text()), ("gold gold", "[ol] [ol]"));
    assert_eq!(hit.matches, [0..4, 5..9]);
    assert_eq!(*hit.path, *dir.path().join("a/one.txt"));
    assert!(std::sync::Arc::ptr_eq(&taken[0].path, &taken[1].path), "hits of a file share it");
    // Errors come behind the hits; one that keeps the search from starting is the only item.
    let mut items: Vec<_> = search.root(dir.path().join("none")).into_iter().collect();
    assert!(items.pop().unwrap().is_err() && items.len() == 5);
    let broken = Search::new("gold").unwrap().walk(Walk::new(".").glob("a{b"));
    assert_eq!(broken.into_iter().filter(Result::is_err).count(), 1);
}

#[test]
fn bytes_are_searched_like_a_file() {
    let dir = tree();
    let path = dir.path().join("a/one.txt");
    let text = fs::read(&path).unwrap();
    let search = Search::new("gold").unwrap().replacement("lead").context(1, 0);
    let (mut in_file, mut in_bytes) = (Vec::new(), Vec::new());
    let of_file = search.clone().root(&path).run(|hit| in_file.push(hit.to_owned_hit())).unwrap();
    let of_bytes = search.run_on_bytes(&path, &text, |hit| in_bytes.push(hit.to_owned_hit()));
    assert_eq!(in_file, in_bytes);
    assert_eq!(in_bytes.len(), 3);
    assert_eq!(
        (of_file.files_searched, of_file.files_with_matches, of_file.matched_lines),
        (of_bytes.files_searched, of_bytes.files_with_matches, of_bytes.matched_lines)
    );
    assert!(of_bytes.is_complete && of_bytes.errors.is_empty());
    // What ends a search ends this one.
    let mut calls = 0;
    let summary = search.clone().limit(1).run_on_bytes("x", &text, |_| calls += 1);
    assert!(calls == 1 && !summary.is_complete && summary.matched_lines == 1);
    let summary = search.run_on_bytes("x", &text, |_| ControlFlow::Break(()));
    assert!(!summary.is_complete);
    let token = CancelToken::with_timeout(Duration::ZERO);
    let summary = search.cancel(&token).run_on_bytes("x", &text, |_| -> () { panic!("a hit") });
    assert!(!summary.is_complete && summary.files_searched == 0);
}

#[test]
fn summaries_name_what_was_left_out() {
    let dir = tree();
    let root = dir.path();
    let named = |max| Search::new("gold").unwrap().walk(Walk::new(root).name_skipped(max));
    let expected =
        [(".ignore", SkipKind::Hidden), ("build", SkipKind::Ignored), ("c.bin", SkipKind::Binary)];
    for search in [named(10), named(10).sorted()] {
        let printed = search.print(Format::Json, Vec::new()).unwrap();
        for summary in [search.run(|_| ()).unwrap(), printed] {
            let below = |entry: &SkippedEntry| entry.path.strip_prefix(root).unwrap().to_owned();
            let entries = summary.skipped.entries.iter();
            let mut skipped: Vec<_> = entries.map(|entry| (below(entry), entry.kind)).collect();
            skipped.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(skipped, expected.map(|(path, kind)| (path.into(), kind)));
            assert_eq!(summary.skipped.more, 0);
        }
    }
    let few = named(1).run(|_| ()).unwrap().skipped;
    assert_eq!((few.entries.len(), few.more), (1, 2));
    let none = Search::new("gold").unwrap().root(root).run(|_| ()).unwrap().skipped;
    assert_eq!((none.entries.len(), none.more), (0, 0));
}
