//! The preset for programs and agents (`--agent`): flags that stand before all others, and yield to
//! them.

use std::ffi::OsString;

use crate::{error::Error, flags, resolved::check_yielding, typed::TypedArgs};

/// The variable with the effect of `--agent`.
pub(crate) const AGENT_VARIABLE: &str = "HEIST_AGENT";

/// What `--agent` stands for. Each of these flags yields to `args` on its own.
const PRESET: &[&str] = &[
    "--no-config",
    "--no-stdin",
    "--safe",
    "--no-worktrees",
    "--compact",
    "--sort=relevance",
    "--max-results=100",
    "--timeout=10s",
];

/// Parses `args` behind the preset. A flag of the preset that `args` contradict is left out:
/// `--json` leaves out `--compact`.
///
/// # Errors
/// `args` cannot be parsed. Arguments that contradict each other are reported later.
pub(crate) fn before(args: &[OsString]) -> Result<TypedArgs, Error> {
    let parsed = |preset: &[&str]| {
        let preset = preset.iter().map(OsString::from);
        let typed = flags::parse(preset.chain(args.iter().cloned()).collect())?;
        Ok::<_, Error>(TypedArgs { agent: Some(true), ..typed })
    };
    // What is written is not read, and must not be a part of what is found.
    let writes = parsed(&[])?.rewriting.write;
    let is_fit = |flag: &&str| !writes || !flag.starts_with("--max-results");
    let preset: Vec<&str> = PRESET.iter().copied().filter(is_fit).collect();
    let agrees = |preset: &[&str]| parsed(preset).is_ok_and(|typed| check_yielding(&typed).is_ok());
    let whole = parsed(&preset)?;
    if check_yielding(&whole).is_ok() || !agrees(&[]) {
        return Ok(whole);
    }
    let mut kept = Vec::new();
    for flag in preset {
        kept.push(flag);
        if !agrees(&kept) {
            kept.pop();
            log::debug!("{flag} of --agent yields to the other arguments");
        }
    }
    parsed(&kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flags::parse_for_tests, texts::help};

    #[test]
    fn the_help_has_the_preset() {
        let flag = flags::all().find(|flag| flag.long == "agent").expect("a flag");
        let text = help::manual(flag).join(" ");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(PRESET.iter().all(|flag| words.contains(flag)), "{text}");
    }

    /// The flags of the preset that yield to `args`.
    fn yielding(args: &[&str]) -> Vec<&'static str> {
        let all: Vec<OsString> = args.iter().map(OsString::from).collect();
        let found = format!("{:?}", before(&all).expect("valid arguments"));
        let with = |preset: &[&str]| {
            let typed = parse_for_tests(preset.iter().chain(args).copied());
            format!("{:?}", TypedArgs { agent: Some(true), ..typed })
        };
        let sets = 0..1usize << PRESET.len();
        let left_out = |set: usize| (0..PRESET.len()).filter(move |at| set >> at & 1 == 1);
        let is_found = |set: &usize| {
            let kept = PRESET.iter().enumerate().filter(|(at, _)| set >> at & 1 == 0);
            with(&kept.map(|(_, flag)| *flag).collect::<Vec<_>>()) == found
        };
        let fewest = sets.filter(is_found).min_by_key(|set| set.count_ones()).expect("a set");
        left_out(fewest).map(|at| PRESET[at]).collect()
    }

    #[test]
    fn a_part_of_the_preset_yields_to_what_contradicts_it() {
        for (args, expected) in [
            (&["gem"][..], &[][..]),
            (&["--json", "gem"], &["--compact"]),
            (&["--format={line}", "gem"], &["--compact"]),
            (&["--vimgrep", "gem"], &["--compact"]),
            (&["-M80", "gem"], &["--compact"]),
            (&["--no-heading", "gem"], &["--compact"]),
            (&["--passthru", "gem"], &["--sort=relevance", "--max-results=100"]),
            (&["--count-total", "gem"], &["--max-results=100"]),
            (&["--pre=cat", "gem"], &["--safe"]),
            (&["--pager", "gem"], &["--safe"]),
            (&["--index-update"], &["--safe"]),
            (&["-rx", "--write", "gem"], &["--safe", "--max-results=100", "--timeout=10s"]),
            (
                &["-rx", "--write", "--max-results=7", "gem"],
                &["--safe", "--sort=relevance", "--timeout=10s"],
            ),
            (
                &["--json", "--passthru", "gem"],
                &["--compact", "--sort=relevance", "--max-results=100"],
            ),
            // These are overridden, and contradict nothing.
            (&["--sort=modified", "--max-results=3", "--no-timeout", "--stdin", "gem"], &[]),
            // These contradict each other, which is reported.
            (&["--json", "--format={line}", "gem"], &[]),
            (&["--safe", "--pre=cat", "gem"], &[]),
        ] {
            assert_eq!(yielding(args), expected, "{args:?}");
        }
    }
}
