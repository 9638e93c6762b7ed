//! Ripgrep's printer accepts the same formats of `--hyperlink-format`, and rejects the others with
//! the same messages.

#![cfg_attr(fuzzing, no_main)]

use std::str::FromStr;

fn check(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let ours = heist_printer::HyperlinkFormat::from_str(text);
    let theirs = grep_printer::HyperlinkFormat::from_str(text);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            // Ripgrep's format prints itself, but does not escape braces.
            let printed = theirs.to_string();
            assert_eq!(ours.is_empty(), printed.is_empty(), "{text:?}");
            if text.contains("{{") || text.contains("}}") {
                return;
            }
            let again = heist_printer::HyperlinkFormat::from_str(&printed);
            assert_eq!(again.as_ref(), Ok(ours), "{text:?}, printed as {printed:?}");
        }
        (Err(ours), Err(theirs)) => {
            // In ripgrep the parser of the flag adds the first words.
            let ours = ours.to_string();
            assert_eq!(
                ours.strip_prefix("invalid hyperlink format: "),
                Some(&*theirs.to_string()),
                "{text:?}"
            );
        }
        _ => panic!("{text:?}: {ours:?} against {theirs:?}"),
    }
}

heist_fuzz::target!(check);
