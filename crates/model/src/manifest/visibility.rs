//! Who has a declaration of a manifest.

/// Who has a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone: it is in the manifest or in a base.
    #[default]
    Shared,
    /// One user: it is in `agpm.private.toml`.
    Private,
}
