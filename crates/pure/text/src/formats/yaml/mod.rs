mod block;
mod edit;
mod editor;
mod entangled;
mod message;
mod offsets;
mod place;
mod print;
mod read;
mod scalar;
mod scan;

pub(crate) use edit::{splice, splice_within};
pub(crate) use print::print;
pub(crate) use read::read;
