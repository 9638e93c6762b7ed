//! Which of several flags wins: every row of the matrix, told by comparing runs.
//!
//! A row says that one command line prints what another prints, and not what a third one prints, so
//! that none is true by accident.

use crate::harness::{Hs, TempTree};

/// `(a command line, another that prints the same, a third that does not)`
type Row = (&'static str, &'static str, &'static str);

/// A tree in which every flag of the rows makes a difference.
fn fill(tree: &TempTree) {
    let text = "a gem\nGEM\ngem\ngems\n\n  no luck\ngem and gem\nlast\n";
    tree.git_init("").file(".gitignore", "vcs.txt\n").file(".ignore", "dot.txt\n");
    tree.file(".git/info/exclude", "excluded.txt\n").file("../.ignore", "above.txt\n");
    tree.file("../home/.config/git/ignore", "global.txt\n").file(".rules", "Ruled.txt\n");
    tree.files(["hoard", "vcs.txt", "dot.txt", "excluded.txt", "above.txt", "global.txt"], text);
    tree.files([".hidden", "Ruled.txt", "cave/hoard.rs"], text).symlink("hoard", "link");
    tree.file("nul", "gem\0\nlast\n")
        .file("letters", "é\n")
        .file("dos", "a gem\r\nlast\r\n")
        .file("wide", wide("gem\n"));
    tree.file("pair", "gem\nand\ngem\n").file("records", "gem\0last\0");
}

/// UTF-16 without a mark.
fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn check(tree: &TempTree, hs: &Hs<'_>, rows: &[Row]) {
    fill(tree);
    for (typed, same, other) in rows {
        let words = |line: &'static str| line.split(' ').collect::<Vec<_>>();
        let answer = |line| sorted(&hs.args(words(line)).stdout());
        let answers = [answer(typed), answer(same), answer(other)]
            .map(|text| text.escape_ascii().to_string());
        assert!(answers[0] == answers[1], "`{typed}` is not `{same}`: {answers:#?}");
        assert!(answers[0] != answers[2], "`{typed}` and `{other}` print the same: {answers:#?}");
    }
}

/// The lines in order, since those of a walk come in any.
fn sorted(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}

hs_test!(case, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("-s -i gem hoard", "-i gem hoard", "-s gem hoard"),
            ("-i -s gem hoard", "--case-sensitive gem hoard", "-i gem hoard"),
            ("-i -S GEM hoard", "-S GEM hoard", "-i GEM hoard"),
            ("-S -i GEM hoard", "--ignore-case GEM hoard", "-S GEM hoard"),
            ("-S -s gem hoard", "-s gem hoard", "-S gem hoard"),
            ("-s -S gem hoard", "--smart-case gem hoard", "-s gem hoard"),
        ],
    );
});

hs_test!(boundary, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("-w -x gem hoard", "-x gem hoard", "-w gem hoard"),
            ("-x -w gem hoard", "-w gem hoard", "--line-regexp gem hoard"),
        ],
    );
});

hs_test!(binary, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("-a --binary gem nul", "--binary gem nul", "-a gem nul"),
            ("--binary -a gem nul", "--text gem nul", "--binary gem nul"),
            ("-a --no-binary -I gem .", "-I gem .", "-a -I gem ."),
            ("-a --no-text -I gem .", "-I gem .", "-a -I gem ."),
            ("--binary --no-text -I gem .", "-I gem .", "--binary -I gem ."),
            (
                "--null-data --no-text -c gem records",
                "--null-data -c gem records",
                "-c gem\\b pair",
            ),
            (
                "--null-data --binary -o gem records",
                "--null-data -o gem records",
                "--binary -o gem records",
            ),
        ],
    );
});

