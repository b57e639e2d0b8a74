//! Errors in the plan of a shared file.

use agpm_model::Owner;
use agpm_text::{EditError, Pointer};

/// The reason why a shared file cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// Two resources need different values at one location.
    #[error("{first} and {second} write different values to `{at}`")]
    Clash {
        /// The location.
        at: Pointer,
        /// The first owner.
        first: Owner,
        /// The second owner.
        second: Owner,
    },
    /// The text cannot be edited at a location.
    #[error("`{at}` cannot be written: {why}")]
    Edit {
        /// The location.
        at: Pointer,
        /// The reason.
        #[source]
        why: EditError,
    },
}
