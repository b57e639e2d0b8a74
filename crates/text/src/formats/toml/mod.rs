mod edit;
mod emit;
mod explain;
mod outline;
mod print;
mod read;
mod scalar;
mod splice;
mod tables;

pub(crate) use print::print;
pub(crate) use read::read;
pub(crate) use splice::splice;
