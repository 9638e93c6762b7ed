//! What searches look for, in as many files of `sample` as they may expect to find it in.
//!
//! Frequent needles need no help: `static`, `error` and `size` are words of every source. These are
//! the rare ones, none of which any other text has: they are in every so manieth text file,
//! exactly.

/// What is planted, and in every how manieth text file.
const NEEDLES: [(&str, u64); 9] = [
    ("PM_RESUME", 400),
    ("pm_resume", 700),
    ("SYSTEM_RESUME", 900),
    ("ERR_SYS", 600),
    ("PME_TURN_OFF", 1500),
    ("LINK_REQ_RST", 2500),
    ("CFG_BME_EVT", 5000),
    ("dimifoce", 3000),
    ("6021023x", 4000),
];

/// Says which text file gets which needle.
#[derive(Default)]
pub(super) struct Needles {
    /// Text files so far.
    files: u64,
}

impl Needles {
    /// What the next file is to hold. In half of a period the first one is reached, so that a small
    /// tree has some too.
    pub(super) fn of_the_next_file(&mut self) -> impl Iterator<Item = String> + use<> {
        let number = self.files;
        self.files += 1;
        let wanted = NEEDLES.iter().filter(move |(_, period)| number % period == period / 2);
        wanted.map(move |(needle, period)| match number / period % 4 {
            // Every fourth is a word of its own no more.
            3 => format!("old_{needle}"),
            _ => (*needle).to_owned(),
        })
    }
}
