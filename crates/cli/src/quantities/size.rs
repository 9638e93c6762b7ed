//! Numbers of bytes.

/// The units' letters, by their powers of 1000 and 1024, less one.
const UNITS: &[u8] = b"kmgtpe";

/// The digits behind the point that count. A unit has fewer bytes than a number with more.
const MAX_FRACTION_DIGITS: usize = 18;

const ACCEPTED_SIZES: &str = "accepted: bytes, such as 4096, or a number and a unit: 10k and 1.5M, or \
    10KiB and 1.5MiB, count in powers of 1024; 10kB and 1.5MB in powers of 1000; likewise G, T, P \
    and E";

/// Parses a number of bytes. A letter alone is a power of 1024, as in `dd`, `find` and ripgrep; so
/// is `KiB`, while `kB` is a power of 1000. Case does not matter. Fractions of a byte are dropped.
///
/// Example: `10k` and `10KiB` are 10240, `10kB` is 10000, `1.5M` is 1572864.
///
/// # Errors
/// `text` is not a size, or larger than any file.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = text.split_at(digits);
    let invalid = || format!("invalid size: '{text}' ({ACCEPTED_SIZES})");
    let unit = unit_of(unit).ok_or_else(invalid)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let has_part = number.contains('.') && unit == 1;
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') || has_part {
        return Err(invalid());
    }
    let too_large = || format!("invalid size: '{text}' is too large ({ACCEPTED_SIZES})");
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let fraction = &fraction[..fraction.len().min(MAX_FRACTION_DIGITS)];
    let parts: u64 = fraction.parse().map_err(|_| invalid())?;
    let scale = 10_u128.pow(u32::try_from(fraction.len()).unwrap_or_default());
    // Both factors fit into 64 bits.
    let part = u128::from(parts) * u128::from(unit) / scale;
    let bytes = u128::from(whole) * u128::from(unit) + part;
    u64::try_from(bytes).map_err(|_| too_large())
}

/// How many bytes a unit stands for: 1024 for `k` and `KiB`, 1000 for `kB`.
fn unit_of(unit: &str) -> Option<u64> {
    let unit = unit.as_bytes();
    let Some((letter, rest)) = unit.split_first().filter(|_| unit != b"B") else {
        return Some(1);
    };
    let power = UNITS.iter().position(|known| letter.eq_ignore_ascii_case(known))?;
    let base: u64 = match rest.to_ascii_lowercase().as_slice() {
        b"" | b"i" | b"ib" => 1024,
        b"b" => 1000,
        _ => return None,
    };
    base.checked_pow(u32::try_from(power).ok()? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_dd_and_find() {
        for (text, bytes) in [
            ("0", 0),
            ("12", 12),
            ("007", 7),
            ("12B", 12),
            // What ripgrep accepts.
            ("3K", 3 << 10),
            ("3M", 3 << 20),
            ("3G", 3 << 30),
            // `dd` and `find -size` also take `k`.
            ("3k", 3 << 10),
            ("3m", 3 << 20),
            ("3g", 3 << 30),
            ("3T", 3 << 40),
            ("3P", 3 << 50),
            ("15E", 15 << 60),
            ("3kB", 3000),
            ("3KB", 3000),
            ("3kb", 3000),
            ("1MB", 1_000_000),
            ("1gb", 1_000_000_000),
            ("1TB", 1_000_000_000_000),
            ("1KiB", 1024),
            ("1kib", 1024),
            ("1Ki", 1024),
            ("1MiB", 1 << 20),
            ("1EiB", 1 << 60),
            ("1.5M", 3 << 19),
            ("1.5MB", 1_500_000),
            ("0.5k", 512),
            ("0.001kB", 1),
            // A part of a byte.
            ("0.3k", 307),
            ("1.0000000000000000000000001k", 1024),
            ("18446744073709551615", u64::MAX),
            ("15.999999999999999999E", u64::MAX - 1),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "", " ", "K", "kB", ".", ".5k", "1.", "1.k", "1.5", "1.5B", "1..5k", "1.2.3k", "-1",
            "+1", " 1", "1 ", "1 k", "1x", "1kk", "1kBs", "1Kib8", "1b", "1ki b", "1i", "1e3",
            "0x10", "1_000", "1,000", "1'000", "١k", "1k ", "1K0", "2x512", "1/2k", "10%", "1ZiB",
            "NaN", "inf",
        ] {
            let error = parse_size(text).expect_err(text);
            assert!(error.starts_with(&format!("invalid size: '{text}' (accepted: ")), "{error}");
        }
        for text in
            ["20000000000000G", "99999999999999999999", "16E", "18446744073709551616", "99E"]
        {
            let error = parse_size(text).expect_err(text);
            assert!(
                error.starts_with(&format!("invalid size: '{text}' is too large (")),
                "{error}"
            );
        }
    }
}
