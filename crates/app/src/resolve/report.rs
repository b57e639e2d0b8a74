//! The files whose conflicts were resolved.

use agpm_model::{Owner, RelativePath};
use agpm_plan::ConflictTake;
use serde::{Serialize, Serializer};

/// The result of `resolve`.
#[derive(Clone, Debug, Serialize)]
pub struct ResolveReport {
    /// The side that was taken.
    #[serde(serialize_with = "side_name")]
    pub take: ConflictTake,
    /// The files, by path.
    pub resolved: Vec<ResolvedConflict>,
}

/// A file that is no longer in conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResolvedConflict {
    /// The file.
    pub path: RelativePath,
    /// The owner.
    #[serde(flatten, serialize_with = "agpm_model::serialize_id")]
    pub owner: Owner,
}

/// The argument of a side.
pub fn side_word(take: ConflictTake) -> &'static str {
    match take {
        ConflictTake::Mine => "mine",
        ConflictTake::New => "new",
        ConflictTake::Merged => "merged",
    }
}

fn side_name<S: Serializer>(take: &ConflictTake, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(side_word(*take))
}
