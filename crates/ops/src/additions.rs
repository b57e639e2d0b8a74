//! Checks of the arguments that `add` and `config` share.

pub use agpm_manifest::{NewDependency, Replace};
pub(crate) use agpm_manifest::{name_exists as exists, new_source, type_of_word, usage};
