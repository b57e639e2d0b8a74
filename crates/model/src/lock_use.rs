/// The use of the lockfile in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockUse {
    /// Its pins stay, and it is brought up to date.
    Update,
    /// The lockfile must not change.
    Locked,
    /// Only it decides, and every byte is checked against it.
    Frozen,
    /// Its pins stay, and it is not written.
    Unwritten,
}
