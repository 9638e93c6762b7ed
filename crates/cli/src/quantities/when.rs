//! Points in time as `--newer` and `--older` take them.

use std::{
    ffi::OsStr,
    fmt, fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use jiff::{Span, Timestamp, Zoned, civil::DateTime, tz::TimeZone};

use super::duration::parse_span;

const ACCEPTED_TIMES: &str = "accepted: a duration before now, such as 90min, 2h, 3d or '2 weeks ago'; \
    now, today or yesterday; a date such as 2026-11-24, or a date and time such as \
    2026-11-24T10:00; seconds since 1970, such as @1764000000; or a file, for the time at which it \
    was modified";

/// How many digits count in a fraction of a second.
const NANOSECOND_DIGITS: usize = 9;

/// The time between two times that a file may have.
const RESOLUTION: Duration = Duration::from_nanos(1);

/// A point in time that depends on the clock, the time zone or a file until it is resolved.
#[derive(Clone, Debug)]
pub(crate) struct When {
    /// As typed.
    text: String,
    kind: WhenKind,
}

#[derive(Clone, Debug)]
enum WhenKind {
    /// This long ago.
    Ago(Span),
    /// The start of the day that was this many days ago.
    DaysAgo(i64),
    /// A date, with or without a time of day, in the local time zone.
    Local(DateTime),
    /// A time with its offset from UTC.
    Absolute(Timestamp),
    /// The time at which this file was modified.
    File(PathBuf),
}

impl When {
    /// Parses a duration, such as `2h` or `3 days ago`; a word, such as `yesterday`; a date, such
    /// as `2026-11-24`, `2026/11/24 10:00` or `2026-11-24Z`; seconds, such as `@-1`; or the path of
    /// a file, which does not begin with a digit, a sign or `@`.
    ///
    /// # Errors
    /// `text` is none of these. Whether a file exists is found out later.
    pub(crate) fn parse(text: &OsStr) -> Result<When, String> {
        let kind = text.to_str().and_then(WhenKind::parse);
        let shown = text.to_string_lossy().into_owned();
        let can_be_file = !shown
            .starts_with(|first: char| first.is_ascii_digit() || matches!(first, '@' | '+' | '-'))
            && !shown.is_empty();
        let kind = kind.or_else(|| can_be_file.then(|| WhenKind::File(PathBuf::from(text))));
        let kind = kind.ok_or_else(|| {
            format!("invalid time: '{shown}' is neither a duration nor a date ({ACCEPTED_TIMES})")
        })?;
        Ok(When { text: shown, kind })
    }

    /// Returns the point in time that this is at the time `now`. If `is_safe`, no file is examined,
    /// which may lie outside of what is searched.
    ///
    /// # Errors
    /// The time is outside the years -9999 to 9999; a file cannot be examined.
    pub(crate) fn resolve(&self, now: SystemTime, is_safe: bool) -> Result<SystemTime, String> {
        let zoned = || Timestamp::try_from(now).map(|now| Zoned::new(now, TimeZone::system()));
        let time = match &self.kind {
            WhenKind::Absolute(time) => Ok(*time),
            WhenKind::Local(local) => Ok(in_local_zone(*local)),
            WhenKind::Ago(span) => {
                zoned().and_then(|now| now.checked_sub(*span)).map(|zoned| zoned.timestamp())
            }
            WhenKind::DaysAgo(days) => zoned()
                .and_then(|now| now.checked_sub(Span::new().try_days(*days)?))
                .and_then(|day| day.start_of_day())
                .map(|zoned| zoned.timestamp()),
            WhenKind::File(_) if is_safe => {
                let text = &self.text;
                return Err(format!(
                    "invalid time: '{text}' is neither a duration nor a date, and with --safe or \
                     HEIST_RESTRICT no file is examined ({ACCEPTED_TIMES})"
                ));
            }
            WhenKind::File(path) => return self.modified(path),
        };
        time.map(SystemTime::from).map_err(|error| format!("'{}': {error}", self.text))
    }

    /// Whether this is the time of a file. Files as old as it are not newer.
    pub(crate) fn is_of_file(&self) -> bool {
        matches!(self.kind, WhenKind::File(_))
    }

    fn modified(&self, path: &Path) -> Result<SystemTime, String> {
        fs::metadata(path).and_then(|file| file.modified()).map_err(|error| {
            let text = &self.text;
            match error.kind() {
                io::ErrorKind::NotFound => format!(
                    "invalid time: '{text}' is neither a duration nor a date, and no such file \
                     exists ({ACCEPTED_TIMES})"
                ),
                _ => format!("invalid time: '{text}': {error}"),
            }
        })
    }

    /// The least time that is after `time`, as far as files have it.
    pub(crate) fn just_after(time: SystemTime) -> SystemTime {
        time.checked_add(RESOLUTION).unwrap_or(time)
    }
}

/// The timestamp of `local`. On the first and the last days that a date may have, which are too
/// early or too late for some time zones, the nearest timestamp that there is.
fn in_local_zone(local: DateTime) -> Timestamp {
    let nearest = if local.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
    local.to_zoned(TimeZone::system()).map_or(nearest, |zoned| zoned.timestamp())
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl WhenKind {
    fn parse(text: &str) -> Option<WhenKind> {
        if let Some(seconds) = text.strip_prefix('@') {
            return timestamp(seconds).map(WhenKind::Absolute);
        }
        let word = text.to_ascii_lowercase();
        match word.as_str() {
            "now" => return Some(WhenKind::Ago(Span::new())),
            "today" => return Some(WhenKind::DaysAgo(0)),
            "yesterday" => return Some(WhenKind::DaysAgo(1)),
            _ => {}
        }
        if let Some(unit) = word.strip_prefix("last ") {
            return parse_span(&format!("1 {}", unit.trim_start())).map(WhenKind::Ago);
        }
        ago(text).map(WhenKind::Ago).or_else(|| date(text))
    }
}

/// A duration, which `ago` may follow. As in git, dots may stand for blanks: `2.weeks.ago`.
fn ago(text: &str) -> Option<Span> {
    let mut blanks = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_letter = |c: char| c.is_ascii_alphabetic();
        let is_blank = c == '.'
            && (blanks.ends_with(is_letter) || rest.peek().copied().is_some_and(is_letter));
        blanks.push(if is_blank { ' ' } else { c });
    }
    let span = blanks.strip_suffix("ago").unwrap_or(&blanks);
    // `3dago` is a typing error.
    let is_word = span.len() == blanks.len() || span.ends_with(' ');
    parse_span(span.trim_end()).filter(|_| is_word)
}

/// Seconds since 1970, which may be negative and have a fraction.
fn timestamp(text: &str) -> Option<Timestamp> {
    let (sign, number) = text.strip_prefix('-').map_or((1, text), |number| (-1, number));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(NANOSECOND_DIGITS)];
    let nanoseconds: i32 = format!("{fraction:0<NANOSECOND_DIGITS$}").parse().ok()?;
    Timestamp::new(sign * whole.parse::<i64>().ok()?, i32::try_from(sign).ok()? * nanoseconds).ok()
}

