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
];

/// Names that end a key and announce a secret, too short to be looked for anywhere else in it.
const SECRET_ENDINGS: &[&str] = &["_key", "-key", "_pat", "_pwd", "auth"];

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
    "Bearer ",
    "Basic ",
];

const SHORTEST_SECRET: usize = 8;

/// Whether a key announces that its value is a secret.
pub fn is_secret_name(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    let flat: String = lower.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    SECRET_NAMES.iter().any(|name| flat.contains(name) && !flat.ends_with("tokens"))
        || SECRET_ENDINGS.iter().any(|end| lower.ends_with(end))
}

/// Whether a value under `key` (if it has one) should not be shown.
pub fn looks_secret(key: Option<&str>, value: &str) -> bool {
    let reference = value.starts_with('$') || value.starts_with("{env:") || value.contains("{{");
    if reference || value.len() < 4 {
        return false;
    }
    if SECRET_PREFIXES.iter().any(|p| value.starts_with(p)) && value.len() >= p_len(value) + SHORTEST_SECRET {
        return true;
    }
    has_url_password(value) || key.is_some_and(is_secret_name)
}

fn p_len(value: &str) -> usize {
    SECRET_PREFIXES.iter().filter(|p| value.starts_with(**p)).map(|p| p.len()).max().unwrap_or(0)
}

fn has_url_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
}

/// The line with secret-looking values replaced by as many `*`, so that columns stay.
pub fn mask_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut key: Option<&str> = None;
    for token in Tokens(line) {
        match token {
            Token::Word(word) if looks_secret(key, word) => {
                out.extend(word.chars().map(|_| '*'));
            }
            Token::Word(word) => {
                out.push_str(word);
                key = Some(word);
            }
            Token::Other(other) => {
                out.push_str(other);
                if !other.contains([':', '=', '"', '\'', ' ', '\t', '[', '{']) || other.contains(',') {
                    key = None;
                }
            }
        }
    }
    out
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

enum Token<'a> {
    Word(&'a str),
    Other(&'a str),
}

/// Splits a line into words (keys and values) and what stands between them.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.0;
        let first = rest.chars().next()?;
        let quote = matches!(first, '"' | '\'');
        if quote {
            self.0 = &rest[1..];
            return Some(Token::Other(&rest[..1]));
        }
        let separator = |c: char| c.is_whitespace() || "\"',:=[]{}".contains(c);
        if separator(first) {
            let end = rest.find(|c| !separator(c) || matches!(c, '"' | '\'')).unwrap_or(rest.len());
            self.0 = &rest[end..];
            return Some(Token::Other(&rest[..end]));
        }
        // A word may hold `:` and `=` as long as no space follows, as URLs and base64 do.
        let mut end = rest.len();
        for (at, c) in rest.char_indices() {
            let next = rest[at + c.len_utf8()..].chars().next();
            let ends = match c {
                ':' => next.is_none_or(|n| n.is_whitespace() || n == '"'),
                '=' => next.is_some_and(|n| n != '=') && at > 0 && !rest[..at].contains("://"),
                _ => separator(c),
            };
            if ends {
                end = at;
                break;
            }
        }
        self.0 = &rest[end..];
        Some(Token::Word(&rest[..end]))
    }
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
            ("model: sonnet", "model: sonnet"),
            ("token: ${TOKEN}", "token: ${TOKEN}"),
            ("max_tokens: 4096", "max_tokens: 4096"),
            ("key: value", "key: value"),
        ] {
            assert_eq!(mask_line(line), masked);
        }
    }
}
