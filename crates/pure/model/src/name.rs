//! Names that users give: one line of text, not empty.

use std::fmt;
use std::sync::Arc;

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name is one line of text and not empty")]
pub struct NameError;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks a name.
            pub fn new(name: &str) -> Result<Self, NameError> {
                let good = !name.trim().is_empty() && !name.chars().any(char::is_control);
                good.then(|| $name(Arc::from(name))).ok_or(NameError)
            }

            /// The name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

names! {
    /// The name of a layer.
    LayerName;
    /// The name of a resource: a key of the manifest, or derived from its path.
    ResourceName;
    /// The name of a source.
    SourceName;
    /// The name of a tool, such as `claude-code`.
    ToolName;
}

/// How owners begin that are layers, where resources have their kind.
const LAYERS: &str = "layers/";

impl LayerName {
    /// `layers/NAME`.
    pub fn label(&self) -> String {
        LayerName::label_of([self])
    }

    /// `layers/NAME+NAME`, for what several layers give together.
    pub fn label_of<'n>(names: impl IntoIterator<Item = &'n LayerName>) -> String {
        let names: Vec<&str> = names.into_iter().map(LayerName::as_str).collect();
        format!("{LAYERS}{}", names.join("+"))
    }

    /// The names in such a label; nothing for the label of a resource.
    pub fn in_label(label: &str) -> Option<&str> {
        label.strip_prefix(LAYERS)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn labels_of_layers_are_told_from_those_of_resources() {
        let names = ["org", "me"].map(|name| LayerName::new(name).unwrap());
        assert_eq!(names[0].label(), "layers/org");
        assert_eq!(
            LayerName::in_label(&LayerName::label_of(&names)),
            Some("org+me")
        );
        assert_eq!(LayerName::in_label("agents/layers"), None);
    }
}
