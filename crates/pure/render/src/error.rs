//! Why a template could not be rendered.

pub(crate) const TOO_LARGE: &str = "the template output is larger than 8 MiB";

/// Why a template gave no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RenderError {
    /// The problem.
    pub message: String,
    /// The fix.
    pub help: String,
    /// The bytes of the template concerned, if they are known.
    pub range: Option<std::ops::Range<usize>>,
}

impl RenderError {
    pub(crate) fn too_large() -> Self {
        RenderError {
            message: TOO_LARGE.to_owned(),
            help: "simplify it".to_owned(),
            range: None,
        }
    }
}
