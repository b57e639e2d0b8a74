mod edit;
mod print;
mod read;
mod scan;

pub(crate) use edit::splice;
pub use print::append_json_string;
pub(crate) use print::{JsonLayout, print, print_key, print_value};
pub(crate) use read::read;

/// Extensions that a JSON file may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonDialect {
    /// Plain JSON.
    Strict,
    /// Comments and trailing commas.
    Comments,
}
