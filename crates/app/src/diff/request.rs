//! The arguments of `diff`.

/// The two states that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffTarget {
    /// The disk and the result of `install`.
    Install,
    /// The disk and the result of `update`.
    Update,
    /// Manifest and lockfile of this git ref and of the working tree, without the disk.
    Ref(String),
}

/// The differences to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffContent {
    /// All differences.
    Everything,
    /// Only files and entries that tools execute.
    Executables,
}

/// The arguments of `diff`.
#[derive(Clone, Debug)]
pub struct DiffRequest {
    /// Ids of resources and layers; all of them if empty.
    pub ids: Vec<String>,
    /// The two states that are compared.
    pub target: DiffTarget,
    /// The differences to show.
    pub content: DiffContent,
}
