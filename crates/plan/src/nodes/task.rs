//! The inputs and the result of planning one shared file.

use std::collections::BTreeMap;

use agpm_text::{Document, Format, LazyDocument, Pointer, Value};

use super::edited::EditedNode;
use super::owned::OwnedNodes;
use super::planner::{NodeStep, RefusedNode};
use crate::change::OverwriteRule;

/// The change to the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// The file does not change.
    Unchanged,
    /// The new text of the file.
    Write(String),
    /// The file is removed.
    Remove,
}

/// The inputs of the plan.
#[derive(Clone, Copy)]
pub(super) struct SharedFileTask<'a> {
    pub(super) format: Format,
    pub(super) existing: Option<&'a Document>,
    pub(super) owned: Option<&'a OwnedNodes>,
    pub(super) base: Option<&'a LazyDocument>,
    pub(super) merged: Option<&'a BTreeMap<Pointer, Value>>,
    pub(super) overwrite: OverwriteRule,
}

/// The decisions about a shared file.
pub(super) struct SharedFileDecision {
    pub(super) outcome: FileOutcome,
    pub(super) steps: Vec<NodeStep>,
    pub(super) refused: Vec<RefusedNode>,
    pub(super) owned: Option<OwnedNodes>,
    pub(super) unchanged: usize,
    pub(super) edited: Vec<EditedNode>,
}
