//! The only crate that touches the file system: reads, and writes that cannot leave their folder.
//!
//! Every error carries its path. Knows bytes and paths, not what they mean.

mod chain;
mod check;
mod driver;
mod error;
mod execute;
mod fault;
mod folder;
mod history;
mod journal;
mod owned;
mod project;
mod read;
mod recover;
mod staging;
mod steps;
mod transaction;
mod undo;

pub use driver::{DriverError, run_driver};
pub use error::{Problem, StoreError};
pub use folder::Folder;
pub use history::{Done, EntryNumber, HistoryEntry};
pub use project::{Observed, ProjectLock, ProjectStore, Waiting};
pub use read::{is_file, names_in, nearest, read, temporary_folder};
pub use transaction::{Applied, Expected, FileChange, Mode, Recovered, Transaction};
pub use undo::{Force, UndoError, Undone};
