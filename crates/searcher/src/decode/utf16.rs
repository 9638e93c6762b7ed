//! What UTF-16 allows beyond other encodings: runs of ASCII are decoded many units at a time.

/// The order of the two bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

/// The number of units that [`narrow`] decodes at once.
const RUN: usize = 32;

impl Endian {
    /// The order of the bytes in `encoding`; `None` if that is not UTF-16.
    pub(super) fn of(encoding: &'static encoding_rs::Encoding) -> Option<Endian> {
        match encoding {
            _ if encoding == encoding_rs::UTF_16LE => Some(Endian::Little),
            _ if encoding == encoding_rs::UTF_16BE => Some(Endian::Big),
            _ => None,
        }
    }

    fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Endian::Little => u16::from_le_bytes(bytes),
            Endian::Big => u16::from_be_bytes(bytes),
        }
    }

    /// Whether a unit of these bytes is the first half of a character.
    pub(super) fn is_high_surrogate(self, bytes: [u8; 2]) -> bool {
        self.unit(bytes) & 0xFC00 == 0xD800
    }
}

/// Decodes units from the start of `from` into `to` until one in the next 32 of them is not ASCII,
/// or fewer are left. Returns the number of units.
pub(super) fn narrow(endian: Endian, from: &[u8], to: &mut [u8]) -> usize {
    match endian {
        Endian::Little => narrow_with(from, to, u16::from_le_bytes),
        Endian::Big => narrow_with(from, to, u16::from_be_bytes),
    }
}

// Perf: over arrays, so that the inner loop becomes vector instructions.
#[inline(always)]
fn narrow_with(from: &[u8], to: &mut [u8], unit: impl Fn([u8; 2]) -> u16) -> usize {
    let mut count = 0;
    let (runs, _) = from.as_chunks::<{ 2 * RUN }>();
    for (from, to) in runs.iter().zip(to.as_chunks_mut::<RUN>().0) {
        let mut seen = 0;
        for i in 0..RUN {
            let unit = unit([from[2 * i], from[2 * i + 1]]);
            seen |= unit;
            to[i] = unit as u8;
        }
        if seen > 0x7F {
            break;
        }
        count += RUN;
    }
    count
}

/// Whether one of the units of `bytes` is U+0000. A last byte without its other half is not
/// examined.
pub(super) fn has_nul(bytes: &[u8]) -> bool {
    let (units, _) = bytes.as_chunks::<2>();
    let (runs, rest) = units.as_chunks::<RUN>();
    let is_in = |units: &[[u8; 2]]| units.iter().fold(false, |seen, unit| seen | (*unit == [0, 0]));
    runs.iter().any(|run| is_in(run)) || is_in(rest)
}
