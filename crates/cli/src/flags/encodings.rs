//! The encodings that `-E` accepts.

use super::value::ValueError;
use crate::error::similar;

/// Values that are no encodings, the most common labels in the WHATWG Encoding Standard, and the
/// names of all its encodings except `replacement`, which decodes nothing.
const LABELS: &str = "auto none guess ascii cp1252 iso-8859-1 latin1 latin2 sjis utf-16 utf8 \
    utf-8 utf-16le utf-16be big5 euc-jp euc-kr gb18030 gbk ibm866 iso-2022-jp iso-8859-2 \
    iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 \
    iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh shift_jis windows-874 \
    windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 \
    windows-1257 windows-1258 x-mac-cyrillic x-user-defined";

/// Returns the values that shells complete.
pub(super) fn names() -> Vec<String> {
    LABELS.split(' ').map(str::to_owned).collect()
}

/// The error that no encoding is called `label`. If `-E` was typed, grep's flag with that name may
/// have been meant.
///
/// VS Code knows an unknown encoding by ripgrep's message.
pub(super) fn unknown(label: &str, is_by_letter: bool) -> ValueError {
    let message = format!("grep config error: unknown encoding: {label}");
    let hint = match similar(&label.to_ascii_lowercase(), LABELS.split_ascii_whitespace()) {
        Some(like) => format!("similar encodings: {like}"),
        None if is_by_letter => {
            "-E is the encoding of the files, such as utf-16 or latin1. Patterns \
                                 are extended regular expressions without it."
                .to_owned()
        }
        None => {
            "Encodings are auto, none, guess and those of the Encoding Standard, such as utf-16."
                .to_owned()
        }
    };
    ValueError::with_hint(message, hint)
}

#[cfg(test)]
mod tests {
    use encoding_rs::Encoding;

    use super::unknown;

    #[test]
    fn every_label_is_in_the_standard() {
        let values = ["auto", "none", "guess"];
        for label in super::names().iter().filter(|label| !values.contains(&label.as_str())) {
            assert!(Encoding::for_label_no_replacement(label.as_bytes()).is_some(), "{label}");
        }
    }

    #[test]
    fn an_unknown_label_is_explained() {
        for (label, like) in [
            ("utf16", "utf-16"),
            ("UTF16LE", "utf-16le"),
            ("latin-1", "latin1"),
            ("shiftjis", "shift_jis"),
            ("iso8859-15x", "iso-8859-15"),
        ] {
            assert_eq!(unknown(label, true).hint, format!("similar encodings: {like}"));
        }
        for pattern in ["door|key", "foo", "(a|b)", "TODO", "^fn ", "[0-9]+", "nosuch", ""] {
            assert!(unknown(pattern, true).hint.starts_with("-E is the encoding"), "{pattern}");
            assert!(unknown(pattern, false).hint.starts_with("Encodings are"), "{pattern}");
        }
    }
}
