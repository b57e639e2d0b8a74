//! Spellings of a path in a URL: which are refused, and one form to compare the others by.

use percent_encoding::percent_decode_str;

use super::problem::SourceAddressError;

/// Characters that a path in a URL has only as escapes.
const ESCAPED: &[u8] = b" \"#%<>?[]^`{|}";

/// Refuses a path that two programs could read differently.
pub(super) fn check_path(path: &str) -> Result<(), SourceAddressError> {
    refuse_character(path)?;
    check_escapes(path)?;
    check_segments(path)
}

fn refuse_character(path: &str) -> Result<(), SourceAddressError> {
    for c in path.chars() {
        match c {
            '?' => return Err(SourceAddressError::Query),
            '#' => return Err(SourceAddressError::Fragment),
            '\\' => return Err(SourceAddressError::Backslash),
            c if c.is_control() => return Err(SourceAddressError::ControlCharacter),
            c if c.is_whitespace() => return Err(SourceAddressError::Space),
            _ => {}
        }
    }
    Ok(())
}

/// `..` is resolved by curl and not by ssh, and servers drop empty segments or do not.
pub(crate) fn check_segments(path: &str) -> Result<(), SourceAddressError> {
    if path.contains("//") {
        return Err(SourceAddressError::DoubledSlash);
    }
    if path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err(SourceAddressError::DotSegment);
    }
    Ok(())
}

/// Refuses escapes of characters that need none: `%65` is `e` for a server, and not for a comparison of text.
pub(crate) fn check_escapes(path: &str) -> Result<(), SourceAddressError> {
    for (at, _) in path.match_indices('%') {
        let digits = path.as_bytes().get(at + 1..at + 3);
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let is_signed = digits.is_some_and(|digits| digits.starts_with('+'));
        match byte.filter(|_| !is_signed) {
            Some(byte) if byte.is_ascii_control() => {
                return Err(SourceAddressError::ControlCharacter);
            }
            Some(byte) if byte >= 0x80 || ESCAPED.contains(&byte) => {}
            _ => return Err(SourceAddressError::Escape),
        }
    }
    Ok(())
}

/// A path with every character that may be escaped written as an escape. `*`, `?` and brackets of a pattern stay.
pub(super) fn comparable_path(path: &str) -> String {
    let mut comparable = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        let is_escape = c == '%' && rest.len() >= 3 && rest.is_char_boundary(3);
        if is_escape {
            comparable.push_str(&rest[..3].to_ascii_uppercase());
            rest = &rest[3..];
            continue;
        }
        let (one, further) = rest.split_at(c.len_utf8());
        if c.is_ascii() && !matches!(c, ' ' | '"' | '<' | '>' | '^' | '`' | '|') {
            comparable.push(c);
        } else {
            for byte in one.bytes() {
                comparable.push_str(&format!("%{byte:02X}"));
            }
        }
        rest = further;
    }
    comparable
}

/// The path of a `file` URL.
pub(super) fn local_path(rest: &str) -> Result<String, SourceAddressError> {
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    // A directory may have a space in its name; the other characters would be read as something else by some program.
    match refuse_character(path) {
        Ok(()) | Err(SourceAddressError::Space) => {}
        Err(error) => return Err(error),
    }
    check_escapes(path)?;
    let decoded = percent_decode_str(path).decode_utf8().ok();
    let path = decoded.filter(|path| path.starts_with('/'));
    let path = path.ok_or(SourceAddressError::NoLocalPath)?;
    check_segments(&path)?;
    // `file:///C:/x` has a slash before the drive that is not part of the path.
    let drive = path.as_bytes().get(2) == Some(&b':') && path.as_bytes()[1].is_ascii_alphabetic();
    Ok(path[usize::from(drive)..].to_owned())
}
