//! How much was shown, and how much there is, and how that is reported.

use bstr::ByteSlice;
use heist_printer::append_json_data;

use crate::texts::messages::grouped;

/// How many results there are, and how many files they are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) results: u64,
    pub(crate) files: u64,
}

/// The limit that left something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Results,
    Files,
    Output,
    Time,
}

impl Cut {
    /// The flag that sets the limit.
    fn flag(self) -> &'static str {
        match self {
            Cut::Results => "max-results",
            Cut::Files => "max-files",
            Cut::Output => "max-output",
            Cut::Time => "timeout",
        }
    }
}

/// How much was shown, and how much there is.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) shown: Totals,
    pub(super) found: Totals,
    /// How many results are longer than all output may be.
    pub(super) too_long: u64,
    /// The limit that left something out.
    pub(super) cut: Option<Cut>,
    /// Whether `found` is all there is.
    pub(super) is_exact: bool,
    /// How many results come before the first one shown.
    pub(super) offset: u64,
    /// The directory with most results, and how many it has, if that is known and results are left
    /// out.
    pub(super) most: Option<(Vec<u8>, u64)>,
}

impl Shown {
    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.results == 0
    }

    /// Whether all there is was shown.
    pub(crate) fn is_complete(&self) -> bool {
        self.cut.is_none() && self.too_long == 0 && self.offset == 0
    }

    /// Whether nothing was shown.
    pub(crate) fn shows_nothing(&self) -> bool {
        self.shown.results == 0
    }

    /// The line for people. `noun` names results, if they are not files themselves, and `file`
    /// names files, or what they are grouped by. `is_ordered` is whether the next run finds the
    /// results in the same order.
    pub(crate) fn line(&self, noun: Option<&str>, file: &str, is_ordered: bool) -> String {
        let at_least = if self.is_exact { "" } else { "at least " };
        let part = |number: u64, of| format!("{} of {at_least}{}", grouped(number), grouped(of));
        let files = part(self.shown.files, self.found.files);
        let mut line = match noun {
            Some(noun) => {
                let results = part(self.shown.results, self.found.results);
                format!("{results} {noun} in {files} {file}")
            }
            None => format!("{files} {file}"),
        };
        if self.offset > 0 {
            line += &format!(", after the first {}", grouped(self.offset));
        }
        match self.cut {
            None => {}
            Some(Cut::Time) => line += "; the time is up (--timeout)",
            Some(cut) => line += &format!(" (--{})", cut.flag()),
        }
        if self.too_long > 0 {
            line += &format!("; longer than --max-output: {}", grouped(self.too_long));
        }
        if let Some((dir, results)) = &self.most {
            let dir = dir.to_str_lossy();
            line += &format!("; most: {}/ {}", dir.trim_end_matches('/'), grouped(*results));
        }
        let passed = self.shown.results + self.too_long;
        if self.cut.is_some() && is_ordered && passed > 0 {
            line += &format!("; next: --offset={}", self.offset + passed);
        }
        line
    }

    /// The message for programs, with its line feed.
    pub(crate) fn json(&self) -> String {
        let totals = |totals: Totals| {
            format!(r#"{{"results":{},"files":{}}}"#, totals.results, totals.files)
        };
        let too_long = match self.too_long {
            0 => String::new(),
            number => format!(",\"too_long\":{number}"),
        };
        let most = self.most.as_ref().map_or(String::new(), |(dir, results)| {
            let mut data = Vec::new();
            append_json_data(&mut data, dir);
            format!(",\"most\":{{\"path\":{},\"results\":{results}}}", data.to_str_lossy())
        });
        let cut = self.cut.map_or("null".to_owned(), |cut| format!(r#""{}""#, cut.flag()));
        format!(
            "{{\"type\":\"shown\",\"data\":{{\"shown\":{},\"found\":{},\"exact\":{},\"offset\":{}\
             {too_long},\"limit\":{cut}{most}}}}}\n",
            totals(self.shown),
            totals(self.found),
            self.is_exact,
            self.offset,
        )
    }
}