/// A date, with or without a time of day, and with or without an offset from UTC.
fn date(text: &str) -> Option<WhenKind> {
    let standard = standard_date(text);
    let text = standard.as_deref().unwrap_or(text);
    // A local time ignores an offset, so it is tried last.
    let absolute = text.parse().ok().map(WhenKind::Absolute);
    absolute.or_else(|| {
        let has_zone = text.contains(['+', 'Z', 'z', '[']);
        text.parse().ok().filter(|_| !has_zone).map(WhenKind::Local)
    })
}

/// Writes a date and what follows it as RFC 3339 does: `2026/9/24 10:00 +0100` becomes
/// `2026-09-24T10:00+0100`, and `2026-09-24Z` becomes `2026-09-24T00:00Z`.
fn standard_date(text: &str) -> Option<String> {
    let separator = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| "-/".contains(*c))?;
    let mut parts = text.splitn(3, separator);
    let (year, month, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (day, rest) = rest.split_at(digits);
    let is_short = |part: &str| matches!(part.len(), 1 | 2);
    if year.len() != 4 || !is_short(month) || !is_short(day) {
        return None;
    }
    let (time, offset) = rest.split_at(rest.find(['+', '-', 'Z', 'z']).unwrap_or(rest.len()));
    let time = match time.trim() {
        "" if offset.is_empty() => String::new(),
        "" => "T00:00".to_owned(),
        time => format!("T{}", time.strip_prefix(['T', 't']).unwrap_or(time)),
    };
    Some(format!("{year}-{month:0>2}-{day:0>2}{time}{offset}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> SystemTime {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        When::parse(text.as_ref()).unwrap().resolve(now, false).unwrap()
    }

    /// The seconds since 1970, with their fraction.
    fn seconds(text: &str) -> f64 {
        match resolved(text).duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => since.as_secs_f64(),
            Err(error) => -error.duration().as_secs_f64(),
        }
    }

    #[test]
    fn durations_are_counted_back_from_now() {
        for (text, ago) in [
            ("0s", 0.0),
            ("1s", 1.0),
            ("now", 0.0),
            ("90min", 5400.0),
            ("90m", 5400.0),
            ("2h", 7200.0),
            ("2h30m", 9000.0),
            ("2 hours", 7200.0),
            ("2 hours ago", 7200.0),
            ("2.hours.ago", 7200.0),
            ("2h ago", 7200.0),
            ("1.5h", 5400.0),
            ("1.5d", 129_600.0),
            ("1h 1s", 3601.0),
            ("last hour", 3600.0),
        ] {
            assert_eq!(1_700_000_000.0 - seconds(text), ago, "{text}");
        }
        // Days have 23 to 25 hours.
        for (text, days) in [
            ("3d", 3.0),
            ("3d ago", 3.0),
            ("2 days", 2.0),
            ("2w", 14.0),
            ("2 weeks ago", 14.0),
            ("2.weeks.ago", 14.0),
            ("last week", 7.0),
            ("Last Week", 7.0),
            ("1M", 31.0),
            ("1mo", 31.0),
            ("1 month ago", 31.0),
            ("last month", 31.0),
            ("1y", 365.0),
            ("1y1M", 396.0),
        ] {
            let difference = (1_700_000_000.0 - seconds(text) - days * 86_400.0).abs();
            assert!(difference <= 3600.0, "{text}");
        }
    }

    #[test]
    fn words_are_days_from_their_start() {
        let (today, yesterday) = (seconds("today"), seconds("yesterday"));
        assert!((0.0..=90_000.0).contains(&(1_700_000_000.0 - today)), "{today}");
        assert!((82_800.0..=90_000.0).contains(&(today - yesterday)), "{yesterday}");
        assert_eq!(seconds("Today"), today);
        assert_eq!(seconds("YESTERDAY"), yesterday);
    }

    #[test]
    fn dates_have_a_zone_or_are_local() {
        for (text, expected) in [
            ("@1234567890", 1_234_567_890.0),
            ("@0", 0.0),
            ("@-1", -1.0),
            ("@-0.5", -0.5),
            ("@1700000000.5", 1_700_000_000.5),
            ("@1.0000000001", 1.0),
            ("2009-02-13T23:31:30Z", 1_234_567_890.0),
            ("2009-02-13t23:31:30z", 1_234_567_890.0),
            ("2009-02-13 23:31:30 Z", 1_234_567_890.0),
            ("2009-02-14 00:31:30+01:00", 1_234_567_890.0),
            ("2009-02-14 00:31:30 +0100", 1_234_567_890.0),
            ("2009-02-13T18:31:30-05:00", 1_234_567_890.0),
            ("2009/02/13 23:31:30Z", 1_234_567_890.0),
            ("2009-2-13T23:31:30Z", 1_234_567_890.0),
            ("2009-02-13T23:31:30.25Z", 1_234_567_890.25),
            ("2024-02-29Z", 1_709_164_800.0),
            ("2024/02/29Z", 1_709_164_800.0),
            ("2024-02-29+02:00", 1_709_157_600.0),
            ("2024-02-29-05:00", 1_709_182_800.0),
            ("2024-02-29T00:00Z", 1_709_164_800.0),
            ("1960-01-01T00:00Z", -315_619_200.0),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
        let midnight = seconds("2009-02-13");
        assert!((midnight - 1_234_483_200.0).abs() <= 14.0 * 3600.0, "{midnight}");
        for text in
            ["2009-02-13T00:00", "2009/02/13", "2009/2/13", "20090213", "2009-02-13 00:00:00"]
        {
            assert_eq!(seconds(text), midnight, "{text}");
        }
        assert_eq!(seconds("2009-02-13 01:01:00"), midnight + 60.0 * 61.0);
    }

    #[test]
    fn the_last_days_of_the_calendar_are_dates() {
        assert!(resolved("9999-12-31T23:59") >= resolved("9999-12-30"));
        assert!(resolved("9999-12-31") >= resolved("9999-12-29T00:00Z"));
        assert!(resolved("0000-01-01") < resolved("0001-01-02"));
    }

    #[test]
    fn the_time_of_a_file_is_when_it_was_modified() {
        let path = "Cargo.toml";
        let modified = fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(resolved(path), modified);
        assert_eq!(resolved("./Cargo.toml"), modified);
        let missing = When::parse("no-such-file".as_ref()).unwrap();
        assert!(missing.is_of_file());
        let error = missing.resolve(modified, false).unwrap_err();
        assert!(error.starts_with("invalid time: 'no-such-file' is neither"), "{error}");
        assert!(When::just_after(modified) > modified);
        let error = When::parse(path.as_ref()).unwrap().resolve(modified, true).unwrap_err();
        assert!(error.contains("with --safe"), "{error}");
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "3",
            "-3d",
            "+3d",
            "3dago",
            "3d  agoo",
            "3q",
            "2026",
            "2026-11",
            "2026-13-01",
            "2026-02-30",
            "2023-02-29Z",
            "2026/11-24",
            "24/11/2026",
            "24.11.2026",
            "2026-11-24T",
            "2026-11-24T25:00",
            "2026-11-24T10:00+99:00",
            "2026-11-24T10:00-99:00",
            "2026-11-24T10:00[Nowhere/City]",
            "@",
            "@x",
            "@-",
            "@--1",
            "@1.",
            "@.5",
            "@+1",
            "@ 1",
            "@1e9",
            "@99999999999999999999",
        ] {
            let error = When::parse(text.as_ref()).expect_err(text);
            assert!(error.starts_with(&format!("invalid time: '{text}' is neither a")), "{error}");
        }
        for text in ["x", "d", "P3D", "yesterdy", "last monday", "last"] {
            let when = When::parse(text.as_ref()).unwrap();
            let error = when.resolve(SystemTime::UNIX_EPOCH, false).expect_err(text);
            assert!(error.starts_with(&format!("invalid time: '{text}' is neither a")), "{error}");
        }
        let far = When::parse("19000y".as_ref()).unwrap();
        assert!(far.resolve(SystemTime::UNIX_EPOCH, false).is_err());
    }
}
