//! Patterns: their sources, the flags that change their meaning, and their matches.

hs_test!(several_patterns_are_alternatives, |tree, hs| {
    tree.file("hoard", "gold\nsilver\ntin\n");
    hs.args(["-e", "gold", "-e", "tin", "hoard"]).prints("gold\ntin\n");
    hs.args(["--regexp=gold", "--regexp", "silver", "hoard"]).prints("gold\nsilver\n");
});

hs_test!(a_pattern_may_begin_with_a_dash, |tree, hs| {
    tree.file("hoard", "-x\n");
    hs.args(["-e", "-x", "hoard"]).prints("-x\n");
    hs.args(["--", "-x", "hoard"]).prints("-x\n");
    hs.args(["-e-x", "hoard"]).prints("-x\n");
});

hs_test!(patterns_come_from_files, |tree, hs| {
    tree.file("hoard", "gold\nsilver\ntin\n").file("wanted", "gold\r\ntin\n");
    hs.args(["-f", "wanted", "hoard"]).prints("gold\ntin\n");
    hs.args(["--file=wanted", "-e", "silver", "hoard"]).prints("gold\nsilver\ntin\n");
    hs.args(["-f", "-", "hoard"]).stdin("silver\n").prints("silver\n");
    hs.args(["-f", "-", "-f", "-", "hoard"]).stdin("silver\n").refuses("stdin");
    tree.file("hoard", "gold\r\ngold\n").file("wanted", "gold\r");
    hs.args(["-c", "-f", "wanted", "hoard"]).prints("1\n");
});

hs_test!(an_empty_pattern_file_matches_nothing, |tree, hs| {
    tree.file("hoard", "gold\n").file("none", "").file("blank", "\n");
    hs.args(["-f", "none", "hoard"]).finds_nothing();
    hs.args(["-v", "-f", "none", "hoard"]).prints("gold\n");
    hs.args(["-f", "blank", "hoard"]).prints("gold\n");
});

hs_test!(pattern_files_that_cannot_be_read, |tree, hs| {
    tree.file("hoard", "gold\n").file("bytes", b"ok\n\xff\n");
    hs.args(["-f", "missing", "hoard"]).refuses("missing: No such file or directory");
    hs.args(["-f", "bytes", "hoard"]).refuses("bytes:2");
});

hs_test!(the_empty_pattern_matches_every_line, |tree, hs| {
    tree.file("hoard", "gold\n\ntin").file("empty", "");
    hs.args(["", "hoard"]).prints("gold\n\ntin\n");
    hs.args(["", "empty"]).finds_nothing();
    hs.args(["^", "empty"]).finds_nothing();
});

hs_test!(case, |tree, hs| {
    tree.file("hoard", "gem\nGem\nGEM\n");
    hs.args(["gem", "hoard"]).prints("gem\n");
    hs.args(["-i", "gem", "hoard"]).prints("gem\nGem\nGEM\n");
    hs.args(["--ignore-case", "GEM", "hoard"]).prints("gem\nGem\nGEM\n");
    hs.args(["-S", "gem", "hoard"]).prints("gem\nGem\nGEM\n");
    hs.args(["-S", "Gem", "hoard"]).prints("Gem\n");
    hs.args(["--smart-case", "-s", "gem", "hoard"]).prints("gem\n");
    hs.args(["(?i)gem", "hoard"]).prints("gem\nGem\nGEM\n");
});

hs_test!(smart_case_depends_on_literals_only, |tree, hs| {
    tree.file("hoard", "GEM x\n");
    hs.args(["-S", r"gem\S*", "hoard"]).prints("GEM x\n");
    hs.args(["-S", r"gem\W", "hoard"]).prints("GEM x\n");
    hs.args(["-S", "[A-Z]em", "hoard"]).finds_nothing();
    hs.args(["-S", r"\w+", "hoard"]).prints("GEM x\n");
    hs.args(["-S", "-e", "gem", "-e", "Tin", "hoard"]).finds_nothing();
});

hs_test!(case_folding_is_unicode, |tree, hs| {
    tree.file("hoard", "ÉTÉ\n\u{212a}elvin\n");
    hs.args(["-i", "été", "hoard"]).prints("ÉTÉ\n");
    hs.args(["-i", "kelvin", "hoard"]).prints("\u{212a}elvin\n");
    hs.args(["-i", "--no-unicode", "été", "hoard"]).finds_nothing();
});

hs_test!(fixed_strings_are_literal, |tree, hs| {
    tree.file("hoard", "a.b\naxb\n");
    hs.args(["-F", "a.b", "hoard"]).prints("a.b\n");
    hs.args(["--fixed-strings", "--no-fixed-strings", "a.b", "hoard"]).prints("a.b\naxb\n");
    hs.args(["-F", "(", "hoard"]).finds_nothing();
    hs.args(["-F", "-i", "A.B", "hoard"]).prints("a.b\n");
});

