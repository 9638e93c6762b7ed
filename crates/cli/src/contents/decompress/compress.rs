//! The format of the Unix program compress: codes with 9 to 16 bits. Each stands for a string that
//! was seen before (LZW).
//!
//! Eight codes with the same width form a group. When the width changes, the rest of the group is
//! padding. The format has no end and no checksum, so a truncated file is not recognized, as with
//! the program gzip.

use std::io::{self, BufRead, Read};

use super::{input::Input, streams::Streams};

/// The magic number that a file begins with.
pub(super) const COMPRESS_MAGIC: &[u8] = &[0x1f, 0x9d];

/// The bits in the third byte: how wide a code may be, what is not defined, and whether a code
/// clears the table.
const WIDTH_MASK: u8 = 0x1f;
const UNDEFINED: u8 = 0x60;
const CLEARS: u8 = 0x80;

/// How wide the first codes are, and the widest ones, in bits.
const FIRST_WIDTH: u32 = 9;
const LAST_WIDTH: u32 = 16;

/// The code that clears the table, if there is one.
const CLEAR: usize = 256;

/// Whether a file that begins like this is a compress file.
pub(super) fn begins(start: &[u8]) -> bool {
    let is_valid = |flags: u8| {
        (FIRST_WIDTH..=LAST_WIDTH).contains(&u32::from(flags & WIDTH_MASK))
            && flags & UNDEFINED == 0
    };
    start.starts_with(COMPRESS_MAGIC)
        && start.get(COMPRESS_MAGIC.len()).is_some_and(|&flags| is_valid(flags))
}

/// Decodes one file after the other with the same table.
pub(super) struct Compress {
    input: Input,
    /// For each code from 256 on: the code of its string without the last byte, and that byte. The
    /// first code is smaller than the other.
    table: Vec<(u16, u8)>,
    /// The next code that gets a string.
    free: usize,
    last_width: u32,
    clears: bool,
    width: u32,
    /// Bits that have been read and not taken.
    bits: u32,
    bit_count: u32,
    /// How many codes in the group have been taken.
    in_group: u32,
    /// The code before, and its string's first byte.
    previous: Option<(usize, u8)>,
    /// A string's bytes that have not been returned, from the last to the first.
    string: Vec<u8>,
    /// The error behind the last read's bytes.
    fault: Option<io::Error>,
}

impl Compress {
    /// Takes a code with the current width; `None` at the file's end.
    fn code(&mut self) -> io::Result<Option<usize>> {
        while self.bit_count < self.width {
            let Some(&byte) = self.input.fill_buf()?.first() else { return Ok(None) };
            self.input.consume(1);
            self.bits |= u32::from(byte) << self.bit_count;
            self.bit_count += 8;
        }
        let code = self.bits & ((1 << self.width) - 1);
        self.bits >>= self.width;
        self.bit_count -= self.width;
        self.in_group = (self.in_group + 1) % 8;
        Ok(Some(code as usize))
    }

    /// Passes over the rest of the group, and changes the width.
    fn set_width(&mut self, width: u32) -> io::Result<()> {
        while self.in_group != 0 && self.code()?.is_some() {}
        (self.width, self.bits, self.bit_count, self.in_group) = (width, 0, 0, 0);
        Ok(())
    }

    /// Decodes the next string. Returns false if there is none.
    fn decode(&mut self) -> io::Result<bool> {
        loop {
            if self.free >= 1 << self.width && self.width < self.last_width {
                self.set_width(self.width + 1)?;
            }
            let Some(code) = self.code()? else { return Ok(false) };
            if code == CLEAR && self.clears {
                (self.free, self.previous) = (CLEAR + 1, None);
                self.set_width(FIRST_WIDTH)?;
                continue;
            }
            let is_known = code < self.free && (code < 256 || self.previous.is_some());
            let mut at = code;
            match self.previous {
                // The string of the code before, and its first byte again.
                Some((previous, first)) if code == self.free => {
                    self.string.push(first);
                    at = previous;
                }
                _ if is_known => {}
                _ => return Err(io::Error::other("corrupt input")),
            }
            while at >= 256 {
                let (before, byte) = self.table[at - 256];
                self.string.push(byte);
                at = usize::from(before);
            }
            // It is less than 256.
            let first = at as u8;
            self.string.push(first);
            if let Some((previous, _)) = self.previous
                && self.free < 1 << self.last_width
            {
                // Codes have 16 bits at most.
                self.table[self.free - 256] = (previous as u16, first);
                self.free += 1;
            }
            self.previous = Some((code, first));
            return Ok(true);
        }
    }
}

impl Streams for Compress {
    fn new() -> Compress {
        Compress {
            input: Input::default(),
            table: Vec::new(),
            free: 0,
            last_width: 0,
            clears: false,
            width: 0,
            bits: 0,
            bit_count: 0,
            in_group: 0,
            previous: None,
            string: Vec::new(),
            fault: None,
        }
    }

    fn input(&mut self) -> &mut Input {
        &mut self.input
    }

    fn next(&mut self, first: bool) -> io::Result<bool> {
        if !first {
            return Ok(false);
        }
        self.input.begin_with(COMPRESS_MAGIC, "compress")?;
        let mut header = [0; 3];
        self.input.read_exact(&mut header)?;
        if !begins(&header) {
            return Err(io::Error::other("unsupported format"));
        }
        let flags = header[2];
        self.last_width = u32::from(flags & WIDTH_MASK);
        self.clears = flags & CLEARS != 0;
        self.table.resize((1 << LAST_WIDTH) - 256, (0, 0));
        self.free = if self.clears { CLEAR + 1 } else { CLEAR };
        (self.width, self.bits, self.bit_count, self.in_group) = (FIRST_WIDTH, 0, 0, 0);
        self.previous = None;
        self.string.clear();
        self.fault = None;
        Ok(true)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut len = 0;
        while len < into.len() {
            if let Some(byte) = self.string.pop() {
                into[len] = byte;
                len += 1;
                continue;
            }
            match self.fault.take().map_or_else(|| self.decode(), Err) {
                Ok(true) => {}
                Ok(false) => break,
                Err(fault) if len > 0 => {
                    self.fault = Some(fault);
                    break;
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(len)
    }

    fn is_worth_keeping(&self) -> bool {
        true
    }
}
