//! Ignore files: their grammar, their precedence, and the flags that disable them.

use crate::harness::{Hs, TempTree};

hs_test!(a_gitignore_applies_in_a_repository, |tree, hs| {
    tree.git_init(".").file(".gitignore", "*.log\n").files(["a.log", "a.txt"], "gem\n");
    hs.args(["gem"]).prints("a.txt:gem\n");
});

hs_test!(a_gitignore_does_not_apply_elsewhere, |tree, hs| {
    tree.file(".gitignore", "*.log\n").files(["a.log", "a.txt"], "gem\n");
    hs.args(["gem"]).prints_in_any_order("a.log:gem\na.txt:gem\n");
    hs.args(["--no-require-git", "gem"]).prints("a.txt:gem\n");
    hs.args(["--no-require-git", "--require-git", "-l", "gem"])
        .prints_in_any_order("a.log\na.txt\n");
});

hs_test!(a_jj_repository_is_a_repository, |tree, hs| {
    tree.dir(".jj").file(".gitignore", "*.log\n").files(["a.log", "a.txt"], "gem\n");
    hs.args(["gem"]).prints("a.txt:gem\n");
});

hs_test!(whitelist_beats_ignore, |tree, hs| {
    tree.file(".gitignore", "*.log\n!keep.log").files(["keep.log", "drop.log"], "gem");
    hs.args(["--no-require-git", "gem"]).prints("keep.log:gem\n");
});

/// Cases with one ignore file: the name, the rules, the files (separated by bars), the files found.
const GRAMMAR: [(&str, &str, &str, &str); 11] = [
    ("later_lines_beat_earlier_ones", "!keep.log\n*.log\n", "keep.log|a", "a\n"),
    (
        "a_slash_anchors",
        "/top\nsub/mid\n",
        "top|sub/top|sub/mid|deep/sub/mid|mid",
        "sub/top\ndeep/sub/mid\nmid\n",
    ),
    ("a_trailing_slash_means_directories", "thing/\n", "a/thing|b/thing/inside", "a/thing\n"),
    (
        "stars_do_not_cross_slashes",
        "a/*.txt\nb/**/*.txt\n/c/**\n**/d/x\n",
        "a/1.txt|a/s/2.txt|b/3.txt|b/s/t/4.txt|c/5|e/d/x|e/d/y",
        "a/s/2.txt\ne/d/y\n",
    ),
    (
        "classes_question_marks_and_escapes",
        "x[0-9]\ny[!0-9]\nz?\n\\#hash\n\\!bang\ns\\*\n",
        "x1|xa|y1|ya|z|zz|#hash|!bang|s*|st",
        "xa\ny1\nz\nst\n",
    ),
    (
        "comments_blank_lines_and_trailing_blanks",
        "# a comment\n\n   \nplain   \nkept\\ \n",
        "# a comment|plain|kept |kept",
        "# a comment\nkept\n",
    ),
    ("carriage_returns_at_line_ends_do_not_matter", "*.log\r\nb\r\n", "a.log|b|c", "c\n"),
    ("a_byte_order_mark_is_not_part_of_the_first_rule", "\u{feff}*.log\n", "a.log|b", "b\n"),
    ("braces_alternate_in_dot_ignore", "*.{log,tmp}\n", "a.log|a.tmp|a.txt", "a.txt\n"),
    ("an_ignored_directory_is_never_entered", "build/\n!build/keep\n", "build/keep|src", "src\n"),
    (
        "a_whitelisted_hidden_entry_is_seen",
        "!.github/\n!.keep\n",
        ".github/x|.keep|.other",
        ".github/x\n.keep\n",
    ),
];

#[test]
fn rules_of_one_ignore_file() {
    for (name, rules, files, found) in GRAMMAR {
        let tree = TempTree::new(name);
        tree.file(".ignore", rules).files(files.split('|'), "gem");
        Hs::new(&tree).args(["-l", "gem"]).prints_in_any_order(found);
    }
}

