mod edit;
mod message;
mod print;
mod read;
mod scalar;
mod scan;

pub(crate) use edit::splice;
pub(crate) use print::print;
pub(crate) use read::read;
