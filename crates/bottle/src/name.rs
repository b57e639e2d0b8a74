//! Names of bottles and of bottle agents.

use std::borrow::Borrow;
use std::fmt;

use agpm_diag::{Diagnostic, codes};
use agpm_model::LayerName;
use serde::Serialize;

use crate::kind::UnitKind;

/// The name of a bottle or of a bottle agent: one line, and not empty. A bottle is a layer of the merge, so its name
/// must also be a valid layer name.
// A bottle is a layer of the fold that composes it, so whatever names a bottle must also name a layer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BottleName(LayerName);

impl BottleName {
    /// Checks the name of a unit.
    pub(crate) fn new(kind: UnitKind, name: &str) -> Result<Self, Diagnostic> {
        LayerName::new(name).map(BottleName).map_err(|error| {
            let message = format!(
                "invalid name `{}` of {}: {error}",
                name.escape_debug(),
                kind.table().what
            );
            Diagnostic::new(&codes::BOTTLE_VALUE, message).help("rename it")
        })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the name of the bottle's layer.
    pub(crate) fn layer(&self) -> &LayerName {
        &self.0
    }
}

/// References to bottles are looked up as written.
impl Borrow<str> for BottleName {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for BottleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
