//! The rules by which the entries of a snapshot were judged, and the verdicts, as the snapshot
//! stores them.

use heist_filter::Fingerprint;

/// The fingerprints of all directories' rules, sorted. A directory has a [`label`], by which its
/// own is found among them.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<[u8; 16]>);

/// The first bytes of the rules' fingerprint; 0 for rules without one.
pub(super) fn label(rules: Option<Fingerprint>) -> u32 {
    rules.map_or(0, |rules| label_of(&rules.to_bytes()))
}

fn label_of(fingerprint: &[u8; 16]) -> u32 {
    let [a, b, c, d, ..] = *fingerprint;
    u32::from_be_bytes([a, b, c, d]).max(1)
}

impl Rules {
    /// This program's version, which may judge differently than another one, and a number to
    /// increase with any change in what rules mean.
    const VERSION_LINE: &str = concat!(env!("CARGO_PKG_VERSION"), " 4\n");

    /// All rules with one of these fingerprints.
    pub(super) fn of(fingerprints: impl Iterator<Item = Fingerprint>) -> Rules {
        let mut all: Vec<_> = fingerprints.map(Fingerprint::to_bytes).collect();
        all.sort_unstable();
        all.dedup();
        Rules(all)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) has returned. If another version wrote it, there are
    /// no rules.
    pub(super) fn from_bytes(bytes: &[u8]) -> Rules {
        let stored = bytes.strip_prefix(Rules::VERSION_LINE.as_bytes()).unwrap_or_default();
        Rules(stored.as_chunks().0.to_vec())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        [Rules::VERSION_LINE.as_bytes(), self.0.as_flattened()].concat()
    }

    /// Returns whether the directories with this label were judged by these rules.
    pub(super) fn are(&self, label: u32, rules: Fingerprint) -> bool {
        self.of_label(label) == Some(rules)
    }

    /// Returns the rules by which the directories with this label were judged, if they are known.
    pub(super) fn of_label(&self, label: u32) -> Option<Fingerprint> {
        let first = self.0.partition_point(|known| label_of(known) < label);
        let mut labelled = self.0[first..].iter().take_while(|known| label_of(known) == label);
        // Fingerprints with the same label cannot be distinguished.
        let rules = Fingerprint::from_bytes(*labelled.next()?);
        labelled.next().is_none().then_some(rules)
    }
}

/// Marks an entry that makes its directory the top of a repository.
const REPOSITORY: u8 = 4;
/// The mark of a file that decides what is ignored.
const RULE_FILE: u8 = 8;

/// The verdict in the marks of an entry.
pub(super) fn verdict_in(marks: u8) -> Option<bool> {
    match marks & !(REPOSITORY | RULE_FILE) {
        1 => Some(false),
        2 => Some(true),
        _ => None,
    }
}

/// Whether the entry with these marks makes its directory the top of a repository.
pub(super) fn is_repository(marks: u8) -> bool {
    marks & REPOSITORY != 0
}

/// Whether the entry with these marks decides what is ignored.
pub(super) fn decides(marks: u8) -> bool {
    marks & RULE_FILE != 0
}

/// The marks of an entry with this name and verdict.
pub(super) fn marks_of(name: &[u8], is_wanted: Option<bool>) -> u8 {
    let is_repository = name.first() == Some(&b'.')
        && [&b".git"[..], b".jj"].iter().any(|known| name.eq_ignore_ascii_case(known));
    let verdict = is_wanted.map_or(0, |is_wanted| 1 + u8::from(is_wanted));
    let mark = |is_set, mark| if is_set { mark } else { 0 };
    verdict | mark(is_repository, REPOSITORY) | mark(is_rule_file(name), RULE_FILE)
}

/// Whether a file of this name decides what is ignored.
pub(super) fn is_rule_file(name: &[u8]) -> bool {
    name.first() == Some(&b'.')
        && [&b".gitignore"[..], b".ignore", b".rgignore"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use std::env;

    use heist_filter::{Filter, FilterConfig, WorkerCache};

    use super::*;

    fn fingerprint(hidden: bool) -> Fingerprint {
        let standard = FilterConfig::standard(env::temp_dir());
        let filter = Filter::new(FilterConfig { hidden, fingerprints: true, ..standard });
        let scope = filter.expect("no globs").root("/".as_ref(), &mut WorkerCache::default());
        scope.fingerprint().expect("no globs")
    }

    #[test]
    fn rules_are_read_as_stored_and_those_of_other_versions_are_none() {
        let (stored, other) = (fingerprint(false), fingerprint(true));
        let bytes = Rules::of([stored].into_iter()).to_bytes();
        let rules = Rules::from_bytes(&bytes);
        assert!(rules.are(label(Some(stored)), stored));
        assert!(!rules.are(label(Some(stored)), other) && !rules.are(label(Some(other)), other));
        assert!(!rules.are(label(None), stored));
        let newer = [b"1000.0 ", &bytes[..]].concat();
        assert!(!Rules::from_bytes(&newer).are(label(Some(stored)), stored));
    }

    #[test]
    fn two_rules_with_one_label_are_not_known_apart() {
        let stored = fingerprint(false);
        let mut twin = stored.to_bytes();
        twin[15] ^= 1;
        let mut both = vec![stored.to_bytes(), twin];
        both.sort_unstable();
        assert!(!Rules(both).are(label(Some(stored)), stored));
    }

    #[test]
    fn verdicts_are_marks() {
        for verdict in [None, Some(false), Some(true)] {
            for name in ["a.git", ".git", ".jj", ".ignore", ".gitignore", ".ign", ".GitIgnore"] {
                let marks = marks_of(name.as_bytes(), verdict);
                assert_eq!(verdict_in(marks), verdict);
                assert_eq!(is_repository(marks), [".git", ".jj"].contains(&name));
                assert_eq!(decides(marks), [".ignore", ".gitignore", ".GitIgnore"].contains(&name));
            }
        }
    }
}
