//! The program itself: its names and versions, and the files it writes about itself.

use crate::harness::{Hs, run::Run};

/// Runs the program by the name `rg`, as editors do through a link.
fn as_rg<'v>(hs: &Hs<'v>, args: &[&str]) -> Run<'v> {
    hs.args(args)
        .through_sh(r#"ln -sf "$1" "$HOME/rg" && shift && exec "$HOME/rg" "$@" 2>"$HOME/err""#)
        .differs_from_ripgrep("it is ripgrep by any name")
}

hs_test!(a_link_named_rg_has_ripgreps_version, |_, hs| {
    as_rg(hs, &["-V"]).stdout_satisfies("it is a version of ripgrep", |text| {
        text.starts_with(b"ripgrep 15.2.0 (rev heist-")
    });
    as_rg(hs, &["--version"]).stdout_satisfies("its third line tells features", |text| {
        text.starts_with(b"ripgrep 15.2.0 ")
            && text.split(|&b| b == b'\n').nth(2).unwrap().starts_with(b"features:")
    });
});

hs_test!(a_link_named_rg_complains_as_ripgrep, |_, hs| {
    as_rg(hs, &["gem", "missing"]).exits(2);
    hs.args([""; 0])
        .through_sh(r#"cat "$HOME/err""#)
        .differs_from_ripgrep("it is ripgrep by any name")
        .prints("rg: missing: No such file or directory (os error 2)\n");
});

hs_test!(a_link_named_rg_reads_ripgreps_configuration, |tree, hs| {
    tree.file("hoard", "Gem\n").file("rc", "-i\n").file("ours", "-o\n");
    let rc = tree.join("rc");
    as_rg(hs, &["gem", "hoard"]).exits(1);
    as_rg(hs, &["gem", "hoard"]).env("RIPGREP_CONFIG_PATH", &rc).prints("Gem\n");
    as_rg(hs, &["gem", "hoard"])
        .env("RIPGREP_CONFIG_PATH", &rc)
        .env("HEIST_CONFIG_PATH", tree.join("ours"))
        .exits(1);
    hs.args(["gem", "hoard"])
        .env("RIPGREP_CONFIG_PATH", &rc)
        .differs_from_ripgrep("it is ripgrep by any name")
        .finds_nothing();
});

hs_test!(the_man_page_and_completions_are_written, |_, hs| {
    hs.args(["--generate", "man"])
        .stdout_satisfies("it is roff", |text| text.windows(8).any(|w| w == b".SH NAME"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let kind = format!("--generate=complete-{shell}");
        hs.args([&kind]).stdout_satisfies("it knows a flag", |text| {
            text.windows(18).any(|w| w == b"files-with-matches")
        });
    }
    // Modes that do not search win over those that do, and need no pattern.
    hs.args(["--generate=complete-bash", "--count"])
        .differs_from_ripgrep("ripgrep searches")
        .stdout_satisfies("it is a script", |text| text.starts_with(b"_hs()"));
    hs.args(["--generate", "me"]).refuses("choice 'me' is unrecognized");
});

hs_test!(the_version_of_pcre2_is_told, |_, hs| {
    hs.args(["--pcre2-version"]).stdout_satisfies("it names PCRE2 and its version", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        text.starts_with("PCRE2 10.") && text.lines().count() == 1
    });
});
