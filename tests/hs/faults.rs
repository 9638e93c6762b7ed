//! Faults of the system: `hs` reports what it could not do, finds all the rest, exits with the
//! right status, and neither panics nor hangs, both of which the harness checks in every run.
//!
//! | fault | tests |
//! |---|---|
//! | system calls of one kind fail, short or interrupted reads, clocks that jump | here |
//! | little memory, no processes, closed streams, mounts, odd files | `sessions/faults.txt` |
//! | FUSE with oddities of network file systems, overlays, `/proc` and `/sys` | `mounts` |
//! | one system call fails or is interrupted | `nth`; of a run that writes: `write/calls` |
//! | files and directories change while they are searched | here, `mutate` |
//! | programs of `--pre` that do not end | `programs` |
//! | signals, blocked and slow readers | `interrupt` |
//! | no permission (EACCES) | `sessions/errors.txt` |
//! | few descriptors (EMFILE), a full disk, readers that leave | `sessions/concurrency.txt` |
//! | link loops | `sessions/symlinks.txt` |
//!
//! A test that needs a C compiler, root or a system call of Linux is skipped if that is missing.

use std::{
    env, fs,
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::harness::{TempTree, process, run::Run, succeeds};

#[path = "faults/interrupt.rs"]
mod interrupt;
#[cfg(target_os = "linux")]
#[path = "faults/mounts.rs"]
mod mounts;
#[path = "faults/mutate.rs"]
mod mutate;
#[path = "faults/nth.rs"]
mod nth;
#[path = "faults/programs.rs"]
mod programs;

#[cfg(target_os = "linux")]
pub(crate) use nth::Plan;

/// A program or a library that was compiled from one of the C files, or why there is none.
type Compiled = Result<PathBuf, &'static str>;

/// Compiles one of the C files, once for all tests. There is none if there is no compiler, or if it
/// is not for the kind of processor that `hs` is for.
fn compiled(name: &'static str, flags: &[&str], program: &OnceLock<Compiled>) -> Compiled {
    let compile = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hs/faults").join(name);
        // Next to the tests: a temporary directory would have to be removed by the last test.
        let target =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{}", std::process::id()));
        let status = Command::new("cc").args(flags).arg("-o").arg(&target).arg(source).status();
        match status {
            Ok(status) => assert!(status.success(), "cc cannot compile {name}"),
            Err(_) => return Err("cc is not installed"),
        }
        let is_usable = is_for_same_processor(&target);
        is_usable.then_some(target).ok_or("cc compiles for another processor than that of hs")
    };
    program.get_or_init(compile).clone()
}

/// Whether a compiled C file acts on `hs`: both are for the same kind of processor. The `hs` that
/// runs in an emulator is a script.
pub(crate) fn is_for_same_processor(compiled: &Path) -> bool {
    let kind = |path: &Path| {
        let bytes = fs::read(path).expect("a readable program");
        // elf(5): EI_CLASS and e_machine. Programs of other formats count as equal.
        bytes.starts_with(b"\x7fELF").then(|| (bytes[4], bytes[18], bytes[19]))
    };
    kind(compiled) == kind(&process::program())
}

/// The path of `refuse`, which runs a program and makes its system calls fail.
fn refuse() -> Compiled {
    static PROGRAM: OnceLock<Compiled> = OnceLock::new();
    let path = compiled("refuse.c", &["-O1"], &PROGRAM)?;
    let can_refuse = succeeds(Command::new(&path).args(["list", "true"]));
    can_refuse.then_some(path).ok_or("the kernel has no filters of system calls (seccomp)")
}

/// The path of the library that changes reads and clocks.
fn shim() -> Compiled {
    if cfg!(target_env = "musl") {
        return Err("hs is linked statically");
    }
    static LIBRARY: OnceLock<Compiled> = OnceLock::new();
    compiled("shim.c", &["-O1", "-shared", "-fPIC", "-ldl"], &LIBRARY)
}

/// `run` with failing system calls, which `what` names.
fn refusing<'v>(run: Run<'v>, what: &str) -> Run<'v> {
    let program = match refuse() {
        Ok(program) => program,
        Err(why) => return run.skips(why),
    };
    // AddressSanitizer reads limits when it starts.
    let run = if what == "sandbox" {
        run.skips_if_sanitized("a sanitizer cannot start in a sandbox")
    } else {
        run
    };
    run.without_leak_check()
        .env("REFUSE", program)
        .env("WHAT", what)
        .through_sh("exec \"$REFUSE\" \"$WHAT\" \"$@\"")
        .differs_from_ripgrep("ripgrep panics without threads, and has other messages")
}