hs_test!(braces_are_literal_in_gitignore, |tree, hs| {
    tree.git_init(".").file(".gitignore", "*.{log,tmp}\n");
    tree.files(["a.log", "a.{log,tmp}"], "gem");
    hs.args(["-l", "gem"])
        .differs_from_ripgrep("ripgrep has braces in .gitignore, git has none")
        .prints("a.log\n");
});

hs_test!(posix_classes_work_in_gitignore, |tree, hs| {
    tree.git_init(".").file(".gitignore", "x[[:digit:]]\n").files(["x1", "xa"], "gem");
    hs.args(["-l", "gem"])
        .differs_from_ripgrep("ripgrep has no POSIX classes in .gitignore")
        .prints("xa\n");
});

hs_test!(deeper_files_beat_shallower_ones, |tree, hs| {
    tree.file(".ignore", "*.log\n").file("sub/.ignore", "!*.log\n");
    tree.files(["a.log", "sub/b.log", "sub/deep/c.log"], "gem");
    hs.args(["-l", "gem"]).prints_in_any_order("sub/b.log\nsub/deep/c.log\n");
});

hs_test!(the_kind_of_ignore_file_outranks_its_depth, |tree, hs| {
    tree.git_init(".").file(".ignore", "a.log\n").file("sub/.gitignore", "!a.log\n");
    tree.files(["sub/a.log", "sub/b"], "gem");
    hs.args(["-l", "gem"]).prints("sub/b\n");
});

hs_test!(dot_ignore_beats_gitignore_and_rgignore_beats_both, |tree, hs| {
    tree.git_init(".").file(".gitignore", "a\nb\n").file(".ignore", "!a\nc\n");
    tree.file(".rgignore", "!c\n").files(["a", "b", "c"], "gem");
    hs.args(["-l", "gem"]).prints_in_any_order("a\nc\n");
});

hs_test!(info_exclude_is_weaker_than_gitignore, |tree, hs| {
    tree.file(".git/info/exclude", "a\nb\n").file(".gitignore", "!a\n");
    tree.files(["a", "b", "c"], "gem");
    hs.args(["-l", "gem"]).prints_in_any_order("a\nc\n");
    hs.args(["-l", "--no-ignore-exclude", "gem"]).prints_in_any_order("a\nb\nc\n");
});

hs_test!(the_global_excludes_file_is_weaker_still, |tree, hs| {
    tree.git_init(".").file("../home/.gitconfig", "[core]\n\texcludesFile = ~/excludes\n");
    tree.file("../home/excludes", "a\nb\n").file(".git/info/exclude", "!b\n");
    tree.files(["a", "b"], "gem");
    hs.args(["-l", "gem"]).prints("b\n");
    hs.args(["-l", "--no-ignore-global", "gem"]).prints_in_any_order("a\nb\n");
});

hs_test!(the_global_excludes_file_has_a_default_path, |tree, hs| {
    tree.git_init(".").file("../home/.config/git/ignore", "a\n").files(["a", "b"], "gem");
    hs.args(["-l", "gem"]).prints("b\n");
    tree.file("../xdg/git/ignore", "b\n");
    hs.args(["-l", "gem"]).env("XDG_CONFIG_HOME", tree.join("../xdg")).prints("a\n");
});

hs_test!(a_repository_without_a_global_excludes_file, |tree, hs| {
    tree.git_init(".").file("../home/.gitconfig", "[core]\n\texcludesFile =\n");
    tree.file("../home/.config/git/ignore", "a\n").files(["a", "b"], "gem");
    hs.args(["-l", "gem"])
        .differs_from_ripgrep("ripgrep reads the default file, git does not")
        .prints_in_any_order("a\nb\n");
});

