//! The bytes that are searched: those of the file, decompressed ones (`-z`), or the output of a
//! command (`--pre`).

use std::io::Write;

use crate::harness::TempTree;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text.as_bytes()).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// A line in every format except gzip, as the common programs write it.
const FORMATS: [(&str, &[u8]); 7] = [
    ("a.bz2", b"BZh91AY&SYZ\xe9}\xde\0\0\x01Q\0\0\x10@\0\x22\x82 \0\x22\x18h0\x022\x98]\xc9\x14\xe1BAk\xa5\xf7x"),
    ("a.xz", b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4F\x02\0!\x01\x16\0\0\0t/\xe5\xa3\x01\0\x05a gem\x0a\0\0\0\x05\x80\xdd\xed9\x0b\xcc$\0\x01\x1e\x06\xc1/\xa4\x1d\x1f\xb6\xf3}\x01\0\0\0\0\x04YZ"),
    ("a.lzma", b"]\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\x000\x88\x08\xe6\x94$\xff\x0e\x83\x9f\xff\xfe\xd8\xc8\0"),
    ("a.lz4", b"\x04\x22M\x18d@\xa7\x06\0\0\x80a gem\x0a\0\0\0\0\xe4'\x86\xca"),
    ("a.br", b"\x8f\x02\x80a gem\x0a\x03"),
    ("a.zst", b"(\xb5/\xfd\x04X1\0\0a gem\x0aKJ\xe2\x09"),
    ("a.Z", b"\x1f\x9d\x90a@\x9c)\xd3F\x01"),
];

/// The last of [`FORMATS`], which needs another program.
const UNCOMMON: &[u8] = FORMATS[FORMATS.len() - 1].1;

/// Creates a script for `--pre ./NAME`.
fn script(tree: &TempTree, name: &str, lines: &str) {
    tree.file(name, format!("#!/bin/sh\n{lines}\n")).chmod(name, 0o755);
}

hs_test!(the_extension_selects_the_format, |tree, hs| {
    let hoard = gzip("rock\na gem\n");
    tree.files(["a.gz", "b.tgz", "dir/c.gz", "D.GZ", "e"], &hoard).file("plain", "a gem\n");
    hs.args(["-zn", "gem"])
        .prints_in_any_order("a.gz:2:a gem\nb.tgz:2:a gem\ndir/c.gz:2:a gem\nplain:1:a gem\n");
    hs.args(["-zn", "gem", "a.gz"]).prints("2:a gem\n");
    hs.args(["gem", "a.gz"]).finds_nothing();
    hs.args(["-z", "--no-search-zip", "gem", "a.gz"]).finds_nothing();
    hs.args(["-zob", "gem", "a.gz"]).prints("7:gem\n");
});

hs_test!(every_format_is_decompressed, |tree, hs| {
    for (name, bytes) in FORMATS {
        tree.file(name, bytes);
    }
    let names = FORMATS.map(|(name, _)| format!("{name}:a gem\n"));
    hs.args(["-z", "gem"]).prints_in_any_order(names.concat());
    hs.args(["-z", "-c", "--no-filename", "gem"]).prints("1\n".repeat(FORMATS.len()));
});

hs_test!(several_members_are_one_file, |tree, hs| {
    let members = [gzip("a gem\nno "), gzip(""), gzip("gem\n"), vec![0; 600]];
    tree.file("a.gz", members.concat());
    hs.args(["-zn", "gem", "a.gz"]).prints("1:a gem\n2:no gem\n");
});

hs_test!(a_damaged_file_is_searched_up_to_the_damage, |tree, hs| {
    let whole = gzip(&(0..20_000).map(|number| format!("gem {number}\n")).collect::<String>());
    let half = &whole[..whole.len() / 2];
    tree.file("half.gz", half).file("no.gz", "a gem\n").file("empty.gz", "");
    tree.file("garbage.gz", [gzip("a gem\n"), b"garbage".to_vec()].concat());
    hs.args(["-zx", "gem 100", "half.gz"])
        .prints("gem 100\n")
        .stderr_contains("half.gz: ")
        .stderr_contains("unexpected end of file")
        .exits(2);
    for (flags, expected) in [("-zl", "half.gz\n"), ("-zm1", "gem 0\n"), ("-zq", "")] {
        hs.args([flags, "gem", "half.gz"])
            .differs_from_ripgrep("ripgrep can report damage after the last needed line")
            .prints(expected);
    }
    for line in ["-c gem", "-c nowhere --include-zero", "--count-matches gem"] {
        hs.args(line.split(' ').chain(["-z", "half.gz"])).refuses("unexpected end of file");
    }
    hs.args(["--files-without-match", "-z", "nowhere", "half.gz"]).refuses("unexpected end");
    hs.args(["-z", "gem", "no.gz"]).prints("").stderr_contains("no.gz: ").exits(2);
    hs.args(["-z", "gem", "empty.gz"])
        .prints("")
        .stderr_contains("unexpected end of file")
        .exits(2);
    hs.args(["-z", "gem", "garbage.gz"])
        .prints("a gem\n")
        .stderr_contains("decompression OK, trailing garbage ignored")
        .exits(2);
    hs.args(["-z", "--no-messages", "gem", "garbage.gz"]).prints("a gem\n").exits(2);
});

