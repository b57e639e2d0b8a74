mod edit;
mod explain;
mod print;
mod read;
mod scalar;
mod tables;

pub(crate) use edit::splice;
pub(crate) use print::print;
pub(crate) use read::read;
