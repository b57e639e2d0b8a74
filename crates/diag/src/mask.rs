//! Secret-looking values never reach a message.

use crate::limits::LONGEST_WORD;

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
    "cookie",
];

/// Names that end a key and announce a secret, too short to be looked for anywhere else in it.
const SECRET_ENDINGS: &[&str] = &[
    "_key", "-key", "_pat", "_pwd", "_pass", "-pass", "_auth", "-auth",
];

/// Last words of keys that mention a secret and hold none.
// `token_limit` and `key_path` contain the word of a secret without holding one.
const PLAIN_ENDINGS: &[&str] = &[
    "limit",
    "ttl",
    "count",
    "file",
    "dir",
    "path",
    "name",
    "url",
    "header",
    "length",
    "helper",
    "type",
    "tokenizer",
];

/// Names that look like one of these and are none, with `_` for `-`.
const PLAIN_NAMES: &[&str] = &[
    "by_key",
    "public_key",
    "primary_key",
    "foreign_key",
    "sort_key",
    "known_host_key",
];

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

/// The schemes of credentials in headers.
const SCHEMES: &[&str] = &["bearer", "basic"];

/// Characters around a name or a value in text.
const QUOTES: [char; 3] = ['"', '\'', '\\'];

// Shorter values are mostly words and numbers; masking them would hide the mistake that a message is about.
const SHORTEST_SECRET: usize = 8;

/// Values that a secret's name may precede without being secrets.
const PLAIN_WORDS: &[&str] = &[
    "true", "false", "null", "~", "|", ">", "|-", ">-", "{", "[", "{}", "[]",
];

/// Whether a key announces that its value is a secret.
pub fn is_secret_name(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    if PLAIN_NAMES.contains(&lower.trim_start_matches('-').replace('-', "_").as_str()) {
        return false;
    }
    let flat: String = lower
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .collect();
    if PLAIN_ENDINGS.iter().any(|end| flat.ends_with(end)) {
        return false;
    }
    SECRET_NAMES
        .iter()
        .any(|name| flat.contains(name) && !flat.ends_with("tokens"))
        || SECRET_ENDINGS.iter().any(|end| lower.ends_with(end))
}

/// A command with the tokens in it masked. Only whole words that no shell gives a meaning are masked: nothing that runs
/// can hide after the looks of a secret.
pub fn mask_words(command: &str) -> String {
    let mut out = String::with_capacity(command.len());
    let mut rest = command;
    while let Some(first) = rest.chars().next() {
        let length = rest
            .find(|c| is_plain_word(c) != is_plain_word(first))
            .unwrap_or(rest.len());
        let (part, after) = rest.split_at(length);
        out.push_str(if is_issued(part) { "********" } else { part });
        rest = after;
    }
    out
}

fn is_plain_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

/// Whether this begins as an issuer's secrets do, and is long enough for one.
fn is_issued(part: &str) -> bool {
    SECRET_PREFIXES
        .iter()
        .any(|prefix| part.starts_with(prefix) && part.len() >= prefix.len() + SHORTEST_SECRET)
}

/// Whether a value under `key` (if it has one) should not be shown.
pub fn looks_secret(key: Option<&str>, value: &str) -> bool {
    let value = value.trim_matches(['`', '"', '\'']);
    if value.contains("{{") || is_plain(value) {
        return false;
    }
    // A secret may be part of a longer value, as in `--api-key=sk-…`.
    key.is_some_and(is_secret_name)
        || value.split(['=', ':', ' ']).any(is_issued)
        || value.contains("PRIVATE KEY-----")
        || has_url_password(value)
        || scheme_length(value).is_some_and(|length| length == value.len())
        || value.lines().any(mentions_secret)
}

/// Whether this is not a secret, whatever its name: nothing, a reference, or a keyword of the format.
fn is_plain(value: &str) -> bool {
    value.is_empty()
        || value.starts_with('$')
        || value.starts_with("{env:")
        || value.starts_with("{{")
        || PLAIN_WORDS.contains(&value)
}

/// Whether a line has the form `NAME=value`, `NAME:value` or `NAME: value` with the name of a secret.
fn mentions_secret(line: &str) -> bool {
    line.match_indices([':', '='])
        .any(|(at, _)| announces(&line[..at], &line[at..]))
}

