//! The only crate that touches the file system: reads, and writes that cannot leave their folder.
//!
//! Every error carries its path. Knows bytes and paths, not what they mean.

mod driver;
mod error;
mod folder;
mod read;

pub use driver::{DriverError, run_driver};
pub use error::{Problem, StoreError};
pub use folder::Folder;
pub use read::{is_file, names_in, nearest, read, temporary_folder};
