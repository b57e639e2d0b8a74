mod edit;
mod emit;
mod explain;
mod outline;
mod print;
mod read;
mod scalar;
mod tables;

pub(crate) use edit::splice;
pub(crate) use print::print;
pub(crate) use read::read;