hs_test!(a_broken_link_is_no_repository, |tree, hs| {
    tree.file(".gitignore", "b\n").files(["a", "b", "c/b"], "gem").symlink("nowhere", ".git");
    hs.args(["-l", "gem"]).prints_in_any_order("a\nb\nc/b\n");
    hs.args(["-l", "gem", "c"]).prints("c/b\n");
    tree.dir("nowhere");
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["-l", "gem", "c"]).finds_nothing();
});

hs_test!(a_worktree_finds_the_exclude_file_of_its_repository, |tree, hs| {
    tree.file("repo/.git/info/exclude", "a\n");
    tree.file("repo/.git/worktrees/side/commondir", "../..\n");
    let gitdir = tree.join("repo/.git/worktrees/side");
    tree.file("side/.git", format!("gitdir: {}\n", gitdir.display()));
    tree.files(["side/a", "side/b"], "gem");
    hs.args(["-l", "gem", "side"]).prints("side/b\n");
    hs.args(["-l", "--debug", "gem", "side"])
        .differs_from_ripgrep("ripgrep has other debug messages")
        .prints("side/b\n")
        .stderr_contains("repo/.git/worktrees/side/../../info/exclude:1: a");
    std::fs::remove_file(tree.join("repo/.git/info/exclude")).expect("the exclude file");
    tree.symlink("exclude", "repo/.git/info/exclude");
    hs.args(["-l", "gem", "side"])
        .differs_from_ripgrep("ripgrep does not report it")
        .prints_in_any_order("side/a\nside/b\n")
        .stderr_contains(
            "repo/.git/worktrees/side/../../info/exclude: Too many levels of symbolic links",
        )
        .exits(0);
});

hs_test!(ignore_files_above_the_root_apply, |tree, hs| {
    tree.git_init(".").file(".gitignore", "*.log\n").file(".ignore", "/sub/b\n");
    tree.files(["sub/a.log", "sub/b", "sub/c"], "gem");
    hs.args(["-l", "gem"]).cwd("sub").prints("c\n");
    hs.args(["-l", "gem", "sub"]).prints("sub/c\n");
    hs.args(["-l", "--no-ignore-parent", "gem"]).cwd("sub").prints_in_any_order("a.log\nb\nc\n");
});

hs_test!(a_nested_repository_ignores_the_outer_gitignore, |tree, hs| {
    tree.git_init(".").file(".gitignore", "*.log\n").file(".ignore", "*.tmp\n");
    tree.git_init("inner").files(["inner/a.log", "inner/a.tmp", "b.log"], "gem");
    hs.args(["-l", "gem"]).prints("inner/a.log\n");
    hs.args(["-l", "gem"]).cwd("inner").prints("a.log\n");
});

hs_test!(a_repository_inside_does_not_make_one_outside, |tree, hs| {
    tree.git_init("inner").file(".gitignore", "*.log\n").file("inner/.gitignore", "*.txt\n");
    tree.files(["a.log", "inner/a.log", "inner/a.txt"], "gem");
    hs.args(["-l", "gem"]).prints_in_any_order("a.log\ninner/a.log\n");
});

hs_test!(an_extra_ignore_file_is_the_weakest, |tree, hs| {
    tree.file("extra", "a\nb\n").file(".ignore", "!a\n").files(["a", "b", "c"], "gem");
    hs.args(["-l", "--ignore-file", "extra", "gem"]).prints_in_any_order("a\nc\n");
    hs.args(["-l", "--no-ignore", "--ignore-file", "extra", "gem"]).prints("c\n");
    hs.args(["-l", "--ignore-file", "extra", "--no-ignore-files", "gem"])
        .prints_in_any_order("a\nb\nc\n");
});

hs_test!(later_extra_ignore_files_beat_earlier_ones, |tree, hs| {
    tree.file("one", "a\n").file("two", "!a\nb\n").files(["a", "b"], "gem");
    hs.args(["-l", "--ignore-file=one", "--ignore-file=two", "gem"]).prints("a\n");
});