hs_test!(engine, |tree, hs| {
    // PCRE2 takes \Q, the default engine refuses it; (?i-u) is the other way about.
    check(
        tree,
        hs,
        &[
            (r"--pcre2 --no-pcre2 (?-u:gem) hoard", r"(?-u:gem) hoard", r"-P (?-u:gem) hoard"),
            (r"-P --engine=default \Qgem\E hoard", r"\Qgem\E hoard", r"-P \Qgem\E hoard"),
            (
                r"--engine=default -P \Qgem\E hoard",
                r"--engine=pcre2 \Qgem\E hoard",
                r"\Qgem\E hoard",
            ),
            (r"-P --engine=auto (?-u:gem) hoard", r"(?-u:gem) hoard", r"-P (?-u:gem) hoard"),
            (
                r"--auto-hybrid-regex \Qgem\E hoard",
                r"--engine=auto \Qgem\E hoard",
                r"\Qgem\E hoard",
            ),
            (r"-P --auto-hybrid-regex (?-u:gem) hoard", r"(?-u:gem) hoard", r"-P (?-u:gem) hoard"),
            (
                r"--engine=auto --no-auto-hybrid-regex \Qgem\E hoard",
                r"\Qgem\E hoard",
                r"-P \Qgem\E hoard",
            ),
            (r"-P --no-auto-hybrid-regex \Qgem\E hoard", r"\Qgem\E hoard", r"-P \Qgem\E hoard"),
            (
                r"--auto-hybrid-regex --no-pcre2 \Qgem\E hoard",
                r"\Qgem\E hoard",
                r"-P \Qgem\E hoard",
            ),
        ],
    );
});

hs_test!(fields, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("-n -N gem hoard", "gem hoard", "-n gem hoard"),
            ("-N -n gem hoard", "--line-number gem hoard", "--no-line-number gem hoard"),
            ("-H -I gem hoard", "--no-filename gem hoard", "-H gem hoard"),
            ("-I -H gem hoard", "--with-filename gem hoard", "-I gem hoard"),
            ("--column --no-column gem hoard", "gem hoard", "--column gem hoard"),
            ("--byte-offset --no-byte-offset gem hoard", "gem hoard", "-b gem hoard"),
            ("--heading --no-heading -H gem hoard", "-H gem hoard", "--heading -H gem hoard"),
            ("--trim --no-trim luck hoard", "luck hoard", "--trim luck hoard"),
            ("--max-columns=5 -M 7 gem hoard", "-M7 gem hoard", "-M5 gem hoard"),
            (
                "-M5 --max-columns-preview --no-max-columns-preview gem hoard",
                "-M5 gem hoard",
                "-M5 --max-columns-preview gem hoard",
            ),
            ("-r x -r y gem hoard", "--replace=y gem hoard", "-r x gem hoard"),
            ("--color=always --color=never gem hoard", "gem hoard", "--color=always gem hoard"),
            (
                "--pretty --color never --no-heading -N -H gem hoard",
                "-H gem hoard",
                "-p -H gem hoard",
            ),
            ("-N --no-heading -p gem hoard", "-p gem hoard", "gem hoard"),
        ],
    );
});

hs_test!(modes, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("-l -c gem hoard", "-c gem hoard", "-l gem hoard"),
            ("-c --files-with-matches gem hoard", "-l gem hoard", "-c gem hoard"),
            ("-l --files-without-match gem .", "--files-without-match gem .", "-l gem ."),
            ("--json -c gem hoard", "-c gem hoard", "--json gem hoard"),
            ("--json --no-json gem hoard", "gem hoard", "--json gem hoard"),
            ("-c --no-json gem hoard", "-c gem hoard", "gem hoard"),
            ("--count-matches -v gem hoard", "-c -v gem hoard", "--count-matches gem hoard"),
            ("-c -o gem hoard", "--count-matches gem hoard", "-c gem hoard"),
            ("-o -c gem hoard", "--count-matches gem hoard", "--count gem hoard"),
            (
                "-c --include-zero --no-include-zero gem pair dos /dev/null",
                "-c gem pair dos /dev/null",
                "-c --include-zero gem pair dos /dev/null",
            ),
            ("--stats --no-stats gem hoard", "gem hoard", "--stats gem hoard"),
            ("-v --no-invert-match gem hoard", "gem hoard", "--invert-match gem hoard"),
        ],
    );
});

hs_test!(modes_that_search_nothing_stay, |tree, hs| {
    fill(tree);
    for mode in ["-c", "-l", "--json", "--count-matches"] {
        hs.args(["--files", mode, "cave"])
            .differs_from_ripgrep("the last mode wins there, against its manual")
            .prints("cave/hoard.rs\n");
    }
    hs.args(["--files", "--type-list", "-trust"])
        .stdout_satisfies("it is the list", |text| text.starts_with(b"ada: "));
    hs.args(["--type-list", "--files", "cave"]).prints("cave/hoard.rs\n");
});

