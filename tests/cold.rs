//! Files that are not in memory: what is found does not depend on where it is.
//!
//! Where the temporary directory has no disk below it, these are tests like any other.

use std::fmt::Write;

/// `gem` in every file, and lines that are not: of some files a few bytes, of some exactly a page, of some many pages.
fn fill(vault: &crate::harness::Vault, dirs: usize, files: usize) -> (String, String) {
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
            vault.file(&name, format!("{}gem\nend\n", "x\n".repeat(before)));
            writeln!(lines, "{name}:{}:gem", before + 1).expect("a string takes it");
            writeln!(paths, "{name}").expect("a string takes it");
        }
    }
    (lines, paths)
}

hs_test!(cold_files_are_searched_once_each, |vault, hs| {
    let (lines, paths) = fill(vault, 4, 20);
    for threads in ["1", "2", "4"] {
        vault.chill();
        hs.args(["-n", "-j", threads, "gem"]).prints_sorted(&lines);
        vault.chill();
        hs.args(["-l", "-j", threads, "gem"]).prints_sorted(&paths);
        vault.chill();
        hs.args(["-n", "-m1", "-j", threads, "gem|end"]).prints_sorted(&lines);
        vault.chill();
        hs.args(["-j", threads, "sapphire"]).finds_nothing();
    }
});

hs_test!(a_cold_search_stops_at_the_first_match, |vault, hs| {
    fill(vault, 3, 20);
    vault.file("dir2/only", "sapphire\n");
    for threads in ["1", "3"] {
        vault.chill();
        hs.args(["-q", "-j", threads, "gem"]).prints("");
        vault.chill();
        hs.args(["-q", "-j", threads, "sapphire"]).prints("");
    }
});

hs_test!(a_cold_file_has_no_answer_before_it_is_searched, |vault, hs| {
    fill(vault, 3, 20);
    for threads in ["1", "3"] {
        for args in [&["--files-without-match", "gem"][..], &["-q", "--files-without-match", "gem"]]
        {
            vault.chill();
            hs.args(["-j", threads]).args(args).finds_nothing();
        }
    }
    vault.file("dir2/only", "sapphire\n").chill();
    hs.args(["--files-without-match", "gem"]).prints("dir2/only\n");
});

hs_test!(cold_files_are_counted_like_others, |vault, hs| {
    let (lines, _) = fill(vault, 3, 20);
    let matched = lines.lines().count();
    vault.chill();
    hs.args(["--stats", "-q", "-j2", "gem"]).prints_such_that("all are counted", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        text.contains(&format!("\n{matched} matches\n"))
            && text.contains(&format!("\n{matched} files searched\n"))
    });
    vault.chill();
    hs.args(["--json", "-j2", "gem"]).prints_such_that("each file has its messages", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        let many = |kind: &str| text.matches(&format!("{{\"type\":\"{kind}\"")).count();
        [many("begin"), many("match"), many("end")] == [matched; 3]
    });
});

hs_test!(cold_files_keep_their_order_where_it_counts, |vault, hs| {
    let (lines, _) = fill(vault, 3, 20);
    let mut sorted: Vec<_> = lines.lines().collect();
    sorted.sort_unstable_by_key(|line| line.split(':').next());
    let expected = sorted.join("\n") + "\n";
    for threads in ["1", "3"] {
        vault.chill();
        hs.args(["--sort", "path", "-n", "-j", threads, "gem"]).prints(&expected);
    }
});

hs_test!(cold_files_are_mapped_decompressed_and_preprocessed, |vault, hs| {
    let (lines, _) = fill(vault, 3, 10);
    for flags in [&["--mmap"][..], &["-z"], &["--pre", "cat"]] {
        vault.chill();
        hs.args(["-n", "-j2", "gem"]).args(flags).prints_sorted(&lines);
    }
});

hs_test!(few_descriptors_are_enough_for_cold_files, |vault, hs| {
    let (lines, _) = fill(vault, 3, 20);
    for limit in ["ulimit -n 20; exec \"$@\"", "ulimit -n 40; exec \"$@\""] {
        vault.chill();
        hs.args(["-n", "-j3", "gem"]).through_sh(limit).prints_sorted(&lines);
    }
});
