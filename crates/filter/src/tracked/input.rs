//! Numbers and bytes of git's binary files, each read within bounds.

/// What is wrong with a file.
pub(super) type Malformed = &'static str;

/// The bytes of a file that have not been read.
pub(super) struct UnreadBytes<'a>(pub(super) &'a [u8]);

impl<'a> UnreadBytes<'a> {
    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or("it ends early")?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        let (number, rest) = self.0.split_first_chunk().ok_or("it ends early")?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*number))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        let (number, rest) = self.0.split_first_chunk().ok_or("it ends early")?;
        self.0 = rest;
        Ok(u64::from_be_bytes(*number))
    }

    /// Reads a number of any length with 7 bits in each byte, as in packs.
    pub(super) fn offset(&mut self) -> Result<usize, Malformed> {
        let mut number = 0usize;
        loop {
            let byte = self.take(1)?[0];
            number = number
                .checked_mul(128)
                .and_then(|number| number.checked_add(usize::from(byte & 0x7f)))
                .ok_or("a number is too large")?;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            number += 1;
        }
    }
}
