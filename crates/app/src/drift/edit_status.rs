//! How edited files relate to the locked version.

use serde::Serialize;

/// How an edited file relates to the locked version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EditStatus {
    /// It has the changes of the locked version.
    Modified,
    /// The locked version could not be merged into it.
    Conflict,
}

impl EditStatus {
    /// The status as users read it, with the version that the file is based on.
    pub fn words(self, base: Option<&str>) -> String {
        let word = match self {
            EditStatus::Modified => "modified",
            EditStatus::Conflict => "conflict",
        };
        match base {
            Some(base) => format!("{word} (based on {base})"),
            None => word.to_owned(),
        }
    }
}
