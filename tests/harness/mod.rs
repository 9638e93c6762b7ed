//! The harness of the end-to-end tests: a temporary directory tree ([`TempTree`]) and the program
//! ([`Hs`]) that runs in it.
//!
//! Most tests are text, which [`session`] describes. A test that needs Rust reads likewise:
//!
//! ```ignore
//! hs_test!(a_match_prints_its_line, |tree, hs| {
//!     tree.file("hoard", "a gem\nno luck\n");
//!     hs.args(["gem", "hoard"]).prints("a gem\n");
//! });
//! ```
//!
//! Whatever a test does not check has its default: exit status 0, nothing on stdout, nothing on
//! stderr. A child that hangs is killed after [`process::TIMEOUT`], and fails the test.
//!
//! With `HS_TEST_JUDGE=/path/to/rg` every command runs that program in place of `hs`, to check the
//! expectations. Runs that [differ from ripgrep](run::Run::differs_from_ripgrep) are left out.
//! `HS_TEST_INDEX` makes runs use an [index](indexed).
//! `HS_TEST_PROGRAM` names another `hs`. One for Windows (`.exe`) is compared as [`windows`]
//! describes; runs that need a terminal, another user or files of Unix are left out. What is left
//! out because this machine lacks something is reported as [`skipped_tests`] describes.

#![cfg_attr(windows, allow(dead_code, reason = "tests for Unix alone use the rest"))]

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

use skipped_tests::skip;

pub(crate) mod flags;
#[cfg(target_os = "linux")]
pub(crate) mod fuse;
pub(crate) mod indexed;
pub(crate) mod mutate;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod sys;
pub(crate) mod temp_tree;
#[cfg(unix)]
pub(crate) mod terminal;
pub(crate) mod windows;

pub(crate) use run::Hs;
pub(crate) use temp_tree::TempTree;

/// Whether a command succeeds. Its messages are not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Whether git is installed. Reports that the test is skipped otherwise.
pub(crate) fn has_git() -> bool {
    let has_git = succeeds(Command::new("git").arg("--version").stdout(Stdio::null()));
    if !has_git {
        skip("git is not installed");
    }
    has_git
}

/// Git in a directory of `tree`, with no configuration but that of repositories.
pub(crate) fn git(tree: &TempTree, dir: impl AsRef<Path>) -> Command {
    let mut command = Command::new("git");
    command.current_dir(tree.join(dir)).env("HOME", tree.home());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for name in ["user.name=x", "user.email=x", "protocol.file.allow=always"] {
        command.args(["-c", name]);
    }
    command
}

/// The paths in a list, of which each ends in NUL.
pub(crate) fn nul_paths(list: Vec<u8>) -> BTreeSet<String> {
    let text = String::from_utf8(list).expect("names are text");
    text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// Defines a test with a new tree and the program that runs in it.
macro_rules! hs_test {
    ($name:ident, |$tree:pat_param, $hs:pat_param| $body:block) => {
        #[test]
        fn $name() {
            let tree = $crate::harness::TempTree::new(stringify!($name));
            let hs = $crate::harness::Hs::new(&tree);
            let ($tree, $hs) = (&tree, &hs);
            $body
        }
    };
}
