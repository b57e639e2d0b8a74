//! Removes secrets from URLs and text.

use std::ops::Range;

use percent_encoding::percent_decode_str;

/// Words in the name of a query parameter that mark its value as a secret.
const SECRET_NAMES: &[&str] = &[
    "token",
    "secret",
    "key",
    "auth",
    "pass",
    "pwd",
    "sig",
    "credential",
];

/// The replacement for a secret.
pub(crate) const HIDDEN: &str = "***";

/// The shortest length of a token.
const SHORTEST_TOKEN: usize = 16;

/// The parts of user and password that may be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptCredential {
    Name,
    Nothing,
}

/// The visible user, with its `@`, and the secrets in it, both encoded and decoded.
pub(crate) fn split_user(user: &str, keep: KeptCredential) -> (String, Vec<String>) {
    if user.is_empty() {
        return (String::new(), Vec::new());
    }
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let visible = if keep == KeptCredential::Name {
        format!("{name}@")
    } else {
        String::new()
    };
    let mut secrets = vec![password.to_owned(), decoded(password)];
    // A token often replaces the user name; anything shorter is a name, and common in messages.
    if keep == KeptCredential::Nothing && name.len() >= SHORTEST_TOKEN {
        secrets.extend([name.to_owned(), decoded(name)]);
    }
    (visible, secrets)
}

/// The decoded text; empty if the bytes are not UTF-8, which no message can contain.
fn decoded(text: &str) -> String {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.unwrap_or_default().into_owned()
}

/// The text after the host, with the values of secret parameters masked.
pub(crate) fn hide_query(tail: &str) -> (String, Vec<String>) {
    // The text after `#` has no meaning to git, and may be a secret.
    if let Some((tail, fragment)) = tail.split_once('#') {
        let (visible, mut secrets) = hide_query(tail);
        secrets.extend([fragment.to_owned(), decoded(fragment)]);
        return (format!("{visible}#{HIDDEN}"), secrets);
    }
    let Some(start) = tail.find(['?', '#']) else {
        return (tail.to_owned(), Vec::new());
    };
    let mut visible = tail[..start].to_owned();
    let mut secrets = Vec::new();
    for part in tail[start..].split_inclusive(['?', '#', '&', ';']) {
        let (body, end) = part.split_at(part.trim_end_matches(['?', '#', '&', ';']).len());
        let telling = |name: &str| {
            SECRET_NAMES
                .iter()
                .any(|word| name.to_ascii_lowercase().contains(word))
        };
        match body.split_once('=') {
            Some((name, value)) if telling(name) => {
                secrets.extend([value.to_owned(), decoded(value)]);
                visible.push_str(&format!("{name}={HIDDEN}{end}"));
            }
            _ => visible.push_str(part),
        }
    }
    (visible, secrets)
}

/// Sorts secrets by length, longest first, without empty ones.
// A short secret can be part of a longer one; replaced first, it would leave the rest of the longer one readable.
pub(crate) fn longest_first(mut secrets: Vec<String>) -> Vec<String> {
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

/// Removes passwords from all URLs in text, and users from web URLs, where tokens are often used as user names.
pub(crate) fn without_passwords(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = password_in(rest) {
        clean.push_str(&rest[..found.start]);
        rest = &rest[found.end..];
    }
    clean + rest
}

/// A typed URL as messages show it: without passwords, and with secret-looking values of its query hidden.
pub fn masked_address(typed: &str) -> String {
    let clean = without_passwords(typed);
    match clean.split_once('?').filter(|_| clean.contains("://")) {
        Some((front, query)) => format!("{front}{}", hide_query(&format!("?{query}")).0),
        None => clean,
    }
}

fn password_in(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(at) = text[from..].find("://") {
        let start = from + at + 3;
        let web = ["http", "https"]
            .iter()
            .any(|scheme| text[..from + at].ends_with(scheme));
        let authority = text[start..]
            .split(['/', ' ', '\'', '"', '\n'])
            .next()
            .unwrap_or_default();
        match authority
            .rfind('@')
            .filter(|end| web || authority[..*end].contains(':'))
        {
            Some(end) => return Some(start..start + end + 1),
            None => from = start,
        }
    }
    None
}
