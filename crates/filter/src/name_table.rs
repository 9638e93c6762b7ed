//! A table of base-name rules that finds the last one to match a name.
//!
//! Literals and extensions are looked up by hash. The others are short lists, sorted so that most
//! names need not look at them: those that need two dots, those that begin with a literal, those
//! that end with one, and the few for which nothing is known beforehand.

use crate::{
    glob::{ByteSet, Token},
    name::{self, Name},
    pattern,
};

/// Which rule of a file, and what it says: position, so that later is greater, and two flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleId(u32);

impl RuleId {
    /// No rule; less than any.
    pub(crate) const NONE: RuleId = RuleId(0);
    const WHITELIST: u32 = 1;
    const ONLY_DIR: u32 = 2;

    /// The rule at `index`; one of a thousand million is the last that has an id of its own.
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

    /// Whether it speaks of such an entry.
    #[inline]
    pub(crate) fn holds_for(self, is_dir: bool) -> bool {
        is_dir || self.0 & Self::ONLY_DIR == 0
    }

    /// Its position; meaningless for [`RuleId::NONE`].
    pub(crate) fn index(self) -> usize {
        (self.0 >> 2).saturating_sub(1) as usize
    }
}

/// Base-name rules, by how they are looked up.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    literals: Index<Box<[u8]>>,
    extensions: Index<u64>,
    /// Rules whose glob has two literal dots or more.
    dotted: Vec<Probe>,
    /// Rules that begin with a literal, and the bytes with which these begin.
    headed: Vec<Probe>,
    heads: ByteSet,
    /// Rules that end with a literal, and the bytes with which these end.
    tailed: Vec<Probe>,
    tails: ByteSet,
    others: Vec<Probe>,
}

/// A rule that is tried by itself.
#[derive(Debug)]
struct Probe {
    rule: RuleId,
    name: pattern::NameGlob,
}

impl NameTable {
    /// Add a rule; in any order, before [`NameTable::finish`].
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
                let probe = Probe { rule, name };
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

    /// Put the rules in the order in which they are asked.
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

    /// The last rule that matches, if it comes after `best`; else `best`.
    #[inline]
    pub(crate) fn last_match(&self, name: &Name<'_>, is_dir: bool, mut best: RuleId) -> RuleId {
        let bytes = name.bytes;
        best = self.literals.last(name.hash, is_dir, best, |wanted| **wanted == *bytes);
        if name.extension != 0 {
            let hash = name::scatter(name.extension);
            best = self.extensions.last(hash, is_dir, best, |&wanted| wanted == name.extension);
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

/// The last of `probes` (latest first) to match after `best`; else `best`.
fn last_of(probes: &[Probe], name: &[u8], is_dir: bool, best: RuleId) -> RuleId {
    probes
        .iter()
        .take_while(|probe| probe.rule > best)
        .find(|probe| probe.rule.holds_for(is_dir) && probe.is_match(name))
        .map_or(best, |probe| probe.rule)
}

impl Probe {
    fn is_match(&self, name: &[u8]) -> bool {
        match &self.name {
            pattern::NameGlob::Literal(wanted) => wanted == name,
            pattern::NameGlob::Extension(extension) => {
                name.strip_suffix(&**extension).is_some_and(|front| front.ends_with(b"."))
            }
            // Comparing one byte first saves most calls of a comparison.
            pattern::NameGlob::Prefix(prefix) => {
                name.first() == prefix.first() && name.starts_with(prefix)
            }
            pattern::NameGlob::Suffix(suffix) => {
                name.last() == suffix.last() && name.ends_with(suffix)
            }
            pattern::NameGlob::Everything => true,
            pattern::NameGlob::Glob(glob) => glob.is_match(name),
            pattern::NameGlob::Foreign(foreign) => foreign.is_match(name),
        }
    }

    /// The bytes with which every matching name begins and ends, if that can be told.
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

    /// How many dots every matching name has at least.
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

/// Rules by the hash of their key, in open addressing; the same key may be there several times.
#[derive(Debug)]
struct Index<K> {
    entries: Vec<Entry<K>>,
    /// The lower half of a hash above a position in `entries` plus one, 0 for a free slot. At
    /// most half of them are taken, so that most lookups end at the first one, on a free slot or
    /// on another hash.
    slots: Box<[u64]>,
    /// One bit for each value of the top six bits of the hashes: for a short file, that is enough.
    bloom: u64,
}

#[derive(Debug)]
struct Entry<K> {
    hash: u64,
    rule: RuleId,
    key: K,
}

impl<K> Default for Index<K> {
    fn default() -> Index<K> {
        Index { entries: Vec::new(), slots: Box::default(), bloom: 0 }
    }
}

impl<K> Index<K> {
    const LOWER_HALF: u64 = u32::MAX as u64;

    fn add(&mut self, rule: RuleId, hash: u64, key: K) {
        self.bloom |= 1 << (hash >> 58);
        self.entries.push(Entry { hash, rule, key });
    }

    fn build(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        self.entries.shrink_to_fit();
        let mut slots = vec![0; (self.entries.len() * 2).next_power_of_two()];
        let mask = slots.len() - 1;
        // A file with 2^32 rules does not fit into memory.
        for (position, entry) in (1..).zip(&self.entries) {
            let mut slot = (entry.hash >> 32) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = entry.hash << 32 | position;
        }
        self.slots = slots.into_boxed_slice();
    }

    /// The last rule with this key that comes after `best`; else `best`.
    #[inline]
    fn last(
        &self,
        hash: u64,
        is_dir: bool,
        mut best: RuleId,
        is_key: impl Fn(&K) -> bool,
    ) -> RuleId {
        if self.bloom >> (hash >> 58) & 1 == 0 {
            return best;
        }
        // The filter lets something pass, so there are slots; and a free one ends the search.
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            if slot >> 32 == hash & Self::LOWER_HALF {
                let entry = &self.entries[(slot & Self::LOWER_HALF) as usize - 1];
                if entry.rule > best && entry.rule.holds_for(is_dir) && is_key(&entry.key) {
                    best = entry.rule;
                }
            }
            at = (at + 1) & mask;
        }
        best
    }
}
