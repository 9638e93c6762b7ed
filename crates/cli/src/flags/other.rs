//! Flags about the program itself.

use super::{
    record::{Flag, ValueKind::Value, flags, set},
    value::ValueError,
};
use crate::typed::EarlyMode;

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "help",
        short: Some('h'),
        summary: "Print help: -h is short, --help complete.",
        manual: "Print help. -h prints one line per flag, --help the complete documentation of \
                 each.",
        set: set!(|value, typed| {
            let short = value.is_by_letter();
            typed.early = Some(if short { EarlyMode::ShortHelp } else { EarlyMode::LongHelp });
        }),
    },
    Flag {
        long: "version",
        short: Some('V'),
        summary: "Print the version: -V is short.",
        manual: "Print the version of hs. --version also prints the features it was built with and \
                 the processor features it uses.",
        set: set!(|value, typed| {
            let short = value.is_by_letter();
            typed.early =
                Some(if short { EarlyMode::ShortVersion } else { EarlyMode::LongVersion });
        }),
    },
    Flag {
        long: "pcre2-version",
        summary: "Print the version of PCRE2.",
        manual: "Print the version of the PCRE2 regex engine that hs was built with, and whether \
                 it compiles patterns to machine code.",
        set: set!(|_, typed| typed.early = Some(EarlyMode::Pcre2Version)),
    },
    Flag {
        long: "no-config",
        summary: "Do not read the configuration file.",
        manual: "Do not read the configuration file, even if an environment variable names one.",
        set: set!(|_, typed| typed.no_config = true),
    },
    Flag {
        long: "safe",
        summary: "Run no other program, read no configuration.",
        manual: "Restrict hs to what is safe with arguments of untrusted callers. No other program \
                 is run: --pre and --hostname-bin are errors, and so is each file for which \
                 --search-zip needs one. The configuration file is not read. No other flag \
                 disables this one.\n\n\
                 The environment variable HEIST_RESTRICT has the same effect unless it is empty or \
                 0.",
        set: set!(|_, typed| typed.safe = true),
    },
];

/// Flags that belong to an experiment of ripgrep, and must not get another meaning here.
pub(super) const RESERVED: &[Flag] = &[
    Flag { long: "index", short: Some('X'), ..RESERVED_FLAG },
    Flag { long: "x-crud", ..RESERVED_FLAG },
    Flag { long: "x-force", ..RESERVED_FLAG },
    Flag { long: "x-path", value: Value("PATH"), ..RESERVED_FLAG },
];

/// The common part of the reserved flags.
const RESERVED_FLAG: Flag = Flag {
    summary: "Reserved.",
    manual: "Reserved for searching by an index.",
    hidden: true,
    set: |_, _| {
        Err(ValueError::new(
            "reserved for an experiment of ripgrep, an index, which hs does not have",
        ))
    },
    ..Flag::NEW
};

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::EarlyMode;

    #[test]
    fn help_and_version_have_two_lengths() {
        assert_eq!(parse(["-h"]).early, Some(EarlyMode::ShortHelp));
        assert_eq!(parse(["-h", "--help"]).early, Some(EarlyMode::LongHelp));
        assert_eq!(parse(["-V"]).early, Some(EarlyMode::ShortVersion));
        assert_eq!(parse(["-V", "--version", "--files"]).early, Some(EarlyMode::LongVersion));
        assert!(parse(["--no-config"]).no_config);
        assert!(parse(["--safe"]).safe);
    }

    #[test]
    fn reserved_names_are_errors() {
        for flag in ["-X", "--index", "--x-crud", "--x-force", "--x-path=a"] {
            let name = flag.split('=').next().unwrap();
            let why = "reserved for an experiment of ripgrep, an index, which hs does not have";
            assert_eq!(error([flag]), format!("error parsing flag {name}: {why}"));
        }
    }
}
