//! The vocabulary of the end-to-end tests: a [`TempTree`] to search in and a command [`Hs`] to do it with.
//!
//! A test reads like a shell session:
//!
//! ```ignore
//! hs_test!(a_match_prints_its_line, |tree, hs| {
//!     tree.file("hoard", "a gem\nno luck\n");
//!     hs.args(["gem", "hoard"]).prints("a gem\n");
//! });
//! ```
//!
//! What a test does not mention must be quiet: exit status 0, nothing on stdout, nothing on stderr.
//! A child that hangs is killed after [`process::TIMEOUT`] and reported.
//!
//! With `HS_TEST_JUDGE=/path/to/rg` every command runs that program instead of `hs`, so that the
//! expectations themselves can be checked against ripgrep. Where heist differs on purpose the run says
//! so with [`run::Run::differs_from_ripgrep`] and is skipped then.

pub(crate) mod flags;
pub(crate) mod mutate;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod run;
pub(crate) mod temp_tree;

pub(crate) use run::Hs;
pub(crate) use temp_tree::TempTree;

/// A test with a tree of its own and the command `hs` that runs in it.
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
