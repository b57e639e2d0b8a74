//! The source of a fact about a tool.

/// The evidence for a fact, and when it was last checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactSource {
    /// The title of the document, or the package.
    pub title: &'static str,
    /// The day, as `YYYY-MM-DD`.
    pub checked: &'static str,
}

/// A fact that `title` showed on the day `checked`.
pub(crate) const fn source(title: &'static str, checked: &'static str) -> FactSource {
    FactSource { title, checked }
}
