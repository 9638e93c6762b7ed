//! A table of rules for names, which finds the last one that matches.
//!
//! Literals and extensions are looked up by hash. The other rules are in short lists, and most
//! names skip most lists: rules with two literal dots, rules that begin with a literal, rules that
//! end with one, and the few others.
//!
//! ```text
//! Makefile      literals        *.tar.gz     dotted
//! *.o           extensions      core*        headed by `c`
//! *~            tailed by `~`   [Tt]est?     others
//! ```

use std::borrow::Borrow;

use crate::{
    glob::{ByteSet, Token},
    name::{self, Name},
    pattern,
};

/// A rule's index in its file, so that a later rule is greater, and two flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleId(u32);

impl RuleId {
    /// No rule; less than any other.
    pub(crate) const NONE: RuleId = RuleId(0);
    const WHITELIST: u32 = 1;
    const ONLY_DIR: u32 = 2;

    /// The rule with this index. Only the first 2^30 have their own id.
    pub(crate) fn new(index: usize, is_whitelist: bool, is_only_dir: bool) -> RuleId {
        let index = u32::try_from(index).unwrap_or(u32::MAX).min((u32::MAX >> 2) - 1);
        let flags = if is_whitelist { Self::WHITELIST } else { 0 }
            | if is_only_dir { Self::ONLY_DIR } else { 0 };
        RuleId((index + 1) << 2 | flags)
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    pub(crate) fn is_whitelist(self) -> bool {
        self.0 & Self::WHITELIST != 0
    }

    /// Whether the rule applies to directories, or to other entries.
    #[inline]
    pub(crate) fn holds_for(self, is_dir: bool) -> bool {
        is_dir || self.0 & Self::ONLY_DIR == 0
    }

    /// The index; meaningless for [`RuleId::NONE`].
    pub(crate) fn index(self) -> usize {
        (self.0 >> 2).saturating_sub(1) as usize
    }
}

/// Rules for names, by how they are looked up.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    literals: Index<Box<[u8]>>,
    extensions: Index<u64>,
    /// Rules with two literal dots or more.
    dotted: Vec<SingleRule>,
    /// Rules that begin with a literal, and the literal's first bytes.
    headed: Vec<SingleRule>,
    heads: ByteSet,
    /// Rules that end with a literal, and the literal's last bytes.
    tailed: Vec<SingleRule>,
    tails: ByteSet,
    others: Vec<SingleRule>,
}

/// A rule that is matched on its own.
#[derive(Debug)]
struct SingleRule {
    rule: RuleId,
    name: pattern::NameGlob,
}

impl NameTable {
    /// Adds a rule, in any order, before [`NameTable::finish`].
    pub(crate) fn add(&mut self, rule: RuleId, name: pattern::NameGlob) {
        match name {
            pattern::NameGlob::Literal(name) => {
                self.literals.add(rule, name::hash(&name), name.into_boxed_slice());
            }
            pattern::NameGlob::Extension(extension) => {
                let packed = name::pack(&extension);
                self.extensions.add(rule, name::scatter(packed), packed);
            }
            name => {
                let probe = SingleRule { rule, name };
                let (head, tail) = probe.ends();
                if probe.dots() > 1 {
                    self.dotted.push(probe);
                } else if let Some(head) = head {
                    self.heads.add(head);
                    self.headed.push(probe);
                } else if let Some(tail) = tail {
                    self.tails.add(tail);
                    self.tailed.push(probe);
                } else {
                    self.others.push(probe);
                }
            }
        }
    }

