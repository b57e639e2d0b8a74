//! Matches of a pattern that are fine.

/// A reason why a match is fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exception {
    /// An example instead of a secret.
    Placeholder,
    /// The sentence forbids it.
    Negated,
    /// It is a row of a Markdown table, where `|` separates cells.
    TableRow,
    /// It is the public part of a key.
    PublicKey,
    /// It is quoted or listed as an example of an attack.
    Mention,
    /// It is named as code in a sentence, and not used.
    Named,
}

/// A match, with what is around it on its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternMatch<'t> {
    /// The line before it.
    pub(super) before: &'t [u8],
    /// The paragraph before it, as far as it is near.
    pub(super) paragraph: &'t [u8],
    pub(super) matched: &'t [u8],
    /// The rest of the line.
    pub(super) after: &'t [u8],
}

/// Words of sentences that forbid something.
const NEGATIONS: [&str; 22] = [
    "never",
    "not",
    "don't",
    "don’t",
    "avoid",
    "block",
    "blocks",
    "blocked",
    "deny",
    "denied",
    "denies",
    "prevent",
    "prevents",
    "forbid",
    "forbidden",
    "protect",
    "protects",
    "refuse",
    "reject",
    "exclude",
    "detect",
    "detects",
];
/// Words of sentences that describe an attack.
const MENTIONS: [&str; 36] = [
    "e.g.",
    "eg",
    "like",
    "such",
    "example",
    "examples",
    "pattern",
    "patterns",
    "detect",
    "detects",
    "detection",
    "attack",
    "attacks",
    "attacker",
    "attackers",
    "injection",
    "injections",
    "jailbreak",
    "malicious",
    "suspicious",
    "flag",
    "flags",
    "scan",
    "scans",
    "attempt",
    "attempts",
    "adversarial",
    "phrases",
    "regex",
    "tries",
    "refuse",
    "treat",
    "defend",
    "embedded",
    "saying",
    "says",
];

impl Exception {
    /// Whether a match is fine for this reason.
    pub(super) fn applies(self, found: &PatternMatch<'_>) -> bool {
        match self {
            Exception::Placeholder => is_placeholder(found.matched),
            Exception::Negated => has_word(found.before, &NEGATIONS),
            Exception::TableRow => found.before.trim_ascii_start().starts_with(b"|"),
            Exception::PublicKey => {
                found.after.starts_with(b".pub") || found.matched.ends_with(b".pub")
            }
            Exception::Mention => {
                has_word(found.paragraph, &MENTIONS)
                    || has_word(found.paragraph, &NEGATIONS)
                    || is_quoted(found)
            }
            Exception::Named => found.before.ends_with(b"`") && found.after.starts_with(b"`"),
        }
    }
}

/// Whether it is all that is between two quotes. A longer text in quotes may be a string that a tool reads.
fn is_quoted(found: &PatternMatch<'_>) -> bool {
    let after = found.after.trim_ascii_start();
    let after = after
        .iter()
        .position(|byte| !matches!(byte, b'.' | b'!' | b','))
        .map_or(after, |at| &after[at..]);
    [b'"', b'`', b'\'']
        .iter()
        .any(|quote| found.before.ends_with(&[*quote]) && after.first() == Some(quote))
}

fn has_word(text: &[u8], words: &[&str]) -> bool {
    let text = String::from_utf8_lossy(text).to_lowercase();
    let mut parts = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '.'));
    parts.any(|part| words.contains(&part) || words.contains(&part.trim_matches(['.', '\''])))
}

/// Strings in secrets that were made up.
const MADE_UP: [&str; 16] = [
    "example",
    "xxxx",
    "your",
    "dummy",
    "fake",
    "test",
    "sample",
    "placeholder",
    "redacted",
    "changeme",
    "abcdef",
    "123456",
    "000000",
    "aaaaaa",
    "secret",
    "deadbeef",
];
/// The fewest different characters of a random string.
const FEWEST_CHARACTERS: usize = 10;

/// Whether a string that has the form of a secret is none.
fn is_placeholder(matched: &[u8]) -> bool {
    let text = String::from_utf8_lossy(matched);
    let lower = text.to_lowercase();
    if MADE_UP.iter().any(|made_up| lower.contains(made_up)) {
        return true;
    }
    let mut characters: Vec<char> = text.chars().collect();
    characters.sort_unstable();
    characters.dedup();
    characters.len() < FEWEST_CHARACTERS
}
