//! Reads the directories and the history of personas.

mod history;
mod open;

pub use history::repository_history;
pub use open::open_library;
pub use open::{LineageScope, SubmoduleScope};