    /// Sorts the rules for look-ups.
    pub(crate) fn finish(&mut self) {
        self.literals.build();
        self.extensions.build();
        for probes in [&mut self.dotted, &mut self.headed, &mut self.tailed, &mut self.others] {
            probes.sort_by_key(|probe| std::cmp::Reverse(probe.rule));
            probes.shrink_to_fit();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.literals.entries.is_empty()
            && self.extensions.entries.is_empty()
            && [&self.dotted, &self.headed, &self.tailed, &self.others]
                .iter()
                .all(|probes| probes.is_empty())
    }

    /// Returns the last rule that matches, if it comes after `best`, otherwise `best`.
    #[inline]
    pub(crate) fn last_match(&self, name: &Name<'_>, is_dir: bool, mut best: RuleId) -> RuleId {
        let bytes = name.bytes;
        best = self.literals.last(name.hash, bytes, is_dir, best);
        if name.extension != 0 {
            let hash = name::scatter(name.extension);
            best = self.extensions.last(hash, &name.extension, is_dir, best);
        }
        if !self.dotted.is_empty() && name.has_two_dots() {
            best = last_of(&self.dotted, bytes, is_dir, best);
        }
        if let [first, .., last] | [first @ last] = bytes {
            if self.heads.has(*first) {
                best = last_of(&self.headed, bytes, is_dir, best);
            }
            if self.tails.has(*last) {
                best = last_of(&self.tailed, bytes, is_dir, best);
            }
        }
        if !self.others.is_empty() {
            best = last_of(&self.others, bytes, is_dir, best);
        }
        best
    }
}

/// Returns the last probe in `probes` (sorted, last first) that matches after `best`, otherwise
/// `best`.
fn last_of(probes: &[SingleRule], name: &[u8], is_dir: bool, best: RuleId) -> RuleId {
    probes
        .iter()
        .take_while(|probe| probe.rule > best)
        .find(|probe| probe.rule.holds_for(is_dir) && probe.is_match(name))
        .map_or(best, |probe| probe.rule)
}

impl SingleRule {
    fn is_match(&self, name: &[u8]) -> bool {
        match &self.name {
            pattern::NameGlob::Literal(wanted) => wanted == name,
            pattern::NameGlob::Extension(extension) => {
                name.strip_suffix(&**extension).is_some_and(|front| front.ends_with(b"."))
            }
            // Comparing one byte first avoids most calls to `memcmp`.
            pattern::NameGlob::Prefix(prefix) => {
                name.first() == prefix.first() && name.starts_with(prefix)
            }
            pattern::NameGlob::Suffix(suffix) => {
                name.last() == suffix.last() && name.ends_with(suffix)
            }
            pattern::NameGlob::Everything => true,
            pattern::NameGlob::Glob(glob) => glob.is_match(name),
            pattern::NameGlob::Regex(glob) => glob.is_match(name),
        }
    }

    /// Returns the bytes with which every matching name begins and ends, where they are known.
    fn ends(&self) -> (Option<u8>, Option<u8>) {
        match &self.name {
            pattern::NameGlob::Prefix(prefix) => (prefix.first().copied(), None),
            pattern::NameGlob::Suffix(suffix) => (None, suffix.last().copied()),
            pattern::NameGlob::Glob(glob) => {
                (glob.tokens().first().and_then(byte), glob.tokens().last().and_then(byte))
            }
            _ => (None, None),
        }
    }

