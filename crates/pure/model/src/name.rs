use std::fmt;
use std::sync::Arc;

/// The name of a layer: one line, not empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayerName(Arc<str>);

/// Why a text is no layer name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a layer name is one line of text and not empty")]
pub struct LayerNameError;

impl LayerName {
    /// Checks a name.
    pub fn new(name: &str) -> Result<Self, LayerNameError> {
        let good = !name.trim().is_empty() && !name.chars().any(char::is_control);
        good.then(|| LayerName(Arc::from(name))).ok_or(LayerNameError)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