hs_test!(whole_words, |tree, hs| {
    tree.file("hoard", "gem\ngems\na gem!\nfoo -2 bar\nfoobar\n");
    hs.args(["-w", "gem", "hoard"]).prints("gem\na gem!\n");
    hs.args(["--word-regexp", "-e", "-2", "hoard"]).prints("foo -2 bar\n");
    hs.args(["-w", "-o", "foo|foobar", "hoard"]).prints("foo\nfoobar\n");
    hs.args(["-w", "ge", "hoard"]).finds_nothing();
});

hs_test!(whole_words_are_unicode, |tree, hs| {
    tree.file("hoard", "égem\n");
    hs.args(["-w", "gem", "hoard"]).finds_nothing();
    hs.args(["-w", "--no-unicode", "gem", "hoard"]).prints("égem\n");
});

hs_test!(whole_lines, |tree, hs| {
    tree.file("hoard", "gem\na gem\ngem b\n");
    hs.args(["-x", "gem", "hoard"]).prints("gem\n");
    hs.args(["--line-regexp", "gem|a gem", "hoard"]).prints("gem\na gem\n");
    hs.args(["-x", "-w", "gem b|gem", "hoard"]).prints("gem\na gem\ngem b\n");
    hs.args(["-w", "-x", "gem", "hoard"]).prints("gem\n");
});

hs_test!(inverted, |tree, hs| {
    tree.file("hoard", "gem\nrock\n\nlast");
    hs.args(["-v", "gem", "hoard"]).prints("rock\n\nlast\n");
    hs.args(["-vn", "gem|rock", "hoard"]).prints("3:\n4:last\n");
    hs.args(["--invert-match", "--no-invert-match", "gem", "hoard"]).prints("gem\n");
    hs.args(["-v", "", "hoard"]).finds_nothing();
    hs.args(["-v", "-o", "gem", "hoard"]).prints("rock\n\nlast\n");
});

hs_test!(classes_and_anchors, |tree, hs| {
    tree.file("hoard", "gem 42\n42\n 7\n");
    hs.args([r"^\d+$", "hoard"]).prints("42\n");
    hs.args([r"^\s", "hoard"]).prints(" 7\n");
    hs.args([r"[[:alpha:]]+ [[:digit:]]{2}", "hoard"]).prints("gem 42\n");
    hs.args([r"\bgem\b", "hoard"]).prints("gem 42\n");
    hs.args([r"\A42\z", "hoard"]).prints("42\n");
    hs.args([r"(?x) g e m", "hoard"]).prints("gem 42\n");
});

hs_test!(unicode_classes, |tree, hs| {
    tree.file("hoard", "αβγ\nabc\n१\n");
    hs.args([r"\p{Greek}", "hoard"]).prints("αβγ\n");
    hs.args([r"^\w+$", "hoard"]).prints("αβγ\nabc\n१\n");
    hs.args([r"\d", "hoard"]).prints("१\n");
    hs.args(["--no-unicode", r"^\w+$", "hoard"]).prints("abc\n");
    hs.args(["--no-unicode", "--unicode", r"\d", "hoard"]).prints("१\n");
    hs.args(["^...$", "hoard"]).prints("αβγ\nabc\n");
});

hs_test!(bytes_that_are_not_utf8, |tree, hs| {
    tree.file("hoard", b"a\xffb\n");
    hs.args([r"(?-u)a\xffb", "hoard"]).prints(b"a\xffb\n");
    hs.args(["a.b", "hoard"]).finds_nothing();
    hs.args([r"(?-u)a.b", "hoard"]).prints(b"a\xffb\n");
    hs.args(["--no-unicode", "a.b", "hoard"]).prints(b"a\xffb\n");
});

