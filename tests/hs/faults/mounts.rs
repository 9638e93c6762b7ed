//! File systems that are not like a disk's: FUSE with the oddities of network file systems and of
//! `/proc`, overlays, and `/proc` and `/sys` themselves.
//!
//! Each test mounts in a mount namespace of its own thread, of which nothing remains however the
//! test ends. Without root, or where the kernel has no such file system, it is skipped.

use std::{
    collections::BTreeSet, fs, io, panic, path::Path, process::Command, thread, time::Duration,
};

use nix::{
    mount::{MsFlags, mount},
    sched::{CloneFlags, unshare},
};
use rustix::{fs::FileType, io::Errno};
use skipped_tests::{skip, skip_part};

use crate::harness::{
    Hs, TempTree,
    fuse::{Odd, OddFs, odd},
    run::messages,
    succeeds,
};

/// Runs `body` in a mount namespace of its own, in which `set_up` has mounted something.
fn with_mounts(set_up: impl FnOnce() -> io::Result<()> + Send, body: impl FnOnce() + Send) {
    let isolate = || {
        unshare(CloneFlags::CLONE_NEWNS)?;
        let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
        mount(None::<&str>, "/", None::<&str>, flags, None::<&str>)?;
        set_up()
    };
    let run = || match isolate() {
        Ok(()) => body(),
        Err(error) => skip(format_args!("nothing can be mounted here: {error}")),
    };
    // A thread that ends takes its namespace with it.
    let name = thread::current().name().unwrap_or_default().to_owned();
    let ended = thread::scope(|scope| {
        thread::Builder::new().name(name).spawn_scoped(scope, run).expect("a thread").join()
    });
    ended.unwrap_or_else(|panic| panic::resume_unwind(panic));
}

/// Runs `body` with `odd` mounted at `mnt` in the tree.
fn with_fuse(tree: &TempTree, odd: OddFs, body: impl FnOnce() + Send) {
    let at = tree.dir("mnt").join("mnt");
    with_mounts(|| odd.mount(&at), body);
}

/// Mounts an empty tmpfs.
fn mount_tmpfs(at: &Path) -> io::Result<()> {
    fs::create_dir_all(at)?;
    Ok(mount(Some("tmpfs"), at, Some("tmpfs"), MsFlags::empty(), None::<&str>)?)
}

fn bind(source: &Path, at: &Path) -> io::Result<()> {
    Ok(mount(Some(source), at, None::<&str>, MsFlags::MS_BIND, None::<&str>)?)
}

/// Every way to read, by flags.
const READERS: [&[&str]; 6] =
    [&["--mmap"], &["-j1"], &["-j4"], &["-U", "-j1"], &["--sort=path"], &["--sort=modified"]];

/// Ways to read that do not take the reported length for the true one, as a memory map does.
const TO_THE_END: &[&[&str]] = READERS.split_at(1).1;

hs_test!(listings_without_types_are_walked, |tree, hs| {
    let fs = OddFs::new()
        .without_types()
        .file(".gitignore", odd("ignored\n"))
        .file("hoard", odd("gem\n"))
        .file("ignored", odd("gem\n"))
        .file(".hidden", odd("gem\n"))
        .file(b"dir/deep/no \xff text", odd("gem\n"))
        .link("dir/link", odd("deep"))
        .link("file-link", odd("hoard"));
    with_fuse(tree, fs, || {
        for threads in ["-j1", "-j4"] {
            hs.args(["--no-require-git", threads, "-l", "gem", "mnt"])
                .prints_in_any_order(b"mnt/hoard\nmnt/dir/deep/no \xff text\n");
            hs.args(["-uu", threads, "--files", "-L", "mnt"]).prints_in_any_order(
                b"mnt/.gitignore\nmnt/.hidden\nmnt/dir/deep/no \xff text\n\
                  mnt/dir/link/no \xff text\nmnt/file-link\nmnt/hoard\nmnt/ignored\n",
            );
        }
    });
});

