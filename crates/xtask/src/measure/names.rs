//! Classifies the names of types.

/// Participles and adjectives that no ending gives away.
const IRREGULAR: &[&str] = &[
    "Absent", "Alone", "Beside", "Bound", "Built", "Felt", "Fit", "Found", "Free", "Gone", "Heard",
    "Held", "Kept", "Known", "Left", "Lent", "Lost", "Made", "Meant", "Met", "New", "Other", "Own",
    "Paid", "Put", "Ready", "Right", "Said", "Same", "Seen", "Sent", "Set", "Shown", "Sought",
    "Spent", "Split", "Stray", "Taught", "Told", "Torn", "Unfit", "Worn",
];

/// Nouns that look like participles.
const NOUNS: &[&str] = &[
    "Heading", "Listing", "Setting", "Shared", "String", "Thing", "Token", "Warning",
];

/// Whether a name in camel case is a single word.
pub(super) fn is_one_word(name: &str) -> bool {
    name.chars().filter(|c| c.is_uppercase()).count() <= 1
}

/// Returns whether a name is a state instead of a thing.
pub(super) fn is_participle(name: &str) -> bool {
    let ends = ["ed", "en", "ing", "wn"];
    is_one_word(name)
        && !NOUNS.contains(&name)
        && (IRREGULAR.contains(&name) || ends.iter().any(|end| name.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_without_a_thing_is_a_participle() {
        for name in ["Told", "Made", "Rewritten", "Rendered", "Known", "Reading"] {
            assert!(is_participle(name), "{name}");
        }
        for name in ["RenderedResource", "Token", "Pointer", "Setting"] {
            assert!(!is_participle(name), "{name}");
        }
    }

    #[test]
    fn capitals_are_words() {
        assert!(is_one_word("Pointer"));
        assert!(!is_one_word("NodeId"));
    }
}
