//! A choice among several candidates that the user makes.

/// A way to let the user choose from a list.
pub trait Picker {
    /// Returns the indexes of the chosen items, or `None` if the user cancels.
    fn pick(&self, title: &str, items: &[PickItem]) -> Option<Vec<usize>>;
}

/// One item of the list that a `Picker` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickItem {
    /// The id as `TYPE/NAME`.
    pub id: String,
    /// The description of the resource; empty if it has none.
    pub description: String,
    /// Marks items that the manifest already has.
    pub state: PickState,
}

/// Whether the manifest already has a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickState {
    /// The manifest does not have it.
    New,
    /// The manifest has it.
    Installed,
}
