//! Numbers as bytes: little-endian with a fixed length, or as few bytes as they take.

/// The number in the four bytes from `at` on.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

/// The number in the eight bytes from `at` on.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

/// Appends `number` to `to`, in as few bytes as it takes: seven bits each, the lowest first.
pub(crate) fn write_varint(to: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

/// Takes a number that [`write_varint`] has written off the front of `bytes`; `None` where there is
/// none.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_written() {
        let numbers = [0, 1, 127, 128, 300, 1 << 32, (1 << 62) - 1];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| write_varint(&mut bytes, number));
        let mut rest = &bytes[..];
        for number in numbers {
            assert_eq!(take_varint(&mut rest), Some(number));
        }
        assert_eq!(take_varint(&mut rest), None);
        assert_eq!(take_varint(&mut &[0x80; 20][..]), None);
    }
}
