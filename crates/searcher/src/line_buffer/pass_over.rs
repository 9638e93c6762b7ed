//! Passes over a line that outgrows the buffer, without keeping it in memory, unless it has to be.
//!
//! Such a line is read part by part. Each part is searched for
//! [needles](heist_matcher::NeedleSearch) that matching lines must contain, or by a program that
//! needs no [whole line](heist_matcher::PartSearch). A match within a part decides where the line
//! is only counted or may be emitted unread. If the line is wanted as a whole, the parts before it
//! are read again, and it is kept as any other. The blocks after it are the same either way.
//!
//! ```text
//! buffer    |aaaaaaaa|          full, no terminator, no needle
//! parts          |aabbbbbb|     the end of a part is kept: a needle may begin in it
//!                     |bbcc⏎dd| the line ends, and was passed over; `dd` is the next one
//! ```

use std::io::{self, Read};

use memchr::{memchr, memrchr};

use super::{
    buffer::{Filled, LineBuffer},
    long_lines::{LongLines, PassedLine},
};
use crate::{SearchConfig, parallel::read_full, source::read_some};

impl LineBuffer {
    /// Reads on in a line that fills the buffer, and passes over it unless it has to be in memory.
    /// If `None`, it is in the buffer, or continues there.
    pub(super) fn pass_over(
        &mut self,
        reader: &mut dyn Read,
        config: &SearchConfig,
        long: &mut LongLines<'_>,
    ) -> io::Result<Option<Filled>> {
        let mut verdict = long.begin(&self.bytes[..self.end]);
        if long.keeps(verdict, self.nul().is_some()) {
            return Ok(None);
        }
        let part = 4 * self.capacity;
        let mut dropped = 0;
        loop {
            if self.is_stopped() {
                return Ok(Some(Filled::Nothing));
            }
            if dropped + self.end == self.limit {
                self.grow()?;
            }
            // What the buffer could take, if the line were in it.
            let room = self.limit - dropped - self.end;
            let kept = self.end.min(long.overlap());
            self.bytes.copy_within(self.end - kept..self.end, 0);
            dropped += self.end - kept;
            let most = part.min(room);
            self.use_up_to(kept + most)?;
            let got = read_some(reader, &mut self.bytes[kept..kept + most])?;
            self.end = kept + got;
            if got == 0 {
                self.ended = true;
                verdict = long.end(verdict);
                if long.keeps(verdict, self.nul().is_some()) {
                    self.restore(dropped, long)?;
                    self.lines_end = self.end;
                    return Ok(Some(Filled::Lines));
                }
                self.drop_line(dropped, self.end, long.selects(verdict));
                return Ok(Some(Filled::Nothing));
            }
            if self.detect_nul(kept..self.end, dropped, config).is_break() {
                return Ok(Some(Filled::Quit));
            }
            let stop = memchr(config.line_terminator, &self.bytes[kept..self.end]);
            let line_end = stop.map_or(self.end, |i| kept + i + 1);
            if verdict.is_open() {
                let part = stop.map_or(self.end, |i| kept + i);
                verdict = long.add(&self.bytes[..part], kept);
            }
            if stop.is_some() {
                verdict = long.end(verdict);
            }
            let is_kept = long.keeps(verdict, self.nul().is_some());
            if is_kept {
                self.restore(dropped, long)?;
            }
            if stop.is_none() {
                if is_kept {
                    return Ok(None);
                }
                continue;
            }
            if !is_kept {
                self.drop_line(dropped, line_end, long.selects(verdict));
            }
            let more = if got == most { room - got } else { 0 };
            return self.complete(reader, config, more).map(Some);
        }
    }

    /// Drops the line that the buffer begins with up to `end`, after `dropped` bytes of it were
    /// dropped before. It may be selected.
    fn drop_line(&mut self, dropped: usize, end: usize, is_selected: bool) {
        self.bytes.copy_within(end..self.end, 0);
        self.end -= end;
        let len = (dropped + end) as u64;
        self.passed = Some(PassedLine { len, is_selected });
        self.offset += len;
    }

    /// Reads the `dropped` bytes before the buffer again.
    fn restore(&mut self, dropped: usize, long: &LongLines<'_>) -> io::Result<()> {
        let whole = dropped + self.end;
        self.bytes.truncate(self.end);
        self.use_up_to(whole)?;
        self.bytes.copy_within(..self.end, dropped);
        self.end = whole;
        let got = read_full(long.file, &mut self.bytes[..dropped], long.start + self.offset)?;
        if got < dropped { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Completes the read in which the line ended, which takes `more` bytes. The lines are then
    /// those in the buffer.
    fn complete(
        &mut self,
        reader: &mut dyn Read,
        config: &SearchConfig,
        more: usize,
    ) -> io::Result<Filled> {
        if more > 0 {
            // The next read returns an error again.
            let got = self.read(reader, self.end + more).unwrap_or(0);
            let fresh = self.end..self.end + got;
            self.end = fresh.end;
            if self.detect_nul(fresh, 0, config).is_break() {
                self.passed = None;
                return Ok(Filled::Quit);
            }
        }
        let lines = memrchr(config.line_terminator, &self.bytes[..self.end]);
        self.lines_end = lines.map_or(0, |i| i + 1);
        Ok(Filled::Lines)
    }
}

#[cfg(test)]
mod tests {
    use heist_matcher::Matcher;

    use super::{super::long_lines::WantedLines, *};
    use crate::ReadAt;

    impl ReadAt for Vec<u8> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            (&self[offset as usize..]).read(buffer)
        }
    }

