//! The format of matching lines: fields, separators and limits of width.

const HOARD: &str = "a gem\nno luck\ngem and gem\nlast";

hs_test!(output_appended_to_a_searched_file_is_not_found, |tree, hs| {
    let lines = "a gem in a hoard\n".repeat(20_000);
    tree.file("hoard", &lines).file("other", "gem\n");
    for threads in ["-j1", "-j2"] {
        for (args, script) in [
            (
                &["gem", "hoard"][..],
                "ulimit -f 4000; cp hoard kept; \"$@\" >> hoard; wc -l < hoard",
            ),
            (&["gem"], "ulimit -f 4000; cp hoard kept; \"$@\" < hoard >> hoard; wc -l < hoard"),
        ] {
            let run = hs.args([threads].iter().chain(args)).through_sh(script);
            run.differs_from_ripgrep("ripgrep does not end if standard input is the output file")
                .prints("40000\n");
            tree.file("hoard", &lines);
        }
    }
});

hs_test!(one_file_prints_bare_lines_with_a_final_newline, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["gem", "hoard"]).prints("a gem\ngem and gem\n");
    hs.args(["last", "hoard"]).prints("last\n");
});

hs_test!(a_directory_prints_paths, |tree, hs| {
    tree.files(["hoard", "cave/deep"], HOARD);
    hs.args(["luck"]).prints_in_any_order("hoard:no luck\ncave/deep:no luck\n");
});

hs_test!(two_files_print_paths_in_order, |tree, hs| {
    tree.files(["a", "b"], HOARD);
    hs.args(["-j1", "luck", "b", "a"]).prints("b:no luck\na:no luck\n");
});

hs_test!(carriage_returns_are_kept, |tree, hs| {
    tree.file("hoard", "gem\r\nrock\r\n");
    hs.args(["gem", "hoard"]).prints("gem\r\n");
});

hs_test!(paths_have_separators_and_a_root, |tree, hs| {
    tree.file("cave/deep/hoard", HOARD);
    hs.args(["luck", "cave"]).prints("cave/deep/hoard:no luck\n");
    hs.args(["luck", "cave/"]).prints("cave/deep/hoard:no luck\n");
    hs.args(["luck", "./cave"]).prints("./cave/deep/hoard:no luck\n");
    hs.args(["luck", "."]).prints("./cave/deep/hoard:no luck\n");
    hs.args(["luck", "./"]).prints("./cave/deep/hoard:no luck\n");
    hs.args(["luck"]).prints("cave/deep/hoard:no luck\n");
    hs.args(["--path-separator", "#", "luck"]).prints("cave#deep#hoard:no luck\n");
    hs.args(["--path-separator", r"\\", "luck", "./cave"]).prints(".\\cave\\deep\\hoard:no luck\n");
    hs.args(["--path-separator", "#", "--files"]).prints("cave#deep#hoard\n");
    hs.args(["--path-separator", "", "luck"]).prints("cave/deep/hoard:no luck\n");
    hs.args(["--path-separator", "##", "luck"]).refuses("path separator");
});

hs_test!(a_parent_directory_is_part_of_the_path, |tree, hs| {
    tree.file("cave/hoard", HOARD).dir("camp");
    hs.args(["luck", "../cave"]).cwd("camp").prints("../cave/hoard:no luck\n");
    hs.args(["luck", ".."]).cwd("camp").prints("../cave/hoard:no luck\n");
});

hs_test!(line_numbers_columns_and_byte_offsets, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-n", "gem", "hoard"]).prints("1:a gem\n3:gem and gem\n");
    hs.args(["--line-number", "last", "hoard"]).prints("4:last\n");
    hs.args(["-n", "-N", "last", "hoard"]).prints("last\n");
    hs.args(["--no-line-number", "-n", "last", "hoard"]).prints("4:last\n");
    hs.args(["--column", "gem", "hoard"]).prints("1:3:a gem\n3:1:gem and gem\n");
    hs.args(["--column", "-N", "gem", "hoard"]).prints("3:a gem\n1:gem and gem\n");
    hs.args(["--column", "--no-column", "gem", "hoard"]).prints("a gem\ngem and gem\n");
    hs.args(["-b", "gem", "hoard"]).prints("0:a gem\n14:gem and gem\n");
    hs.args(["-b", "-o", "gem", "hoard"]).prints("2:gem\n14:gem\n22:gem\n");
    hs.args(["-b", "--no-byte-offset", "last", "hoard"]).prints("last\n");
    hs.args(["-H", "-n", "--column", "-b", "and", "hoard"]).prints("hoard:3:5:14:gem and gem\n");
});

