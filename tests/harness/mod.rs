//! The vocabulary of the end-to-end tests: a [`Vault`] to search in and a command [`Hs`] to do it with.
//!
//! A test reads like a shell session:
//!
//! ```ignore
//! hs_test!(a_match_prints_its_line, |vault, hs| {
//!     vault.file("hoard", "a gem\nno luck\n");
//!     hs.args(["gem", "hoard"]).prints("a gem\n");
//! });
//! ```
//!
//! What a test does not mention must be quiet: exit status 0, nothing on stdout, nothing on stderr.
//! A child that hangs is killed after [`process::PATIENCE`] and reported.
//!
//! With `HS_TEST_JUDGE=/path/to/rg` every command runs that program instead of `hs`, so that the
//! expectations themselves can be checked against ripgrep. Where heist differs on purpose the run says
//! so with [`run::Run::not_like_the_judge`] and is skipped then.

pub(crate) mod flags;
pub(crate) mod mutate;
pub(crate) mod process;
pub(crate) mod run;
pub(crate) mod vault;

pub(crate) use run::Hs;
pub(crate) use vault::Vault;

/// A test with a vault of its own and the command `hs` that runs in it.
macro_rules! hs_test {
    ($name:ident, |$vault:pat_param, $hs:pat_param| $body:block) => {
        #[test]
        fn $name() {
            let vault = $crate::harness::Vault::new(stringify!($name));
            let hs = $crate::harness::Hs::new(&vault);
            let ($vault, $hs) = (&vault, &hs);
            $body
        }
    };
}
