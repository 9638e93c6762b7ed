//! Which of several flags wins: every row of the matrix compares three runs.

use crate::harness::{Hs, TempTree};

/// Fills a tree in which every flag of the rows makes a difference.
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

/// UTF-16 without a byte order mark.
fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Command lines that end with the same arguments.
struct With<'v, 'a> {
    hs: &'a Hs<'v>,
    arguments: &'static str,
}

fn with<'v, 'a>(hs: &'a Hs<'v>, arguments: &'static str) -> With<'v, 'a> {
    With { hs, arguments }
}

impl With<'_, '_> {
    /// Checks rows `flags = same flags != other flags`. The first two print the same, the third
    /// does not, so that no row passes by accident. `none` stands for no flags.
    #[track_caller]
    fn check(&self, rows: &[&'static str]) {
        for row in rows {
            let (flags, rest) = row.split_once(" = ").expect("flags = …");
            let (same, other) = rest.split_once(" != ").expect("flags = same != other");
            let words = |flags: &'static str| {
                let flags = if flags == "none" { "" } else { flags };
                [flags, self.arguments].into_iter().flat_map(|part| part.split(' '))
            };
            let answer = |flags| {
                let words = words(flags).filter(|word| !word.is_empty());
                sorted(&self.hs.args(words).stdout()).escape_ascii().to_string()
            };
            let answers = [flags, same, other].map(answer);
            let about = format!("`{}` after `{row}`: {answers:#?}", self.arguments);
            assert!(answers[0] == answers[1], "two flags differ: {about}");
            assert!(answers[0] != answers[2], "the third prints the same: {about}");
        }
    }
}

/// The lines, sorted: a walk prints them in any order.
fn sorted(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}

hs_test!(case, |tree, hs| {
    fill(tree);
    with(hs, "gem hoard").check(&["-s -i = -i != -s", "-i -s = --case-sensitive != -i"]);
    with(hs, "GEM hoard").check(&["-i -S = -S != -i", "-S -i = --ignore-case != -S"]);
    with(hs, "gem hoard").check(&["-S -s = -s != -S", "-s -S = --smart-case != -s"]);
});

hs_test!(boundary, |tree, hs| {
    fill(tree);
    with(hs, "gem hoard").check(&["-w -x = -x != -w", "-x -w = -w != --line-regexp"]);
});

hs_test!(binary, |tree, hs| {
    fill(tree);
    with(hs, "gem nul")
        .check(&["-a --binary = --binary != -a", "--binary -a = --text != --binary"]);
    with(hs, "gem .").check(&[
        "-a --no-binary -I = -I != -a -I",
        "-a --no-text -I = -I != -a -I",
        "--binary --no-text -I = -I != --binary -I",
    ]);
    with(hs, "").check(&[
        r"--null-data --no-text -c gem records = --null-data -c gem records != -c gem\b pair",
    ]);
    with(hs, "gem records").check(&["--null-data --binary -o = --null-data -o != --binary -o"]);
});

hs_test!(engine, |tree, hs| {
    // Only PCRE2 accepts \Q, and only the default engine accepts (?-u).
    fill(tree);
    with(hs, "(?-u:gem) hoard").check(&["--pcre2 --no-pcre2 = none != -P"]);
    with(hs, r"\Qgem\E hoard").check(&[
        "-P --engine=default = none != -P",
        "--engine=default -P = --engine=pcre2 != none",
    ]);
    with(hs, "(?-u:gem) hoard").check(&["-P --engine=auto = none != -P"]);
    with(hs, r"\Qgem\E hoard").check(&["--auto-hybrid-regex = --engine=auto != none"]);
    with(hs, "(?-u:gem) hoard").check(&["-P --auto-hybrid-regex = none != -P"]);
    with(hs, r"\Qgem\E hoard").check(&[
        "--engine=auto --no-auto-hybrid-regex = none != -P",
        "-P --no-auto-hybrid-regex = none != -P",
        "--auto-hybrid-regex --no-pcre2 = none != -P",
    ]);
});

