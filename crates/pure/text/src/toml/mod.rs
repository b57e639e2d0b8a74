mod edit;
mod print;
mod read;

pub(crate) use edit::splice;
pub(crate) use print::print;
pub(crate) use read::read;