hs_test!(files_of_another_length_than_reported_are_searched_to_the_end, |tree, hs| {
    let text = "rock\ngem\n";
    let of_len = |len| Odd { len: Some(len), is_direct: true, ..odd(text) };
    let fs = OddFs::new()
        .file("none", of_len(0))
        .file("less", of_len(7))
        .file("more", of_len(4096))
        .file("large", Odd { contents: text.repeat(40_000).into(), ..of_len(0) });
    with_fuse(tree, fs, || {
        for &reader in TO_THE_END {
            let expected = "mnt/large:40000\nmnt/less:1\nmnt/more:1\nmnt/none:1\n";
            hs.args(reader).args(["-c", "gem", "mnt"]).prints_in_any_order(expected);
            for file in ["mnt/none", "mnt/less", "mnt/more"] {
                hs.args(reader).args(["-n", "gem", file]).prints("2:gem\n");
                hs.args(reader).args(["-c", "-v", "gem", file]).prints("1\n");
            }
        }
        hs.args(["--max-filesize=4K", "-l", "gem", "mnt"])
            .prints_in_any_order("mnt/large\nmnt/less\nmnt/more\nmnt/none\n");
    });
});

hs_test!(reads_that_are_short_anywhere_are_no_ends, |tree, hs| {
    let text = "rock\ngem\n".repeat(10_000);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let step = |step| Odd { is_direct: true, step: Some(step), ..odd(&text) };
    let mut fs = OddFs::new()
        .file("utf16", Odd { contents: [&b"\xff\xfe"[..], &wide].concat(), ..step(4097) })
        .file("step1", Odd { contents: "rock\ngem\n".repeat(100).into(), ..step(1) });
    let steps = [100, 4095, 4096, 8192, 65_536];
    for len in steps {
        fs = fs.file(format!("step{len}"), step(len));
    }
    // They are recognised as FUSE where they are reached from a file system with other reads.
    let (at, file) = (tree.dir("mnt").join("mnt"), tree.file("bound", "").join("bound"));
    tree.symlink("mnt/step100", "link").symlink("mnt", "dir-link");
    let set_up = || {
        fs.mount(&at)?;
        bind(&at.join("step4095"), &file)
    };
    with_mounts(set_up, || {
        let names = |dir: &str| {
            let large = steps.map(|len| format!("{dir}/step{len}:10000\n")).concat();
            format!("{dir}/utf16:10000\n{dir}/step1:100\n{large}")
        };
        for &reader in TO_THE_END {
            hs.args(reader).args(["-c", "gem", "mnt"]).prints_in_any_order(names("mnt"));
            let all = names("mnt") + &names("dir-link") + "bound:10000\nlink:10000\n";
            hs.args(reader).args(["-c", "-L", "gem"]).prints_in_any_order(all);
        }
        hs.args(["-c", "--one-file-system", "gem"]).prints("bound:10000\n");
    });
});

hs_test!(a_file_is_searched_up_to_an_error_in_its_middle, |tree, hs| {
    let broken = |error, is_direct| Odd {
        error: Some((1 << 17, error)),
        is_direct,
        ..odd("gem\n".repeat(100_000))
    };
    let fs = OddFs::new()
        .file("cached", broken(Errno::IO, false))
        .file("direct", broken(Errno::STALE, true))
        .file("other", odd("gem\n"));
    with_fuse(tree, fs, || {
        let found = |stdout: &[u8]| {
            let lines = |name: &str| {
                let line = format!("mnt/{name}:gem\n");
                stdout
                    .split_inclusive(|byte| *byte == b'\n')
                    .filter(|it| *it == line.as_bytes())
                    .count()
            };
            lines("other") == 1 && lines("cached") > 10_000 && lines("direct") > 10_000
        };
        for threads in ["-j1", "-j4", "--sort=path"] {
            hs.args([threads, "gem", "mnt"])
                .differs_from_ripgrep("several threads of ripgrep drop what they found before")
                .stdout_satisfies("the parts before the errors are searched", found)
                .stderr_contains("mnt/cached: Input/output error (os error 5)")
                .stderr_contains("mnt/direct: Stale file handle (os error 116)")
                .exits(2);
        }
        hs.args(["--mmap", "gem", "mnt/cached"])
            .differs_from_ripgrep("ripgrep is ended by a signal")
            .stdout_satisfies("the part before the error is searched", |stdout| {
                stdout.len() > 99_999
            })
            .stderr_contains("mnt/cached: could not be read to its end through a memory map")
            .exits(2);
    });
});

