//! Timestamps of logs, and the time between them.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Parses a timestamp as Inspect writes it into seconds since 1970; `None` for any other format.
pub(super) fn epoch_seconds(time: &str) -> Option<f64> {
    let (year, month, day) = (field(time, 0, 4)?, field(time, 5, 2)?, field(time, 8, 2)?);
    let (hour, minute, second) = (
        field(time, 11, 2)?,
        field(time, 14, 2)?,
        field(time, 17, 2)?,
    );
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators
        .iter()
        .any(|&(at, byte)| time.as_bytes()[at] != byte)
    {
        return None;
    }
    let rest = &time[19..];
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            (&rest[..rest.len() - zone.len()], zone)
        }
        None => ("", rest),
    };
    if rest.starts_with('.') && fraction.is_empty() {
        return None;
    }
    // Digits beyond microseconds are truncated.
    let micros: i64 = format!("{fraction:0<6.6}").parse().ok()?;
    let offset = offset(zone)?;
    let is_date = (1970..2200).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !is_date {
        return None;
    }
    let seconds = days_before(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset;
    Some((seconds * 1_000_000 + micros) as f64 / 1e6)
}

/// Parses the digits of a field.
fn field(text: &str, at: usize, length: usize) -> Option<i64> {
    let digits = text.get(at..at + length)?;
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| digits.parse().ok())?
}

/// Parses a time zone, `Z` or such as `+01:00`, into seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    let &[sign @ (b'+' | b'-'), _, _, b':', _, _] = zone.as_bytes() else {
        return (zone == "Z").then_some(0);
    };
    let (hours, minutes) = (field(zone, 1, 2)?, field(zone, 4, 2)?);
    let offset = (hours < 24 && minutes < 60).then_some(hours * 3600 + minutes * 60)?;
    Some(if sign == b'-' { -offset } else { offset })
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from 1970-01-01 to a date.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let years: i64 = (1970..year)
        .map(|year| 365 + i64::from(is_leap(year)))
        .sum();
    let months: i64 = (1..month).map(|month| days_in(year, month)).sum();
    years + months + day - 1
}

/// Returns the seconds between two times, to the microsecond; `None` unless both are known.
pub(super) fn seconds_between(start: Option<f64>, end: Option<f64>) -> Option<f64> {
    format!("{:.6}", end? - start?).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{epoch_seconds, seconds_between};

    #[test]
    fn times_as_inspect_writes_them() {
        for (time, seconds) in [
            ("1970-01-01T00:01:00.500Z", 60.5),
            ("1970-01-01T02:00:00+01:30", 1800.0),
            ("2000-03-01T00:00:00.1234567-00:00", 951_868_800.123_456),
            ("2026-01-02T03:04:05+00:00", 1_767_323_045.0),
        ] {
            assert_eq!(epoch_seconds(time), Some(seconds), "{time}");
        }
    }

    #[test]
    fn other_times_are_not_certain() {
        for time in [
            "",
            "noon",
            "2026-01-02",
            "2026-01-02T03:04:05",
            "2026-02-29T03:04:05Z",
            "2026-01-02T24:04:05Z",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05+0000",
            "2026-01-02T03:04:05é",
            "1969-01-02T03:04:05Z",
            "2026-00-02T03:04:05Z",
            "2026-01-00T03:04:05Z",
        ] {
            assert_eq!(epoch_seconds(time), None, "{time}");
        }
    }

    #[test]
    fn seconds_to_the_microsecond() {
        assert_eq!(seconds_between(Some(0.1), Some(0.3)), Some(0.2));
        assert_eq!(seconds_between(Some(2.0), Some(1.0)), Some(-1.0));
        assert_eq!(seconds_between(None, Some(1.0)), None);
    }
}
