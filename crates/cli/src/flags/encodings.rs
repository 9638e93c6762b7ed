//! The encodings of `-E`.

/// Values that are no encodings, the most common labels of the WHATWG Encoding Standard, and the
/// names of all its encodings except `replacement`, which decodes nothing.
const LABELS: &str = "auto none ascii cp1252 iso-8859-1 latin1 latin2 sjis utf-16 utf8 \
    utf-8 utf-16le utf-16be big5 euc-jp euc-kr gb18030 gbk ibm866 iso-2022-jp iso-8859-2 \
    iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 \
    iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh shift_jis windows-874 \
    windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 \
    windows-1257 windows-1258 x-mac-cyrillic x-user-defined";

/// Returns the values that shells complete.
pub(super) fn names() -> Vec<String> {
    LABELS.split(' ').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use encoding_rs::Encoding;

    #[test]
    fn every_label_is_in_the_standard() {
        for label in super::names().iter().filter(|label| *label != "auto" && *label != "none") {
            assert!(Encoding::for_label_no_replacement(label.as_bytes()).is_some(), "{label}");
        }
    }
}