hs_test!(files_and_directories_that_are_stale_are_reported, |tree, hs| {
    let stale = Errno::STALE;
    let fs = OddFs::new()
        .file("hoard", odd("gem\n"))
        .file("find", Odd { find_error: Some(stale), ..odd("gem\n") })
        .file("open", Odd { open_error: Some(stale), ..odd("gem\n") })
        .file("read", Odd { error: Some((0, stale)), ..odd("gem\n") })
        .file("gone", Odd { find_error: Some(Errno::NOENT), ..odd("gem\n") })
        .file("secret", Odd { open_error: Some(Errno::ACCESS), ..odd("gem\n") })
        .dir("dir-find", Odd { find_error: Some(stale), ..Odd::default() })
        .dir("dir-open", Odd { open_error: Some(stale), ..Odd::default() })
        .dir("dir-list", Odd { error: Some((2, stale)), step: Some(1), ..Odd::default() })
        .file("dir-find/it", odd("gem\n"))
        .file("dir-open/it", odd("gem\n"));
    let fs = ["a", "b", "c"]
        .iter()
        .fold(fs, |fs, name| fs.file(format!("dir-list/{name}"), odd("gem\n")));
    with_fuse(tree, fs, || {
        for threads in ["-j1", "-j4", "--sort=path"] {
            let files = "mnt/hoard\nmnt/dir-list/a\nmnt/dir-list/b\n";
            let mut run = hs
                .args([threads, "-l", "gem", "mnt"])
                .differs_from_ripgrep("ripgrep names no directory whose listing breaks off")
                .prints_in_any_order(files)
                .exits(2);
            for name in ["find", "open", "read", "dir-find", "dir-open", "dir-list"] {
                let message = format!("mnt/{name}: Stale file handle (os error 116)\n");
                run = run.stderr_contains(&message);
            }
            run.stderr_contains("mnt/secret: Permission denied (os error 13)\n")
                .stderr_contains("mnt/gone: No such file or directory (os error 2)\n")
                .stderr_satisfies("each once", |text| text.lines().count() == 8);
        }
    });
});

hs_test!(listings_whose_positions_repeat_end, |tree, hs| {
    let root = Odd { step: Some(3), again: 2, ..Odd::default() };
    let fs = (0..8).fold(OddFs::new().dir("", root), |fs, n| match n {
        2 => fs.file("dir/hoard", odd("gem\n")),
        n => fs.file(format!("file{n}"), odd("gem\n")),
    });
    with_fuse(tree, fs, || {
        // The server lists the second and the third entry twice, once for each opening.
        let others = "mnt/file0\nmnt/file3\nmnt/file4\nmnt/file5\nmnt/file6\nmnt/file7\n";
        let twice = "mnt/file1\nmnt/file1\nmnt/dir/hoard\nmnt/dir/hoard\n";
        for threads in ["-j1", "-j4"] {
            hs.args([threads, "-l", "gem", "mnt"]).prints_in_any_order(format!("{others}{twice}"));
        }
        let once = "mnt/file1\nmnt/dir/hoard\n";
        hs.args(["--sort=path", "-l", "gem", "mnt"])
            .differs_from_ripgrep("ripgrep sorts without removing what is listed twice")
            .prints_in_any_order(format!("{others}{once}"));
    });
});

