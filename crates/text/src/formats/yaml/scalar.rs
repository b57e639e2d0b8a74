//! The values of plain scalars in YAML 1.2 (core schema), and which strings can be plain.

use std::borrow::Cow;

use crate::limits::MOST_DIGITS;

/// The value of a plain scalar; numbers in JSON's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScalarValue<'t> {
    Null,
    Bool(bool),
    Integer(Cow<'t, str>),
    Float(Cow<'t, str>),
    String,
    /// A number with too many digits.
    TooLarge,
}

/// The value of a plain scalar in the core schema.
pub(crate) fn resolve(text: &str) -> ScalarValue<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ScalarValue::Null,
        "true" | "True" | "TRUE" => ScalarValue::Bool(true),
        "false" | "False" | "FALSE" => ScalarValue::Bool(false),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) => {
            number(text)
        }
        _ => ScalarValue::String,
    }
}

fn number(text: &str) -> ScalarValue<'_> {
    if let Some(digits) = text
        .strip_prefix("0x")
        .filter(|d| all(d, |b| b.is_ascii_hexdigit()))
    {
        return parse_based_integer(digits, 16);
    }
    if let Some(digits) = text
        .strip_prefix("0o")
        .filter(|d| all(d, |b| matches!(b, b'0'..=b'7')))
    {
        return parse_based_integer(digits, 8);
    }
    match text {
        ".nan" | ".NaN" | ".NAN" => return ScalarValue::Float("nan".into()),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return ScalarValue::Float("inf".into());
        }
        "-.inf" | "-.Inf" | "-.INF" => return ScalarValue::Float("-inf".into()),
        _ => {}
    }
    decimal(text).unwrap_or(ScalarValue::String)
}

fn all(digits: &str, good: impl Fn(u8) -> bool) -> bool {
    !digits.is_empty() && digits.bytes().all(good)
}

/// Decimal integers and floats, converted to JSON's notation.
fn decimal(text: &str) -> Option<ScalarValue<'_>> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let integer_digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &unsigned[integer_digits..];
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(after) => {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            (Some(&after[..digits]), &after[digits..])
        }
        None => (None, rest),
    };
    let exponent = rest.strip_prefix(['e', 'E']);
    let exponent_digits = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    let good = (integer_digits > 0 || fraction.is_some_and(|f| !f.is_empty()))
        && exponent_digits.map_or(rest.is_empty(), |digits| {
            all(digits, |b| b.is_ascii_digit())
        });
    if !good {
        return None;
    }
    let digits = without_zeros(&unsigned[..integer_digits]);
    let canonical =
        !text.starts_with('+') && digits.len() == integer_digits && fraction != Some("");
    if fraction.is_none() && exponent.is_none() {
        let spelled = if canonical {
            text.into()
        } else {
            format!("{}{digits}", sign(text)).into()
        };
        return Some(ScalarValue::Integer(spelled));
    }
    if canonical {
        return Some(ScalarValue::Float(text.into()));
    }
    let mut spelled = format!("{}{digits}", sign(text));
    if let Some(fraction) = fraction {
        spelled.push('.');
        spelled.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    spelled.push_str(rest);
    Some(ScalarValue::Float(spelled.into()))
}

fn sign(text: &str) -> &'static str {
    if text.starts_with('-') { "-" } else { "" }
}

/// Digits without leading zeros, but at least one digit.
fn without_zeros(digits: &str) -> &str {
    match digits.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    }
}

/// An integer of any size in base 8 or 16.
fn parse_based_integer(digits: &str, base: u32) -> ScalarValue<'static> {
    const LIMB: u64 = 1_000_000_000;
    if digits.len() > MOST_DIGITS {
        return ScalarValue::TooLarge;
    }
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.chars().filter_map(|c| c.to_digit(base)) {
        let mut carry = u64::from(digit);
        for limb in &mut limbs {
            let sum = *limb * u64::from(base) + carry;
            *limb = sum % LIMB;
            carry = sum / LIMB;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let last = limbs.pop().unwrap_or(0);
    let rest = limbs.iter().rev().map(|limb| format!("{limb:09}"));
    ScalarValue::Integer(
        std::iter::once(last.to_string())
            .chain(rest)
            .collect::<String>()
            .into(),
    )
}

/// The context of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarContext {
    Block,
    Flow,
}

/// Whether every parser, even of YAML 1.1, reads this text without quotes as this string.
pub(crate) fn is_plain(text: &str, context: ScalarContext) -> bool {
    let good_inside = |c: char| {
        is_printable(c)
            && (context == ScalarContext::Block
                || !matches!(c, ',' | '[' | ']' | '{' | '}' | ':' | '?'))
    };
    starts_plain(text)
        && text.chars().all(good_inside)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        // Some parsers treat a dash before a bracket as a broken item.
        && (context == ScalarContext::Block || !text.ends_with('-'))
        && resolve(text) == ScalarValue::String
        && !means_something_elsewhere(text)
}

fn starts_plain(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some('-') => {
            text.trim_start_matches('-')
                .starts_with(char::is_alphabetic)
                && !text.starts_with("---")
        }
        Some(c) => {
            c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '$' | '(' | '^' | '+' | ';' | '<')
        }
        None => false,
    }
}

/// Words and number-like strings that YAML 1.1 or an eager parser resolves.
fn means_something_elsewhere(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "<<",
    ];
    if WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)) || text.starts_with("...") {
        return true;
    }
    let unsigned = text.trim_start_matches(['+', '-', '.']);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        let is_word = |word: &str| unsigned.eq_ignore_ascii_case(word);
        return unsigned.is_empty() || is_word("inf") || is_word("nan");
    }
    let number_like = |b: u8| b.is_ascii_hexdigit() || b"xXoObB_.:+-tTzZ ".contains(&b);
    let is_version =
        text.matches('.').count() > 1 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    unsigned.bytes().all(number_like) && !is_version
}

/// Whether every parser accepts this character unescaped within a line.
pub(crate) fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
        // Characters that change the writing direction or are invisible: the text must look like what it contains.
        && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}
