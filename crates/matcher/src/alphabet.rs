//! The bytes that a match may contain. A byte that it cannot contain separates matches as a line
//! terminator does, which allows parts of a line to be searched on their own.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::compile::line_safe::class_has;

/// The bytes that matches of an expression may contain.
#[derive(Clone)]
pub(crate) struct Alphabet {
    has: Box<[bool; 256]>,
}

impl Alphabet {
    /// The bytes that a match of `hir` may contain, without `terminator`, which no line contains.
    pub(crate) fn of(hir: &Hir, terminator: u8) -> Alphabet {
        let mut alphabet = Alphabet { has: Box::new([false; 256]) };
        alphabet.add(hir);
        alphabet.has[usize::from(terminator)] = false;
        alphabet
    }

    /// Whether a match may contain `byte`.
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.has[usize::from(byte)]
    }

    fn add(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                literal.0.iter().for_each(|&byte| self.has[usize::from(byte)] = true);
            }
            HirKind::Class(class) => self.add_class(class),
            HirKind::Repetition(repetition) => self.add(&repetition.sub),
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(subs) | HirKind::Alternation(subs) => {
                subs.iter().for_each(|sub| self.add(sub));
            }
        }
    }

    fn add_class(&mut self, class: &Class) {
        for byte in (0..0x80).filter(|&byte| class_has(class, byte)) {
            self.has[usize::from(byte)] = true;
        }
        let is_ascii = match class {
            Class::Unicode(class) => class.is_ascii(),
            Class::Bytes(class) => class.is_ascii(),
        };
        if !is_ascii {
            self.has[0x80..].fill(true);
        }
    }
}

impl std::fmt::Debug for Alphabet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes: Vec<u8> = (0..=255).filter(|&byte| self.has(byte)).collect();
        f.debug_tuple("Alphabet").field(&bytes.escape_ascii().to_string()).finish()
    }
}

#[cfg(test)]
mod tests {
    use regex_syntax::ParserBuilder;

    use super::Alphabet;

    #[test]
    fn an_alphabet_has_the_bytes_of_literals_and_classes() {
        for (pattern, bytes) in [
            (r"ab+(c|[x-z])?", "abcxyz"),
            (r"^a\b$", "a"),
            (r"a\s", r"\t\x0b\x0c\r a"),
            (r"(?i)h", "Hh"),
        ] {
            let hir = ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern);
            let found = format!("{:?}", Alphabet::of(&hir.unwrap(), b'\n'));
            assert_eq!(found, format!("Alphabet({bytes:?})"), "{pattern}");
        }
        let hir = ParserBuilder::new().build().parse("é|[α-ω]").unwrap();
        let alphabet = Alphabet::of(&hir, b'\n');
        assert!(alphabet.has(0xC3) && alphabet.has(0x80) && !alphabet.has(b'a'));
    }
}
