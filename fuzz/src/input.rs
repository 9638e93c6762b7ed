//! The bytes that the fuzzer makes up, taken apart.
//!
//! Choices come from the front, a byte each; an input that has run out gives zeros, so that every input means something and
//! a short one means the plain case.

/// What is left of an input.
#[derive(Debug)]
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// All of it.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { rest: bytes }
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// Whether something is so: seldom for bytes that are near zero, as at the end of an input.
    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// What comes before the next `end`, which is taken as well; everything if there is none.
    pub fn until(&mut self, end: u8) -> &'a [u8] {
        let mut parts = self.rest.splitn(2, |&byte| byte == end);
        let first = parts.next().unwrap_or_default();
        self.rest = parts.next().unwrap_or_default();
        first
    }

    /// The same as text, if it is.
    pub fn text_until(&mut self, end: u8) -> Option<&'a str> {
        std::str::from_utf8(self.until(end)).ok()
    }

    /// What has not been taken.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether all has been taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