hs_test!(columns_count_bytes, |tree, hs| {
    tree.file("hoard", "ééé gem\n");
    hs.args(["--column", "gem", "hoard"]).prints("1:8:ééé gem\n");
});

hs_test!(file_names_on_and_off, |tree, hs| {
    tree.files(["hoard"], HOARD);
    hs.args(["-H", "last", "hoard"]).prints("hoard:last\n");
    hs.args(["--with-filename", "last", "hoard"]).prints("hoard:last\n");
    hs.args(["-I", "last"]).prints("last\n");
    hs.args(["--no-filename", "last"]).prints("last\n");
    hs.args(["-I", "-H", "last", "hoard"]).prints("hoard:last\n");
    hs.args(["-H", "-I", "last"]).prints("last\n");
});

hs_test!(a_heading_groups_lines, |tree, hs| {
    tree.files(["a", "b"], HOARD);
    hs.args(["-j1", "--heading", "gem", "a", "b"])
        .prints("a\na gem\ngem and gem\n\nb\na gem\ngem and gem\n");
    hs.args(["--heading", "-n", "-H", "last", "a"]).prints("a\n4:last\n");
    hs.args(["--heading", "last", "a"]).prints("last\n");
    hs.args(["-j1", "-I", "--heading", "last", "a", "b"]).prints("last\n\nlast\n");
    hs.args(["--heading", "--no-heading", "-H", "last", "a"]).prints("a:last\n");
});

hs_test!(only_matches, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-o", "gem", "hoard"]).prints("gem\ngem\ngem\n");
    hs.args(["-o", "-n", "g..", "hoard"]).prints("1:gem\n3:gem\n3:gem\n");
    hs.args(["-o", "--column", "gem", "hoard"]).prints("1:3:gem\n3:1:gem\n3:9:gem\n");
    hs.args(["--only-matching", "l[a-z]+", "hoard"]).prints("luck\nlast\n");
});

hs_test!(only_matches_of_an_empty_pattern_are_empty_lines, |tree, hs| {
    tree.file("hoard", "ab\n");
    hs.args(["-o", "", "hoard"]).prints("\n\n\n");
    hs.args(["-o", "-b", "x*", "hoard"]).prints("0:\n1:\n2:\n");
});

hs_test!(nul_after_paths, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-0", "-H", "last", "hoard"]).prints("hoard\0last\n");
    hs.args(["--null", "-H", "-n", "last", "hoard"]).prints("hoard\x004:last\n");
    hs.args(["-0", "--heading", "-H", "last", "hoard"]).prints("hoard\0last\n");
    hs.args(["-0", "-l", "last"]).prints("hoard\0");
    hs.args(["-0", "-c", "last"]).prints("hoard\x001\n");
    hs.args(["-0", "--files"]).prints("hoard\0");
});

hs_test!(vimgrep_prints_a_line_per_match, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["--vimgrep", "gem", "hoard"])
        .prints("hoard:1:3:a gem\nhoard:3:1:gem and gem\nhoard:3:9:gem and gem\n");
    hs.args(["--vimgrep", "-N", "luck", "hoard"]).prints("hoard:4:no luck\n");
    hs.args(["--vimgrep", "-I", "luck", "hoard"]).prints("2:4:no luck\n");
    hs.args(["--vimgrep", "--no-column", "luck", "hoard"]).prints("hoard:2:no luck\n");
    hs.args(["--vimgrep", "--heading", "luck", "hoard"]).prints("hoard:2:4:no luck\n");
    hs.args(["--vimgrep", "-o", "luck", "hoard"]).prints("hoard:2:4:luck\n");
    hs.args(["--vimgrep", "-A1", "luck", "hoard"])
        .prints("hoard:2:4:no luck\nhoard-3-gem and gem\n");
    hs.args(["--vimgrep", "-b", "gem", "hoard"])
        .prints("hoard:1:3:2:a gem\nhoard:3:1:14:gem and gem\nhoard:3:9:22:gem and gem\n");
});

hs_test!(r7_vimgrep_prints_or_omits_the_first_line_of_a_match, |tree, hs| {
    tree.file("hoard", "a long way to gem\nand gold\n");
    hs.args(["-U", "--vimgrep", "gem\nand", "hoard"]).prints("hoard:1:15:a long way to gem\n");
    hs.args(["-U", "--vimgrep", "-M9", "gem\nand", "hoard"])
        .differs_from_ripgrep("ripgrep prints the second line")
        .prints("hoard:1:15:[Omitted long line with 1 matches]\n");
});