hs_test!(context, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("-n -A2 -C1 luck hoard", "-n -C1 -A2 luck hoard", "-n -C1 luck hoard"),
            ("-n -A2 -C1 luck hoard", "-n -B1 -A2 luck hoard", "-n -A2 luck hoard"),
            ("-n -C2 -B0 luck hoard", "-n -A2 -B0 luck hoard", "-n -C2 luck hoard"),
            (
                "-n --context=1 --after-context=0 luck hoard",
                "-n -B1 luck hoard",
                "-n -C1 luck hoard",
            ),
            ("-n --before-context=1 -B 2 luck hoard", "-n -B2 luck hoard", "-n -B1 luck hoard"),
            ("-n --passthru -A1 luck hoard", "-n -A1 luck hoard", "-n --passthru luck hoard"),
            ("-n -A1 --passthru luck hoard", "-n --passthrough luck hoard", "-n -A1 luck hoard"),
            ("-n -B1 --passthru -A1 luck hoard", "-n -A1 luck hoard", "-n -C1 luck hoard"),
            (
                "-A1 --context-separator=x --no-context-separator ^gems?$ hoard",
                "-A1 --no-context-separator ^gems?$ hoard",
                "-A1 --context-separator=x a.gem|luck hoard",
            ),
            (
                "-A0 -C1 --no-context-separator --context-separator=x a.gem|luck hoard",
                "-A0 -C1 --context-separator=x a.gem|luck hoard",
                "-A0 -C1 --no-context-separator a.gem|luck hoard",
            ),
        ],
    );
});

hs_test!(lines, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("--null-data --crlf -o gem$ dos", "--crlf -o gem$ dos", "--null-data -o gem$ dos"),
            (
                "--crlf --null-data -c gem records",
                "--null-data -c gem records",
                "--crlf -c last|gem records",
            ),
            ("--crlf --no-crlf gem$ dos", "gem$ dos", "--crlf gem$ dos"),
            (r"--multiline --no-multiline gem\s+and pair", r"gem\s+and pair", r"-U gem\s+and pair"),
            (
                r"-U --multiline-dotall --no-multiline-dotall m.and pair",
                r"-U m.and pair",
                r"-U --multiline-dotall m.and pair",
            ),
            ("-U --stop-on-nonmatch gem pair", "--stop-on-nonmatch gem pair", "-U gem pair"),
            (
                r"--stop-on-nonmatch -U gem|d\s pair",
                r"-U gem|d\s pair",
                r"--stop-on-nonmatch gem|d\s pair",
            ),
            ("-F --no-fixed-strings g.m hoard", "g.m hoard", "-F g.m hoard"),
            (r"--no-unicode --unicode \w letters", r"\w letters", r"--no-unicode \w letters"),
            (
                r"--no-pcre2-unicode --pcre2-unicode \w letters",
                r"\w letters",
                r"--no-pcre2-unicode \w letters",
            ),
            (r"--no-unicode --pcre2-unicode \w letters", r"\w letters", r"--no-unicode \w letters"),
            ("-m1 -m2 gem hoard", "--max-count=2 gem hoard", "-m1 gem hoard"),
        ],
    );
});

hs_test!(encodings, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("-E utf-16le --no-encoding gem wide", "gem wide", "-E utf-16le gem wide"),
            ("--encoding=none -E utf-16le gem wide", "-E utf-16le gem wide", "-E none gem wide"),
        ],
    );
});

hs_test!(preprocessors_and_archives, |tree, hs| {
    let packed = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03KO\xcd\xe5\x02\x00\x9c\xf3\x9c\x9f\x04\x00\x00\x00";
    tree.file("gem.gz", packed);
    check(
        tree,
        hs,
        &[
            ("--pre=cat --no-pre -z . gem.gz", "-z . gem.gz", "--pre=cat -c . gem.gz"),
            ("-z --pre=cat -c . gem.gz", "--pre=cat -c . gem.gz", "-z . gem.gz"),
            ("--pre=cat -z . gem.gz", "--search-zip . gem.gz", "--pre=cat -c . gem.gz"),
            ("-z --no-search-zip -c . gem.gz", "-c . gem.gz", "-z . gem.gz"),
            ("--pre=rev --no-pre gem hoard", "gem hoard", "--pre=rev gem hoard"),
            ("--pre=rev --pre-glob=*.txt gem hoard", "gem hoard", "--pre=rev gem hoard"),
        ],
    );
});

