//! Patterns of paths: `*`, `?`, `**`, `[a-z]`, `{a,b}` and `\`, as in `globset`.

use globset::{ErrorKind, GlobBuilder, GlobSet};

use crate::limits::LONGEST_GLOB;

/// Patterns of paths, of which one must match. `*` and `?` do not match `/`; `**` as a whole part of a path matches any
/// number of parts.
#[derive(Clone, Debug, Default)]
pub struct Glob(GlobSet);

/// The reason why a pattern is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// A `[` without `]`.
    #[error("unclosed character class; missing `]`")]
    UnclosedClass,
    /// A reversed range.
    #[error("invalid range; `{0}` is after `{1}`")]
    InvalidRange(char, char),
    /// A `{` without `}`.
    #[error("unclosed alternatives; missing `}}`")]
    UnclosedAlternatives,
    /// A `}` without `{`.
    #[error("unopened alternatives; missing `{{`")]
    UnopenedAlternatives,
    /// A `\` at the end.
    #[error("nothing to escape after `\\`")]
    DanglingEscape,
    /// More characters than any path has.
    #[error("the pattern is longer than {LONGEST_GLOB} characters")]
    TooLong,
    /// So many alternatives and wildcards that matching would need too much memory.
    #[error("the pattern is too complex")]
    TooComplex,
}

impl Glob {
    /// Parses a pattern.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        Self::any_of(&[pattern]).map_err(|(_, error)| error)
    }

    /// Parses patterns of which one must match; an error has the index of its pattern.
    pub fn any_of(patterns: &[impl AsRef<str>]) -> Result<Self, (usize, GlobError)> {
        let mut set = GlobSet::builder();
        for (index, pattern) in patterns.iter().enumerate() {
            let glob = parse(pattern.as_ref()).map_err(|error| (index, error))?;
            set.add(glob);
        }
        // A matcher of a single pattern would panic where the set reports that the regular expression is too large.
        let set = set.build();
        set.map(Glob).map_err(|_| (0, GlobError::TooComplex))
    }

    /// Whether a path, with `/` between its components, matches.
    pub fn is_match(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

fn parse(pattern: &str) -> Result<globset::Glob, GlobError> {
    if pattern.chars().count() > LONGEST_GLOB {
        return Err(GlobError::TooLong);
    }
    let mut builder = GlobBuilder::new(pattern);
    builder.literal_separator(true).empty_alternates(true);
    // On Windows, `\` would be a separator instead of an escape, and one manifest would mean two things.
    builder.backslash_escape(true);
    builder.build().map_err(|error| match error.kind() {
        ErrorKind::UnclosedClass => GlobError::UnclosedClass,
        ErrorKind::InvalidRange(first, last) => GlobError::InvalidRange(*first, *last),
        ErrorKind::UnclosedAlternates => GlobError::UnclosedAlternatives,
        ErrorKind::UnopenedAlternates => GlobError::UnopenedAlternatives,
        ErrorKind::DanglingEscape => GlobError::DanglingEscape,
        _ => GlobError::TooComplex,
    })
}
