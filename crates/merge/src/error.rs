//! Why no result exists.

use agpm_model::RelativePath;

use crate::finding::Finding;

/// Why no result exists.
///
/// ```
/// use agpm_merge::{Engine, EngineError};
///
/// let broken = Engine::builder()
///     .layer("me", [("a.json", "{"), ("b.toml", "x = ")])
///     .merge();
/// let Err(EngineError::Files { findings }) = broken else {
///     panic!("both files are malformed");
/// };
/// assert!(findings.iter().any(|finding| finding.to_string().starts_with("a.json:1")));
/// assert!(findings.iter().any(|finding| finding.to_string().starts_with("b.toml:1")));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A layer has no usable name, or one that another layer has.
    #[error("`{name}` cannot be the name of a layer: {why}")]
    LayerName {
        /// The name as given.
        name: String,
        /// The problem.
        why: String,
    },
    /// A path is absolute, leads out, or is not one that every system can have.
    #[error("`{path}` cannot be the path of a file: {why}")]
    Path {
        /// The path as given.
        path: String,
        /// The problem.
        why: String,
    },
    /// No built-in strategy exists of that name.
    #[error("no such strategy: `{name}`")]
    UnknownStrategy {
        /// The name as given.
        name: String,
    },
    /// Files are malformed; all mistakes of all files.
    #[error("{} of the layers cannot be merged", if findings.len() == 1 { "a file" } else { "files" })]
    Files {
        /// The problems.
        findings: Vec<Finding>,
    },
    /// A result cannot be written in its format.
    #[error("{finding}")]
    Unprintable {
        /// The reason.
        finding: Box<Finding>,
    },
    /// A result is not text.
    #[error("`{path}` is not UTF-8 text")]
    NotText {
        /// The path of the file.
        path: RelativePath,
    },
    /// A JSON Pointer is malformed.
    #[error("`{pointer}` is not a JSON Pointer")]
    Pointer {
        /// The pointer as given.
        pointer: String,
    },
    /// The result has no value at a JSON Pointer.
    #[error("no value at `{pointer}`")]
    NoValue {
        /// The position.
        pointer: String,
    },
}