    /// Returns how many dots every matching name has at least.
    fn dots(&self) -> usize {
        match &self.name {
            pattern::NameGlob::Prefix(bytes) | pattern::NameGlob::Suffix(bytes) => {
                bytes.iter().filter(|&&byte| byte == b'.').count()
            }
            pattern::NameGlob::Glob(glob) => {
                glob.tokens().iter().filter(|&token| *token == Token::Byte(b'.')).count()
            }
            _ => 0,
        }
    }
}

fn byte(token: &Token) -> Option<u8> {
    match token {
        Token::Byte(byte) => Some(*byte),
        _ => None,
    }
}

/// Rules by a hash of their key. Whatever the keys are, building takes no longer than sorting them
/// and a look-up no longer than a binary search, because a rule file's author may choose keys that
/// collide.
#[derive(Debug)]
struct Index<K> {
    /// Sorted by hash, then by key. For each key only the last rule, and if that is for directories
    /// only, the last one that applies to files too.
    entries: Vec<HashedRule<K>>,
    /// For every prefix of hashes, and one more, where its entries begin. There are twice as many
    /// prefixes as entries, so that most look-ups end here: their prefix has no entry.
    starts: Box<[u32]>,
    /// How many bits to shift a hash for its prefix.
    shift: u32,
    /// A bit for each value that the low six bits of a hash can have. In a short file these bits
    /// decide most look-ups.
    bloom: u64,
}

/// A rule, with the hash of the name that it matches.
#[derive(Debug)]
struct HashedRule<K> {
    hash: u32,
    rule: RuleId,
    key: K,
}

impl<K> Default for Index<K> {
    fn default() -> Index<K> {
        Index { entries: Vec::new(), starts: Box::default(), shift: 0, bloom: 0 }
    }
}

/// The half of a hash that depends on more of the name's bytes.
fn upper_half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl<K: Ord> Index<K> {
    fn add(&mut self, rule: RuleId, hash: u64, key: K) {
        let hash = upper_half(hash);
        self.bloom |= 1 << (hash & 63);
        self.entries.push(HashedRule { hash, rule, key });
    }

    fn build(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        self.entries.sort_unstable_by(|one, other| {
            let by_key = (one.hash, &one.key).cmp(&(other.hash, &other.key));
            by_key.then(other.rule.cmp(&one.rule))
        });
        self.entries.dedup_by(|entry, later| {
            let is_overruled = later.rule.holds_for(false) || !entry.rule.holds_for(false);
            is_overruled && (entry.hash, &entry.key) == (later.hash, &later.key)
        });
        self.entries.shrink_to_fit();
        let bits = (self.entries.len() * 2).next_power_of_two().ilog2().min(31);
        self.shift = 32 - bits;
        let mut starts = vec![0; (1 << bits) + 1];
        // First how many entries each prefix has. A file with 2^32 rules does not fit into memory.
        for entry in &self.entries {
            starts[(entry.hash >> self.shift) as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        self.starts = starts.into_boxed_slice();
    }

    /// Returns the last rule with this key, if it comes after `best`, otherwise `best`.
    #[inline]
    fn last<Q: Ord + ?Sized>(&self, hash: u64, key: &Q, is_dir: bool, best: RuleId) -> RuleId
    where
        K: Borrow<Q>,
    {
        let hash = upper_half(hash);
        if self.bloom >> (hash & 63) & 1 == 0 {
            return best;
        }
        // A bit is set, so there are entries, and a start for every prefix.
        let prefix = (hash >> self.shift) as usize;
        let (start, end) = (self.starts[prefix], self.starts[prefix + 1]);
        if start == end {
            return best;
        }
        let entries = &self.entries[start as usize..end as usize];
        let is_before = |entry: &HashedRule<K>| (entry.hash, entry.key.borrow()) < (hash, key);
        entries[entries.partition_point(is_before)..]
            .iter()
            .take_while(|entry| entry.hash == hash && entry.key.borrow() == key)
            .find(|entry| entry.rule.holds_for(is_dir))
            .map_or(best, |entry| entry.rule.max(best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many that a linear scan for each would take minutes.
    const MANY: usize = 300_000;

    #[test]
    fn equal_rules_are_found_at_once() {
        let mut table = NameTable::default();
        for index in 0..MANY {
            table.add(RuleId::new(index, false, false), pattern::NameGlob::Literal(b"x".into()));
            table.add(RuleId::new(index, false, true), pattern::NameGlob::Extension(b"rs".into()));
        }
        table.finish();
        for name in [&b"x"[..], b"y.rs"] {
            for _ in 0..MANY {
                let rule = table.last_match(&Name::new(name), true, RuleId::NONE);
                assert_eq!(rule.index(), MANY - 1);
            }
        }
        assert!(table.last_match(&Name::new(b"y.rs"), false, RuleId::NONE).is_none());
        assert_eq!((table.literals.entries.len(), table.extensions.entries.len()), (1, 1));
    }

    #[test]
    fn rules_whose_hashes_collide_are_found_at_once() {
        // All hashes are equal, or only their prefixes.
        for spread in [0, 1 << 32] {
            let hash = |key: u64| key * spread;
            let mut index = Index::default();
            for key in 0..MANY as u64 {
                index.add(RuleId::new(key as usize, false, false), hash(key), key);
            }
            index.build();
            for key in 0..MANY as u64 {
                let rule = index.last(hash(key), &key, false, RuleId::NONE);
                assert_eq!(rule.index() as u64, key);
            }
            assert!(index.last(0, &(MANY as u64), false, RuleId::NONE).is_none());
        }
    }

    #[test]
    fn the_last_applicable_rule_for_a_key_counts() {
        // For each rule, whether it is for directories only; the index for files; for directories.
        let cases: [(&[bool], Option<usize>, usize); 5] = [
            (&[false, false], Some(1), 1),
            (&[true, false, true], Some(1), 2),
            (&[false, true, true, false], Some(3), 3),
            (&[false, true, true], Some(0), 2),
            (&[true, true], None, 1),
        ];
        for (rules, for_files, for_directories) in cases {
            let mut index = Index::default();
            for (at, is_only_dir) in rules.iter().enumerate() {
                index.add(RuleId::new(at, false, *is_only_dir), 7, 7_u64);
            }
            index.build();
            assert!(index.entries.len() <= 2, "{rules:?}");
            let last = |is_dir, best| index.last(7, &7, is_dir, best);
            let file = last(false, RuleId::NONE);
            assert_eq!((!file.is_none()).then(|| file.index()), for_files, "{rules:?}");
            assert_eq!(last(true, RuleId::NONE).index(), for_directories, "{rules:?}");
            let later = RuleId::new(rules.len(), true, false);
            assert_eq!(last(true, later), later, "{rules:?}");
        }
    }
}
