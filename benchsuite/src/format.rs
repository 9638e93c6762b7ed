//! Figures as people read them, with three significant digits, and text that is safe in a page.

use serde::Serialize;

use crate::markdown::grouped;

/// Text as it stands between tags or in a quoted attribute, in HTML and in XML alike.
///
/// Control characters are legal in neither and could only come from odd file names or versions.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            // XML 1.0 has no way to write these.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other if other.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Unit {
    /// Seconds.
    Time,
    /// Bytes.
    Memory,
    /// Things.
    Count,
}

impl Unit {
    /// The divisor for figures around `size`, and its name.
    pub(crate) fn of(self, size: f64) -> (f64, &'static str) {
        const KIB: f64 = 1024.0;
        match self {
            Unit::Time if size >= 0.9995 => (1.0, "s"),
            Unit::Time => (1e-3, "ms"),
            Unit::Memory if size >= 999.5 * KIB * KIB => (KIB * KIB * KIB, "GiB"),
            Unit::Memory if size >= 0.09995 * KIB * KIB => (KIB * KIB, "MiB"),
            Unit::Memory => (KIB, "KiB"),
            Unit::Count => (1.0, ""),
        }
    }

    /// A figure with three significant digits and its unit: `28.7 ms`.
    pub(crate) fn show(self, figure: f64) -> String {
        let (divisor, name) = self.of(figure);
        if self == Unit::Count {
            return count(figure);
        }
        format!("{} {name}", digits(figure / divisor))
    }

    /// A figure and how far others lie around it, with the digits of the figure: `28.7 ± 1.4 ms`.
    pub(crate) fn around(self, figure: f64, distance: f64) -> String {
        let (divisor, name) = self.of(figure);
        if self == Unit::Count {
            return count(figure);
        }
        let figure = figure / divisor;
        let decimals = decimals(figure);
        format!("{} ± {:.decimals$} {name}", digits(figure), distance / divisor)
    }

    /// The label for a tick on an axis, in units of `divisor`.
    pub(crate) fn tick(self, figure: f64, divisor: f64, decimals: usize) -> String {
        match self {
            Unit::Count => count(figure),
            _ => format!("{:.decimals$}", figure / divisor),
        }
    }
}

/// A number with three significant digits, and no fewer than it has before its point: `1234`,
/// `28.7`, `0.0123`.
pub(crate) fn digits(number: f64) -> String {
    let decimals = decimals(number);
    format!("{number:.decimals$}")
}

/// How many digits behind the point make three in all.
fn decimals(number: f64) -> usize {
    let number = number.abs();
    if number == 0.0 || !number.is_finite() {
        return 0;
    }
    // Rounding may carry into a new digit: 9.996 is 10.0, not 10.00.
    let rounded = number * (1.0 + 0.5e-3);
    (2 - rounded.log10().floor() as i32).clamp(0, 6) as usize
}

/// A whole number in groups of three digits: `271,000`.
pub(crate) fn count(number: f64) -> String {
    let grouped = grouped(number.abs().round_ties_even() as u64);
    if number < -0.5 { format!("−{grouped}") } else { grouped }
}

/// A part of a whole: `8.3 %`.
pub(crate) fn percent(part: f64) -> String {
    let percent = part * 100.0;
    if percent.abs() < 9.95 { format!("{percent:.1} %") } else { format!("{} %", count(percent)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_three_digits() {
        for (seconds, text) in [
            (0.0287, "28.7 ms"),
            (0.000_812_4, "0.812 ms"),
            (0.2295, "230 ms"),
            (0.009_996, "10.0 ms"),
            (0.9996, "1.00 s"),
            (12.345, "12.3 s"),
            (0.0, "0 ms"),
        ] {
            assert_eq!(Unit::Time.show(seconds), text);
        }
        assert_eq!(Unit::Memory.show(6_205_440.0), "5.92 MiB");
        assert_eq!(Unit::Memory.show(34.0 * 1024.0 * 1024.0), "34.0 MiB");
        assert_eq!(Unit::Memory.show(1024.0 * 1024.0 * 1024.0), "1.00 GiB");
        assert_eq!(Unit::Memory.show(2048.0), "2.00 KiB");
        assert_eq!(Unit::Count.show(271_000.4), "271,000");
        assert_eq!(Unit::Time.around(0.0287, 0.001_449), "28.7 ± 1.4 ms");
        assert_eq!(Unit::Time.around(1.234, 0.05), "1.23 ± 0.05 s");
    }

    #[test]
    fn counts_are_grouped_and_parts_are_percents() {
        let counts = [0.0, 12.0, 999.0, 1000.0, 78_652.0, 1e6].map(count);
        assert_eq!(counts, ["0", "12", "999", "1,000", "78,652", "1,000,000"]);
        assert_eq!(count(-1234.0), "−1,234");
        assert_eq!([0.083, 0.0123, 0.62, 12.0].map(percent), ["8.3 %", "1.2 %", "62 %", "1,200 %"]);
    }

    #[test]
    fn nothing_escapes() {
        let text = "<b onclick='x' title=\"y\">&amp;\u{1b}[0m\u{0}\u{fffe}é\n";
        let escaped = "&lt;b onclick=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;\u{fffd}[0m\u{fffd}\u{fffd}é\n";
        assert_eq!(escape(text), escaped);
    }
}