hs_test!(extra_ignore_files_are_relative_to_the_current_directory, |tree, hs| {
    tree.file("extra", "/sub/a\n").files(["sub/a", "sub/b"], "gem");
    hs.args(["-l", "--ignore-file", "extra", "gem", "sub"]).prints("sub/b\n");
    hs.args(["-l", "--ignore-file", "../extra", "gem"]).cwd("sub").prints_in_any_order("a\nb\n");
});

hs_test!(case_of_ignore_rules, |tree, hs| {
    tree.file(".ignore", "*.LOG\n").files(["a.log", "b"], "gem");
    hs.args(["-l", "gem"]).prints_in_any_order("a.log\nb\n");
    hs.args(["-l", "--ignore-file-case-insensitive", "gem"]).prints("b\n");
    hs.args(["-l", "--ignore-file-case-insensitive", "--no-ignore-file-case-insensitive", "gem"])
        .prints_in_any_order("a.log\nb\n");
    tree.file("extra", "B\n");
    hs.args(["-l", "--ignore-file-case-insensitive", "--ignore-file=extra", "gem"]).prints("b\n");
});

hs_test!(no_ignore_and_its_refinements, |tree, hs| {
    tree.git_init(".").file(".gitignore", "g\n").file(".ignore", "d\n");
    tree.files(["g", "d", "a"], "gem");
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["-l", "--no-ignore", "gem"]).prints_in_any_order("a\nd\ng\n");
    hs.args(["-l", "--no-ignore", "--ignore", "gem"]).prints("a\n");
    hs.args(["-l", "--no-ignore-vcs", "gem"]).prints_in_any_order("a\ng\n");
    hs.args(["-l", "--no-ignore-dot", "gem"]).prints_in_any_order("a\nd\n");
    hs.args(["-l", "--no-ignore", "--ignore-vcs", "gem"]).prints_in_any_order("a\nd\n");
    hs.args(["-l", "-u", "--ignore-dot", "gem"]).prints_in_any_order("a\ng\n");
});

hs_test!(unrestricted_three_times_over, |tree, hs| {
    tree.git_init(".").file(".gitignore", "g\n").files(["g", ".hidden", "a"], "gem\n");
    tree.file("bin", "gem\0\n");
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["-lu", "gem"]).prints_in_any_order("a\ng\n");
    hs.args(["-luu", "gem"]).prints_in_any_order(".hidden\na\ng\n");
    hs.args(["-luuu", "gem"]).prints_in_any_order(".hidden\na\nbin\ng\n");
    hs.args(["-uuuu", "gem"]).refuses("-u");
});

hs_test!(hidden_entries, |tree, hs| {
    tree.files([".hidden", ".dir/inside", "seen"], "gem");
    hs.args(["-l", "gem"]).prints("seen\n");
    hs.args(["-l", "--hidden", "gem"]).prints_in_any_order(".hidden\n.dir/inside\nseen\n");
    hs.args(["-l", "-.", "gem"]).prints_in_any_order(".hidden\n.dir/inside\nseen\n");
    hs.args(["-l", "-.", "--no-hidden", "gem"]).prints("seen\n");
    hs.args(["-l", "gem", ".dir", ".hidden"]).prints_in_any_order(".dir/inside\n.hidden\n");
});

hs_test!(hidden_includes_dot_git, |tree, hs| {
    tree.file(".git/config", "gem\n").file("a", "gem\n");
    hs.args(["-l", "--hidden", "gem"]).prints_in_any_order(".git/config\na\n");
    hs.args(["-l", "--hidden", "-g", "!.git", "gem"]).prints("a\n");
});

hs_test!(named_paths_are_never_ignored, |tree, hs| {
    tree.file(".ignore", "a.log\nsub/\n").files(["a.log", "sub/b"], "gem");
    hs.args(["-l", "gem", "a.log", "sub"]).prints_in_any_order("a.log\nsub/b\n");
});

