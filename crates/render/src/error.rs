//! Errors of templates.

pub(crate) const TOO_LARGE: &str = "the template output is larger than 8 MiB";

/// The reason why a template could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RenderError {
    /// The problem.
    pub message: String,
    /// The fix.
    pub help: String,
    /// The range of the mistake in the template, if it is known.
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
