//! Why no plan exists for a shared file.

use agpm_model::Owner;
use agpm_text::{EditError, Pointer};

/// Why no plan exists for a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// Two resources want different things of one place.
    #[error("{first} and {second} write different values to `{at}`")]
    Clash {
        /// The location.
        at: Pointer,
        /// The first owner.
        first: Owner,
        /// The second owner.
        second: Owner,
    },
    /// The text cannot be edited there.
    #[error("`{at}` cannot be written: {why}")]
    Edit {
        /// The location.
        at: Pointer,
        /// The reason.
        #[source]
        why: EditError,
    },
}