hs_test!(long_lines_are_omitted, |tree, hs| {
    tree.file("hoard", "gem567\nshort\n");
    hs.args(["-M6", "gem", "hoard"]).prints("[Omitted long matching line]\n");
    hs.args(["-M7", "gem", "hoard"]).prints("gem567\n");
    hs.args(["-M0", "gem", "hoard"]).prints("gem567\n");
    hs.args(["-M6", "-n", "gem", "hoard"]).prints("1:[Omitted long matching line]\n");
    hs.args(["-M6", "--column", "gem", "hoard"]).prints("1:1:[Omitted long line with 1 matches]\n");
    hs.args(["-M3", "-A1", "gem", "hoard"])
        .prints("[Omitted long matching line]\n[Omitted long context line]\n");
});

hs_test!(long_lines_leave_a_preview, |tree, hs| {
    tree.file("hoard", "gem gem gem gem\n");
    hs.args(["-M5", "--max-columns-preview", "gem", "hoard"])
        .prints("gem g [... omitted end of long line]\n");
    hs.args(["-M5", "--max-columns-preview", "--column", "gem", "hoard"])
        .prints("1:1:gem g [... 2 more matches]\n");
    hs.args(["-M9", "--max-columns-preview", "--column", "gem", "hoard"])
        .prints("1:1:gem gem g [... 1 more match]\n");
    hs.args(["-M5", "--max-columns-preview", "--no-max-columns-preview", "gem", "hoard"])
        .prints("[Omitted long matching line]\n");
});

hs_test!(a_preview_cuts_between_characters, |tree, hs| {
    tree.file("hoard", "éééééé gem\n");
    hs.args(["-M3", "--max-columns-preview", "gem", "hoard"])
        .prints("ééé [... omitted end of long line]\n");
});

hs_test!(long_matches_are_omitted, |tree, hs| {
    tree.file("hoard", "a gem of gemstones\n");
    hs.args(["-o", "-M3", "gem[a-z]*", "hoard"]).prints("gem\n[Omitted long matching line]\n");
});

hs_test!(leading_blanks_are_trimmed, |tree, hs| {
    tree.file("hoard", " \t gem here \n\x0c\x0b next\n");
    hs.args(["--trim", "gem", "hoard"]).prints("gem here \n");
    hs.args(["--trim", "-A1", "gem", "hoard"]).prints("gem here \nnext\n");
    hs.args(["--trim", "--column", "gem", "hoard"]).prints("1:4:gem here \n");
    hs.args(["--trim", "--no-trim", "gem", "hoard"]).prints(" \t gem here \n");
    hs.args(["--trim", "-o", " +gem", "hoard"]).prints("gem\n");
});

hs_test!(trimming_comes_before_measuring, |tree, hs| {
    tree.file("hoard", "      gem\n");
    hs.args(["--trim", "-M4", "gem", "hoard"]).prints("gem\n");
});

hs_test!(field_separators, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-H", "-n", "-A1", "--field-match-separator", "|", "a gem", "hoard"])
        .prints("hoard|1|a gem\nhoard-2-no luck\n");
    hs.args(["-n", "-A1", "--field-context-separator", r"\t", "a gem", "hoard"])
        .prints("1:a gem\n2\tno luck\n");
    hs.args(["-n", "--field-match-separator", r"\x00\n", "luck", "hoard"]).prints("2\0\nno luck\n");
    hs.args(["-n", "--field-match-separator", r"\q", "luck", "hoard"]).prints("2\\qno luck\n");
});

hs_test!(pretty_means_colour_heading_and_numbers, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-p", "--color", "never", "-H", "last", "hoard"]).prints("hoard\n4:last\n");
    hs.args(["-p", "--color", "never", "--no-heading", "-N", "-H", "last", "hoard"])
        .prints("hoard:last\n");
});

hs_test!(max_count_is_per_file, |tree, hs| {
    tree.files(["a", "b"], HOARD);
    hs.args(["-j1", "-m1", "gem", "a", "b"]).prints("a:a gem\nb:a gem\n");
    hs.args(["--max-count=2", "gem", "a"]).prints("a gem\ngem and gem\n");
    hs.args(["-m0", "gem", "a"]).finds_nothing();
    hs.args(["-m1", "-o", "gem and|gem", "a"]).prints("gem\n");
});

hs_test!(files_are_kept_together, |tree, hs| {
    let names: Vec<String> = (0..40).map(|n| format!("file{n}")).collect();
    tree.files(names.iter().map(String::as_str), "gem 1\ngem 2\ngem 3\n");
    hs.args(["-j8", "gem"]).stdout_satisfies("no file is interrupted by another", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        let lines: Vec<&str> = text.lines().collect();
        lines.len() == 120
            && lines.chunks(3).all(|chunk| {
                let name = chunk[0].split(':').next().unwrap_or_default();
                (1..=3).all(|n| chunk[n - 1] == format!("{name}:gem {n}"))
            })
    });
});

