//! Decimal numbers, without the formatting machinery: up to two of them precede every line.

/// The digits for all numbers below 100.
const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// How many digits the largest `u64` has.
const MAX_DIGITS: usize = 20;

/// Appends `number` to `out`.
pub(crate) fn append(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 2 * MAX_DIGITS];
    let mut at = MAX_DIGITS;
    while number >= 100 {
        let pair = (number % 100) as usize * 2;
        number /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if number >= 10 {
        let pair = number as usize * 2;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    } else {
        at -= 1;
        digits[at] = b'0' + number as u8;
    }
    // Perf: a copy with a known length is no call.
    let end = out.len() + MAX_DIGITS - at;
    out.extend_from_slice(&digits[at..at + MAX_DIGITS]);
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::append;

    #[test]
    fn agrees_with_the_standard_library() {
        let powers = (0..20).map(|n| 10u64.pow(n));
        let near = powers.flat_map(|p| [p - 1, p, p + 1, p.saturating_mul(7)]);
        for number in near.chain(0..1200).chain([u64::MAX, u64::MAX - 1]) {
            let mut out = b"x".to_vec();
            append(&mut out, number);
            assert_eq!(out, format!("x{number}").into_bytes());
        }
    }
}
