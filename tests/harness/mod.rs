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
//! expectations. Runs that [differ from ripgrep](run::Run::differs_from_ripgrep) are skipped.
//! `HS_TEST_INDEX` makes runs use an [index](indexed).
//! `HS_TEST_PROGRAM` names another `hs`. One for Windows (`.exe`) is compared as [`windows`]
//! describes; runs that need a terminal, another user or files of Unix are skipped.

#![cfg_attr(windows, allow(dead_code, reason = "tests for Unix alone use the rest"))]

use std::process::{Command, Stdio};

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

/// Whether a command that a test needs succeeds here. Reports that the test is skipped otherwise.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stderr(Stdio::null()).status();
    let succeeds = status.is_ok_and(|status| status.success());
    if !succeeds {
        eprintln!("skipped: {command:?} fails here");
    }
    succeeds
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
