//! Rare needles, planted in an exact share of the text files of `sample`. Frequent ones need no
//! help: `static`, `error` and `size` are words of every source.

/// Each needle with its period: it is planted in every so many text files.
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

/// Selects the needles of each text file.
#[derive(Default)]
pub(super) struct Needles {
    /// Text files so far.
    files: u64,
}

impl Needles {
    /// The needles of the next file. The first one comes after half a period, so that a small tree
    /// has some too.
    pub(super) fn of_the_next_file(&mut self) -> impl Iterator<Item = String> + use<> {
        let number = self.files;
        self.files += 1;
        let wanted = NEEDLES.iter().filter(move |(_, period)| number % period == period / 2);
        wanted.map(move |(needle, period)| match number / period % 4 {
            // Every fourth is no whole word.
            3 => format!("old_{needle}"),
            _ => (*needle).to_owned(),
        })
    }
}
