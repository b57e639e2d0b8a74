//! Where a fact about a tool is from.

/// What shows a fact, and when it was last compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactSource {
    /// The title of the document, or the package.
    pub title: &'static str,
    /// The day, as `YYYY-MM-DD`.
    pub checked: &'static str,
}