hs_test!(patterns_do_not_match_line_terminators, |tree, hs| {
    tree.file("hoard", "gem\ngem\n");
    hs.args([r"gem\s+gem", "hoard"]).finds_nothing();
    hs.args([r"gem[^x]gem", "hoard"]).finds_nothing();
    hs.args(["-c", r"gem\s*", "hoard"]).prints("2\n");
    hs.args([r"gem\ngem", "hoard"]).refuses(r#"the literal "\n" is not allowed in a regex"#);
    hs.args(["gem\ngem", "hoard"]).refuses(r#"the literal "\n" is not allowed in a regex"#);
    hs.args([r"m|\n", "hoard"]).prints("gem\ngem\n");
});

hs_test!(patterns_that_cannot_be_compiled_are_rejected, |tree, hs| {
    tree.file("hoard", "gem\n");
    hs.args([r"gem\x00", "hoard"])
        .refuses(r#"pattern contains "\0" but it is impossible to match"#);
    hs.args(["-a", r"gem\x00", "hoard"]).finds_nothing();
    hs.args(["(gem", "hoard"]).refuses("regex parse error:");
    hs.args(["(gem", "hoard"]).refuses("error: unclosed group");
    hs.args(["*", "hoard"]).refuses("repetition operator missing expression");
    hs.args(["[z-a]", "hoard"]).refuses("regex parse error:");
    hs.args(["-e", "ok", "-e", "a{2,1}", "hoard"]).refuses("regex parse error:");
    hs.args([r"(a)\1", "hoard"]).refuses("backreferences are not supported");
    hs.args([r"a(?=b)", "hoard"]).refuses("look-around");
    hs.args(["--regex-size-limit", "1K", r"\w{1000}", "hoard"])
        .refuses("compiled regex exceeds size limit of 1024");
    hs.args(["--dfa-size-limit", "1K", r"\w+", "hoard"]).prints("gem\n");
});

hs_test!(the_leftmost_alternative_wins, |tree, hs| {
    tree.file("hoard", "gemstone\n");
    hs.args(["-o", "gem|gemstone", "hoard"]).prints("gem\n");
    hs.args(["-o", "-e", "gemstone", "-e", "gem", "hoard"]).prints("gemstone\n");
    hs.args(["-o", "g.*?m", "hoard"]).prints("gem\n");
});

hs_test!(dollar_does_not_see_carriage_returns, |tree, hs| {
    tree.file("hoard", "gem\r\n");
    hs.args(["gem$", "hoard"]).finds_nothing();
    hs.args([r"gem\r$", "hoard"]).prints("gem\r\n");
});

hs_test!(many_literals, |tree, hs| {
    let words: Vec<String> = (0..500).map(|n| format!("word{n}x")).collect();
    tree.file("wanted", words.join("\n")).file("hoard", "a word77x b\nword500x\nword499x\n");
    hs.args(["-f", "wanted", "hoard"]).prints("a word77x b\nword499x\n");
    hs.args(["-F", "-f", "wanted", "-o", "hoard"]).prints("word77x\nword499x\n");
});

hs_test!(a_pattern_must_be_text, |tree, hs| {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    tree.file("hoard", "gem\n");
    hs.args(["-F"]).arg(OsStr::from_bytes(b"\xff")).refuses("UTF-8");
});

hs_test!(r7_a_word_next_to_invalid_utf8_is_the_same_in_every_line, |tree, hs| {
    tree.file("hoard", b"\x9bgem\n\x9bgem\n").file("odd", b"a\n\x90\n");
    let unlike = "ripgrep finds the word in the second line, and nothing next to \\x90";
    hs.args(["-w", "gem", "hoard"]).differs_from_ripgrep(unlike).finds_nothing();
    hs.args(["-w", "", "odd"]).differs_from_ripgrep(unlike).finds_nothing();
    hs.args(["--binary", "-cvw", "", "-"])
        .stdin(b"a\0\x90\n")
        .differs_from_ripgrep(unlike)
        .prints("2\n");
    hs.args(["-w", "gem", "-"]).stdin(b" \x9bgem\n").prints(b" \x9bgem\n");
});

hs_test!(r7_look_behind_works_at_the_end_of_another_match, |tree, hs| {
    tree.file("hoard", "gem\nand\nfoo\n");
    hs.args(["-nU", "gem|^\nand", "hoard"])
        .differs_from_ripgrep("ripgrep forgets the text before, and prints the next line")
        .prints("1:gem\n");
    hs.args(["-nUx", "[^a].*", "hoard"])
        .differs_from_ripgrep("ripgrep forgets the text before, and prints the next line")
        .prints("1:gem\n3:foo\n");
    hs.args(["-nU", r"gem|\b\nand", "hoard"])
        .differs_from_ripgrep("ripgrep forgets the text before, and prints one line")
        .prints("1:gem\n2:and\n");
});

hs_test!(mistakes_are_shown_in_the_pattern_as_typed, |tree, hs| {
    tree.file("hoard", "gem\n");
    let runs: [(&[&str], &str); 5] = [
        (&["ge(m"], "regex parse error:\n    ge(m\n      ^\nerror: unclosed group"),
        (&["-e", "ok", "-e", "a(b"], "regex parse error:\n    a(b\n     ^\nerror: unclosed group"),
        (&[r"gem\"], "regex parse error:\n    gem\\\n       ^\nerror: incomplete escape sequence"),
        (&["-w", "(a"], "regex parse error:\n    (a\n    ^\nerror: unclosed group"),
        (&["-P", "(a"], "PCRE2: error compiling pattern at offset 2: missing closing parenthesis"),
    ];
    for (args, expected) in runs {
        let reason = "ripgrep shows the patterns in groups of its own";
        hs.args(args).args(["hoard"]).differs_from_ripgrep(reason).refuses(expected);
    }
});