/// Whether `before` ends with the name of a secret, and `sign`, with `:` or `=` at its start, goes on with its value.
fn announces(before: &str, sign: &str) -> bool {
    let name = before.trim_end_matches(QUOTES);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let (ahead, name) = name.split_at(name.trim_end_matches(is_name).len());
    let content = sign[1..].trim_start();
    // With a blank it is a header or a line of a file; elsewhere it is likely a sentence.
    let apart = sign.starts_with(':') && content.len() + 1 < sign.len();
    let opens = |c: char| "`\"'([{,;".contains(c) || c.is_whitespace() && !apart;
    let is_first = || ahead.trim_start_matches([' ', '\t', '-']).is_empty();
    let is_path = || sign.starts_with(':') && !apart && content.starts_with(['/', '.', '~', ':']);
    // A sentence may begin like a header, as in `Secrets: never commit them`.
    let is_sentence = || {
        let is_scheme = SCHEMES
            .iter()
            .any(|scheme| text_after(content, scheme).is_some());
        apart && !is_scheme && content.trim_end().contains(char::is_whitespace)
    };
    is_secret_name(name)
        && (ahead.ends_with(opens) || is_first())
        && !is_path()
        && !is_sentence()
        && is_revealing(content)
}

/// Whether the word that text starts with can be a secret. It is looked at no further than it takes to know.
fn is_revealing(text: &str) -> bool {
    let text = text.trim_start_matches(QUOTES);
    let text = SCHEMES
        .iter()
        .find_map(|scheme| text_after(text, scheme))
        .unwrap_or(text);
    let ends = |(_, c): &(usize, char)| c.is_whitespace() || "\"'`,;".contains(*c);
    let end = text
        .char_indices()
        .take(LONGEST_WORD)
        .find(ends)
        .map_or(text.len(), |(at, _)| at);
    text[..end].contains(char::is_alphanumeric) && !is_plain(&text[..end])
}

/// The length of the credentials that text starts with: `Bearer …` or `Basic …`.
fn scheme_length(text: &str) -> Option<usize> {
    let content = SCHEMES
        .iter()
        .find_map(|scheme| text_after(text.trim_start_matches('`'), scheme))?;
    let end = content
        .find(|c: char| c.is_whitespace() || "\"',]}".contains(c))
        .unwrap_or(content.len());
    (end > 0 && !is_plain(&content[..end])).then(|| text.len() - content.len() + end)
}

/// The text after a given word and blanks.
fn text_after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let is_word = start.eq_ignore_ascii_case(word) && rest.starts_with([' ', '\t']);
    is_word.then(|| rest.trim_start())
}

