//! Points in time as `--newer` and `--older` take them: `3d`, `2h30m`, `2026-11-24`,
//! `2026-11-24T10:00`, `2026-11-24T10:00Z`, `@1764000000`.

use std::{fmt, str::FromStr, time::SystemTime};

use jiff::{Span, Timestamp, Zoned, civil::DateTime, tz::TimeZone};

/// A point in time that depends on the clock and the time zone until it is resolved.
#[derive(Clone, Debug)]
pub(crate) struct When {
    /// As typed.
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// This long ago.
    Ago(Span),
    /// A date, with or without a time of day, in the local time zone.
    Local(DateTime),
    /// A time with its offset from UTC.
    Absolute(Timestamp),
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<When, String> {
        Kind::parse(text).map(|kind| When { text: text.to_owned(), kind }).ok_or_else(|| {
            format!(
                "'{text}' is no duration or date (accepted: a duration such as 3d, 2h or 90min, a \
                 date such as 2026-11-24, or a date and time such as 2026-11-24T10:00)"
            )
        })
    }
}

impl Kind {
    fn parse(text: &str) -> Option<Kind> {
        if let Some(seconds) = text.strip_prefix('@') {
            let is_number = seconds.bytes().all(|byte| byte.is_ascii_digit());
            let seconds = seconds.parse().ok().filter(|_| is_number)?;
            return Timestamp::from_second(seconds).ok().map(Kind::Absolute);
        }
        // Neither `-3d` nor `3d ago` nor ISO's `P3D`.
        if text.starts_with(|first: char| first.is_ascii_digit())
            && let Ok(span) = text.parse::<Span>()
        {
            return (!span.is_negative() && !text.ends_with("ago")).then_some(Kind::Ago(span));
        }
        // A local time ignores an offset, so it is tried last.
        let absolute = text.parse().ok().map(Kind::Absolute);
        absolute.or_else(|| {
            let has_zone = text.contains(['+', 'Z', 'z', '[']);
            text.parse().ok().filter(|_| !has_zone).map(Kind::Local)
        })
    }
}

impl When {
    /// Returns the point in time that this is at the time `now`.
    ///
    /// # Errors
    /// It is out of the range of years from -9999 to 9999.
    pub(crate) fn resolve(&self, now: SystemTime) -> Result<SystemTime, String> {
        let time = match &self.kind {
            Kind::Absolute(time) => Ok(*time),
            Kind::Local(local) => local.to_zoned(TimeZone::system()).map(|zoned| zoned.timestamp()),
            Kind::Ago(span) => Timestamp::try_from(now)
                .and_then(|now| Zoned::new(now, TimeZone::system()).checked_sub(*span))
                .map(|zoned| zoned.timestamp()),
        };
        time.map(SystemTime::from).map_err(|error| format!("'{}': {error}", self.text))
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn resolved(text: &str) -> SystemTime {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        text.parse::<When>().unwrap().resolve(now).unwrap()
    }

    fn seconds(text: &str) -> u64 {
        resolved(text).duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
    }

    #[test]
    fn durations_are_counted_back_from_now() {
        for (text, ago) in [
            ("0s", 0),
            ("1s", 1),
            ("90min", 5400),
            ("2h", 7200),
            ("2h30m", 9000),
            ("2 hours", 7200),
            ("1h 1s", 3601),
        ] {
            assert_eq!(1_700_000_000 - seconds(text), ago, "{text}");
        }
        // Days have 23 to 25 hours.
        let days = 1_700_000_000 - seconds("3d");
        assert!(days.abs_diff(3 * 86_400) <= 3600, "{days}");
        let weeks = 1_700_000_000 - seconds("2w");
        assert!(weeks.abs_diff(14 * 86_400) <= 3600, "{weeks}");
    }

    #[test]
    fn dates_have_a_zone_or_are_local() {
        assert_eq!(seconds("@1234567890"), 1_234_567_890);
        assert_eq!(seconds("2009-02-13T23:31:30Z"), 1_234_567_890);
        assert_eq!(seconds("2009-02-14 00:31:30+01:00"), 1_234_567_890);
        let midnight = seconds("2009-02-13");
        assert!(midnight.abs_diff(1_234_483_200) <= 14 * 3600, "{midnight}");
        assert_eq!(midnight, seconds("2009-02-13T00:00"));
        assert_eq!(midnight + 60 * 61, seconds("2009-02-13 01:01:00"));
        let before = resolved("1960-01-01T00:00Z");
        assert!(before < SystemTime::UNIX_EPOCH);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "3",
            "x",
            "d",
            "-3d",
            "3d ago",
            "3q",
            "2026-13-01",
            "2026-02-30",
            "@",
            "@x",
            "@-1",
            "24.11.2026",
            "+3d",
            "P3D",
            "2026-11-24T25:00",
            "2026-11-24T10:00[Nowhere/City]",
        ] {
            assert!(text.parse::<When>().is_err(), "{text}");
        }
        let far: When = "30000 years".parse().or_else(|_| "19000y".parse()).unwrap();
        assert!(far.resolve(SystemTime::UNIX_EPOCH).is_err());
    }
}
