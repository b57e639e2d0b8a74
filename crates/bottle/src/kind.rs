//! Bottles and bottle agents, as two kinds of one thing.

use agpm_model::SchemaTable;

use crate::schema::{AGENT, BOTTLE};

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitKind {
    /// A sandbox.
    Bottle,
    /// An agent that runs in a bottle.
    Agent,
}

impl UnitKind {
    /// All kinds of units.
    pub const ALL: [UnitKind; 2] = [UnitKind::Bottle, UnitKind::Agent];

    /// The word that messages use.
    pub fn word(self) -> &'static str {
        match self {
            UnitKind::Bottle => "bottle",
            UnitKind::Agent => "agent",
        }
    }

    /// Returns the key of the JSON object, which is also the directory of the Markdown files.
    pub fn plural(self) -> &'static str {
        match self {
            UnitKind::Bottle => "bottles",
            UnitKind::Agent => "agents",
        }
    }

    /// The other kind.
    pub fn other(self) -> UnitKind {
        match self {
            UnitKind::Bottle => UnitKind::Agent,
            UnitKind::Agent => UnitKind::Bottle,
        }
    }

    pub(crate) fn table(self) -> &'static SchemaTable {
        match self {
            UnitKind::Bottle => &BOTTLE,
            UnitKind::Agent => &AGENT,
        }
    }
}