/// `run` with the changes to reads or clocks that the variable `name` with `value` selects.
fn misbehaving<'v>(run: Run<'v>, name: &'static str, value: &str) -> Run<'v> {
    let library = match shim() {
        Ok(library) => library,
        Err(why) => return run.skips(why),
    };
    // Blanks and colons separate the names in `LD_PRELOAD`, and a path can contain a blank. A name
    // without a slash is looked up in directories, which only colons separate.
    let (dir, file) = (library.parent().expect("a directory"), library.file_name());
    run.skips_if_sanitized("a sanitizer has to be the first library")
        .env("LD_PRELOAD", file.expect("a name"))
        .env("LD_LIBRARY_PATH", dir)
        .env(name, value)
        .differs_from_ripgrep("ripgrep makes other system calls")
}

/// Creates files in a few directories and a large file, and returns the paths.
fn create(tree: &TempTree) -> String {
    tree.wide(20, 5).file("large", "gem\n".repeat(100_000));
    let small =
        (0..20).flat_map(|dir| (0..5).map(move |file| format!("dir{dir:03}/file{file:03}\n")));
    small.chain(["large\n".to_string()]).collect()
}

hs_test!(directories_that_cannot_be_listed_are_reported, |tree, hs| {
    tree.wide(3, 2).file("named", "gem\n");
    let is_about_root = |line: &str| line == ".: Input/output error (os error 5)";
    for threads in ["-j1", "-j4"] {
        for mode in ["-l", "--files", "--sort=path"] {
            refusing(hs.args([mode, threads, "-egem", "named", "."]), "list")
                .stdout_satisfies("the named file is found", |stdout| stdout.starts_with(b"named"))
                .stderr_lines_are("the directory", is_about_root)
                .exits(2);
            refusing(hs.args([mode, threads, "-egem", "."]), "open-dirs")
                .prints("")
                .stderr_lines_are("the directory", is_about_root)
                .exits(2);
        }
    }
});

hs_test!(files_that_cannot_be_read_are_reported, |tree, hs| {
    tree.wide(3, 2);
    for args in [
        &["-j1", "gem"][..],
        &["-j4", "gem"],
        &["--sort=path", "-U", "g\\nm"],
        &["-c", "-v", "x"],
        &["--files-without-match", "x"],
    ] {
        refusing(hs.args(args), "read")
            .prints("")
            .stderr_contains("dir000/file001: Input/output error (os error 5)")
            .stderr_contains("dir002/file001: Input/output error (os error 5)")
            .exits(2);
    }
});

hs_test!(hs_works_without_threads_that_cannot_be_started, |tree, hs| {
    let expected = create(tree);
    for args in [
        &["-l", "-j8", "gem"][..],
        &["--files", "-j32"],
        &["-l", "--sort=path", "-j8", "gem"],
        &["-l", "-j0", "gem"],
    ] {
        refusing(hs.args(args), "threads").prints_in_any_order(&expected);
    }
    refusing(hs.args(["-c", "-j8", "gem", "large"]), "threads").prints("100000\n");
});

hs_test!(older_systems_and_sandboxes_are_searched, |tree, hs| {
    let expected = create(tree);
    for what in ["new-calls", "sandbox"] {
        for args in [&["-l", "-j4", "gem"][..], &["-l", "-j1", "gem"], &["--files"]] {
            refusing(hs.args(args), what).prints_in_any_order(&expected);
        }
        refusing(hs.args(["-c", "gem", "large"]), what).prints("100000\n");
        refusing(hs.args(["-c", "--mmap", "gem", "large"]), what).prints("100000\n");
        refusing(hs.args(["-l", "--queue=chase-lev", "-j4", "gem"]), what)
            .prints_in_any_order(&expected);
    }
});

hs_test!(short_and_interrupted_reads_change_nothing, |tree, hs| {
    let expected = create(tree);
    let with =
        |args: &[&str], name: &'static str, value: &str| misbehaving(hs.args(args), name, value);
    // On a disk a read is short at a page at the earliest, unless the file ends.
    for (name, value) in [("SHIM_SHORT", "4096"), ("SHIM_SIGNAL", "2"), ("SHIM_SIGNAL", "3")] {
        for args in
            [&["-l", "-j1", "gem"][..], &["-l", "-j4", "gem"], &["-l", "-U", "gem\\n(gem)?"]]
        {
            with(args, name, value).prints_in_any_order(&expected);
        }
        with(&["-c", "gem", "large"], name, value).prints("100000\n");
    }
    for bytes in ["1", "7", "4095"] {
        with(&["-c", "gem", "large"], "SHIM_SHORT", bytes).prints("100000\n");
        with(&["-n", "-m1", "gem"], "SHIM_SHORT", bytes).stdin("rock\ngem\n").prints("2:gem\n");
    }
});