hs_test!(depth_is_limited, |tree, hs| {
    tree.files(["a", "one/b", "one/two/c"], "gem");
    hs.args(["-l", "-d1", "gem"]).prints("a\n");
    hs.args(["-l", "--max-depth", "2", "gem"]).prints_in_any_order("a\none/b\n");
    hs.args(["-l", "--maxdepth=1", "gem", "one"]).prints("one/b\n");
    hs.args(["-l", "-d0", "gem", "a", "one"]).prints("a\n");
});

hs_test!(large_files_are_skipped, |tree, hs| {
    tree.file("small", "gem\n").file("large", "gem\n".repeat(1000));
    hs.args(["-l", "--max-filesize", "100", "gem"]).prints("small\n");
    hs.args(["-l", "--max-filesize", "4000", "gem"]).prints_in_any_order("small\nlarge\n");
    hs.args(["-l", "--max-filesize", "3999", "gem"]).prints("small\n");
    hs.args(["-l", "--max-filesize", "1K", "gem"]).prints("small\n");
    hs.args(["-l", "--max-filesize", "1M", "gem"]).prints_in_any_order("small\nlarge\n");
    hs.args(["-l", "--max-filesize", "100", "gem", "large"]).prints("large\n");
});

hs_test!(one_file_system_keeps_files_on_the_same_device, |tree, hs| {
    tree.files(["a", "sub/b"], "gem");
    hs.args(["-l", "--one-file-system", "gem"]).prints_in_any_order("a\nsub/b\n");
});

hs_test!(special_files_are_passed_over, |tree, hs| {
    tree.fifo("pipe").file("a", "gem");
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["--files"]).prints("a\n");
});

hs_test!(a_bad_rule_is_reported_and_the_others_apply, |tree, hs| {
    tree.file(".ignore", "*.log\n*.{tmp\na\n").files(["a", "a.log", "b"], "gem");
    hs.args(["-l", "gem"])
        .prints("b\n")
        .stderr_contains(".ignore: line 2: error parsing glob '*.{tmp'");
    hs.args(["-l", "--no-messages", "gem"]).prints("b\n");
    hs.args(["-l", "--no-ignore-messages", "gem"]).prints("b\n");
    hs.args(["-l", "--no-ignore-messages", "--ignore-messages", "gem"])
        .prints("b\n")
        .stderr_contains(".ignore");
});

hs_test!(a_missing_extra_ignore_file_is_reported, |tree, hs| {
    tree.file("a", "gem");
    hs.args(["-l", "--ignore-file", "none", "gem"])
        .prints("a\n")
        .stderr_contains("none: No such file or directory (os error 2)");
    // A search that cannot match does not read ignore files.
    hs.args(["-l", "-m0", "--ignore-file", "none", "gem"])
        .stderr_lines_are("no messages", |_| false)
        .finds_nothing();
});

hs_test!(the_output_file_is_not_searched, |tree, hs| {
    tree.file("a", "gem\n");
    hs.args(["gem"]).through_sh("\"$@\" > found; cat found").prints("a:gem\n");
});

// Lengths around multiples of the page size, at which reads end.
hs_test!(the_last_rule_applies_at_any_length_of_the_file, |tree, hs| {
    let mut expected = String::new();
    for pages in [1, 2, 3, 8, 9] {
        for length in pages * 4096 - 1..=pages * 4096 + 1 {
            let (dir, rule) = (format!("tree-{length:05}"), "\nsold");
            let comment = "#".repeat(length - rule.len());
            tree.file(format!("{dir}/.ignore"), comment + rule);
            tree.file(format!("{dir}/sold"), "gem\n").file(format!("{dir}/kept"), "gem\n");
            expected += &format!("{dir}/kept\n");
        }
    }
    hs.args(["-l", "--sort=path", "gem"]).prints(expected);
});
