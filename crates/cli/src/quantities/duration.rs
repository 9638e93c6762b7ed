//! Amounts of time.

use std::time::Duration;

use jiff::{Span, civil::Date};

/// Units in which jiff accepts no fractions, and their seconds. GNU `timeout` accepts `1.5d`.
const LONG_UNITS: [(&[&str], f64); 2] =
    [(&["d", "day", "days"], 86_400.0), (&["w", "wk", "wks", "week", "weeks"], 604_800.0)];

/// The day from which months and years are counted where no day is known.
const SOME_DAY: Date = Date::constant(2001, 1, 1);

/// The longest duration: a deadline that the clock cannot represent is none that anyone reaches.
const MAX_DURATION: Duration = Duration::from_secs(u32::MAX as u64);

/// Parses an amount of time: seconds, which may have a fraction, or what [`parse_span`] accepts.
///
/// # Errors
/// `text` is not a duration.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    // A duration that ends after the last year is none that anyone waits for.
    let in_seconds =
        |span: Span| span.to_duration(SOME_DAY).map_or(f64::MAX, |time| time.as_secs_f64());
    let seconds = decimal(text).or_else(|| parse_span(text).map(in_seconds));
    let seconds = seconds.ok_or_else(|| {
        format!(
            "invalid duration: '{text}' (accepted: seconds, such as 5 or 0.5, or numbers with units, \
             such as 500ms, 10s, 5min, 1h30m, 1.5d or '2 weeks'; m is a minute, M a month)"
        )
    })?;
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(MAX_DURATION).min(MAX_DURATION))
}

/// Parses numbers with units, such as `90min`, `1h30m`, `2 weeks`, `1.5d`, and `1M` for a month. A
/// sign, `ago` and ISO's `P3D` are not accepted.
pub(super) fn parse_span(text: &str) -> Option<Span> {
    if !text.starts_with(|first: char| first.is_ascii_digit()) || text.ends_with("ago") {
        return None;
    }
    let span = month_names(text).parse::<Span>().ok().filter(|span| !span.is_negative());
    span.or_else(|| long_fraction(text))
}

/// Writes out each `M` that is a unit: `1y2M` becomes `1y2mo`.
fn month_names(text: &str) -> String {
    let mut names = String::with_capacity(text.len() + 1);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_unit = c == 'M'
            && names.ends_with(|before: char| before.is_ascii_digit() || before == ' ')
            && rest.peek().is_none_or(|after| !after.is_alphabetic());
        names.push(if is_unit { 'm' } else { c });
        names.push_str(if is_unit { "o" } else { "" });
    }
    names
}

/// The span that days or weeks with a fraction are, where a day has 24 hours: `1.5d` is 36 hours.
fn long_fraction(text: &str) -> Option<Span> {
    let len = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = text.split_at(len);
    let unit = unit.trim_start_matches(' ');
    let (_, seconds) = LONG_UNITS.iter().find(|(names, _)| names.contains(&unit))?;
    let seconds = decimal(number)? * seconds;
    // A second's fraction is dropped.
    Span::new().try_seconds(seconds as i64).ok()
}

/// What digits mean that may have a point between them.
fn decimal(number: &str) -> Option<f64> {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let is_decimal = number.bytes().all(|byte| is_digit(byte) || byte == b'.')
        && number.bytes().next().is_some_and(is_digit)
        && number.bytes().next_back().is_some_and(is_digit);
    number.parse().ok().filter(|_| is_decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_or_are_seconds() {
        for (text, seconds) in [
            ("0", 0.0),
            ("5", 5.0),
            ("0.5", 0.5),
            ("10", 10.0),
            ("500ms", 0.5),
            ("2.5s", 2.5),
            ("1.5s", 1.5),
            ("1m", 60.0),
            ("1.5m", 90.0),
            ("1min", 60.0),
            ("5 minutes", 300.0),
            ("1h", 3600.0),
            ("1.5h", 5400.0),
            ("1h30m", 5400.0),
            ("1h 30m", 5400.0),
            ("2 hours 5 seconds", 7205.0),
            ("1d", 86_400.0),
            ("1.5d", 129_600.0),
            ("0.5 days", 43_200.0),
            ("1d12h", 129_600.0),
            ("2w", 1_209_600.0),
            ("2 weeks", 1_209_600.0),
            ("1M", 2_678_400.0),
            ("1mo", 2_678_400.0),
            ("1y", 31_536_000.0),
            ("100us", 0.0001),
            ("19000y", 4_294_967_295.0),
            ("99999999999999999999", 4_294_967_295.0),
        ] {
            let parsed = parse_duration(text).map(|duration| duration.as_secs_f64());
            assert_eq!(parsed, Ok(seconds), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "", " ", "x", "s", "ms", "-1", "+1", "-1s", "+1s", " 5", "5 ", ".5", ".5s", "5.",
            "1.2.3s", "1q", "1h-30m", "1h ago", "PT5S", "P1D", "1e3", "1e3s", "0x10", "inf", "NaN",
            "1_000", "1,000", "5s5", "١s", "1.5y", "1.5M",
        ] {
            let error = parse_duration(text).expect_err(text);
            assert!(
                error.starts_with(&format!("invalid duration: '{text}' (accepted: ")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_capital_m_is_a_month() {
        for (text, names) in [
            ("1M", "1mo"),
            ("1y2M3d", "1y2mo3d"),
            ("1 M", "1 mo"),
            ("1 Month", "1 Month"),
            ("M", "M"),
            ("1m", "1m"),
        ] {
            assert_eq!(month_names(text), names);
        }
    }
}
