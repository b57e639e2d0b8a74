//! The header with which a server says how a request is authorized.

use std::collections::BTreeMap;

/// How a server wants to be authorized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// With user and password.
    Basic,
    /// With a token of the server at `realm`.
    Bearer {
        realm: String,
        service: Option<String>,
        scope: Option<String>,
    },
}

/// Reads one header; unknown schemes are skipped.
pub(crate) fn read_challenges(header: &str) -> Vec<Challenge> {
    let mut found = Vec::new();
    for (scheme, parameters) in split(header) {
        let mut parameters = parameters;
        match scheme.to_ascii_lowercase().as_str() {
            "basic" => found.push(Challenge::Basic),
            "bearer" => {
                if let Some(realm) = parameters.remove("realm") {
                    found.push(Challenge::Bearer {
                        realm,
                        service: parameters.remove("service"),
                        scope: parameters.remove("scope"),
                    });
                }
            }
            _ => {}
        }
    }
    found
}

/// Splits a header into schemes with their parameters. A scheme has no `=`.
fn split(header: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut all: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    let mut rest = header.trim_start();
    while !rest.is_empty() {
        let end = rest.find([' ', '=', ',']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let after_spaces = after.trim_start_matches(' ');
        if let Some(value) = after_spaces.strip_prefix('=') {
            let (value, left) = take_value(value.trim_start_matches(' '));
            if let Some((_, parameters)) = all.last_mut() {
                parameters.insert(word.to_ascii_lowercase(), value);
            }
            rest = left;
        } else {
            if !word.is_empty() {
                all.push((word.to_owned(), BTreeMap::new()));
            }
            rest = after_spaces;
        }
        rest = rest.trim_start_matches([',', ' ']);
    }
    all
}

/// Takes a value, which may be quoted, off the front.
fn take_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read_in_every_spelling() {
        let bearer = |realm: &str, service: Option<&str>, scope: Option<&str>| Challenge::Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
            scope: scope.map(str::to_owned),
        };
        for (header, expected) in [
            ("Basic realm=\"x, y\"", vec![Challenge::Basic]),
            ("basic", vec![Challenge::Basic]),
            (
                "Bearer realm=\"https://a/t\",service=\"r.io\",scope=\"repository:a/b:pull,push\"",
                vec![bearer(
                    "https://a/t",
                    Some("r.io"),
                    Some("repository:a/b:pull,push"),
                )],
            ),
            (
                "bearer realm=https://a/t , Service = x",
                vec![bearer("https://a/t", Some("x"), None)],
            ),
            (
                "Negotiate, Bearer realm=\"https://a\", Basic realm=\"b\"",
                vec![bearer("https://a", None, None), Challenge::Basic],
            ),
            ("Bearer service=\"x\"", vec![]),
            (
                "Bearer realm=\"unfinished",
                vec![bearer("unfinished", None, None)],
            ),
            ("", vec![]),
            (",,= ,", vec![]),
        ] {
            assert_eq!(read_challenges(header), expected, "{header}");
        }
    }
}
