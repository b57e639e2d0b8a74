//! The only crate that touches the file system: reads, and writes that cannot leave their folder.
//!
//! Every error carries its path. Knows bytes and paths, not what they mean.

mod cache;
mod driver;
mod error;
mod folder;
mod read;
mod shared_lock;

pub use cache::{create_folders, create_whole, is_folder, remove_folder, replace_folder, sweep, write_whole};
pub use driver::{DriverError, run_driver};
pub use error::{Problem, StoreError};
pub use folder::Folder;
pub use read::{is_file, names_in, nearest, read, temporary_folder};
pub use shared_lock::SharedLock;
