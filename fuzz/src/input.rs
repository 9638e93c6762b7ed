//! Decodes the bytes of a fuzzer into choices.
//!
//! Each choice takes one byte from the front. An exhausted input yields zeros, so that every input
//! is valid and a short one is a simple case.

/// The unread rest of an input.
#[derive(Debug)]
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// Returns an input of all `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { rest: bytes }
    }

    /// Takes a byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    /// Takes a byte and reduces it to a number below `limit`, which is at most 256.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// Takes a byte; true if it is odd, so that the end of an input yields false.
    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Takes a byte, which selects an element of `from`.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Takes the bytes up to and including the next `end`, or all, and returns them without `end`.
    pub fn until(&mut self, end: u8) -> &'a [u8] {
        let mut parts = self.rest.splitn(2, |&byte| byte == end);
        let first = parts.next().unwrap_or_default();
        self.rest = parts.next().unwrap_or_default();
        first
    }

    /// Like [`until`](Input::until), as text; `None` if the bytes are not UTF-8.
    pub fn text_until(&mut self, end: u8) -> Option<&'a str> {
        std::str::from_utf8(self.until(end)).ok()
    }

    /// The bytes that have not been taken.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether all bytes have been taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