/// Whether a URL holds a password or a token: in its user part, under a telling name in its query, or after `#`.
fn has_url_password(value: &str) -> bool {
    let value = value.trim();
    let Some((user, rest)) = value.split_once('@') else {
        return has_secret_tail(value);
    };
    let scheme = user
        .split([':', '/'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let in_user = if let Some((host, _)) = value
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        && !host.contains('@')
    {
        // An `@` in the path, unless a password with a slash in it comes before.
        host.split_once(':')
            .is_some_and(|(_, port)| !port.bytes().all(|b| b.is_ascii_digit()))
    } else if user.contains("//") || scheme.starts_with("http") {
        // With ssh a user is a name; elsewhere it is a login, and often a token alone.
        let name = user.rsplit('/').next().unwrap_or_default();
        !name.is_empty() && (!scheme.ends_with("ssh") || name.contains(':'))
    } else {
        // `user:password@host:path`, or `user:password@host/path`; `source:file.md@branch/name` is another thing.
        let password = user.split_once(':').map(|(_, password)| password);
        let is_user = password.is_some() && !user.contains(['/', ' ']);
        is_user
            && (rest.contains(':')
                || rest.contains('/') && password.is_some_and(|text| !text.contains('.')))
    };
    in_user || has_secret_tail(value)
}

fn has_secret_tail(value: &str) -> bool {
    let Some((scheme, rest)) = value.split_once("://") else {
        return false;
    };
    // The text after the `#` of `git+https://…` is a branch, a tag or a commit.
    let scheme = scheme
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+')
        .next()
        .unwrap_or_default();
    let names_version = scheme.starts_with("git+");
    let content = rest
        .split(['?', '&', ';', '#'])
        .skip(1)
        .filter_map(|part| part.split_once('='));
    let in_query = content
        .into_iter()
        .any(|(name, value)| is_secret_name(name) && !value.is_empty());
    let behind = rest
        .split_once('#')
        .is_some_and(|(_, fragment)| fragment.len() >= SHORTEST_SECRET);
    in_query || (behind && !names_version)
}

/// A message with secret-looking values masked: what it quotes is looked at by itself, since it may be any text.
pub fn mask_message(message: &str) -> String {
    let mut parts = message
        .split('`')
        .enumerate()
        .map(|(at, part)| match at % 2 {
            0 => mask_line(part),
            _ if looks_secret(None, part) || is_telling_pointer(part) => {
                part.chars().map(|_| '*').collect()
            }
            _ => part.to_owned(),
        });
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |message, part| format!("{message}`{part}"))
}

/// Whether a step of a pointer is a secret: a key that lacks the blank before its value.
fn is_telling_pointer(text: &str) -> bool {
    let lacks_colon = |step: &str| {
        step.split_once(' ')
            .is_some_and(|(name, _)| is_secret_variable(name))
    };
    text.starts_with('/')
        && text
            .split('/')
            .any(|step| looks_secret(None, step) || lacks_colon(step))
}

/// The line with secret-looking values replaced by as many `*`, so columns stay.
pub fn mask_line(line: &str) -> String {
    behind_variables(line, &mask_tokens(line))
}

/// Whether this is the name of an environment variable that holds a secret.
fn is_secret_variable(name: &str) -> bool {
    let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 2 && name.chars().all(is_variable) && is_secret_name(name)
}

/// Masks the text after the name of a secret variable even in a broken line: a quote or a colon is missing, or an
/// object replaces the value. Findings show exactly such lines.
fn behind_variables(line: &str, masked: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut out: Vec<char> = masked.chars().collect();
    let is_word = |c: char| c.is_alphanumeric() || "_-.+/%@!#$&*~".contains(c);
    let end_of = |from: usize| {
        (from..chars.len())
            .find(|at| !is_word(chars[*at]))
            .unwrap_or(chars.len())
    };
    let (mut at, mut inside, mut depth) = (0, false, 0usize);
    while at < chars.len() {
        match chars[at] {
            '{' | '[' if inside => depth += 1,
            '}' | ']' => {
                inside &= depth > 0;
                depth = depth.saturating_sub(1);
            }
            ',' if depth == 0 => inside = false,
            '$' => {
                // A reference is not a secret, and nor is what comes after it.
                inside = false;
                let close = chars[at..]
                    .iter()
                    .position(|c| *c == '}')
                    .filter(|_| chars.get(at + 1) == Some(&'{'));
                at += close.unwrap_or(0);
            }
            c if is_word(c) => {
                let end = end_of(at);
                let word: String = chars[at..end].iter().collect();
                let after = chars[end..]
                    .iter()
                    .find(|c| !c.is_whitespace() && !QUOTES.contains(*c));
                let is_key = matches!(after, Some(':' | '='));
                let is_reference = at > 0 && "${".contains(chars[at - 1]);
                if inside && !is_key && !is_plain(&word) && word.contains(char::is_alphanumeric) {
                    out[at..end].iter_mut().for_each(|c| *c = '*');
                } else if is_secret_variable(&word) && !is_reference {
                    (inside, depth) = (true, 0);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    out.into_iter().collect()
}

fn mask_tokens(line: &str) -> String {
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
        let is_value = key.is_some()
            || out.trim_end().is_empty()
            || out.trim_end().ends_with(['-', '[', ',', '`']);
        let length = if quoted {
            quoted_length(rest, first, secret_key && depth == 0)
        } else if secret_key {
            bare_length(rest, true)
        } else {
            scheme_length(rest)
                .filter(|_| is_value || first == '`')
                .unwrap_or_else(|| bare_length(rest, false))
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        let is_key = after.trim_start().starts_with([':', '=']) && !(secret_key && depth == 0);
        if is_key {
            out.push_str(&masked_token(None, token));
            key = Some(token.trim_matches(['"', '\'']));
            depth = 0;
            continue;
        }
        out.push_str(&masked_token(key, token));
        if depth == 0 {
            key = None;
        }
    }
    out
}

/// A token as it may be seen; the quotes around it stay.
fn masked_token(key: Option<&str>, token: &str) -> String {
    if !looks_secret(key, token) {
        return token.to_owned();
    }
    let quote = token
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''));
    let last = token.chars().count() - 1;
    let hidden = |(at, c): (usize, char)| {
        if (at == 0 || at == last) && Some(c) == quote {
            c
        } else {
            '*'
        }
    };
    token.chars().enumerate().map(hidden).collect()
}

/// Up to and with the closing quote, or to the end. Text after a secret's quote without a break belongs to it.
fn quoted_length(text: &str, quote: char, secret: bool) -> usize {
    let mut escaped = false;
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        // In single quotes a quote is written twice, in double quotes after a backslash.
        let doubled =
            quote == '\'' && c == quote && rest.next_if(|(_, next)| *next == quote).is_some();
        if c == quote && !escaped && !doubled {
            let after = &text[at + 1..];
            let ends = after
                .chars()
                .next()
                .is_none_or(|c| c.is_whitespace() || ",:;=)]}".contains(c));
            return if secret && !ends {
                at + 1 + bare_length(after, true)
            } else {
                at + 1
            };
        }
        escaped = quote == '"' && c == '\\' && !escaped;
    }
    text.len()
}

/// A bare word. A bare secret reaches to the end of its line, a comment or a closing bracket: it may hold spaces.
fn bare_length(text: &str, secret: bool) -> usize {
    let next = |at: usize, c: char| text[at + c.len_utf8()..].chars().next();
    let ends = |(at, c): &(usize, char)| match c {
        ',' | ']' | '}' => true,
        '#' => secret && text[..*at].ends_with(' '),
        ' ' | '\t' if secret => text[*at..].trim_start().starts_with('#'),
        '"' | '[' | '{' => !secret,
        // Words may hold `:` and `=` inside, as URLs and base64 do.
        ':' if !secret => {
            next(*at, *c).is_none_or(|n| n.is_whitespace() || n == '"')
                || announces(&text[..*at], &text[*at..])
        }
        '=' if !secret => {
            next(*at, *c).is_some_and(|n| n != '=') && *at > 0 && !text[..*at].contains("://")
        }
        c => !secret && c.is_whitespace(),
    };
    let end = text
        .char_indices()
        .find(ends)
        .map_or(text.len(), |(at, _)| at);
    text[..end].trim_end().len().max(1)
}

/// The line that follows `before` in text, masked; a key on the line above speaks for a value on this one.
pub fn mask_line_after(before: &str, line: &str) -> String {
    let above = before.trim_end().rsplit('\n').next().unwrap_or_default();
    // A block scalar in YAML starts on the line under its sign.
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
    fn values_of_secret_variables_are_masked_in_broken_lines_too() {
        for (line, masked) in [
            (
                r#"{"bottles:{"x":{"env":{"API_TOKEN":"hunter22"}}}}"#,
                r#"{"bottles:{"x":{"env":{"API_TOKEN":"********"}}}}"#,
            ),
            (r#""API_TOKEN: "hunter22","#, r#""API_TOKEN: "********","#),
            (
                r#"{"API_TOKEN" "hunter22", "A": "b"}"#,
                r#"{"API_TOKEN" "********", "A": "b"}"#,
            ),
            (
                "env: {A: b, API_TOKEN hunter22, C: d}",
                "env: {A: b, API_TOKEN ********, C: d}",
            ),
            (
                r#"{"API_TOKEN":{"v":"hunter22"},"A":"b"}"#,
                r#"{"API_TOKEN":{"v":"********"},"A":"b"}"#,
            ),
            (r#"API_TOKEN: "a" hunter22"#, r#"API_TOKEN: "*" ********"#),
            (
                "auth: {typ: bearer, env: API_TOKEN}",
                "auth: {typ: bearer, env: API_TOKEN}",
            ),
            (
                r#"run: curl -H "x: $API_TOKEN" host"#,
                r#"run: curl -H "x: $API_TOKEN" host"#,
            ),
            ("image: auth:latest", "image: auth:latest"),
            ("RUST_LOG: info,auth=debug", "RUST_LOG: info,auth=debug"),
            (r#"TOKEN_LIMIT: "100""#, r#"TOKEN_LIMIT: "100""#),
            ("SECRET_FILE: /run/secrets/x", "SECRET_FILE: /run/secrets/x"),
        ] {
            assert_eq!(mask_line(line), masked);
        }
    }

    #[test]
    fn quoted_parts_of_a_message_are_checked_separately() {
        for (message, masked) in [
            (
                "the rules `Never log a token: use it` and `x`",
                "the rules `Never log a token: use it` and `x`",
            ),
            (
                "`Secrets: never commit them` differs",
                "`Secrets: never commit them` differs",
            ),
            (
                "`a` inherits `https://h.example/root@x.json`, which",
                "`a` inherits `https://h.example/root@x.json`, which",
            ),
            (
                "`git+https://h.example/x#release/2026:/team`",
                "`git+https://h.example/x#release/2026:/team`",
            ),
            (
                "`git+https://me:pass@h.example/x#v1`",
                "`**********************************`",
            ),
            (
                "`https://me:pass@h.example/x`",
                "`***************************`",
            ),
            (
                "`https://me:pa/ss@h.example/x`",
                "`****************************`",
            ),
            ("`https://token@h.example/x`", "`*************************`"),
            (
                "the id `sk-ant-abcdefghijkl`",
                "the id `*******************`",
            ),
            (
                "`/env/API_TOKEN hunter22` must be",
                "`***********************` must be",
            ),
            (
                "`/env/API_TOKEN:hunter22` must be",
                "`***********************` must be",
            ),
            ("`Authorization: Bearer abc`", "`*************************`"),
            (
                "no quotes: password: hunter22",
                "no quotes: password: ********",
            ),
        ] {
            assert_eq!(mask_message(message), masked);
        }
    }

    #[test]
    fn a_key_on_the_line_above_is_used() {
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
            (
                r#"  "API_TOKEN": "abcdef123","#,
                r#"  "API_TOKEN": "*********","#,
            ),
            ("token = 'hunter22'", "token = '********'"),
            ("db_password: hunter22 # old", "db_password: ******** # old"),
            ("url: https://me:pass@host/x", "url: **********************"),
            (
                r#"{"args": ["ghp_abcdefghijkl"]}"#,
                r#"{"args": ["****************"]}"#,
            ),
            ("PASSWORD=hunter22", "PASSWORD=********"),
            (
                r#"{"headers":{"Authorization":"Bearer abcdef"},"a":1}"#,
                r#"{"headers":{"Authorization":"*************"},"a":1}"#,
            ),
            (
                "authorization: Bearer abcdef # x",
                "authorization: ************* # x",
            ),
            (
                r#""private_key":"-----BEGIN RSA\\nMIIE","#,
                r#""private_key":"*********************","#,
            ),
            (
                "two items have the id `sk-ant-abcdefghijkl`",
                "two items have the id *********************",
            ),
            (
                r#"["--api-key=sk-proj-1234567890abcdef", "x"]"#,
                r#"["**********************************", "x"]"#,
            ),
            (
                r#""password":"abc", "model": "x""#,
                r#""password":"***", "model": "x""#,
            ),
            ("secret: 12345678", "secret: ********"),
            (
                r#""token": null, "secret": true"#,
                r#""token": null, "secret": true"#,
            ),
            (
                r#"{"secrets": {"a": "one", "b": "two"}, "c": "three"}"#,
                r#"{"secrets": {"a": "one", "b": "two"}, "c": "three"}"#,
            ),
            ("model: sonnet", "model: sonnet"),
            ("token: ${TOKEN}", "token: ${TOKEN}"),
            ("max_tokens: 4096", "max_tokens: 4096"),
            ("key: value", "key: value"),
            (
                r#"{ by-key = 1, api-key = abc }"#,
                r#"{ by-key = 1, api-key = *** }"#,
            ),
        ] {
            assert_eq!(mask_line(line), masked);
        }
    }

    #[test]
    fn masks_what_says_a_secret_itself() {
        for (line, masked) in [
            ("  API_TOKEN:hunter2secret", "  API_TOKEN:*************"),
            ("  API_TOKEN:hunter2 secret", "  API_TOKEN:**************"),
            (
                "env: API_TOKEN:hunter2secret",
                "env: API_TOKEN:*************",
            ),
            (
                r#"env: "API_TOKEN=hunter2secret FOO=bar""#,
                r#"env: "*******************************""#,
            ),
            (
                r#"env: "FOO=bar API_TOKEN=hunter2secret""#,
                r#"env: "*******************************""#,
            ),
            (
                r#"["--api-key=hunter2secret"]"#,
                r#"["***********************"]"#,
            ),
            ("args: [--token=x1y2z3, -v]", "args: [--token=******, -v]"),
            ("- --token=x1y2z3", "- --token=******"),
            (
                r#"  "Authorization: Bearer abc","#,
                r#"  "*************************","#,
            ),
            (
                r#"["-H", "X-Api-Key: hunter2"]"#,
                r#"["-H", "******************"]"#,
            ),
            (
                r#"x: "{\"token\": \"hunter2\"}""#,
                r#"x: "************************""#,
            ),
            (
                "no `API_TOKEN:hunter2secret` here",
                "no `API_TOKEN:*******************",
            ),
            (r#"{"API_TOKEN=hunter2": 1}"#, r#"{"*****************": *}"#),
            (
                "DB_PASSWORD: 'it''s hunter2secret'",
                "DB_PASSWORD: '*******************'",
            ),
            (
                "DB_PASSWORD: 'it's hunter2secret'",
                "DB_PASSWORD: '******************'",
            ),
            (
                "DB_PASSWORD: 'it\\'s hunter2secret'",
                "DB_PASSWORD: '*******************'",
            ),
            ("DB_PASSWORD: '''hunter2'''", "DB_PASSWORD: '***********'"),
            (
                r#"DB_PASSWORD: "it\"s hunter2""#,
                r#"DB_PASSWORD: "*************""#,
            ),
            (
                "{path: 'C:\\', token: hunter2}",
                "{path: 'C:\\', token: *******}",
            ),
            ("header: Bearer abc", "header: **********"),
            ("- Basic dXNlcjpwYXNz", "- ******************"),
            (r#"{"header": "bearer abc"}"#, r#"{"header": "**********"}"#),
            (
                "the value `Bearer abc` is odd",
                "the value ************ is odd",
            ),
            ("DB_PASS: hunter2", "DB_PASS: *******"),
            ("db-pass = hunter2", "db-pass = *******"),
            ("Set-Cookie: id=1", "Set-Cookie: ****"),
        ] {
            assert_eq!(mask_line(line), masked);
        }
    }

    #[test]
    fn lookalikes_are_kept() {
        for line in [
            "max_tokens:4096",
            "x: max_tokens:4096",
            "by-key:id",
            "- by-key:id",
            "url: https://host",
            "https://auth.example.com/token:8080/x",
            "git@host:org/repo",
            "url: git@token-host:org/repo",
            "Bash(git diff:*)",
            r#"["Bash(gh auth:*)", "Read(./secrets/**)"]"#,
            "author: x",
            "use Secrets::Masked",
            "volume: ./secrets:/run/secrets",
            "volume: secrets:/run/secrets:ro",
            "/home/me/token:ro",
            "API_TOKEN:$API_TOKEN",
            r#"env: "API_TOKEN=${API_TOKEN} FOO=bar""#,
            r#"args: ["--token={env:TOKEN}", "--token=", "--api-key", "--auth=true"]"#,
            r#""Authorization: Bearer ${TOKEN}""#,
            "header: Bearer $TOKEN",
            "header: Bearer {env:TOKEN}",
            "the Bearer scheme is used",
            "header: Bearer",
            r#"description: "Rotates a token: asks first""#,
            "name: 'it''s plain'",
            "a bottle has no key `pass`",
        ] {
            assert_eq!(mask_line(line), line);
        }
    }
}