hs_test!(compressed_binary_files_are_binary, |tree, hs| {
    tree.file("a.gz", gzip("a gem\n\0\n"));
    hs.args(["-z", "gem"]).finds_nothing();
    hs.args(["-za", "gem"]).prints("a.gz:a gem\n");
    hs.args(["-z", "gem", "a.gz"]).stdout_satisfies("it is reported as binary", |stdout| {
        stdout.starts_with(b"binary file matches")
    });
});

hs_test!(a_compressed_stdin_is_not_decompressed, |_, hs| {
    hs.args(["-z", "gem"]).stdin(gzip("a gem\n")).finds_nothing();
    hs.args(["-z", "gem"]).stdin("a gem\n").prints("a gem\n");
});

hs_test!(a_command_prints_what_is_searched, |tree, hs| {
    script(tree, "pre", r#"echo "gem for $1"; sed s/rock/gem/"#);
    tree.file("dir/hoard", "a rock\n");
    hs.args(["--pre", "./pre", "gem", "dir"])
        .prints("dir/hoard:gem for dir/hoard\ndir/hoard:a gem\n");
    hs.args(["--pre=./pre", "gem", "./dir/hoard"]).prints("gem for ./dir/hoard\na gem\n");
    hs.args(["--pre", "./pre", "--path-separator=+", "-c", "gem", "dir"]).prints("dir+hoard:2\n");
    hs.args(["--pre", "./pre", "--no-pre", "gem", "dir"]).finds_nothing();
    hs.args(["--pre", "./pre", "--pre=", "gem", "dir"]).finds_nothing();
    hs.args(["--pre", "./pre", "gem"]).stdin("a rock\n").finds_nothing();
    hs.args(["--pre", "cat", "rock", "dir"]).prints("dir/hoard:a rock\n");
});

hs_test!(the_last_of_pre_and_search_zip_wins, |tree, hs| {
    tree.file("a.gz", gzip("a gem\n"));
    hs.args(["--pre", "cat", "-z", "gem", "a.gz"]).prints("a gem\n");
    hs.args(["-z", "--pre", "cat", "gem", "a.gz"]).finds_nothing();
    hs.args(["-z", "--no-pre", "gem", "a.gz"]).prints("a gem\n");
});

hs_test!(globs_choose_files_for_the_command, |tree, hs| {
    script(tree, "pre", "tr r g");
    tree.files(["a.x", "b.y", "dir/c.x"], "a rem\n");
    let searched = |globs: &[&str], expected: &str| {
        let globs = globs.iter().flat_map(|glob| ["--pre-glob", glob]);
        hs.args(["--pre", "./pre", "gem", "."].into_iter().chain(globs))
            .prints_in_any_order(expected);
    };
    searched(&[], "./a.x:a gem\n./b.y:a gem\n./dir/c.x:a gem\n");
    searched(&["*.x"], "./a.x:a gem\n./dir/c.x:a gem\n");
    searched(&["!*.x"], "./b.y:a gem\n");
    searched(&["*.x", "!dir/*"], "./a.x:a gem\n");
    searched(&["/a.*"], "./a.x:a gem\n");
    hs.args(["--pre-glob", "{", "rem"]).refuses("error parsing glob '{': ");
    hs.args(["--pre-glob", "*.x", "rem", "b.y"]).prints("a rem\n");
});

hs_test!(a_failing_command_is_reported, |tree, hs| {
    tree.files(["a", "b"], "a gem\n");
    script(tree, "fails", "cat; echo '  oops' >&2; exit 3");
    script(tree, "dies", "kill -9 $$");
    let line = "-".repeat(79);
    let told = format!("'\"./fails\" \"b\"': \n{line}\noops\n{line}\n");
    hs.args(["-j1", "--pre", "./fails", "gem", "a", "b"])
        .prints("a:a gem\nb:a gem\n")
        .stderr_contains("a: preprocessor command failed: '\"./fails\" \"a\"': \n")
        .stderr_contains(&format!("b: preprocessor command failed: {told}"))
        .exits(2);
    hs.args(["--pre", "./dies", "gem", "a"])
        .prints("")
        .stderr_contains("a: preprocessor command failed: '\"./dies\" \"a\"': <stderr is empty>\n")
        .exits(2);
    let why = "No such file or directory (os error 2)";
    hs.args(["--pre", "./missing", "gem", "a"])
        .prints("")
        .stderr_contains(&format!(
            "a: preprocessor command could not start: '\"./missing\" \"a\"': {why}\n"
        ))
        .exits(2);
    hs.args(["--no-messages", "--pre", "./missing", "gem", "a"]).prints("").exits(2);
    hs.args(["--pre", "./missing", "gem", "a", "b", "a"])
        .differs_from_ripgrep("ripgrep reports it for each file")
        .satisfies("it is reported once", |outcome| {
            outcome.stderr.iter().filter(|byte| **byte == b'\n').count() == 1
        })
        .exits(2);
});

hs_test!(an_endless_command_is_stopped_after_the_last_needed_line, |tree, hs| {
    tree.file("hoard", "a gem\n");
    script(tree, "endless", "yes gem");
    for flags in [&["-l"][..], &["-q"], &["-m1", "--no-line-number"]] {
        let expected = match flags[0] {
            "-l" => "hoard\n",
            "-q" => "",
            _ => "gem\n",
        };
        hs.args(flags.iter().chain(&["--pre", "./endless", "gem", "hoard"])).prints(expected);
    }
});

hs_test!(a_command_can_finish_after_the_last_needed_line, |tree, hs| {
    tree.file("hoard", "a gem\n");
    script(tree, "keeps", "cat; sleep 0.05; echo kept >> done");
    for flag in ["-l", "-q", "-m1"] {
        hs.args([flag, "--pre", "./keeps", "gem", "hoard"])
            .through_sh("\"$@\" > found; cat done; rm done")
            .prints("kept\n");
    }
});

hs_test!(a_failing_command_is_reported_after_the_last_needed_line, |tree, hs| {
    tree.file("hoard", "a gem\n");
    script(tree, "fails", "cat; sleep 0.05; echo oops >&2; exit 3");
    script(tree, "says_nothing", "cat; sleep 0.05; exit 3");
    for (flag, found) in [("-l", "hoard\n"), ("-m1", "a gem\n")] {
        hs.args([flag, "--pre", "./fails", "gem", "hoard"])
            .prints(found)
            .stderr_contains("\noops\n")
            .exits(2);
        hs.args([flag, "--pre", "./says_nothing", "gem", "hoard"]).prints(found);
    }
});

hs_test!(a_command_can_write_long_messages, |tree, hs| {
    tree.file("hoard", "a gem\n");
    script(tree, "loud", "head -c 500000 /dev/zero >&2; cat");
    hs.args(["--pre", "./loud", "gem", "hoard"]).prints("a gem\n");
    hs.args(["--hostname-bin", "./missing", "gem", "hoard"]).prints("a gem\n");
});

hs_test!(debug_reports_how_contents_are_read, |tree, hs| {
    tree.file("a.gz", gzip("a gem\n")).file("b", "a gem\n");
    hs.args(["--debug", "-z", "gem", "a.gz", "b"])
        .differs_from_ripgrep("the words are our own")
        .stderr_contains("a.gz: decompressed as gzip")
        .stderr_contains("b: not decompressed: no known extension")
        .prints_in_any_order("a.gz:a gem\nb:a gem\n");
    hs.args(["--debug", "--pre=cat", "--pre-glob=b", "-a", "gem", "a.gz", "b"])
        .differs_from_ripgrep("the words are our own")
        .stderr_contains("a.gz: not preprocessed: no --pre-glob matches")
        .stderr_contains("b: preprocessed by \"cat\" \"b\"")
        .prints("b:a gem\n");
});

hs_test!(few_descriptors_are_enough_for_commands, |tree, hs| {
    script(tree, "slow", "sleep 0.05; exec cat");
    let mut paths = String::new();
    for n in 0..20 {
        // Without the rules, more files match.
        let dir = format!("dir{}", n % 5);
        tree.file(format!("{dir}/.ignore"), "*.no\n").file(format!("{dir}/{n}.no"), "a gem\n");
        tree.file(format!("{dir}/{n}"), "a gem\n").file(format!("{dir}/{n}.Z"), UNCOMMON);
        paths += &format!("{dir}/{n}\n");
    }
    for flags in [&["-j4"][..], &["-j4", "--sort=modified"], &["-j1"]] {
        hs.args(["--pre=./slow", "-l", "gem", "-g!*.Z", "-g!slow"])
            .args(flags)
            .through_sh("ulimit -n 18; exec \"$@\"")
            .differs_from_ripgrep("ripgrep starts one program per thread")
            .prints_in_any_order(&paths);
        hs.args(["-z", "-l", "gem", "-g*.Z"])
            .args(flags)
            .through_sh("ulimit -n 18; exec \"$@\"")
            .differs_from_ripgrep("ripgrep starts one program per thread")
            .prints_in_any_order(paths.replace('\n', ".Z\n"));
    }
});
