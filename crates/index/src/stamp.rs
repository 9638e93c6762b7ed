//! What the system reports about a file that changes whenever its contents do.

use std::{
    fs::Metadata,
    time::{Duration, SystemTime},
};

/// How long before it is read a file must have been changed last. A file system's clock stands
/// still for up to 10 ms.
const MIN_AGE: Duration = Duration::from_millis(100);
/// How long before it is read a file must have been changed last, where times are whole seconds.
/// FAT counts only every second one.
const MIN_AGE_IN_WHOLE_SECONDS: Duration = Duration::from_millis(2100);

/// What the system reports about a file that changes whenever its contents do. Times are
/// nanoseconds since the beginning of 1970.
///
/// No program can set `changed`, so a file with the same stamp has the same contents, unless it was
/// changed in the moment in which it was stamped: see [`is_settled`](Self::is_settled).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The file's number in its file system.
    pub inode: u64,
    /// How long the file is in bytes.
    pub size: u64,
    /// When its contents were last written.
    pub modified: i64,
    /// When its contents or its metadata were last changed.
    pub changed: i64,
    /// The file's kind and permissions, as `st_mode` has them.
    pub mode: u32,
}

impl Stamp {
    /// A stamp that no file has.
    pub const NONE: Stamp = Stamp { inode: 0, size: 0, modified: 0, changed: 0, mode: 0 };

    /// The stamp of a file with these properties. Times are seconds and nanoseconds.
    #[must_use]
    pub fn new(
        inode: u64,
        size: u64,
        mode: u32,
        modified: (i64, i64),
        changed: (i64, i64),
    ) -> Stamp {
        let [modified, changed] = [modified, changed].map(|(s, ns)| nanoseconds(s, ns));
        Stamp { inode, size, modified, changed, mode }
    }

    /// The stamp in a file's metadata; `None` on Windows, where metadata has no time of change.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Option<Stamp> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Stamp::new(
                metadata.ino(),
                metadata.size(),
                metadata.mode(),
                (metadata.mtime(), metadata.mtime_nsec()),
                (metadata.ctime(), metadata.ctime_nsec()),
            ))
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            None
        }
    }

    /// Returns whether a change at `now` or later is certain to change the stamp, which was taken
    /// then.
    #[must_use]
    pub fn is_settled(&self, now: SystemTime) -> bool {
        // One that stands for many times may remain when the time changes.
        let is_exact = |time: i64| time != i64::MIN && time != i64::MAX;
        if !is_exact(self.modified) || !is_exact(self.changed) {
            return false;
        }
        let whole_seconds = self.modified % 1_000_000_000 == 0 && self.changed % 1_000_000_000 == 0;
        let slack = if whole_seconds { MIN_AGE_IN_WHOLE_SECONDS } else { MIN_AGE };
        self.is_older(slack, now)
    }

    /// Returns whether the last change was longer ago at `now` than `age`.
    #[must_use]
    pub fn is_older(&self, age: Duration, now: SystemTime) -> bool {
        let last = self.modified.max(self.changed);
        let Ok(now) = now.duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        i128::from(last) + (age.as_nanos() as i128) < now.as_nanos() as i128
    }
}

/// The device that a file is on, if the system has such numbers.
pub(crate) fn device_of(metadata: &Metadata) -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(metadata.dev())
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// A time of a file in nanoseconds. Those that 64 bits do not hold, before 1678 and after 2261, are
/// the least and the greatest number, with which no stamp is [settled](Stamp::is_settled).
fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    let time = seconds.checked_mul(1_000_000_000).and_then(|time| time.checked_add(nanoseconds));
    time.unwrap_or(if seconds < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_settled_after_a_while() {
        let stamp = |changed| Stamp { inode: 1, size: 1, modified: 5, changed, mode: 0 };
        let at = |nanoseconds| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
        let second = 1_000_000_000;
        for (changed, now, is_settled) in [
            (second + 1, second as u64 + 50_000_000, false),
            (second + 1, second as u64 + 200_000_000, true),
            (second + 1, 0, false),
            (i64::MAX, u64::MAX / 2, false),
        ] {
            assert_eq!(stamp(changed).is_settled(at(now)), is_settled, "{changed} {now}");
        }
        let whole = Stamp { inode: 1, size: 1, modified: 0, changed: second, mode: 0 };
        assert!(!whole.is_settled(at(3 * second as u64)));
        assert!(whole.is_settled(at(4 * second as u64)));
    }

    #[test]
    fn times_that_do_not_fit_are_never_settled() {
        assert_eq!(nanoseconds(1, 5), 1_000_000_005);
        assert_eq!(nanoseconds(-1, 5), -999_999_995);
        let (least, greatest) = (i64::MIN / 1_000_000_000, i64::MAX / 1_000_000_000);
        for (seconds, time) in [
            (least - 1, i64::MIN),
            (i64::MIN, i64::MIN),
            (greatest + 1, i64::MAX),
            (i64::MAX, i64::MAX),
        ] {
            // Also with the nanoseconds, which would make them one time.
            assert_eq!([nanoseconds(seconds, 0), nanoseconds(seconds, 7)], [time; 2]);
        }
        assert_eq!(nanoseconds(greatest, 999_999_999), i64::MAX);
        assert!(nanoseconds(least, 0) > i64::MIN && nanoseconds(greatest, 0) < i64::MAX);
        // The year 2500.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(16_725_225_600);
        let stamp = |modified, changed| Stamp { inode: 1, size: 1, modified, changed, mode: 0 };
        assert!(stamp(1, 2).is_settled(now));
        for beyond in [i64::MIN, i64::MAX] {
            assert!(!stamp(beyond, 2).is_settled(now));
            assert!(!stamp(1, beyond).is_settled(now));
        }
    }
}
