//! Secret-looking values never reach a message.

/// Parts of a key that announce a secret value.
const SECRET_NAMES: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "credential",
    "privatekey",
    "accesskey",
    "authorization",
];

/// Names that end a key and announce a secret, too short to be looked for anywhere else in it.
const SECRET_ENDINGS: &[&str] = &["_key", "-key", "_pat", "_pwd", "auth"];

/// Names that look like one of these and are none.
const PLAIN_NAMES: &[&str] =
    &["by-key", "public_key", "public-key", "primary_key", "foreign_key", "sort_key", "known_host_key"];

/// Beginnings that issuers give to their secrets.
const SECRET_PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "pk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "pypi-",
    "hf_",
    "eyJ",
];

const SHORTEST_SECRET: usize = 8;

/// What a secret's name may stand before without being one.
const PLAIN_WORDS: &[&str] = &["true", "false", "null", "~", "|", ">", "|-", ">-", "{", "[", "{}", "[]"];

/// Whether a key announces that its value is a secret.
pub fn is_secret_name(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    if PLAIN_NAMES.contains(&lower.as_str()) {
        return false;
    }
    let flat: String = lower.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    SECRET_NAMES.iter().any(|name| flat.contains(name) && !flat.ends_with("tokens"))
        || SECRET_ENDINGS.iter().any(|end| lower.ends_with(end))
}

/// Whether a value under `key` (if it has one) should not be shown.
pub fn looks_secret(key: Option<&str>, value: &str) -> bool {
    let value = value.trim_matches(['`', '"', '\'']);
    let reference = value.starts_with('$') || value.starts_with("{env:") || value.contains("{{");
    if reference || value.is_empty() || PLAIN_WORDS.contains(&value) {
        return false;
    }
    // A secret may be part of a longer value, as in `--api-key=sk-…`.
    let issued = |part: &str| {
        SECRET_PREFIXES
            .iter()
            .any(|prefix| part.starts_with(prefix) && part.len() >= prefix.len() + SHORTEST_SECRET)
    };
    key.is_some_and(is_secret_name)
        || value.split(['=', ':', ' ']).any(issued)
        || value.contains("PRIVATE KEY-----")
        || has_url_password(value)
}

/// Whether an address holds a password or a token: in its user part, under a telling name in its query, or behind `#`.
fn has_url_password(value: &str) -> bool {
    let value = value.trim();
    let Some((user, rest)) = value.split_once('@') else { return has_secret_tail(value) };
    let scheme = user.split([':', '/']).next().unwrap_or_default().to_ascii_lowercase();
    let in_user = if user.contains("//") || scheme.starts_with("http") {
        // With ssh a user is a name; elsewhere it is a login, and often a token alone.
        let name = user.rsplit('/').next().unwrap_or_default();
        !name.is_empty() && (!scheme.ends_with("ssh") || name.contains(':'))
    } else {
        // `user:password@host:path`
        user.contains(':') && !user.contains(['/', ' ']) && rest.contains(':')
    };
    in_user || has_secret_tail(value)
}

fn has_secret_tail(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else { return false };
    let told = rest.split(['?', '&', ';', '#']).skip(1).filter_map(|part| part.split_once('='));
    let in_query = told.into_iter().any(|(name, value)| is_secret_name(name) && !value.is_empty());
    in_query || rest.split_once('#').is_some_and(|(_, fragment)| fragment.len() >= SHORTEST_SECRET)
}

/// The line with secret-looking values replaced by as many `*`, so that columns stay.
pub fn mask_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    // The key that speaks for what follows, and whether it opened a bracket: then it speaks for all that is inside.
    let mut key: Option<&str> = None;
    let mut depth = 0usize;
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '"' | '\'');
        if !quoted && (first.is_whitespace() || ",:=[]{}".contains(first)) {
            match first {
                '[' | '{' if key.is_some() => depth += 1,
                ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => key = None,
                _ => {}
            }
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let secret_key = key.is_some_and(is_secret_name);
        let length = if quoted { quoted_length(rest, first) } else { bare_length(rest, secret_key) };
        let (token, after) = rest.split_at(length);
        rest = after;
        let is_key = after.trim_start().starts_with([':', '=']) && !(secret_key && depth == 0);
        if is_key {
            out.push_str(token);
            key = Some(token.trim_matches(['"', '\'']));
            depth = 0;
            continue;
        }
        if looks_secret(key, token) {
            let hidden = |c: char| if quoted && c == first { c } else { '*' };
            out.extend(token.chars().map(hidden));
        } else {
            out.push_str(token);
        }
        if depth == 0 {
            key = None;
        }
    }
    out
}