hs_test!(entries_of_another_type_than_listed_are_reported, |tree, hs| {
    let listed = |listed_as, odd| Odd { listed_as: Some(listed_as), ..odd };
    let fs = OddFs::new()
        .file("hoard", odd("gem\n"))
        .file("file", listed(FileType::Directory, odd("gem\n")))
        .dir("dir", listed(FileType::RegularFile, Odd::default()))
        .link("link", listed(FileType::RegularFile, odd("hoard")));
    with_fuse(tree, fs, || {
        for threads in ["-j1", "-j4"] {
            hs.args([threads, "-l", "gem", "mnt"])
                .prints_in_any_order("mnt/hoard\nmnt/link\n")
                .stderr_contains("mnt/file: Not a directory (os error 20)")
                .stderr_contains("mnt/dir: Is a directory (os error 21)")
                .exits(2);
        }
    });
});

hs_test!(loops_of_links_end_where_inode_numbers_change, |tree, hs| {
    let fs =
        OddFs::new().with_new_inodes().file("dir/hoard", odd("gem\n")).link("dir/up", odd(".."));
    with_fuse(tree, fs, || {
        for threads in ["-j1", "-j4"] {
            // The system follows 40 links, so the directory is reached by 0 to 40 of them.
            let files: Vec<_> =
                (0..=40).map(|n| format!("mnt/{}dir/hoard\n", "dir/up/".repeat(n))).collect();
            hs.args([threads, "-L", "-l", "gem", "mnt"])
                .prints_in_any_order(files.concat())
                .stderr_contains("dir/up: Too many levels of symbolic links (os error 40)\n")
                .exits(2);
        }
    });
});

/// Expects this number of lines in a file that lies in the tree that is searched.
fn finds_all_but_its_output(hs: &Hs<'_>, lines: &str) {
    for args in ["-j1", "-j4", "--sort=path", "-U"] {
        hs.args([args, "gem", "mnt"])
            .through_sh("ulimit -f 20000; \"$@\" >mnt/out; wc -l <mnt/out")
            .differs_from_ripgrep("ripgrep finds its own output")
            .prints(lines);
    }
}

hs_test!(output_is_not_searched_where_listings_have_other_inode_numbers, |tree, hs| {
    for listing in [OddFs::without_inodes, |fs: OddFs| fs, OddFs::without_types] {
        let fs = OddFs::new().file("a", odd("a gem\n".repeat(20_000))).file("b", odd("a gem\n"));
        with_fuse(tree, listing(fs).file("out", odd("")), || {
            finds_all_but_its_output(hs, "20001\n");
        });
    }
});

hs_test!(a_file_system_that_answers_late_delays_only_its_files, |tree, hs| {
    let slow = || Odd { delay: Duration::from_millis(20), ..odd("gem\n") };
    let mut fs = OddFs::new().dir("", Odd { delay: Duration::from_millis(50), ..Odd::default() });
    for n in 0..20 {
        fs = fs.file(format!("dir{n}/hoard"), slow());
    }
    let fs = fs.file("silent/it", Odd { is_silent: true, ..odd("gem\n") });
    tree.file("hoard", "gem\n");
    with_fuse(tree, fs, || {
        let files: String = (0..20).map(|n| format!("mnt/dir{n}/hoard\n")).collect();
        for threads in ["-j1", "-j4", "--sort=path"] {
            hs.args([threads, "-g!silent", "-l", "gem", "mnt"]).prints_in_any_order(&files);
        }
        // A signal ends a read that is never answered.
        hs.args(["-j4", "-l", "gem"])
            .through_sh("timeout 1 \"$@\" >&2; echo $?")
            .prints("124\n")
            .stderr_satisfies("files elsewhere may have been found", |text| {
                text.lines().all(|line| line == "hoard" || files.contains(line))
            });
    });
});

