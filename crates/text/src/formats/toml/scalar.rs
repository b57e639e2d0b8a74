//! Parses numbers and dates of TOML into JSON's notation.

use std::borrow::Cow;

use toml_parser::decoder::IntegerRadix;

/// The canonical notation of an integer, unless it exceeds 64 bits.
pub(super) fn integer<'t>(digits: &'t str, radix: IntegerRadix) -> Option<Cow<'t, str>> {
    let number = i64::from_str_radix(digits, radix.value()).ok()?;
    let plain = radix == IntegerRadix::Dec && !digits.starts_with('+') && digits != "-0";
    Some(if plain {
        Cow::Borrowed(digits)
    } else {
        Cow::Owned(number.to_string())
    })
}

/// The canonical notation of a float without underscores.
pub(super) fn float(text: &str) -> &str {
    let unsigned = text.trim_start_matches(['+', '-']);
    match unsigned {
        "nan" => "nan",
        _ if text.starts_with('+') => unsigned,
        _ => text,
    }
}

/// Whether text is a valid date, time or both.
pub(super) fn is_date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.get(2) == Some(&b':') {
        return time(bytes).is_some_and(<[u8]>::is_empty);
    }
    match date(bytes) {
        Some([]) => true,
        Some([b'T' | b't' | b' ', rest @ ..]) => time(rest).is_some_and(is_offset),
        _ => false,
    }
}

/// The two digits at the start, if their value is at most `most`.
fn two(bytes: &[u8], most: u8) -> Option<(u8, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(2)?;
    let value = digits
        .iter()
        .all(u8::is_ascii_digit)
        .then(|| (digits[0] - b'0') * 10 + (digits[1] - b'0'))?;
    (value <= most).then_some((value, rest))
}

/// The text after a date.
fn date(bytes: &[u8]) -> Option<&[u8]> {
    let (century, rest) = two(bytes, 99)?;
    let (of_century, rest) = two(rest, 99)?;
    let (month, rest) = two(rest.strip_prefix(b"-")?, 12)?;
    let year = u16::from(century) * 100 + u16::from(of_century);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let (day, rest) = two(rest.strip_prefix(b"-")?, days)?;
    (month > 0 && day > 0).then_some(rest)
}

/// The text after a time; seconds are optional.
fn time(bytes: &[u8]) -> Option<&[u8]> {
    let (_, rest) = two(bytes, 23)?;
    let (_, rest) = two(rest.strip_prefix(b":")?, 59)?;
    let Some(rest) = rest.strip_prefix(b":") else {
        return Some(rest);
    };
    let (_, rest) = two(rest, 60)?;
    let Some(fraction) = rest.strip_prefix(b".") else {
        return Some(rest);
    };
    let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
    (digits > 0).then(|| &fraction[digits..])
}

/// Whether text is empty, `Z`, or hours and minutes.
fn is_offset(bytes: &[u8]) -> bool {
    match bytes {
        [] | [b'Z' | b'z'] => true,
        [b'+' | b'-', rest @ ..] => (|| {
            let (_, rest) = two(rest, 23)?;
            let (_, rest) = two(rest.strip_prefix(b":")?, 59)?;
            rest.is_empty().then_some(())
        })()
        .is_some(),
        _ => false,
    }
}
