//! User-defined names: one line of text, not empty.

use std::fmt;
use std::sync::Arc;

/// The reason why text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name is one line and not empty")]
pub struct NameError;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Validates a name.
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

impl LayerName {
    /// The type name of layers, next to the types of resources.
    pub const TYPE_NAME: &str = "layers";

    /// `layers/NAME`.
    pub fn label(&self) -> String {
        format!("{}/{self}", Self::TYPE_NAME)
    }

    /// The name in a label; `None` for any other label.
    pub fn in_label(label: &str) -> Option<&str> {
        label.strip_prefix(Self::TYPE_NAME)?.strip_prefix('/')
    }
}

/// The name of a base in a lockfile, in messages and on the command line: its URL without a version or secrets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BaseName(String);

impl BaseName {
    /// The type name of bases, next to the types of resources.
    pub const TYPE_NAME: &str = "bases";

    pub(crate) fn new(address: impl Into<String>) -> Self {
        BaseName(address.into())
    }

    /// `bases/ADDRESS`.
    pub fn label(&self) -> String {
        format!("{}/{self}", Self::TYPE_NAME)
    }

    /// The name in a label; `None` for any other label.
    pub fn in_label(label: &str) -> Option<&str> {
        label.strip_prefix(Self::TYPE_NAME)?.strip_prefix('/')
    }
}

impl fmt::Display for BaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