hs_test!(headings_of_many_threads_have_one_blank_line_between, |tree, hs| {
    tree.files(["a", "b", "c", "d"], "gem\n");
    hs.args(["-j4", "--heading", "gem"])
        .prints_in_any_order("\n\n\na\nb\nc\nd\ngem\ngem\ngem\ngem\n");
});

hs_test!(names_that_are_not_utf8_are_printed_unchanged, |tree, hs| {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let name = OsStr::from_bytes(b"ho\xffard");
    tree.file(name, HOARD);
    hs.args(["luck"]).prints(b"ho\xffard:no luck\n");
    hs.args(["-H", "luck"]).arg(name).prints(b"ho\xffard:no luck\n");
    hs.args(["-l", "luck"]).prints(b"ho\xffard\n");
    hs.args(["--files"]).prints(b"ho\xffard\n");
});

hs_test!(lines_that_are_not_utf8_are_printed_unchanged, |tree, hs| {
    tree.file("hoard", b"\xff gem \xfe\n");
    hs.args(["gem", "hoard"]).prints(b"\xff gem \xfe\n");
});

hs_test!(buffering_does_not_change_the_output, |tree, hs| {
    tree.file("hoard", HOARD);
    for flag in ["--line-buffered", "--block-buffered", "--no-line-buffered", "--no-block-buffered"]
    {
        hs.args([flag, "gem", "hoard"]).prints("a gem\ngem and gem\n");
    }
});

hs_test!(memory_maps_do_not_change_the_output, |tree, hs| {
    tree.file("hoard", HOARD).file("empty", "");
    for flag in ["--mmap", "--no-mmap"] {
        hs.args([flag, "-n", "gem", "hoard"]).prints("1:a gem\n3:gem and gem\n");
        hs.args([flag, "-c", "gem"]).prints("hoard:2\n");
        hs.args([flag, "^", "empty"]).finds_nothing();
        hs.args([flag, "gem"]).stdin("gem\n").prints("gem\n");
    }
});

hs_test!(the_last_of_contradicting_flags_wins, |tree, hs| {
    tree.file("hoard", "GEM\ngem\n");
    hs.args(["-i", "-s", "gem", "hoard"]).prints("gem\n");
    hs.args(["-s", "-i", "gem", "hoard"]).prints("GEM\ngem\n");
    hs.args(["-c", "-l", "gem"]).prints("hoard\n");
    hs.args(["-l", "-c", "gem", "hoard"]).prints("1\n");
});

hs_test!(clusters_and_attached_values, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-nHA1", "a gem", "hoard"]).prints("hoard:1:a gem\nhoard-2-no luck\n");
    hs.args(["-A=1", "a gem", "hoard"]).prints("a gem\nno luck\n");
    hs.args(["hoard", "-n", "-e", "luck"]).prints("2:no luck\n");
    hs.args(["luck", "hoard", "-n"]).prints("2:no luck\n");
    hs.args(["-n", "--", "luck", "hoard"]).prints("2:no luck\n");
});

hs_test!(groups_before_the_match_are_replaced, |tree, hs| {
    tree.file("hoard", "foobar foobar\n");
    for multiline in ["-U", "--no-multiline"] {
        hs.args([multiline, "-P", r"(foo)\K(bar)", "-r", "<$1$2>", "hoard"])
            .prints("foo<foobar> foo<foobar>\n");
    }
});

hs_test!(a_terminal_is_warned_of_replacements_without_a_group, |tree, hs| {
    tree.file("hoard", "gem\n");
    let missing =
        |group| format!("hs: the pattern has no group {group}, so it is replaced by nothing\r\n");
    let escape = r"hs: a group in the replacement is written as $1, not \1";
    for (replacement, warnings, printed) in [
        ("<$nope>", missing("$nope"), "<>"),
        ("<$1$2>", missing("$2"), "<e>"),
        (r"<\1>", format!("{escape}\r\n"), r"<\1>"),
        ("<${1}$$1$0>", String::new(), "<e$1gem>"),
    ] {
        for engine in ["--engine=default", "-P"] {
            let replacement = format!("'{replacement}'");
            hs.args([engine, "--color=never", "-NI", "-r", &replacement, "'g(e)m'", "hoard"])
                .on_terminal()
                .differs_from_ripgrep("it gives no warning")
                .prints(format!("{warnings}{printed}\r\n"));
        }
    }
    hs.args(["-r", "<$nope>", "gem", "hoard"]).prints("<>\n");
});
