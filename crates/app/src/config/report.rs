//! The user configuration, as `config` shows it.

use std::path::PathBuf;

use serde::Serialize;

/// The user configuration, or a change of it.
#[derive(Debug, Serialize)]
pub struct ConfigReport {
    /// The file.
    #[serde(serialize_with = "agpm_model::serialize_path")]
    pub path: PathBuf,
    /// Its content, or what was changed.
    #[serde(flatten)]
    pub answer: ConfigAnswer,
}

/// The result of `config`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ConfigAnswer {
    /// Only its path.
    Place {},
    /// Its content.
    Content {
        /// Its text, with secrets masked.
        text: String,
        /// Its sources by name, without secrets.
        #[serde(serialize_with = "agpm_text::pairs")]
        sources: Vec<(String, String)>,
    },
    /// The host of `OWNER/REPO`.
    Host {
        /// The host, as it is written.
        default_host: String,
    },
    /// A change.
    Done {
        /// The change in words.
        done: String,
    },
}
