//! Elias' gamma code: a number takes twice as many bits as it has, less one. Gaps between the
//! blocks of a gram are small, and take 4.5 bits in the mean.
//!
//! A code is as many zeros as the number has bits after its first one, a one, and these bits. Bits
//! fill bytes from the lowest on, so that a sequence of codes can be copied behind another one.

/// The code for `number`, which is not 0, and how many bits it takes.
pub(crate) fn code_of(number: u32) -> (u64, u32) {
    let after = number.ilog2();
    let bits = u64::from(number) << 1 | 1;
    ((bits ^ 2 << after) << after, 2 * after + 1)
}

/// Appends bits to bytes.
#[derive(Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that are not yet bytes, less than 32.
    bits: u64,
    used: u32,
}

impl BitWriter {
    /// Appends the code for `number`, which is not 0.
    pub(crate) fn write(&mut self, number: u32) {
        let (code, width) = code_of(number);
        if width > 32 {
            self.put(code & u64::from(u32::MAX), 32);
            self.put(code >> 32, width - 32);
        } else {
            self.put(code, width);
        }
    }

    /// Appends bits that [`finish`](Self::finish) returned.
    pub(crate) fn append(&mut self, bytes: &[u8], bits: usize) {
        let mut rest = bits;
        for word in bytes.chunks(4) {
            let mut whole = [0; 4];
            whole[..word.len()].copy_from_slice(word);
            let width = rest.min(32);
            self.put(u64::from(u32::from_le_bytes(whole)), width as u32);
            rest -= width;
        }
    }

    /// Appends at most 32 bits; those above are 0.
    fn put(&mut self, bits: u64, width: u32) {
        self.bits |= bits << self.used;
        self.used += width;
        if self.used >= 32 {
            self.bytes.extend_from_slice(&(self.bits as u32).to_le_bytes());
            self.bits >>= 32;
            self.used -= 32;
        }
    }

    /// The bytes, the last one filled with zeros, and nothing left.
    pub(crate) fn finish(&mut self) -> &[u8] {
        let bytes = self.used.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.bits.to_le_bytes()[..bytes]);
        (self.bits, self.used) = (0, 0);
        &self.bytes
    }

    /// Removes everything.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        (self.bits, self.used) = (0, 0);
    }
}

/// Reads numbers from bytes.
pub(crate) struct GammaReader<'b> {
    bytes: &'b [u8],
    /// In bits.
    at: usize,
}

impl<'b> GammaReader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> GammaReader<'b> {
        GammaReader { bytes, at: 0 }
    }

    /// The next number, or `None` where the bytes hold none.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u32> {
        let window = self.window();
        let zeros = window.trailing_zeros();
        // A window has 57 bits.
        if zeros > 28 {
            return self.next_long();
        }
        self.at += 2 * zeros as usize + 1;
        let after = window >> (zeros + 1) & ((1 << zeros) - 1);
        Some(1 << zeros | after as u32)
    }

    /// A number with more than 29 bits, which need not lie within one window.
    #[cold]
    fn next_long(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.bit()? {
            zeros += 1;
        }
        if zeros > 31 {
            return None;
        }
        let mut number = 1 << zeros;
        for place in 0..zeros {
            number |= u32::from(self.bit()?) << place;
        }
        Some(number)
    }

    fn bit(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Some(bit == 1)
    }

    /// At least the next 57 bits, the first one lowest; zeros after the end.
    #[inline]
    fn window(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let word = match rest.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => {
                let mut bytes = [0; 8];
                bytes[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(bytes)
            }
        };
        word >> (self.at % 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_numbers(rng: &mut fastrand::Rng) -> Vec<u32> {
        (0..rng.usize(..50)).map(|_| (rng.u32(..) >> rng.u32(..32)).max(1)).collect()
    }

    /// The codes for `numbers`, and how many bits they have.
    fn written(numbers: &[u32]) -> (Vec<u8>, usize) {
        let mut writer = BitWriter::default();
        numbers.iter().for_each(|&number| writer.write(number));
        let bits = numbers.iter().map(|&number| code_of(number).1 as usize).sum();
        (writer.finish().to_vec(), bits)
    }

    #[test]
    fn numbers_are_read_as_written() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..500 {
            let (a, b) = (random_numbers(&mut rng), random_numbers(&mut rng));
            let both = [&a[..], &b].concat();
            let (bytes, bits) = written(&both);
            assert_eq!(bytes.len(), bits.div_ceil(8));
            let mut reader = GammaReader::new(&bytes);
            for &number in &both {
                assert_eq!(reader.next(), Some(number));
            }
            assert_eq!(reader.next(), None);

            let mut writer = BitWriter::default();
            for (bytes, bits) in [written(&a), written(&b)] {
                writer.append(&bytes, bits);
            }
            assert_eq!(writer.finish(), bytes);
        }
    }

    #[test]
    fn what_is_no_code_is_none() {
        assert_eq!(GammaReader::new(&[0; 20]).next(), None);
        assert_eq!(GammaReader::new(&[0, 0, 0, 0, 0, 0xff]).next(), None);
        assert_eq!(GammaReader::new(&[0x10]).next(), Some(16));
        assert_eq!(GammaReader::new(&[]).next(), None);
    }
}
