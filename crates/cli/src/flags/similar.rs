//! Which flags a mistyped name may have meant.

use std::collections::HashSet;

/// Names less alike than this are not worth telling.
const THRESHOLD: f64 = 0.4;

/// The long names among `known` that look like `name`, as the share of their three-letter pieces in
/// common tells.
pub(super) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let pieces = pieces(name);
    let mut found: Vec<&str> =
        known.filter(|candidate| jaccard(&pieces, &self::pieces(candidate)) >= THRESHOLD).collect();
    found.sort_unstable();
    found
}

fn jaccard(a: &HashSet<&[u8]>, b: &HashSet<&[u8]>) -> f64 {
    let common = a.intersection(b).count() as f64;
    let either = a.union(b).count() as f64;
    common / either
}

/// The set of all runs of three bytes; a shorter name is one piece.
fn pieces(name: &str) -> HashSet<&[u8]> {
    let bytes = name.as_bytes();
    if bytes.len() < 3 {
        return HashSet::from([bytes]);
    }
    bytes.windows(3).collect()
}

#[cfg(test)]
mod tests {
    use super::similar;

    const NAMES: [&str; 5] = ["hidden", "no-hidden", "heading", "ignore-file", "ignore-files"];

    fn like(name: &str) -> Vec<&'static str> {
        similar(name, NAMES.into_iter())
    }

    #[test]
    fn a_letter_missing_or_too_many() {
        assert_eq!(like("hiden"), ["hidden"]);
        assert_eq!(like("hiddenn"), ["hidden", "no-hidden"]);
        assert_eq!(like("ignore-fil"), ["ignore-file", "ignore-files"]);
    }

    #[test]
    fn nothing_alike() {
        assert!(like("foo").is_empty());
        assert!(like("").is_empty());
        assert!(like("h").is_empty());
    }
}
