//! Numbers as few bytes: seven bits each, the lowest first.

/// Appends `number` to `to`.
pub(crate) fn write(to: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

/// Takes a number off the front of `bytes`; `None` where there is none.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
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
        numbers.iter().for_each(|&number| write(&mut bytes, number));
        let mut rest = &bytes[..];
        for number in numbers {
            assert_eq!(take(&mut rest), Some(number));
        }
        assert_eq!(take(&mut rest), None);
        assert_eq!(take(&mut &[0x80; 20][..]), None);
    }
}