hs_test!(order, |tree, hs| {
    tree.files(["sorted/a", "sorted/b", "sorted/c"], "gem\n");
    for (typed, same) in [
        ("--sort=path --sortr=path", "--sortr=path"),
        ("--sortr=path --sort path", "--sort=path"),
        ("--sortr=path --sort-files", "--sort=path"),
        ("--sort=none --sortr path", "--sortr=path"),
    ] {
        let words =
            |line: &'static str| line.split(' ').chain(["gem", "sorted"]).collect::<Vec<_>>();
        let ours = hs.args(words(typed)).stdout();
        assert_eq!(ours, hs.args(words(same)).stdout(), "`{typed}` is not `{same}`");
        assert_eq!(ours.starts_with(b"sorted/a"), same == "--sort=path", "{typed}");
        hs.args(words(typed))
            .args(["--no-sort-files"])
            .prints_in_any_order("sorted/a:gem\nsorted/b:gem\nsorted/c:gem\n");
    }
});

hs_test!(filters, |tree, hs| {
    check(
        tree,
        hs,
        &[
            ("--files -u --ignore-vcs", "--files --no-ignore --ignore-vcs", "--files -u"),
            ("--files --unrestricted --unrestricted", "--files --no-ignore --hidden", "--files -u"),
            ("-uuu -c gem .", "--no-ignore --hidden --binary -c gem .", "-uu -c gem ."),
            ("--files --no-ignore --ignore", "--files", "--files --no-ignore"),
            ("--files --no-ignore-dot --ignore-dot", "--files", "--files --no-ignore-dot"),
            ("--files --no-ignore-vcs --ignore-vcs", "--files", "--files --no-ignore-vcs"),
            (
                "--files --no-ignore-exclude --ignore-exclude",
                "--files",
                "--files --no-ignore-exclude",
            ),
            ("--files --no-ignore-global --ignore-global", "--files", "--files --no-ignore-global"),
            ("--files --no-ignore-parent --ignore-parent", "--files", "--files --no-ignore-parent"),
            (
                "--files --ignore-file=.rules --no-ignore-files --ignore-files",
                "--files --ignore-file=.rules",
                "--files --no-ignore-files --ignore-file=.rules",
            ),
            (
                "--files --no-ignore-files --ignore-file=.rules",
                "--files",
                "--files --ignore-file=.rules",
            ),
            ("--files --hidden --no-hidden", "--files", "--files -."),
            ("--files --follow --no-follow", "--files", "--files -L"),
            (
                "--files -g *.RS --glob-case-insensitive --no-glob-case-insensitive",
                "--files -g *.RS",
                "--files -g *.RS --glob-case-insensitive",
            ),
            ("--files -d1 --max-depth=0", "--files --maxdepth=0", "--files -d1"),
            ("--files --no-require-git --require-git", "--files", "--files --no-ignore-vcs"),
            ("--files -trust -Trust cave", "--files -tpy cave", "--files -trust cave"),
            ("--files -Trust -trust cave", "--files -trust cave", "--files -Trust cave"),
            ("--files --one-file-system --no-one-file-system", "--files", "--files -u"),
        ],
    );
});

hs_test!(the_command_line_comes_after_the_configuration, |tree, hs| {
    fill(tree);
    tree.file("config", "-i\n-n\n--passthru\n-eno-such\n");
    let with = |line: &str| hs.args(line.split(' ').collect::<Vec<_>>()).config("config").stdout();
    let plain = |line: &str| hs.args(line.split(' ').collect::<Vec<_>>()).stdout();
    assert_eq!(with("-s -N -A0 -egem hoard"), plain("-egem hoard"));
    assert_eq!(with("-A0 -egem hoard"), plain("-n -i -egem hoard"));
    assert_ne!(with("-A0 -egem hoard"), plain("-egem hoard"));
});