hs_test!(overlays_are_searched_as_they_are_merged, |tree, hs| {
    let top = tree.join("top");
    let set_up = || {
        // The layers lie on different file systems, which makes the inode numbers of files differ
        // from those that listings contain.
        for layer in ["lower", "upper"] {
            mount_tmpfs(&top.join(layer))?;
        }
        for (name, text) in [
            ("lower/.gitignore", "*.log\n"),
            ("lower/dir/below", "gem\n"),
            ("lower/dir/both", "rock\n"),
            ("lower/dir/removed", "gem\n"),
            ("lower/dir/x.log", "gem\n"),
            ("lower/out", ""),
            ("upper/dir/above", "gem\n"),
            ("upper/dir/both", "gem\n"),
        ] {
            let (layer, name) = name.split_once('/').expect("a layer");
            let layer = top.join(layer).join(if layer == "upper" { "data" } else { "" });
            let path = layer.join(name);
            fs::create_dir_all(path.parent().expect("a layer"))?;
            fs::write(path, text)?;
        }
        fs::create_dir(top.join("upper/work"))?;
        let at = tree.dir("mnt").join("mnt");
        let dir = top.display();
        let layers =
            format!("lowerdir={dir}/lower,upperdir={dir}/upper/data,workdir={dir}/upper/work");
        mount(Some("overlay"), &at, Some("overlay"), MsFlags::empty(), Some(&*layers))?;
        fs::remove_file(at.join("dir/removed"))
    };
    with_mounts(set_up, || {
        let found = "mnt/dir/above\nmnt/dir/below\nmnt/dir/both\n";
        for reader in READERS {
            let args = ["--no-require-git", "-l", "gem", "mnt"];
            hs.args(reader).args(args).prints_in_any_order(found);
            hs.args(reader).args(args).args(["-L", "--one-file-system"]).prints_in_any_order(found);
        }
        fs::write(tree.join("mnt/dir/large"), "gem\n".repeat(50_000)).expect("a file");
        // The output file is copied from the lower layer to the upper one when it is opened.
        finds_all_but_its_output(hs, "50004\n");
    });
});

/// Mounts an overlay of `lower` and `upper` in the tree at `mnt`.
fn mount_overlay(tree: &TempTree, options: &str) -> io::Result<()> {
    let top = tree.dir("upper").dir("work").dir("mnt").join("");
    let dir = top.display();
    let layers = format!("lowerdir={dir}lower,upperdir={dir}upper,workdir={dir}work{options}");
    let at = top.join("mnt");
    Ok(mount(Some("overlay"), &at, Some("overlay"), MsFlags::empty(), Some(&*layers))?)
}

/// Changes a file to another text of the same length, and takes its time of modification back.
fn rewrite(path: &Path, text: &str) {
    let modified = fs::metadata(path).and_then(|old| old.modified()).expect("a file");
    let file = fs::File::options().write(true).open(path).expect("a file");
    io::Write::write_all(&mut &file, text.as_bytes()).expect("space");
    file.set_modified(modified).expect("a time");
}

/// Expects an error of a mode that is about the index of `mnt`.
fn expect_error(hs: &Hs<'_>, mode: &str, why: &str) {
    let run = hs.args([mode]).cwd("mnt").differs_from_ripgrep("it has no index");
    let Some(outcome) = run.exits_with_one_of(&[2]).outcome() else { return };
    let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(message.contains(why), "{message}");
}

