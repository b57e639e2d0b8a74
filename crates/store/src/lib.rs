//! The only crate that touches the file system: reads, and writes that cannot leave their directory.
//!
//! Every error carries its path. It knows bytes and paths, not their meaning.
//!
//! The files in the state of a store (`.agpm` of a project, `.local/state/agpm` of a home), and who writes them:
//!
//! | path | module | content |
//! |---|---|---|
//! | `lock` | `project` | empty; locked while a process changes the project |
//! | `transaction/` | `staging` | a running transaction: `new/N`, `old/N` and, once it is committed, `journal.json` |
//! | `history/NUMBER/` | `staging`, `history` | a finished transaction: `old/N` and `journal.json` |
//! | `discarded/` | `staging` | leftovers of a discarded transaction |
//! | `bases/NUMBER` | the callers | bytes that were written, as bases of later merges; part of transactions |
//! | `ledger.json` | the callers | the record of managed files |
//! | `seen` | `seen_files` | the files as they were last read, so unchanged ones are not read again; written without a lock |
//! | `folders.json` | `owned` | the directories that agpm created; part of each transaction |
//!
//! All other files belong to the callers and are written like any other file of the project.

mod bases;
mod cache;
mod clock;
mod confined_directory;
mod directory_chain;
mod disk;
mod driver;
mod error;
mod execute;
mod failure;
mod fault;
mod file_step;
mod history;
mod journal;
mod marks;
mod measure;
mod open_file;
mod owned;
pub mod parallel;
mod platform;
mod pre_commit_check;
mod project;
mod read;
mod recover;
mod retire;
mod seen_files;
mod shared_lock;
mod staging;
mod stamp;
mod state;
mod steps;
mod transaction;
mod undo;
mod user;
mod watch;

pub use cache::{
    TemporaryDirectory, age, create_directories, create_directory_atomically,
    create_private_directory, file_size, fill_atomically, fill_file_atomically, io_error,
    is_directory, is_smaller, is_writable, keep_used, last_used, mark_used, open_reader,
    remove_at_once, remove_directory, replace_directory, sweep, sweep_directories, touch,
    write_atomically, write_private,
};
pub use clock::{elapsed, now};
pub use confined_directory::ConfinedDirectory;
pub use disk::Disk;
pub use driver::{DriverCall, DriverError, run_driver};
pub use error::{StoreError, StoreProblem};
pub use file_step::ExpectedFile;
pub use history::{EntryNumber, HistoryEntry, KEPT_TRANSACTIONS};
pub use marks::PathMarks;
pub use measure::{
    is_real_directory, is_real_file, link_target, real_path, remove_path, size_below,
};
pub use project::{LockWait, ProjectLock, ProjectStore, StateUse, StoredFile};
pub use read::{
    directory_names, entries_below, exists, files_below, is_file, names_in, reach, read,
    read_below, read_pieces, read_regular, read_with_mode, temporary_directory,
};
pub use retire::{HistoryUse, RecordedChange};
pub use seen_files::{SeenFiles, SeenPaths};
pub use shared_lock::SharedLock;
pub use state::StateDirectory;
pub use transaction::{AppliedTransaction, FileChange, RecoveryOutcome, Transaction};
pub use undo::{ForceUndo, ReconciledFile, UndoError, UndoneEntry, UndoneSpan};
pub use user::SystemUser;
pub use watch::{DirectoryListing, ListedEntry, ListedKind, kind_at, list, stamp};