    /// What each fill passes over and finds in `text` if the buffer holds `capacity` bytes at
    /// first, and how much of the buffer was used.
    fn fills(capacity: usize, pattern: &str, text: &str) -> (Vec<(Option<u64>, String)>, usize) {
        fills_for(WantedLines::Read, capacity, pattern, text)
    }

    fn fills_for(
        wanted: WantedLines,
        capacity: usize,
        pattern: &str,
        text: &str,
    ) -> (Vec<(Option<u64>, String)>, usize) {
        let config = SearchConfig::default();
        let finder = Matcher::new([pattern], &Default::default()).unwrap().finder();
        let file = text.as_bytes().to_vec();
        let mut long = LongLines::new(&config, &finder, &file, 0, &file, wanted).unwrap();
        let (mut buffer, mut reader) = (LineBuffer::new(capacity), text.as_bytes());
        let mut fills = Vec::new();
        loop {
            let consumed = buffer.lines().len();
            let filled = buffer.fill(consumed, &mut reader, &config, Some(&mut long)).unwrap();
            if filled != Filled::Lines {
                return (fills, buffer.bytes.len());
            }
            let lines = String::from_utf8(buffer.lines().to_vec()).unwrap();
            fills.push((buffer.passed().map(|line| line.len), lines));
        }
    }

    #[test]
    fn a_line_without_a_needle_takes_no_memory() {
        let text = format!("a\n{}\nneedle\n", "x".repeat(16 << 20));
        let (found, used) = fills(64 << 10, "needle", &text);
        assert_eq!(found, [(None, "a\n".into()), (Some((16 << 20) + 1), "needle\n".into())]);
        assert!(used < 3 << 20, "{used}");
    }

    #[test]
    fn a_counted_line_that_matches_early_takes_no_memory() {
        let text = format!("a needle7 {}\nb7\n", "x".repeat(16 << 20));
        let len = text.len() as u64 - 3;
        for pattern in [r"needle\d", r"\bneedle7\b.*", r"[^z]{9}", r"(?i)^a\s\w+e\d"] {
            let (found, used) = fills_for(WantedLines::Counted, 64 << 10, pattern, &text);
            assert_eq!(found, [(Some(len), "b7\n".into())], "{pattern}");
            assert!(used < 3 << 20, "{pattern}: {used}");
        }
        // Neither needles nor a program for parts: a match is looked for in the first of them.
        let words = (1..100).map(|number: u32| format!("{:08x}", number.wrapping_mul(0x9E37_79B1)));
        let pattern = format!("(?i){}", words.collect::<Vec<_>>().join("|"));
        let early = |at| format!("{}9E3779B1{}\n", "x".repeat(at), "x".repeat(16 << 20));
        let text = early(300 << 10);
        let (found, used) = fills_for(WantedLines::Counted, 64 << 10, &pattern, &text);
        assert_eq!(found, [(Some(text.len() as u64), String::new())]);
        assert!(used < 3 << 20, "{used}");
        for (text, is_passed) in [
            ("x".repeat(200 << 10) + "9E3779B1 xxx", true),
            (early(2 << 20), false),
            ("x".repeat(100 << 10), false),
        ] {
            let (found, _) = fills_for(WantedLines::Counted, 64 << 10, &pattern, &text);
            let lines: String = found.iter().map(|(_, lines)| &**lines).collect();
            assert!(lines == if is_passed { "" } else { &text }, "{}", lines.len());
        }
        // The match may depend on what follows.
        let text = format!("é{}7\n", "x".repeat(1 << 20));
        let (found, _) = fills_for(WantedLines::Counted, 64 << 10, "^[^7]*$", &text);
        assert_eq!(found, [(None, text)]);
    }

    #[test]
    fn the_other_lines_take_no_memory_in_an_inverted_search() {
        let x = "x".repeat(5 << 20);
        let text = format!("a\n{x}\n{x}needle{x}\nb\n");
        for wanted in [WantedLines::Counted, WantedLines::Unread] {
            let config = SearchConfig { invert: true, ..SearchConfig::default() };
            let finder = Matcher::new(["needle"], &Default::default()).unwrap().finder();
            let file = text.as_bytes().to_vec();
            let mut long = LongLines::new(&config, &finder, &file, 0, &file, wanted).unwrap();
            let (mut buffer, mut reader) = (LineBuffer::new(64 << 10), text.as_bytes());
            let mut passed = Vec::new();
            loop {
                let consumed = buffer.lines().len();
                let filled = buffer.fill(consumed, &mut reader, &config, Some(&mut long)).unwrap();
                passed.extend(buffer.passed().map(|line| (line.len, line.is_selected)));
                if filled != Filled::Lines {
                    break;
                }
            }
            let lens = [x.len() + 1, 2 * x.len() + 7].map(|len| len as u64);
            assert_eq!(passed, [(lens[0], true), (lens[1], false)]);
            assert!(buffer.bytes.len() < text.len() / 2, "{}", buffer.bytes.len());
            assert!(LongLines::new(&config, &finder, &file, 0, &file, WantedLines::Read).is_none());
        }
    }

    #[test]
    fn a_line_with_a_needle_is_whole() {
        for at in [0, 10, 60, 75, 200, 1000, 4994] {
            let mut line = "x".repeat(5000) + "\n";
            line.replace_range(at..at + 6, "needle");
            let (found, _) = fills(16, "needle", &format!("{line}b\n"));
            let lines: String = found.iter().map(|(_, lines)| &**lines).collect();
            assert_eq!(lines, format!("{line}b\n"), "{at}");
            assert!(found.iter().all(|(passed, _)| passed.is_none()), "{at}");
        }
    }
}
