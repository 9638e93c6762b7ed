//! Files that are not in the page cache: the results are the same as for cached files.
//!
//! In a temporary directory in memory, the files stay cached, and the tests pass all the same.

use std::fmt::Write;

use crate::harness::TempTree;

/// Creates files with the line `gem` among other lines: of a few bytes, of exactly a page, and of
/// many pages. Returns the lines of `hs -n gem` and the paths.
fn fill(tree: &TempTree, dirs: usize, files: usize) -> (String, String) {
    let (mut lines, mut paths) = (String::new(), String::new());
    for dir in 0..dirs {
        for file in 0..files {
            let name = format!("dir{dir}/file{file}");
            let before = match file % 5 {
                0 => 0,
                1 => 4090 / 2,
                2 => 8190 / 2,
                3 => 150_000,
                _ => 7,
            };
            tree.file(&name, format!("{}gem\nend\n", "x\n".repeat(before)));
            writeln!(lines, "{name}:{}:gem", before + 1).expect("writing to memory");
            writeln!(paths, "{name}").expect("writing to memory");
        }
    }
    (lines, paths)
}

hs_test!(cold_files_are_searched_once_each, |tree, hs| {
    let (lines, paths) = fill(tree, 4, 20);
    for threads in ["1", "2", "4"] {
        tree.evict_from_page_cache();
        hs.args(["-n", "-j", threads, "gem"]).prints_in_any_order(&lines);
        tree.evict_from_page_cache();
        hs.args(["-l", "-j", threads, "gem"]).prints_in_any_order(&paths);
        tree.evict_from_page_cache();
        hs.args(["-n", "-m1", "-j", threads, "gem|end"]).prints_in_any_order(&lines);
        tree.evict_from_page_cache();
        hs.args(["-j", threads, "sapphire"]).finds_nothing();
    }
});

hs_test!(a_cold_search_stops_at_the_first_match, |tree, hs| {
    fill(tree, 3, 20);
    tree.file("dir2/only", "sapphire\n");
    for threads in ["1", "3"] {
        tree.evict_from_page_cache();
        hs.args(["-q", "-j", threads, "gem"]).prints("");
        tree.evict_from_page_cache();
        hs.args(["-q", "-j", threads, "sapphire"]).prints("");
    }
});

hs_test!(a_cold_file_does_not_match_before_it_is_searched, |tree, hs| {
    fill(tree, 3, 20);
    for threads in ["1", "3"] {
        for args in [&["--files-without-match", "gem"][..], &["-q", "--files-without-match", "gem"]]
        {
            tree.evict_from_page_cache();
            hs.args(["-j", threads]).args(args).finds_nothing();
        }
    }
    tree.file("dir2/only", "sapphire\n").evict_from_page_cache();
    hs.args(["--files-without-match", "gem"]).prints("dir2/only\n");
});

hs_test!(cold_files_are_counted, |tree, hs| {
    let (lines, _) = fill(tree, 3, 20);
    let matched = lines.lines().count();
    tree.evict_from_page_cache();
    hs.args(["--stats", "-q", "-j2", "gem"]).stdout_satisfies("every file is counted", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        text.contains(&format!("\n{matched} matches\n"))
            && text.contains(&format!("\n{matched} files searched\n"))
    });
    tree.evict_from_page_cache();
    hs.args(["--json", "-j2", "gem"]).stdout_satisfies("every file has its messages", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        let many = |kind: &str| text.matches(&format!("{{\"type\":\"{kind}\"")).count();
        [many("begin"), many("match"), many("end")] == [matched; 3]
    });
});

hs_test!(cold_files_are_sorted, |tree, hs| {
    let (lines, _) = fill(tree, 3, 20);
    let mut sorted: Vec<_> = lines.lines().collect();
    sorted.sort_unstable_by_key(|line| line.split(':').next());
    let expected = sorted.join("\n") + "\n";
    for threads in ["1", "3"] {
        tree.evict_from_page_cache();
        hs.args(["--sort", "path", "-n", "-j", threads, "gem"]).prints(&expected);
    }
});

hs_test!(cold_files_are_mapped_decompressed_and_preprocessed, |tree, hs| {
    let (lines, _) = fill(tree, 3, 10);
    for flags in [&["--mmap"][..], &["-z"], &["--pre", "cat"]] {
        tree.evict_from_page_cache();
        hs.args(["-n", "-j2", "gem"]).args(flags).prints_in_any_order(&lines);
    }
});

hs_test!(few_descriptors_are_enough_for_cold_files, |tree, hs| {
    let (lines, _) = fill(tree, 3, 20);
    for limit in ["ulimit -n 20; exec \"$@\"", "ulimit -n 40; exec \"$@\""] {
        tree.evict_from_page_cache();
        hs.args(["-n", "-j3", "gem"]).through_sh(limit).prints_in_any_order(&lines);
    }
});
