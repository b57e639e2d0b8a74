/// A text with its `%xx` decoded; `None` if the result is no UTF-8. A `%` without two digits stands for itself.
pub fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match after.get(..2).filter(|_| *first == b'%').and_then(byte) {
            Some(byte) => {
                decoded.push(byte);
                rest = &after[2..];
            }
            None => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

/// Writes a text that `:`, `,` and blanks may set apart from others, and that stands in quotes as it is.
pub fn percent_encode(text: &str, out: &mut String) {
    let is_plain = |c: char| {
        !matches!(
            c,
            ' ' | ':' | '%' | ',' | '"' | '\\' | '\0'..='\x1f' | '\x7f'
        )
    };
    let mut rest = text;
    while let Some(at) = rest.find(|c| !is_plain(c)) {
        out.push_str(&rest[..at]);
        out.push_str(&format!("%{:02x}", rest.as_bytes()[at]));
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

fn byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(digits[at]).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_escapes_are_decoded() {
        for (text, expected) in [
            ("a%20b", Some("a b")),
            ("%C3%a9", Some("é")),
            ("100%", Some("100%")),
            ("%zz%2", Some("%zz%2")),
        ] {
            assert_eq!(percent_decode(text).as_deref(), expected, "{text}");
        }
        assert_eq!(percent_decode("%ff"), None);
    }

    fn encoded(text: &str) -> String {
        let mut out = String::new();
        percent_encode(text, &mut out);
        out
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for (text, expected) in [
            ("a b:c", "a%20b%3ac"),
            ("\"\\\n,\u{7f}", "%22%5c%0a%2c%7f"),
            ("100%20", "100%2520"),
            ("é~/", "é~/"),
            ("", ""),
        ] {
            assert_eq!(encoded(text), expected);
            assert_eq!(percent_decode(expected).as_deref(), Some(text));
        }
    }
}
