//! Git sources through the git program: refs, fetches and objects. Credentials stay with git.
//!
//! It knows repositories and objects, not the meaning of files. The cache keeps, for each source:
//!
//! | in `<cache>/git/<digest>/` | content | module |
//! |---|---|---|
//! | `info.txt` | the URL without its secrets | `source_cache` |
//! | `lock` | held while something is fetched | `source_cache` |
//! | `refs.txt` | branches and tags as last listed | `refs` |
//! | `objects.git` | commits with all their trees, and the files requested | `fetch`, `reader` |
//! | `history.git` | commits alone; only after a short commit was requested | `commit` |
//! | `trees/COMMIT[-DIGEST]/` | the files of a commit, or of one of its directories, written out | `checkout` |
//! | `last/DIGEST.txt` | the commit that was last written out for a branch or tag and a directory | `checkout` |

mod blobs;
mod cache;
mod checkout;
mod commit;
mod connection;
mod create;
mod error;
mod export;
mod fetch;
mod index;
mod link;
mod locking;
mod program;
mod protocol;
mod reader;
mod refs;
mod remote;
mod run;
mod source;
mod source_cache;
mod stderr;
mod top_files;
mod tree;
mod worktree;

pub use crate::transfer::TransferProgress;
pub use cache::{CachedSource, CopyCondition};
pub use error::GitError;
pub use index::first_tracked;
pub use program::{GitProgram, NetworkAccess};
pub use remote::{RemoteRepository, is_bare_repository, is_git_directory};
pub use tree::{TreeEntry, TreeEntryKind};
pub use worktree::{CommitTree, CommitTreeFile, WorkingState};
