//! The capabilities of a resource or a file of a layer, shown before they are used.

use agpm_text::Pointer;
use serde::Serialize;

/// Something that a tool would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Capability {
    /// The kind of capability.
    pub kind: CapabilityKind,
    /// The command, URL, mode or setting, in full.
    pub value: String,
    /// The event that starts it, if it is a hook.
    pub event: Option<String>,
    /// The pointer in its file.
    #[serde(skip)]
    pub pointer: Pointer,
}

impl Capability {
    /// A file that can be run.
    pub fn of_file(path: &str) -> Self {
        Capability {
            kind: CapabilityKind::Runs,
            value: path.to_owned(),
            event: None,
            pointer: Pointer::root(),
        }
    }
}

/// Kinds of things that a tool would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CapabilityKind {
    /// Run a command.
    Runs,
    /// Connect to a server.
    Connects,
    /// Work without requiring permission.
    Permission,
    /// Change a setting whose effect is not known.
    Sets,
}

impl CapabilityKind {
    /// The word that users read.
    pub fn word(self) -> &'static str {
        match self {
            CapabilityKind::Runs => "runs",
            CapabilityKind::Connects => "connects",
            CapabilityKind::Permission => "permission",
            CapabilityKind::Sets => "sets",
        }
    }
}
