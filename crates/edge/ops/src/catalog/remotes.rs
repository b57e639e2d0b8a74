use crate::failure::{Failure, Notes};
use crate::gather::Project;
use crate::world::World;
use std::path::PathBuf;
pub(crate) struct RemoteLayer {
    pub(crate) shown: String,
    pub(crate) folder: PathBuf,
}
pub(crate) fn remote_layers(
    _: &World,
    _: &Project,
    _: &[String],
    _: &mut Notes,
) -> Result<Vec<RemoteLayer>, Failure> {
    Ok(Vec::new())
}