hs_test!(fields, |tree, hs| {
    fill(tree);
    with(hs, "gem hoard").check(&[
        "-n -N = none != -n",
        "-N -n = --line-number != --no-line-number",
        "-H -I = --no-filename != -H",
        "-I -H = --with-filename != -I",
        "--column --no-column = none != --column",
        "--byte-offset --no-byte-offset = none != -b",
        "--heading --no-heading -H = -H != --heading -H",
    ]);
    with(hs, "luck hoard").check(&["--trim --no-trim = none != --trim"]);
    with(hs, "gem hoard").check(&[
        "--max-columns=5 -M 7 = -M7 != -M5",
        "-M5 --max-columns-preview --no-max-columns-preview = -M5 != -M5 --max-columns-preview",
        "-r x -r y = --replace=y != -r x",
        "--color=always --color=never = none != --color=always",
        "--pretty --color never --no-heading -N -H = -H != -p -H",
        "-N --no-heading -p = -p != none",
    ]);
});

hs_test!(modes, |tree, hs| {
    fill(tree);
    with(hs, "gem hoard").check(&["-l -c = -c != -l", "-c --files-with-matches = -l != -c"]);
    with(hs, "gem .").check(&["-l --files-without-match = --files-without-match != -l"]);
    with(hs, "gem hoard").check(&[
        "--json -c = -c != --json",
        "--json --no-json = none != --json",
        "-c --no-json = -c != none",
        "--count-matches -v = -c -v != --count-matches",
        "-c -o = --count-matches != -c",
        "-o -c = --count-matches != --count",
    ]);
    with(hs, "gem pair dos /dev/null")
        .check(&["-c --include-zero --no-include-zero = -c != -c --include-zero"]);
    with(hs, "gem hoard").check(&[
        "--stats --no-stats = none != --stats",
        "-v --no-invert-match = none != --invert-match",
    ]);
});

hs_test!(modes_that_do_not_search_win, |tree, hs| {
    fill(tree);
    for mode in ["-c", "-l", "--json", "--count-matches"] {
        hs.args(["--files", mode, "cave"])
            .differs_from_ripgrep("ripgrep lets the last mode win, against its manual")
            .prints("cave/hoard.rs\n");
    }
    hs.args(["--files", "--type-list", "-trust"])
        .stdout_satisfies("the list of types", |text| text.starts_with(b"ada: "));
    hs.args(["--type-list", "--files", "cave"]).prints("cave/hoard.rs\n");
});

hs_test!(context, |tree, hs| {
    fill(tree);
    with(hs, "luck hoard").check(&[
        "-n -A2 -C1 = -n -C1 -A2 != -n -C1",
        "-n -A2 -C1 = -n -B1 -A2 != -n -A2",
        "-n -C2 -B0 = -n -A2 -B0 != -n -C2",
        "-n --context=1 --after-context=0 = -n -B1 != -n -C1",
        "-n --before-context=1 -B 2 = -n -B2 != -n -B1",
        "-n --passthru -A1 = -n -A1 != -n --passthru",
        "-n -A1 --passthru = -n --passthrough != -n -A1",
        "-n -B1 --passthru -A1 = -n -A1 != -n -C1",
    ]);
    with(hs, "hoard").check(&["-A1 --context-separator=x --no-context-separator ^gems?$ \
         = -A1 --no-context-separator ^gems?$ != -A1 --context-separator=x a.gem|luck"]);
    with(hs, "a.gem|luck hoard").check(&["-A0 -C1 --no-context-separator --context-separator=x \
         = -A0 -C1 --context-separator=x != -A0 -C1 --no-context-separator"]);
});