/// Up to and with the closing quote, or to the end.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let close = text.char_indices().skip(1).find(|(_, c)| {
        let closes = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        closes
    });
    close.map_or(text.len(), |(at, _)| at + 1)
}

/// A bare word. A bare secret reaches to the end of its line, a comment or a closing bracket: it may hold spaces.
fn bare_length(text: &str, secret: bool) -> usize {
    let next = |at: usize, c: char| text[at + c.len_utf8()..].chars().next();
    let ends = |(at, c): &(usize, char)| match c {
        ',' | ']' | '}' => true,
        '#' => secret && text[..*at].ends_with(' '),
        ' ' | '\t' if secret => text[*at..].trim_start().starts_with('#'),
        '"' | '[' | '{' => !secret,
        // A word may hold `:` and `=` inside, as URLs and base64 do.
        ':' if !secret => next(*at, *c).is_none_or(|n| n.is_whitespace() || n == '"'),
        '=' if !secret => next(*at, *c).is_some_and(|n| n != '=') && *at > 0 && !text[..*at].contains("://"),
        c => !secret && c.is_whitespace(),
    };
    let end = text.char_indices().find(ends).map_or(text.len(), |(at, _)| at);
    text[..end].trim_end().len().max(1)
}

/// The line that follows `before` in a text, masked; a key on the line above speaks for a value on this one.
pub fn mask_line_after(before: &str, line: &str) -> String {
    let above = before.trim_end().rsplit('\n').next().unwrap_or_default();
    // A block scalar in YAML starts on the line below its sign.
    let above = above.trim_end_matches(['|', '>', '-', '+']).trim_end();
    if !above.ends_with([':', '=', '[', '{']) {
        return mask_line(line);
    }
    let both = mask_line(&format!("{above} {line}"));
    both.chars().skip(above.chars().count() + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_on_the_line_above_counts() {
        for (before, line, masked) in [
            ("{\"api_token\":\n", "  \"hunter22\" x", "  \"********\" x"),
            ("password: |-\n", "  hunter22", "  ********"),
            ("password: >\n\n", "  hunter22", "  ********"),
            ("api_key = [\n", "  'hunter22'", "  '********'"),
            ("token: x\n", "model: sonnet", "model: sonnet"),
            ("servers:\n", "  model: sonnet", "  model: sonnet"),
            ("", "model: sonnet", "model: sonnet"),
        ] {
            assert_eq!(mask_line_after(before, line), masked, "{before}{line}");
        }
    }

    #[test]
    fn masks_by_key_by_prefix_and_in_urls() {
        for (line, masked) in [
            (r#"  "API_TOKEN": "abcdef123","#, r#"  "API_TOKEN": "*********","#),
            ("token = 'hunter22'", "token = '********'"),
            ("db_password: hunter22 # old", "db_password: ******** # old"),
            ("url: https://me:pass@host/x", "url: **********************"),
            (r#"{"args": ["ghp_abcdefghijkl"]}"#, r#"{"args": ["****************"]}"#),
            ("PASSWORD=hunter22", "PASSWORD=********"),
            (
                r#"{"headers":{"Authorization":"Bearer abcdef"},"a":1}"#,
                r#"{"headers":{"Authorization":"*************"},"a":1}"#,
            ),
            ("authorization: Bearer abcdef # x", "authorization: ************* # x"),
            (r#""private_key":"-----BEGIN RSA\\nMIIE","#, r#""private_key":"*********************","#),
            ("two items have the id `sk-ant-abcdefghijkl`", "two items have the id *********************"),
            (
                r#"["--api-key=sk-proj-1234567890abcdef", "x"]"#,
                r#"["**********************************", "x"]"#,
            ),
            (r#""password":"abc", "model": "x""#, r#""password":"***", "model": "x""#),
            ("secret: 12345678", "secret: ********"),
            (r#""token": null, "secret": true"#, r#""token": null, "secret": true"#),
            (
                r#"{"secrets": {"a": "one", "b": "two"}, "c": "three"}"#,
                r#"{"secrets": {"a": "one", "b": "two"}, "c": "three"}"#,
            ),
            ("model: sonnet", "model: sonnet"),
            ("token: ${TOKEN}", "token: ${TOKEN}"),
            ("max_tokens: 4096", "max_tokens: 4096"),
            ("key: value", "key: value"),
            (r#"{ by-key = 1, api-key = abc }"#, r#"{ by-key = 1, api-key = *** }"#),
        ] {
            assert_eq!(mask_line(line), masked);
        }
    }
}
