//! The directories and the history that personas are read from.

mod history;
mod open;

pub use history::repository_history;
pub use open::open_library;
pub use open::{LineagePlace, Submodules};