hs_test!(lines, |tree, hs| {
    fill(tree);
    with(hs, "gem$ dos").check(&["--null-data --crlf -o = --crlf -o != --null-data -o"]);
    with(hs, "records")
        .check(&["--crlf --null-data -c gem = --null-data -c gem != --crlf -c last|gem"]);
    with(hs, "gem$ dos").check(&["--crlf --no-crlf = none != --crlf"]);
    with(hs, r"gem\s+and pair").check(&["--multiline --no-multiline = none != -U"]);
    with(hs, "m.and pair")
        .check(&["-U --multiline-dotall --no-multiline-dotall = -U != -U --multiline-dotall"]);
    with(hs, "gem pair").check(&["-U --stop-on-nonmatch = --stop-on-nonmatch != -U"]);
    with(hs, r"gem|d\s pair").check(&["--stop-on-nonmatch -U = -U != --stop-on-nonmatch"]);
    with(hs, "g.m hoard").check(&["-F --no-fixed-strings = none != -F"]);
    with(hs, r"\w letters").check(&[
        "--no-unicode --unicode = none != --no-unicode",
        "--no-pcre2-unicode --pcre2-unicode = none != --no-pcre2-unicode",
        "--no-unicode --pcre2-unicode = none != --no-unicode",
    ]);
    with(hs, "gem hoard").check(&["-m1 -m2 = --max-count=2 != -m1"]);
});

hs_test!(encodings, |tree, hs| {
    fill(tree);
    with(hs, "gem wide").check(&[
        "-E utf-16le --no-encoding = none != -E utf-16le",
        "--encoding=none -E utf-16le = -E utf-16le != -E none",
    ]);
});

hs_test!(preprocessors_and_archives, |tree, hs| {
    let packed = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03KO\xcd\xe5\x02\x00\x9c\xf3\x9c\x9f\x04\x00\x00\x00";
    tree.file("gem.gz", packed);
    fill(tree);
    with(hs, ". gem.gz").check(&[
        "--pre=cat --no-pre -z = -z != --pre=cat -c",
        "-z --pre=cat -c = --pre=cat -c != -z",
        "--pre=cat -z = --search-zip != --pre=cat -c",
        "-z --no-search-zip -c = -c != -z",
    ]);
    with(hs, "gem hoard").check(&[
        "--pre=rev --no-pre = none != --pre=rev",
        "--pre=rev --pre-glob=*.txt = none != --pre=rev",
    ]);
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
    fill(tree);
    with(hs, "--files").check(&[
        "-u --ignore-vcs = --no-ignore --ignore-vcs != -u",
        "--unrestricted --unrestricted = --no-ignore --hidden != -u",
    ]);
    with(hs, "gem .").check(&["-uuu -c = --no-ignore --hidden --binary -c != -uu -c"]);
    with(hs, "--files").check(&[
        "--no-ignore --ignore = none != --no-ignore",
        "--no-ignore-dot --ignore-dot = none != --no-ignore-dot",
        "--no-ignore-vcs --ignore-vcs = none != --no-ignore-vcs",
        "--no-ignore-exclude --ignore-exclude = none != --no-ignore-exclude",
        "--no-ignore-global --ignore-global = none != --no-ignore-global",
        "--no-ignore-parent --ignore-parent = none != --no-ignore-parent",
        "--ignore-file=.rules --no-ignore-files --ignore-files = --ignore-file=.rules != --no-ignore-files --ignore-file=.rules",
        "--no-ignore-files --ignore-file=.rules = none != --ignore-file=.rules",
        "--hidden --no-hidden = none != -.",
        "--follow --no-follow = none != -L",
        "-g *.RS --glob-case-insensitive --no-glob-case-insensitive = -g *.RS != -g *.RS --glob-case-insensitive",
        "-d1 --max-depth=0 = --maxdepth=0 != -d1",
        "--no-require-git --require-git = none != --no-ignore-vcs",
    ]);
    with(hs, "--files cave")
        .check(&["-trust -Trust = -tpy != -trust", "-Trust -trust = -trust != -Trust"]);
    with(hs, "--files").check(&["--one-file-system --no-one-file-system = none != -u"]);
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