hs_test!(a_file_is_searched_up_to_a_failing_read, |tree, hs| {
    tree.file("large", "gem\n".repeat(100_000));
    for args in [
        &["gem", "large"][..],
        &["-j4", "-I", "gem"],
        &["-U", "gem\\n", "large"],
        &["--paragraph", "gem", "large"],
    ] {
        misbehaving(hs.args(args), "SHIM_FAIL", "2")
            .stdout_satisfies("the part that was read is searched", |stdout| {
                !stdout.is_empty()
                    && stdout.len() < 400_000
                    && stdout.chunks(4).all(|line| line == b"gem\n")
            })
            .stderr_lines_are("the file", |line| line == "large: Input/output error (os error 5)")
            .exits(2);
    }
    // The first read, which is completed by a small one, takes 128 KiB.
    let counted = |args: &[&str], printed: &str| {
        misbehaving(hs.args(args).args(["large"]), "SHIM_FAIL", "2")
            .prints(printed)
            .stderr_lines_are("the file", |line| line == "large: Input/output error (os error 5)")
            .exits(2);
    };
    counted(&["-c", "gem"], "32768\n");
    counted(&["-c", "-v", "gem", "--include-zero"], "0\n");
    counted(&["--count-matches", "[ge]"], "65536\n");
    counted(&["--count-total", "gem"], "32768\n");
    counted(&["--files-without-match", "rock"], "");
});

hs_test!(clocks_that_jump_change_nothing, |tree, hs| {
    let expected = create(tree);
    for args in [
        &["-l", "-j4"][..],
        &["-l", "-j1"],
        &["-l", "--sort=modified"],
        &["-l", "--idle=poll-1ms", "-j4"],
    ] {
        misbehaving(hs.args(args).args(["gem"]), "SHIM_CLOCK", "1").prints_in_any_order(&expected);
    }
    misbehaving(hs.args(["--stats", "-q", "gem"]), "SHIM_CLOCK", "1")
        .stdout_satisfies("the counts are printed", |stdout| {
            String::from_utf8_lossy(stdout).contains("101 files searched")
        });
});

hs_test!(ten_thousand_levels, |tree, hs| {
    tree.deep("d", 10_000, "leaf", b"a gem\n");
    let path = "d/".repeat(10_000) + "leaf";
    for threads in ["-j1", "-j4"] {
        hs.args(["--files", threads])
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}\n"));
        hs.args([threads, "gem"])
            .through_sh("ulimit -n 40; ulimit -s 1024; exec \"$@\"")
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}:a gem\n"));
    }
    for flag in ["--follow", "--sort=path", "--sortr=path", "--one-file-system"] {
        hs.args([flag, "-l", "gem"])
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}\n"));
        // All paths together would take 100 MB.
        hs.args([flag, "-j1", "-l", "gem"])
            .through_sh("ulimit -v 60000; exec \"$@\"")
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}\n"));
    }
});

hs_test!(special_files_are_skipped, |tree, hs| {
    tree.file("hoard", "gem\n").fifo("pipe").symlink("pipe", "link").symlink("/dev/zero", "zero");
    let _socket = UnixListener::bind(tree.join("socket")).expect("a socket");
    for args in [
        &["-l", "gem"][..],
        &["-l", "-uuu", "gem"],
        &["-l", "-L", "gem"],
        &["-lL", "-j4", "--mmap", "gem"],
    ] {
        hs.args(args).prints("hoard\n");
    }
    hs.args(["gem", "socket", "hoard"])
        .prints("hoard:gem\n")
        .stderr_contains("socket: No such device or address (os error 6)")
        .exits(2);
    hs.args(["gem", "/dev/null"]).finds_nothing();
    hs.args(["-m1", "-a", "\\x00", "/dev/zero"])
        .through_sh("ulimit -v 1000000; exec \"$@\"")
        .differs_from_ripgrep("ripgrep is aborted")
        .prints("")
        .stderr_contains("/dev/zero: ")
        .exits(2);
});
