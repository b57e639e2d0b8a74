//! Why there is no plan for a shared file.

use agpm_model::Owner;
use agpm_text::{EditError, Pointer};

/// Why there is no plan for a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// Two resources want different things of one place.
    #[error("{first} and {second} write different values to `{at}`")]
    Clash {
        /// The place.
        at: Pointer,
        /// One owner.
        first: Owner,
        /// The other.
        second: Owner,
    },
    /// The text cannot be edited there.
    #[error("`{at}` cannot be written: {why}")]
    Edit {
        /// The place.
        at: Pointer,
        /// Why not.
        #[source]
        why: EditError,
    },
}