hs_test!(an_index_of_an_overlay_is_of_files_only, |tree, hs| {
    for name in ["dir/a", "dir/b", "dir/sub/c", "d"] {
        tree.file(format!("lower/{name}"), "rock\n");
    }
    thread::sleep(Duration::from_millis(300));
    with_mounts(
        || mount_overlay(tree, ""),
        || {
            let run = |args: &[&str]| {
                let run = hs.args(args).cwd("mnt").differs_from_ripgrep("it has no index");
                run.outcome().map(|outcome| String::from_utf8_lossy(&outcome.stdout).into_owned())
            };
            let Some(report) = run(&["--index-update"]) else { return };
            assert!(report.contains(": 4 files (20 bytes) are covered"), "{report}");
            let level = "level: 1, files that cannot match are not read\n";
            assert!(run(&["--index-status"]).is_some_and(|status| status.contains(level)));
            let search = |expected: &str| {
                for flags in [&["--index=require"][..], &["--index=never"]] {
                    let args = [flags, &["--index-after=0", "-l", "--sort=path", "gem"]].concat();
                    assert_eq!(run(&args).as_deref(), Some(expected), "{flags:?}");
                }
                let files = run(&["--files", "--sort=path"]);
                assert_eq!(files, run(&["--files", "--sort=path", "--index=never"]));
            };
            search("");
            let stats = run(&["--index=require", "--stats", "gem"]).expect("an answer");
            let spared = "\nindex: 4 files left unread, 0 read in part; 0 of 4 blocks may match\n";
            assert!(stats.ends_with(spared), "{stats}");
            // A file of a lower layer is copied when it is written.
            rewrite(&tree.join("mnt/dir/a"), "gem!\n");
            search("dir/a\n");
            rewrite(&tree.join("mnt/dir/a"), "rock\n");
            search("");
            // Other programs change the lower layer.
            rewrite(&tree.join("lower/dir/sub/c"), "gem!\n");
            search("dir/sub/c\n");
            // This changes no time of the directory that is merged.
            fs::write(tree.join("lower/dir/late"), "gem!\n").expect("a file");
            search("dir/late\ndir/sub/c\n");
            fs::remove_file(tree.join("mnt/dir/late")).expect("a file");
            search("dir/sub/c\n");
            expect_error(hs, "--index-watch", "not on an overlay");
        },
    );
});

hs_test!(an_overlay_with_metacopy_gets_no_index, |tree, hs| {
    tree.file("lower/a", "gem\n");
    let set_up = || mount_overlay(tree, ",metacopy=on");
    let why = "this overlay is mounted with metacopy=on";
    with_mounts(set_up, || expect_error(hs, "--index-update", why));
});

hs_test!(an_overlay_with_xino_gets_no_index, |tree, hs| {
    // The option has no effect unless the layers lie on different file systems.
    let set_up = || {
        mount_tmpfs(&tree.join("lower"))?;
        mount_overlay(tree, ",xino=on")
    };
    let why = "this overlay is mounted with xino";
    with_mounts(set_up, || expect_error(hs, "--index-update", why));
});

hs_test!(what_the_kernel_says_of_itself_is_found_as_by_grep, |_, hs| {
    // Some of these files cannot be read, some have a length of 0 or 4096 but another content, and
    // some return an error for every read.
    if !succeeds(Command::new("sh").args(["-c", "grep --version | grep -q GNU"])) {
        return skip("grep is not GNU grep");
    }
    for dir in ["/proc/sys", "/proc/net/.", "/sys/module", "/sys/kernel/mm"] {
        if !Path::new(dir).is_dir() {
            skip_part(dir, "the kernel has no such directory");
            continue;
        }
        for reader in READERS {
            let run = || hs.args(reader).args(["-uuu", "-a", "-l", "[a-z0-9]", dir]);
            let ends_like_grep = (0..5).any(|_| {
                let before = grep(dir);
                let Some(outcome) = run().outcome() else { return true };
                let files = lines(&String::from_utf8_lossy(&outcome.stdout));
                let failed = lines(&messages(&outcome.stderr)).iter().map(|it| named(it)).collect();
                // The kernel may have changed its mind meanwhile.
                (files, failed) == before || before != grep(dir)
            });
            assert!(ends_like_grep, "{dir} {reader:?}:\n{:#?}\n{:#?}", grep(dir), run().outcome());
        }
    }
});

/// The files in which GNU grep finds a small letter or a digit, and those that it cannot read.
fn grep(dir: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut command = Command::new("grep");
    let output = command.args(["-ral", "[a-z0-9]", dir]).env("LC_ALL", "C").output();
    let output = output.expect("grep runs");
    let errors = String::from_utf8_lossy(&output.stderr).replace("grep: ", "");
    let failed = lines(&errors).iter().map(|line| named(line)).collect();
    (lines(&String::from_utf8_lossy(&output.stdout)), failed)
}

fn lines(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_string).collect()
}

/// The path that a message names.
fn named(message: &str) -> String {
    message.rsplit_once(": ").map_or(message, |(path, _)| path).to_string()
}
